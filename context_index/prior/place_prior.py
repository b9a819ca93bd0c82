"""How probable each name is at one place of a document.

`Prior.at` makes a `PlacePrior`. Its answers depend on the counts at the time of the question.
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
"""`NameProbabilities.power` of names in scope (False) and of members (True): the best for the mean reciprocal rank, by
steps of a half to one, at 779 places of names in scope and 772 of members in the fitting packages."""
_TAIL: Final = 200
"""The lexemes before the place that are read."""


@dataclass(frozen=True, slots=True)
class NameProbabilities:
    """Names and their probabilities."""

    names: tuple[str, ...]
    """Sorted."""
    probabilities: npt.NDArray[np.float64]
    power: float
    """The weight of these probabilities beside a model's: whole names are ordered by model's * these ** power."""

    def relative(self) -> dict[str, float]:
        """By name, power * log(probability * number of names): 0 for a name that is as probable as the average."""
        logs = self.power * np.log(self.probabilities * len(self.names))
        return dict(zip(self.names, logs.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class PlacePrior:
    """The prior of one place."""

    uses: Uses
    """The names that the document uses around the place."""
    name_counts: NameCounts
    own: TextContexts
    """The document as it was counted, to be subtracted; empty if it was not."""
    visible: Mapping[str, Name]
    """The names in scope."""
    line: int
    after: str
    """The text that will follow the name on its line, as far as it is known."""
    weights: str
    """`LanguageRecord.prior`, from which `weights.kind_of` makes a kind."""

    def names(self) -> NameProbabilities | None:
        """The probabilities of the names in scope; None where there are none."""
        ordered = {name: self.visible[name] for name in sorted(self.visible)}
        return self._weighed(NameCandidates.of_names(ordered), member=False)

    def members(self, listed: Mapping[str, NameKind]) -> NameProbabilities | None:
        """The probabilities of members that a type checker listed; None where there are none."""
        ordered = {name: listed[name] for name in sorted(listed)}
        return self._weighed(NameCandidates.of_members(ordered), member=True)

    def _weighed(self, candidates: NameCandidates, *, member: bool) -> NameProbabilities | None:
        """The probabilities of candidates by the regression for names or for members; None where there are none."""
        if not candidates.names:
            return None
        place = place_of(self.uses.before[-_TAIL:], self.after, partial(signature_of, visible=self.visible))
        table = dense(candidates, place, self.uses, self.name_counts, self.own, line=self.line)
        scores = shipped()[kind_of(self.weights, member=member)].scores(candidates, place, table)
        relative_odds = np.exp(scores - scores.max(), dtype=np.float64)
        probabilities = (1 - _ESCAPE) * relative_odds / relative_odds.sum() + _ESCAPE / len(relative_odds)
        return NameProbabilities(candidates.names, probabilities, _POWERS[member])


def signature_of(function: str, visible: Mapping[str, Name]) -> str | None:
    """The parameters of a visible function, `(a, b: int)`; None where they are not known."""
    name = visible.get(function)
    return name.detail if name is not None and name.detail.startswith("(") else None
