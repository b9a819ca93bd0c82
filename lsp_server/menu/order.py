"""The order of a completion menu: by the model's probability and what the file says where it spoke, else by nearness.

A small model has seen the end of the text only, and knows no scopes: a name that the file uses elsewhere, or that is
declared close by, is more probable than it says.
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
NOBODY: Mapping[str, float] = MappingProxyType({})
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_REACH = 40_000
"""Characters before and after the cursor in which uses of a name are counted."""
_OTHER_CASE = 3.0
"""Nats that a name costs which does not begin as it was typed, in this case."""
_MISFIT = 6.0
"""What a name costs that does not fit the parameter, unless a member of it does."""
_EXPECTED = 12.0
"""What names of arguments gain, which a checker lists beside names in scope: the model thinks little of their several
tokens. At 183 arguments of the fitting places, with the model, the first five held 92 % of the true names of arguments
and 92 % of the true values; with 8 (and 4 for what does not fit) it was 84 and 92 %."""
_FAR = 1.5
_APART = 0.5
_MOST_SCOPES = 6
"""What a global name costs in nats, and what the square root of the number of scopes up to a declaration does. With
these and one nat for the logarithm of the uses, the mean reciprocal rank of names and of members was 0.01 to 0.05
higher in each language: 295 places of `inscope bench ranking --seed 7 --count 60` with nothing typed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu."""

    candidate: Candidate
    import_edit: Edit | None = None
    """What brings it into scope."""


def ordered(
    candidates: Sequence[Candidate],
    scores: Mapping[str, float],
    text: str = "",
    start: int = 0,
    offset: int = 0,
    *,
    prior: Mapping[str, float] = NOBODY,
    misfits: Misfits = NO_MISFITS,
) -> list[Candidate]:
    """The names that the model spoke of, most probable first, then the others as they came; what all objects have last.

    Args:
        scores: Natural logarithms of probabilities.
        text: What is around the cursor, which is at `offset`; from `start` on it is what is half-typed.
        prior: What the workspace says for each, in nats; of what it does not speak, the file has the word.
        misfits: What a type checker refuses. What cannot stand there at all comes last.
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
        known = None if one.importable is not None else prior.get(one.text)
        said = _EXPECTED * (one.listed is not None) + (_by_file(one, uses) if known is None else known)
        misfit = _MISFIT * is_misfit(one)
        return _OTHER_CASE * (not one.text.startswith(typed)) + misfit - scores.get(one.text, lowest) - said

    return sorted(candidates, key=lambda one: (is_last(one), cost(one)))


def _by_file(candidate: Candidate, uses: Mapping[str, int]) -> float:
    """What the file says for a candidate, in nats."""
    used = math.log1p(uses.get(candidate.name, 0))
    distance = candidate.distance
    return (
        used if distance is None else used - _APART * math.sqrt(min(distance, _MOST_SCOPES)) - _FAR * (distance >= FAR)
    )


def entries(syntax: Syntax, candidates: Sequence[Candidate], around: ModuleKind | None = None) -> list[Entry]:
    """The lines of the menu, with the imports as the index writes them.

    Args:
        around: How a script is loaded that does not say it.
    """
    return [Entry(one, import_edit(syntax, one.importable, around) if one.importable else None) for one in candidates]
