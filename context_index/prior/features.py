"""The features of a candidate for the prior's logistic regression, each with a name.

There are two kinds: the candidate's group (a parameter, an imported name ...) alone and combined with each property
of the place, and dense numbers. All candidates of a place are computed at once.

`PlacePrior` asks for the features and multiplies them by weights. `training/prior_fit.py` fits the weights, which are
kept by the features' names: a feature with a new name weighs 0 until they are fitted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.contexts import CONTEXT_KINDS
from context_index.prior.name_counts import COUNTED
from context_index.prior.place import SITUATIONS
from context_index.prior.words import Spellings, spelling
from context_index.symbols import NameKind, Origin

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.contexts import TextContexts
    from context_index.prior.name_counts import NameCounts
    from context_index.prior.place import PriorPlace
    from context_index.prior.uses import Uses
    from context_index.symbols import Name

GROUPS: Final = (  # see `_group` and `_member_group`
    "parameter", "variable", "variable of an outer scope", "function", "class", "import", "module", "global function",
    "global class", "global", "member", "method",
)  # fmt: skip
"""The groups of candidates; each candidate is in one. "global" are all names of libraries' globals but functions and
types, "class" all types."""
_SCOPES: Final = (0, 1, 2)
"""Numbers of scopes. For each, a feature says whether the declaration is at most so many scopes away."""
_SCOPES_COLUMN: Final = np.array(_SCOPES)[:, np.newaxis]
DENSE: Final = (
    "in the file", "uses above", "uses below", "declared and not used",
    *(f"file, {kind}: log uses" for kind in CONTEXT_KINDS), *(f"file, {kind}: share" for kind in CONTEXT_KINDS),
    *(f"workspace, {what}: log uses" for what in COUNTED), *(f"workspace, {kind}: share" for kind in CONTEXT_KINDS),
    *(f"scopes <= {scopes}" for scopes in _SCOPES), "lines since the declaration, log", "not declared yet",
    "is the target", "shares a word with the target", "ends like the target",
)  # fmt: skip
"""The rows of `dense`. "Uses" are uses of the name. A "share" is the part of a context's uses that are the name's. The
"target" is the name that gets the value at the place (`PriorPlace.target`)."""
FEATURES: Final = (*GROUPS, *(f"{group}, {where}" for where in SITUATIONS for group in GROUPS), *DENSE)
_FUNCTIONS: Final = frozenset({NameKind.FUNCTION, NameKind.METHOD})
_TYPES: Final = frozenset({NameKind.CLASS, NameKind.INTERFACE, NameKind.TYPE, NameKind.TYPE_PARAMETER, NameKind.ENUM})
_MODULES: Final = frozenset({NameKind.MODULE, NameKind.NAMESPACE})
_UNKNOWN_LINES: Final = 6.0
"""Natural logarithm of about 400 lines, for a declaration whose line is unknown."""
_FAR_SCOPES: Final = 9
"""The number of scopes to globals and members: more than any of `_SCOPES`."""


@dataclass(frozen=True, slots=True)
class NameCandidates:
    """The names that may be at a place, and what does not depend on the place. All arrays have the shape [names]."""

    names: tuple[str, ...]
    groups: npt.NDArray[np.intp]
    """The index of each name's group in `GROUPS`."""
    scopes: npt.NDArray[np.intp]
    """The number of scopes to the declarations."""
    lines: npt.NDArray[np.float32]
    """The lines of the declarations; -1 where there is none in the file."""
    late: npt.NDArray[np.float32]
    """1 where the name has no value yet, else 0."""
    spelled: Spellings
    """Hashes of the names and of the words in them, to compare them with the target."""

    @classmethod
    def of_names(cls, visible: Mapping[str, Name]) -> NameCandidates:
        """The candidates where names in scope may be."""
        names, declared = tuple(visible), visible.values()
        return cls(
            names,
            np.array([_group(name) for name in declared], dtype=np.intp),
            np.array([_scopes(name) for name in declared], dtype=np.intp),
            np.array([-1 if name.line is None else name.line for name in declared], dtype=np.float32),
            np.array([name.before_declaration for name in declared], dtype=np.float32),
            Spellings.of(names),
        )

    @classmethod
    def of_members(cls, members: Mapping[str, NameKind]) -> NameCandidates:
        """The candidates where members may be that a type checker listed."""
        names, size = tuple(members), len(members)
        return cls(
            names,
            np.array([_member_group(kind) for kind in members.values()], dtype=np.intp),
            np.full(size, _FAR_SCOPES),
            np.full(size, -1, dtype=np.float32),
            np.zeros(size, dtype=np.float32),
            Spellings.of(names),
        )


def dense(
    candidates: NameCandidates, place: PriorPlace, uses: Uses, name_counts: NameCounts, own: TextContexts, *, line: int
) -> npt.NDArray[np.float32]:
    """The dense features of all candidates, float32 [DENSE, names].

    Args:
        own: The file as `name_counts` counted it; empty if it did not. It is subtracted, so that the workspace's counts
            are those of other files.
        line: The line of the place.
    """
    spelled, has_line = candidates.spelled, candidates.lines >= 0
    (counts_above, totals_above), (counts_below, totals_below), own_counts = (
        text.counts(place.context, candidates.names) for text in (uses.above, uses.below, own)
    )
    # each has the uses in any context, and then those in each kind of the place's context
    above, below = counts_above[0], counts_below[0]
    in_file, in_file_totals = counts_above[1:] + counts_below[1:], totals_above + totals_below
    in_workspace, workspace_totals = name_counts.counts(place.context, spelled.numbers, own_counts)
    # The totals get 1 or 2 added, so that a context that was seen once or twice gives no name a share of 1. Shares are
    # at most 1, though slots of the workspace's table may be shared.
    target = spelling(place.target)
    has_target = bool(place.target)
    return np.vstack([  # in the order of `DENSE`
        np.minimum(above + below, 1),
        np.log1p(above),
        np.log1p(below),
        (above == 1) & (below == 0) & has_line,
        np.log1p(in_file),
        in_file / (in_file_totals + 1)[:, np.newaxis],
        np.log1p(in_workspace),
        np.minimum(in_workspace[1:] / (workspace_totals + 2)[:, np.newaxis], 1),
        candidates.scopes <= _SCOPES_COLUMN,
        np.where(has_line, np.log1p(np.abs(line - candidates.lines)), _UNKNOWN_LINES),
        candidates.late,
        has_target & (spelled.numbers == np.uint64(target.number)),
        has_target & ((spelled.parts & np.uint64(target.parts)) != 0),
        has_target & (spelled.last == np.uint64(target.last)),
    ]).astype(np.float32)  # fmt: skip


def _scopes(name: Name) -> int:
    """The number of scopes between the place and a name's declaration."""
    return _FAR_SCOPES if name.origin is Origin.GLOBAL else name.distance


def _group(name: Name) -> int:
    """The index of a visible name's group in `GROUPS`."""
    kind = name.kind
    if name.origin is Origin.GLOBAL:
        group = "global function" if kind in _FUNCTIONS else "global class" if kind in _TYPES else "global"
        return GROUPS.index(group)
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
    return GROUPS.index("variable" if name.distance == 0 else "variable of an outer scope")


def _member_group(kind: NameKind) -> int:
    """The index of a member's group in `GROUPS`."""
    if kind in _FUNCTIONS:
        return GROUPS.index("method")
    return GROUPS.index("class" if kind in _TYPES else "module" if kind in _MODULES else "member")
