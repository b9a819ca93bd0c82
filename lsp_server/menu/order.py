"""The order of a completion menu: by the probabilities of the model, the file and the workspace, else by nearness.

A small model reads only the end of the text and knows no scopes: a name that the file uses elsewhere, or that is
declared nearby, is more probable than the model says.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from context_index import Misfits, import_edit
from lsp_server.menu.candidates import FAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_index import Edit, ModuleKind, Syntax
    from lsp_server.menu.candidates import Candidate


NO_MISFITS = Misfits()
NO_PRIOR: Mapping[str, float] = MappingProxyType({})
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_REACH = 40_000
"""Characters before and after the cursor in which uses of a name are counted."""
_OTHER_CASE = 3.0
"""Nats taken from a name that begins with the typed word only if case is ignored."""
_MISFIT = 6.0
"""Nats taken from a name that does not fit the parameter, unless a member of it does."""
_EXPECTED = 12.0
"""Nats added to names of arguments, which a checker lists beside the names in scope: they are several tokens long, and
the model makes them improbable. At 183 arguments of the fitting places, with the model, the first five entries held
92 % of the true names of arguments and 92 % of the true values; with 8 (and 4 for what does not fit) 84 and 92 %."""
_FAR = 1.5
"""Nats taken from a global name. With this, the two below and one nat for the logarithm of the uses, the mean
reciprocal rank of names and of members was 0.01 to 0.05 higher in each language: 295 places of `inscope bench ranking
--seed 7 --count 60` with nothing typed."""
_APART = 0.5
"""Nats taken from a name, times the square root of the number of scopes up to its declaration."""
_MOST_SCOPES = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu."""

    candidate: Candidate
    import_edit: Edit | None = None
    """The import that brings it into scope."""


def ordered(
    candidates: Sequence[Candidate],
    scores: Mapping[str, float],
    text: str = "",
    start: int = 0,
    offset: int = 0,
    *,
    prior: Mapping[str, float] = NO_PRIOR,
    misfits: Misfits = NO_MISFITS,
) -> list[Candidate]:
    """The candidates, most probable first; last are members that every object has and what does not fit there.

    Args:
        scores: The model's, as natural logarithms of probabilities.
        text: The text around the cursor, which is at `offset`; the half-typed word begins at `start`.
        prior: Nats that the workspace adds to a candidate; a candidate without a value gets the file's own uses added.
        misfits: What a type checker refuses.
    """

    def is_last(one: Candidate) -> bool:
        is_value = one.listed is None
        return one.is_universal or one.text in misfits.given or (is_value and not misfits.takes_value)

    def is_misfit(one: Candidate) -> bool:
        return one.distance is not None and one.text in misfits.names

    if not scores and not prior:
        return sorted(candidates, key=lambda one: (is_last(one), is_misfit(one)))
    uses = Counter(_WORD.findall(text, max(offset - _REACH, 0), offset + _REACH))
    lowest, typed = float("-inf") if scores else 0.0, text[start:offset]

    def cost(one: Candidate) -> float:
        by_workspace = None if one.importable is not None else prior.get(one.text)
        gain = scores.get(one.text, lowest) + _EXPECTED * (one.listed is not None)
        gain += _by_file(one, uses) if by_workspace is None else by_workspace
        return _OTHER_CASE * (not one.text.startswith(typed)) + _MISFIT * is_misfit(one) - gain

    return sorted(candidates, key=lambda one: (is_last(one), cost(one)))


def _by_file(candidate: Candidate, uses: Mapping[str, int]) -> float:
    """Nats that the file adds to a candidate: for its uses there, less for the scopes up to its declaration."""
    used = math.log1p(uses.get(candidate.name, 0))
    distance = candidate.distance
    if distance is None:
        return used
    return used - _APART * math.sqrt(min(distance, _MOST_SCOPES)) - _FAR * (distance >= FAR)


def entries(syntax: Syntax, candidates: Sequence[Candidate], around: ModuleKind | None = None) -> list[Entry]:
    """The lines of the menu, with the imports as the index writes them.

    Args:
        around: The kind of the script, where its text does not show it.
    """
    return [Entry(one, import_edit(syntax, one.importable, around) if one.importable else None) for one in candidates]
