"""Tokens that a drafter may offer (`Offer`), and how probably each is accepted (`OfferAcceptance`).

An offer's tokens have kinds: why they are offered, and how long the match before them is. Tokens of one kind are
accepted about equally often, so their acceptance is counted by kind. Knows nothing of how offers come about.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from decoder.draft.copying import NGRAM
from decoder.draft.window import Acceptance


class OfferReason(Enum):
    """Why tokens are offered."""

    FLOW = auto()
    """The output follows the draft."""
    NEAR = auto()
    """The output may follow the draft again, close to where it left it."""
    FAR = auto()
    """The output may follow the draft again, elsewhere."""
    GUESS = auto()
    """The output may have replaced as many of the draft's tokens as it wrote."""
    REPEAT = auto()
    """The last tokens were written before."""
    VARIATION = auto()
    """The last tokens were written before, with a recent difference."""


_ASSUMED = {
    OfferReason.FLOW: (0.9, 0.9, 0.92, 0.95, 0.97, 0.98),
    OfferReason.NEAR: (0.3, 0.4, 0.6, 0.8, 0.9, 0.95),
    OfferReason.FAR: (0.05, 0.1, 0.3, 0.5, 0.8, 0.95),
    OfferReason.GUESS: (0.35,),
    OfferReason.REPEAT: (0.05, 0.1, 0.2, 0.56, 0.68, 0.83),
    OfferReason.VARIATION: (0.1, 0.6, 0.7),
}
"""The assumed probability that an offered token is accepted, by the grade of the match before it (`_grade`).

Observations correct it. Before a guess no token matches, and before a variation fewer than `NGRAM`. The numbers of
`REPEAT` and `VARIATION` were counted in 80 files of Python's library and of packages of npm.
"""
_WEIGHT = {OfferReason.VARIATION: 2.0}
"""How many observations an assumption counts as, if not `_USUAL_WEIGHT`: texts are full of variations or have none."""
_USUAL_WEIGHT = 4.0
_LONGEST_GRADED = 9
"""The length of a match from which on more tokens do not change its grade (`_grade`)."""

OfferKind = tuple[OfferReason, int]
"""The reason of an offered token, and the grade of the match before it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Tokens that may come next."""

    reason: OfferReason
    match: int
    """How many tokens before the first one match."""
    index: int | None = None
    """The first token's index in the draft; None where the tokens are not from the draft."""
    first: int | None = None
    """The first token, if it was looked up already."""

    def kind(self, further: int = 0) -> OfferKind:
        """The kind of the token `further` tokens after the first.

        A token is verified only if those before it were right, so these belong to its match.
        """
        match self.reason:
            case OfferReason.GUESS if further:
                return OfferReason.NEAR, _grade(further)
            case OfferReason.VARIATION if self.match + further >= NGRAM:
                return OfferReason.REPEAT, _grade(self.match + further)
        return self.reason, _grade(self.match + further)


class OfferAcceptance:
    """How often offered tokens of each kind were right; assumptions hold until observations correct them."""

    def __init__(self) -> None:
        self._by_kind: dict[OfferKind, Acceptance] = {}

    def shares(self, offer: Offer) -> list[float]:
        """For each token of an offer, the probability that it is right if those before it are (see `best_window`).

        The last one holds for all further tokens, as their kinds are the same.
        """
        kinds = (offer.kind(further) for further in range(max(1, _LONGEST_GRADED - offer.match + 1)))
        return [
            observed.share if (observed := self._by_kind.get((reason, grade))) else _ASSUMED[reason][grade]
            for reason, grade in kinds
        ]

    def observe(self, offer: Offer, offered: int, accepted: int) -> None:
        """Count the verified tokens of an offer that was made: `accepted` of the `offered` ones were right."""
        verified = min(accepted + 1, offered)  # the first rejected token, too; after it nothing is known
        kinds = [offer.kind(min(further, _LONGEST_GRADED)) for further in range(verified)]
        for kind in dict.fromkeys(kinds):
            is_rejected = accepted < offered and kinds[-1] == kind  # the rejected token is of this kind
            self._observe(kind, kinds.count(kind) - is_rejected, rejected=is_rejected)

    def observe_unmade(self, offer: Offer, token: int) -> None:
        """Count whether an offer that was not made would have been right: `token` came next."""
        if offer.first is not None:
            self._observe(offer.kind(), int(offer.first == token), rejected=offer.first != token)

    def _observe(self, kind: OfferKind, accepted: int, *, rejected: bool) -> None:
        """Count tokens of a kind that were accepted, and whether one was rejected after them."""
        acceptance = self._by_kind.get(kind)
        if acceptance is None:
            reason, grade = kind
            acceptance = Acceptance.assumed(_ASSUMED[reason][grade], _WEIGHT.get(reason, _USUAL_WEIGHT))
            self._by_kind[kind] = acceptance
        acceptance.observe(accepted, rejected=rejected)


def _grade(match: int) -> int:
    """The grade of a match of so many tokens, from 0 to 5: 0, 1, 2, 3 to 4, 5 to 8, or more tokens."""
    return next((grade for grade, most in enumerate((0, 1, 2, 4, 8)) if match <= most), 5)
