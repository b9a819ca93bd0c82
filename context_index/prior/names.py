"""How probable each name is at one place of a document, while text is written there.

Answers depend on the document, the text written and the counts at the time when the place was opened; later changes
to the counts do not affect them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from context_index.prior.contexts import KEYWORDS
from context_index.prior.features import Candidates, dense
from context_index.prior.lexemes import is_word, lexemes
from context_index.prior.place import place_of
from context_index.prior.weights import kind_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.name_counts import NameCounts
    from context_index.prior.uses import Uses
    from context_index.prior.weights import FittedWeights
    from context_index.prior.words import Words
    from context_index.symbols import Name, NameKind

_ESCAPE: Final = 0.05
"""The share of the probability that is divided evenly, so that counts rule out no name."""
_TAIL: Final = 200
"""Lexemes before the place that are looked at."""


@dataclass(frozen=True, slots=True)
class NameProbabilities:
    """Names and their probabilities."""

    names: tuple[str, ...]
    """Sorted."""
    probabilities: npt.NDArray[np.float64]
    share: float
    """The power to which they are to be taken before they multiply a model's."""
    menu: float
    """The same where whole names are ordered."""

    def relative(self) -> dict[str, float]:
        """By name, menu * log(probability over that of all names being alike)."""
        logs = self.menu * np.log(self.probabilities * len(self.names))
        return dict(zip(self.names, logs.tolist(), strict=True))


class _Query(NamedTuple):
    """What an answer depends on beside the candidates."""

    written: tuple[str, ...]
    """Lexemes from the place on."""
    after: str
    line: int
    member: bool


class PlacePrior:
    """The prior of one place.

    Args:
        uses: The document around the place.
        visible: The names in scope there.
        line: Of the place, from 0.
        after: The rest of its line, as far as it will stay right after the name.
    """

    def __init__(  # noqa: PLR0917 -- made in one place
        self,
        uses: Uses,
        name_counts: NameCounts,
        words: Words,
        fitted: FittedWeights,
        visible: Mapping[str, Name],
        line: int,
        after: str,
        *,
        python: bool,
    ) -> None:
        self._uses = uses
        self._name_counts = name_counts
        self._words = words
        self._fitted = fitted
        self._visible = visible
        self._line = line
        self._after = after
        self._python = python
        self._scopes: dict[frozenset[str], Candidates] = {}
        """Names in scope and others that were written since, the latest only: they stay the same for many names."""
        self._listed: tuple[Mapping[str, NameKind], Candidates] | None = None
        self._latest: tuple[Candidates, _Query, NameProbabilities] | None = None
        """The last answer: names here and names after a space are asked for in turn, and mostly follow the same."""

    def names(self, written: str) -> NameProbabilities | None:
        """Names in scope, and those that were written since, after what has been written from the place on."""
        new = lexemes(written, python=self._python)
        own = frozenset(one for one in new if is_word(one) and one not in KEYWORDS and one not in self._visible)
        scope = self._scopes.get(own)
        if scope is None:
            scope = self._in_scope.with_written(own, self._uses, self._words, line=self._line)
            self._scopes = {own: scope}
        return self._weighed(scope, new, written, member=False)

    def members(self, written: str, listed: Mapping[str, NameKind]) -> NameProbabilities | None:
        """Members that a type checker listed, likewise."""
        if self._listed is None or self._listed[0] is not listed:
            ordered = {name: listed[name] for name in sorted(listed)}
            self._listed = listed, Candidates.of_members(ordered, self._uses, self._words)
        return self._weighed(self._listed[1], lexemes(written, python=self._python), written, member=True)

    @cached_property
    def _in_scope(self) -> Candidates:
        return Candidates.of_names(sorted(self._visible), self._visible, self._uses, self._words, line=self._line)

    def _weighed(
        self, candidates: Candidates, new: Sequence[str], written: str, *, member: bool
    ) -> NameProbabilities | None:
        if not candidates.names:
            return None
        asked = _Query(tuple(new), "" if written else self._after, self._line + written.count("\n"), member)
        if self._latest is None or self._latest[0] is not candidates or self._latest[1] != asked:
            self._latest = candidates, asked, self._looked_at(candidates, asked)
        return self._latest[2]

    def _looked_at(self, candidates: Candidates, asked: _Query) -> NameProbabilities:
        new, after, line, member = asked
        kind = kind_of(python=self._python, member=member)
        weights = self._fitted.by_kind[kind]
        place = place_of([*self._uses.before[-_TAIL:], *new], after, self._signature)
        scores = weights.scores(
            candidates, place, dense(candidates, place, self._uses, self._name_counts, line=line, written=new)
        )
        odds = np.exp(scores - scores.max(), dtype=np.float64)
        probabilities = (1 - _ESCAPE) * odds / odds.sum() + _ESCAPE / len(odds)
        return NameProbabilities(candidates.names, probabilities, self._fitted.share[kind], self._fitted.menu[kind])

    def _signature(self, function: str) -> str | None:
        return signature_of(function, self._visible)


def signature_of(function: str, visible: Mapping[str, Name]) -> str | None:
    """The parameters of a visible function, `(a, b: int)`."""
    found = visible.get(function)
    return found.detail if found is not None and found.detail.startswith("(") else None
