"""The order of a completion menu: by the probabilities of the model, the file and the workspace.

A small model reads only the end of the text and knows no scopes. So a name that the file uses elsewhere, or that is
declared nearby, is more probable than the model says. Without a model and a prior, the nearest names come first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from context_index import Misfits, NameKind, continues_identifier, import_edit
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
"""Nats taken from a name in scope that does not fit the parameter; a member of it may fit."""
_EXPECTED = 12.0
"""Nats added to what a checker lists, for names of arguments: they stand beside the names in scope and have several
tokens, which the model finds improbable. At 183 arguments of the fitting places, with the model, the first five entries
held 92 % of the true names of arguments and 92 % of the true values; with 8 nats (and 4 for misfits) 84 and 92 %."""
_FAR = 1.5
"""Nats taken from a global name. With this, `_APART`, `_MOST_SCOPES` and one nat for the logarithm of the uses, the
mean reciprocal rank of names and of members was 0.01 to 0.05 higher in each language: 295 places of `inscope bench
ranking --seed 7 --count 60` with nothing typed."""
_APART = 0.5
"""Nats taken from a name for each unit of the square root of the scopes up to its declaration."""
_MOST_SCOPES = 6
"""The most scopes that count for `_APART`."""
_MOST_STARS = 3
"""The most entries that are put above what another service lists."""
_FIRST = -1.0
"""The rank of what comes before all exporters (`_group`)."""
_LEAST_STAR = 0.05
"""The least probability of an entry that is put above what another service lists."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One line of the menu."""

    candidate: MenuCandidate
    import_edit: Edit | None = None
    """The edit that imports it; None where no import is needed, or the client asks for it later."""


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
    """The candidates in the order of `ranked`, without their probabilities."""
    return [item for item, _ in ranked(candidates, scores, text, start, offset, prior=prior, misfits=misfits)]


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

    First is the typed word itself if it is one of the grammar, or else modules that export the names of the typed
    import, nearest first. Last are members that every object has, members that cannot be typed, and what a checker
    refuses: their probability is 0, unless there are no others.

    Args:
        scores: The model's log-probability (natural) of each text. Beside such texts, one without gets probability 0.
        text: The text around the cursor, which is at `offset`; the half-typed word begins at `start`.
        prior: Nats that the workspace adds to a text; to a text without a value `_by_file` adds its own.
        misfits: What a type checker refuses.
    """
    typed = text[start:offset]
    if not scores and not prior:
        unranked = sorted(candidates, key=lambda item: (_group(item, misfits, typed), _is_misfit(item, misfits)))
        return [(item, 1 / len(unranked)) for item in unranked]
    uses = Counter(_WORD.findall(text, max(offset - _REACH, 0), offset + _REACH))
    unscored = float("-inf") if scores else 0.0

    def cost(item: MenuCandidate) -> float:
        """Minus the logarithm of the item's weight, in nats."""
        # the prior's name is another one than a name to import; a member to whose module an import leads is a member
        by_workspace = None if item.importable is not None and item.listed is None else prior.get(item.text)
        gain = scores.get(item.text, unscored) + _EXPECTED * (item.listed is not None)
        gain += _by_file(item, uses) if by_workspace is None else by_workspace
        return _OTHER_CASE * (not item.text.startswith(typed)) + _MISFIT * _is_misfit(item, misfits) - gain

    by_cost = sorted((_group(item, misfits, typed), cost(item), number) for number, item in enumerate(candidates))
    weights = _weights([(is_last, nats) for (is_last, _), nats, _ in by_cost])
    total = math.fsum(weights) or 1.0
    return [(candidates[number], weight / total) for (_, _, number), weight in zip(by_cost, weights, strict=True)]


def led_by(candidates: Sequence[tuple[MenuCandidate, float]], text: str) -> Sequence[tuple[MenuCandidate, float]]:
    """The candidates with the one with which a text begins in front, as probable as the first was.

    They stay as they are if there is none, or if a word of the grammar is first.

    Args:
        text: What is shown as ghost text, with the half-typed word before it.
    """
    begun = next((item for item, _ in candidates if item.written and _begins_with(text, item.written)), None)
    if begun is None or candidates[0][0].kind is NameKind.KEYWORD:
        return candidates
    return [(begun, candidates[0][1]), *(each for each in candidates if each[0] is not begun)]


def _begins_with(text: str, written: str) -> bool:
    """Whether a text begins with what an entry writes, and not with a longer word."""
    goes_on = continues_identifier(written[-1]) and continues_identifier(text[len(written) : len(written) + 1] or " ")
    return text.startswith(written) and not goes_on


def _group(item: MenuCandidate, misfits: Misfits, typed: str) -> tuple[bool, float]:
    """Whether a candidate comes last, and its rank, else infinity; the cost orders equal ones."""
    is_value = item.listed is None and item.exporter_rank is None
    is_refused = item.text in misfits.given or (is_value and not misfits.takes_value)
    is_last = item.is_universal or is_refused or _is_index(item)
    if item.kind is NameKind.KEYWORD and item.text == typed:
        return False, _FIRST
    return is_last, math.inf if item.exporter_rank is None else item.exporter_rank


def _is_misfit(item: MenuCandidate, misfits: Misfits) -> bool:
    """Whether a candidate is a name in scope that a checker refuses as it stands."""
    return item.distance is not None and item.text in misfits.names


def _weights(costs: Sequence[tuple[bool, float]]) -> list[float]:
    """Weights in proportion to probabilities; 0 for candidates that come last, unless all do.

    Args:
        costs: For each candidate, in order, whether it comes last, and its cost in nats.
    """
    do_all_come_last = not costs or costs[0][0]
    least = min((nats for is_last, nats in costs if is_last == do_all_come_last), default=0.0)
    return [
        math.exp(least - nats) if is_last == do_all_come_last and nats < math.inf else 0.0 for is_last, nats in costs
    ]


def _is_index(candidate: MenuCandidate) -> bool:
    """Whether an entry replaces the dot by an index, such as `[Symbol]`: nobody can type it as a member."""
    listed = candidate.listed
    return listed is not None and listed.reach > 0 and not listed.written.endswith(candidate.text)


def best(candidates: Sequence[tuple[MenuCandidate, float]], typed: str) -> tuple[list[MenuCandidate], int]:
    """The entries to list beside those of another service, and how many of them, the first ones, get a star.

    Stars are the few most probable entries; then comes everything that brings an import. Each name is listed once. If
    names in scope begin with what is typed in the same case, only such names get a star: an editor may hide others.
    None does if a word of the grammar is the most probable: the other service lists that.

    Args:
        candidates: The candidates with their probabilities, as `ranked` returns them.
        typed: The half-typed word.
    """
    same_case = [(item, probability) for item, probability in candidates if item.text.startswith(typed)]
    likely = same_case if any(item.importable is None for item, _ in same_case) else candidates
    total = math.fsum(probability for _, probability in likely) or 1.0
    is_word = any(item.kind is NameKind.KEYWORD for item, _ in candidates[:1])
    likeliest = () if is_word else likely[:_MOST_STARS]
    stars = [
        item
        for item, probability in likeliest
        if probability >= _LEAST_STAR * total and item.kind is not NameKind.KEYWORD
    ]
    shown: dict[str, MenuCandidate] = {}
    for item in stars:
        shown.setdefault(item.text, item)
    star_count = len(shown)
    for item, _ in candidates:
        if item.importable is not None:
            shown.setdefault(item.text, item)
    return list(shown.values()), star_count


def _by_file(candidate: MenuCandidate, uses: Mapping[str, int]) -> float:
    """Nats that the file adds to a candidate: more for its uses, less for the scopes up to its declaration."""
    used = math.log1p(uses.get(candidate.name, 0))
    distance = candidate.distance
    if distance is None:
        return used
    return used - _APART * math.sqrt(min(distance, _MOST_SCOPES)) - _FAR * (distance >= FAR)


def entries(syntax: Syntax, candidates: Sequence[MenuCandidate], around: ModuleKind | None = None) -> list[MenuEntry]:
    """The lines of the menu, with the imports as the index writes them.

    Args:
        around: The kind of module that the document is, if its text does not show it.
    """
    return [
        MenuEntry(item, import_edit(syntax, item.importable, around) if item.importable else None)
        for item in candidates
    ]
