"""How probable each name is at one place of a document.

Answers depend on the document and on the counts when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.features import NameCandidates, dense
from context_index.prior.place import place_of
from context_index.prior.weights import kind_of, shipped

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.contexts import TextContexts
    from context_index.prior.name_counts import NameCounts
    from context_index.prior.uses import Uses
    from context_index.symbols import Name, NameKind

_ESCAPE: Final = 0.05
"""The share of the probability that is divided evenly, so that counts rule out no name."""
_POWERS: Final = {False: 3.0, True: 2.0}
"""By whether it is of members. The best for the mean reciprocal rank, by steps of a half to one, at 779 places of names
in scope and 772 of members in the fitting packages."""
_TAIL: Final = 200
"""Lexemes before the place that are looked at."""


@dataclass(frozen=True, slots=True)
class NameProbabilities:
    """Names and their probabilities."""

    names: tuple[str, ...]
    """Sorted."""
    probabilities: npt.NDArray[np.float64]
    power: float
    """Where whole names are ordered, a name weighs (the model's probability) * (this one) ** power."""

    def relative(self) -> dict[str, float]:
        """By name, power * log(probability over that of all names being alike)."""
        logs = self.power * np.log(self.probabilities * len(self.names))
        return dict(zip(self.names, logs.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class PlacePrior:
    """The prior of one place."""

    uses: Uses
    """The document around the place."""
    name_counts: NameCounts
    own: TextContexts
    """The document as it is among the counts."""
    visible: Mapping[str, Name]
    """The names in scope."""
    line: int
    after: str
    """The rest of the line, as far as it will stay right after the name."""
    weights: str
    """The prior of the language's record; `weights.kind_of` makes the kind of it."""

    def names(self) -> NameProbabilities | None:
        """Names in scope."""
        ordered = {name: self.visible[name] for name in sorted(self.visible)}
        return self._weighed(NameCandidates.of_names(ordered), member=False)

    def members(self, listed: Mapping[str, NameKind]) -> NameProbabilities | None:
        """Members that a type checker listed."""
        ordered = {name: listed[name] for name in sorted(listed)}
        return self._weighed(NameCandidates.of_members(ordered), member=True)

    def _weighed(self, candidates: NameCandidates, *, member: bool) -> NameProbabilities | None:
        if not candidates.names:
            return None
        place = place_of(self.uses.before[-_TAIL:], self.after, partial(signature_of, visible=self.visible))
        table = dense(candidates, place, self.uses, self.name_counts, self.own, line=self.line)
        scores = shipped()[kind_of(self.weights, member=member)].scores(candidates, place, table)
        odds = np.exp(scores - scores.max(), dtype=np.float64)
        probabilities = (1 - _ESCAPE) * odds / odds.sum() + _ESCAPE / len(odds)
        return NameProbabilities(candidates.names, probabilities, _POWERS[member])


def signature_of(function: str, visible: Mapping[str, Name]) -> str | None:
    """The parameters of a visible function, `(a, b: int)`."""
    found = visible.get(function)
    return found.detail if found is not None and found.detail.startswith("(") else None
