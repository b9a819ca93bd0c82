"""The features of a candidate for the prior's logistic regression, each with a name.

There are two kinds: the candidate's group (a parameter, an imported name ...) alone and combined with each property
of the place, and dense numbers. All candidates of a place are computed at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.contexts import WAYS
from context_index.prior.name_counts import COUNTED
from context_index.prior.place import SITUATIONS
from context_index.prior.words import LOOKS, Spellings, spelling
from context_index.symbols import NameKind, Origin

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.name_counts import NameCounts
    from context_index.prior.place import Place
    from context_index.prior.uses import Uses
    from context_index.prior.words import Words
    from context_index.symbols import Name

GROUPS: Final = (
    "parameter", "variable", "variable of the module", "function", "class", "import", "module", "global function",
    "global class", "global", "member", "method",
)  # fmt: skip
_NEAR: Final = (6, 15, 40, 120, 400, 1200)
"""Lexemes since the last use."""
_NEXT: Final = (15, 60, 250)
_SCOPES: Final = (0, 1, 2)
_RELATIONS: Final = (
    "is the last name", "is the target", "given already", "spelled as the target", "shares a word with the target",
    "ends as the target", "shares a word with the callee", "shares a word with the receiver",
    "shares a word with the last name", "type shares a word with the expected type",
)  # fmt: skip
DENSE: Final = (
    "in the file", "uses above", "uses below", "declared and not used",
    *(f"used within {near}" for near in _NEAR), *(f"used in the next {near}" for near in _NEXT),
    *(f"file, {way}: log uses" for way in WAYS), *(f"file, {way}: share" for way in WAYS),
    *(f"workspace, {what}: log uses" for what in COUNTED), *(f"workspace, {way}: share" for way in WAYS),
    *(f"scopes <= {scopes}" for scopes in _SCOPES), "lines since the declaration, log", "not declared yet",
    *LOOKS, *_RELATIONS,
)  # fmt: skip
FEATURES: Final = (*GROUPS, *(f"{group}, {where}" for where in SITUATIONS for group in GROUPS), *DENSE)
_FUNCTIONS: Final = frozenset({NameKind.FUNCTION, NameKind.METHOD})
_TYPES: Final = frozenset({NameKind.CLASS, NameKind.INTERFACE, NameKind.TYPE, NameKind.TYPE_PARAMETER, NameKind.ENUM})
_MODULES: Final = frozenset({NameKind.MODULE, NameKind.NAMESPACE})
_UNKNOWN_LINES: Final = 6.0
_FAR_SCOPES: Final = 9


@dataclass(frozen=True, slots=True)
class Candidates:
    """The names that may be at a place, and what does not depend on the place."""

    names: tuple[str, ...]
    groups: npt.NDArray[np.intp]
    scopes: npt.NDArray[np.intp]
    lines: npt.NDArray[np.float32]
    """The lines of the declarations; -1 where there is none in the file."""
    late: npt.NDArray[np.float32]
    """1 where the name has no value yet."""
    types: npt.NDArray[np.uint64]
    """The words of its type, as `Spelling.parts`; 0 where none is known."""
    spelled: Spellings
    rows: npt.NDArray[np.intp]
    """As `Uses.rows` numbers them."""
    index: Mapping[str, int]

    @classmethod
    def of_names(cls, names: Sequence[str], visible: Mapping[str, Name], uses: Uses, words: Words) -> Candidates:
        """Names in scope."""
        known = [visible[name] for name in names]
        return cls(
            tuple(names),
            np.array([_group(name) for name in known], dtype=np.intp),
            np.array([_scopes(one) for one in known], dtype=np.intp),
            np.array([-1 if one.line is None else one.line for one in known], dtype=np.float32),
            np.array([one.before_declaration for one in known], dtype=np.float32),
            np.array([_type_words(one) for one in known], dtype=np.uint64),
            words.of(names),
            uses.rows(names),
            {name: index for index, name in enumerate(names)},
        )

    @classmethod
    def of_members(cls, members: Mapping[str, NameKind], uses: Uses, words: Words) -> Candidates:
        """What a type checker listed."""
        names, size = tuple(members), len(members)
        return cls(
            names,
            np.array([_member_group(kind) for kind in members.values()], dtype=np.intp),
            np.full(size, _FAR_SCOPES),
            np.full(size, -1, dtype=np.float32),
            np.zeros(size, dtype=np.float32),
            np.zeros(size, dtype=np.uint64),
            words.of(names),
            uses.rows(names),
            {name: index for index, name in enumerate(names)},
        )


def dense(
    candidates: Candidates, place: Place, uses: Uses, name_counts: NameCounts, *, line: int
) -> npt.NDArray[np.float32]:
    """float32 [DENSE, names].

    Args:
        line: Of the place.
    """
    rows, spelled = candidates.rows, candidates.spelled
    table = np.zeros((len(DENSE), len(rows)), dtype=np.float32)
    above, below = uses.above[rows], uses.below[rows]
    since = len(uses.before) - uses.last[rows]
    np.minimum(above + below, 1, out=table[0])
    np.log1p(above, out=table[1])
    np.log1p(below, out=table[2])
    table[3] = (above == 1) & (below == 0) & (candidates.lines >= 0)
    at = 4
    table[at : at + len(_NEAR)] = since <= _NEAR_COLUMN
    at += len(_NEAR)
    table[at : at + len(_NEXT)] = uses.following[rows] <= _NEXT_COLUMN
    at += len(_NEXT)
    counts, totals = uses.counts(place.ways, rows)
    np.log1p(counts, out=table[at : at + len(WAYS)])
    at += len(WAYS)
    np.divide(counts, (totals + 1)[:, np.newaxis], out=table[at : at + len(WAYS)])
    at += len(WAYS)
    counts, totals = name_counts.counts(place.ways, spelled.numbers)
    np.log1p(counts, out=table[at : at + len(COUNTED)])
    at += len(COUNTED)
    np.divide(counts[2:], (totals + 2)[:, np.newaxis], out=table[at : at + len(WAYS)])
    at += len(WAYS)
    np.minimum(table[at - len(WAYS) : at], 1, out=table[at - len(WAYS) : at])
    table[at : at + len(_SCOPES)] = candidates.scopes <= _SCOPES_COLUMN
    at += len(_SCOPES)
    lines = np.log1p(np.abs(line - candidates.lines))
    table[at] = np.where(candidates.lines >= 0, lines, _UNKNOWN_LINES)
    table[at + 1] = candidates.late
    at += 2
    table[at : at + len(LOOKS)] = spelled.looks
    at += len(LOOKS)
    _relate(table[at:], candidates, place)
    return table


def _relate(table: npt.NDArray[np.float32], candidates: Candidates, place: Place) -> None:
    """Fill in `_RELATIONS`."""
    spelled = candidates.spelled
    for row, name in ((0, place.last), (1, place.target)):
        if (at := candidates.index.get(name)) is not None:
            table[row, at] = 1
    for name in place.given:
        if (at := candidates.index.get(name)) is not None:
            table[2, at] = 1
    if place.target:
        target = spelling(place.target)
        table[3] = spelled.plain == np.uint64(target.plain)
        table[4] = (spelled.parts & np.uint64(target.parts)) != 0
        table[5] = spelled.last == np.uint64(target.last)
    for row, name in ((6, place.callee), (7, place.receiver), (8, place.last)):
        if name:
            table[row] = (spelled.parts & np.uint64(spelling(name).parts)) != 0
    if place.expected:
        table[9] = (candidates.types & np.uint64(spelling(place.expected).parts)) != 0


def expanded(candidates: Candidates, place: Place, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """float32 [names, FEATURES]: groups, groups in their situations, and the dense numbers, for fitting."""
    groups = np.eye(len(GROUPS), dtype=np.float32)[candidates.groups]
    situated = [groups * on for on in place.situations]
    return np.concatenate([groups, *situated, table.T], axis=1)


_NEAR_COLUMN: Final = np.array(_NEAR)[:, np.newaxis]
_NEXT_COLUMN: Final = np.array(_NEXT)[:, np.newaxis]
_SCOPES_COLUMN: Final = np.array(_SCOPES)[:, np.newaxis]


def _scopes(name: Name) -> int:
    return _FAR_SCOPES if name.origin is Origin.GLOBAL else name.distance


def _group(name: Name) -> int:
    kind = name.kind
    if name.origin is Origin.GLOBAL:
        called = "global function" if kind in _FUNCTIONS else "global class" if kind in _TYPES else "global"
        return GROUPS.index(called)
    if kind in _MODULES:
        return GROUPS.index("module")
    if name.origin is Origin.IMPORT:
        return GROUPS.index("import")
    if kind in _FUNCTIONS:
        return GROUPS.index("function")
    if kind in _TYPES:
        return GROUPS.index("class")
    if kind is NameKind.PARAMETER:
        return GROUPS.index("parameter")
    return GROUPS.index("variable" if name.distance == 0 else "variable of the module")


def _member_group(kind: NameKind) -> int:
    if kind in _FUNCTIONS:
        return GROUPS.index("method")
    return GROUPS.index("class" if kind in _TYPES else "module" if kind in _MODULES else "member")


def _type_words(name: Name) -> int:
    """The words of an annotation; a function's signature is no type."""
    if not name.detail or name.detail.startswith("(") or name.origin is not Origin.LOCAL:
        return 0
    return spelling(name.detail).parts
