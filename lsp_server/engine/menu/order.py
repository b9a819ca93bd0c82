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
from lsp_server.engine.menu.candidates import FAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_index import Edit, ModuleKind, Syntax
    from lsp_server.engine.menu.candidates import MenuCandidate


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
_MOST_STARS = 3
_LEAST_STAR = 0.05
"""The least probability of an entry that is put above what another service lists."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One line of the menu."""

    candidate: MenuCandidate
    import_edit: Edit | None = None
    """The import that brings it into scope."""


def ordered(
    candidates: Sequence[MenuCandidate],
    scores: Mapping[str, float],
    text: str = "",
    start: int = 0,
    offset: int = 0,
    *,
    prior: Mapping[str, float] = NO_PRIOR,
    misfits: Misfits = NO_MISFITS,
) -> list[MenuCandidate]:
    """The candidates of `ranked`, without their probabilities."""
    return [one for one, _ in ranked(candidates, scores, text, start, offset, prior=prior, misfits=misfits)]


def ranked(
    candidates: Sequence[MenuCandidate],
    scores: Mapping[str, float],
    text: str = "",
    start: int = 0,
    offset: int = 0,
    *,
    prior: Mapping[str, float] = NO_PRIOR,
    misfits: Misfits = NO_MISFITS,
) -> list[tuple[MenuCandidate, float]]:
    """The candidates with their probabilities, most probable first.

    Last are members that every object has or that cannot be typed, and what does not fit there; they share no
    probability, unless there are no others.

    Args:
        scores: The model's, as natural logarithms of probabilities.
        text: The text around the cursor, which is at `offset`; the half-typed word begins at `start`.
        prior: Nats that the workspace adds to a candidate; a candidate without a value gets the file's own uses added.
        misfits: What a type checker refuses.
    """

    def is_last(one: MenuCandidate) -> bool:
        is_value = one.listed is None and one.exporter_rank is None
        is_refused = one.text in misfits.given or (is_value and not misfits.takes_value)
        return one.is_universal or is_refused or _is_index(one)

    def is_misfit(one: MenuCandidate) -> bool:
        return one.distance is not None and one.text in misfits.names

    def place(one: MenuCandidate) -> tuple[bool, float]:
        """What exports the names of an import comes first, in its order; last is what may not stand there."""
        return (is_last(one), math.inf if one.exporter_rank is None else one.exporter_rank)

    if not scores and not prior:
        unranked = sorted(candidates, key=lambda one: (place(one), is_misfit(one)))
        return [(one, 1 / len(unranked)) for one in unranked]
    uses = Counter(_WORD.findall(text, max(offset - _REACH, 0), offset + _REACH))
    lowest, typed = float("-inf") if scores else 0.0, text[start:offset]

    def cost(one: MenuCandidate) -> float:
        by_workspace = None if one.importable is not None else prior.get(one.text)
        gain = scores.get(one.text, lowest) + _EXPECTED * (one.listed is not None)
        gain += _by_file(one, uses) if by_workspace is None else by_workspace
        return _OTHER_CASE * (not one.text.startswith(typed)) + _MISFIT * is_misfit(one) - gain

    by_cost = sorted((place(one), cost(one), number) for number, one in enumerate(candidates))
    has_likely = bool(by_cost) and not by_cost[0][0][0]
    least = min((each for (last, _), each, _ in by_cost if last is not has_likely), default=0.0)
    weights = [math.exp(least - each) if last is not has_likely and each < math.inf else 0.0
               for (last, _), each, _ in by_cost]  # fmt: skip
    total = math.fsum(weights) or 1.0
    return [(candidates[number], weight / total) for (_, _, number), weight in zip(by_cost, weights, strict=True)]


def _is_index(candidate: MenuCandidate) -> bool:
    """Whether an entry takes the dot back and writes an index, as `[Symbol]`: nobody can type it as a member."""
    listed = candidate.listed
    return listed is not None and listed.reach > 0 and not listed.written.endswith(candidate.text)


def best(found: Sequence[tuple[MenuCandidate, float]], typed: str) -> tuple[list[MenuCandidate], int]:
    """The entries beside those of another service: the few most probable, then what brings its import, each name once.

    Returns them with the number of the former. Where names in scope begin as it was typed, only what begins so gets a
    star, by its share among its like: an editor may hide what differs in case.

    Args:
        found: The candidates with their probabilities, as `ranked` returns them.
        typed: The half-typed word.
    """
    begun = [(one, probability) for one, probability in found if one.text.startswith(typed)]
    likely = begun if any(one.importable is None for one, _ in begun) else found
    total = math.fsum(probability for _, probability in likely) or 1.0
    stars = [one for one, probability in likely[:_MOST_STARS] if probability >= _LEAST_STAR * total]
    shown: dict[str, MenuCandidate] = {}
    for one in stars:
        shown.setdefault(one.text, one)
    starred = len(shown)
    for one, _ in found:
        if one.importable is not None:
            shown.setdefault(one.text, one)
    return list(shown.values()), starred


def _by_file(candidate: MenuCandidate, uses: Mapping[str, int]) -> float:
    """Nats that the file adds to a candidate: for its uses there, less for the scopes up to its declaration."""
    used = math.log1p(uses.get(candidate.name, 0))
    distance = candidate.distance
    if distance is None:
        return used
    return used - _APART * math.sqrt(min(distance, _MOST_SCOPES)) - _FAR * (distance >= FAR)


def entries(syntax: Syntax, candidates: Sequence[MenuCandidate], around: ModuleKind | None = None) -> list[MenuEntry]:
    """The lines of the menu, with the imports as the index writes them.

    Args:
        around: The kind of the script, where its text does not show it.
    """
    return [
        MenuEntry(one, import_edit(syntax, one.importable, around) if one.importable else None) for one in candidates
    ]
