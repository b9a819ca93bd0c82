"""The drafter that finds its place in the draft again as soon as an edit is over (`Aligned`).

While the output follows the draft, the draft's next tokens are offered, with the replacements applied that the output
has made before. After a mismatch, each token of the output brings a new guess where the draft continues: at the most
likely place by alignment or, right after the mismatch, as many tokens further as were written instead. Tokens that
would repeat what was read or written before, with variations, compete with these. How many tokens are offered follows
from how often tokens of the same kind were right, whether they were offered or only considered.

`Prediction.drafter` makes an `Aligned` for each output. The loop then calls `window` and `record` in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice

from decoder.draft.alignment import Alignment
from decoder.draft.copying import NGRAM, Copying
from decoder.draft.counts import Ledger
from decoder.draft.substitutions import Substitutions, Tokens
from decoder.draft.window import LONGEST, Acceptance, Costs, best_window

_NEAR = 16
"""The largest distance, in tokens, between the place where the output left the draft and one that counts as near."""
_GUESSES = 2
"""The most tokens after a mismatch for which a replacement of equal length is considered."""


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
_SETTLED = 9
"""The length of a match from which on more tokens do not change its grade (`_grade`)."""


@dataclass(frozen=True, slots=True)
class _Lost:
    """Where the output left the draft."""

    draft: int
    """The index of the draft's token that the output does not have."""
    output: int
    """The index of the output's token in its place."""


@dataclass(frozen=True, slots=True)
class _Replacement:
    """A replacement that the output is in the middle of."""

    old: Tokens
    """The draft's tokens at the place."""
    new: Tokens
    """The output's tokens instead."""
    written: int
    """How many tokens of `new` the output has already."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Tokens that may come next."""

    reason: OfferReason
    match: int
    """How many tokens before the first one match."""
    index: int
    """The first token's index in the draft; -1 where the tokens are not from the draft."""
    first: int | None = None
    """The first token, if it was looked up already."""

    def kind(self, further: int = 0) -> tuple[OfferReason, int]:
        """The kind of the token `further` tokens after the first: a reason and the grade of the match before it.

        The acceptance of tokens is counted by kind. A token is verified only if those before it were right, so these
        belong to its match.
        """
        match self.reason:
            case OfferReason.GUESS if further:
                return OfferReason.NEAR, _grade(further)
            case OfferReason.VARIATION if self.match + further >= NGRAM:
                return OfferReason.REPEAT, _grade(self.match + further)
        return self.reason, _grade(self.match + further)


class Aligned:
    """A drafter that realigns the output with the draft after each edit.

    The output is in one of four positions to the draft:

    - It follows the draft: `_place` is set, `_lost` and `_trial` are None.
    - It has reached the draft's end: `_place` is the draft's length. Only tokens of other texts are offered.
    - It has left the draft: `_place` is None, and `_lost` says where that was. An unexpected token leads here.
    - A place to go on is tried: all three are set. If the output's next token is the draft's at `_place`, the output
      follows the draft again, and the edit between `_lost` and `_trial` is learned. Otherwise it has left it as before.

    Args:
        prompt: The prompt's tokens, which the output may repeat.
        costs: Returns what forwards cost with this machine and model. It is called only once the prompt has been read,
            since it may have to measure them.
        ledger: Records which tokens of a window are the draft's.
        lookahead: The most tokens that are offered at once; None for `LONGEST`.
        recovery: Tokens that must match before the draft is followed again; None decides by probability.
    """

    def __init__(
        self,
        draft: Sequence[int],
        prompt: Sequence[int] = (),
        *,
        costs: Callable[[], Costs] = Costs,
        ledger: Ledger | None = None,
        lookahead: int | None = None,
        recovery: int | None = None,
    ) -> None:
        self._draft = tuple(draft)
        self._costs = costs
        self._ledger, self._lookahead, self._recovery = ledger or Ledger(), lookahead or LONGEST, recovery
        self._alignment = Alignment(self._draft)
        self._copying = Copying(prompt)
        self._substitutions = Substitutions()
        self._acceptance: dict[tuple[OfferReason, int], Acceptance] = {}
        self._place: int | None = 0
        """Index of the draft's next token; None from a mismatch until a place to go on is tried."""
        self._match = 0
        """How many of the output's last tokens in a row are as expected of the draft."""
        self._replacing: _Replacement | None = None
        """The replacement that the output is in the middle of; None outside of replacements."""
        self._lost: _Lost | None = None
        """Where the output left the draft."""
        self._trial: _Offer | None = None
        """The offer by which a place to go on is tried."""
        self._offered: _Offer | None = None
        """The offer that the last call of `window` made; None if it offered nothing."""
        self._passed_over: list[_Offer] = []
        """The other offers that it considered, until they have been judged."""
        self._followed = 0
        """How many tokens of the output the fields above take into account."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """See `Drafter`: the tokens of the most promising offer, as many as are worth their cost."""
        self._read(output)
        offers = self._offers(output)
        best, best_length, best_value = None, 0, 0.0
        for offer in offers:
            length, value = best_window(self._shares(offer), self._costs(), min(room, self._lookahead))
            if length and value > best_value:
                best, best_length, best_value = offer, length, value
        self._offered = best
        self._passed_over = [offer for offer in offers if offer is not best]
        return () if best is None else self._make(best, best_length)

    def _read(self, output: Sequence[int]) -> None:
        """Take into account what was written since the last window."""
        if len(output) > self._followed:
            self._judge_passed_over(output[self._followed])
        for index in range(self._followed, len(output)):
            self._follow(output, index)
        self._copying.extend(output[self._followed :])
        self._followed = len(output)

    def _make(self, offer: _Offer, length: int) -> Sequence[int]:
        """Offer the first `length` tokens of an offer: note them in the ledger, and take its place for a trial.

        There is no trial while the draft is followed, nor for tokens that are not of the draft.
        """
        if offer.index < 0:
            copied = self._copying.ahead(length)
            self._ledger.offered([False] * len(copied))
            return copied
        if offer.reason is not OfferReason.FLOW:
            self._trial, self._place, self._match = offer, offer.index, offer.match
        ahead = list(islice(self._ahead(), length))
        self._ledger.offered([is_drafts_own for _, is_drafts_own in ahead])
        return [token for token, _ in ahead]

    def record(self, window: Sequence[int], accepted: int) -> None:
        """See `Drafter`: observe how many tokens of each kind were accepted."""
        if self._offered is None:
            return
        verified = min(accepted + 1, len(window))  # the first rejected token, too; after it nothing is known
        kinds = [self._offered.kind(min(further, _SETTLED)) for further in range(verified)]
        for kind in dict.fromkeys(kinds):
            is_last_wrong = accepted < len(window) and kinds[-1] == kind  # the rejected token is of this kind
            self._observe(kind, kinds.count(kind) - is_last_wrong, rejected=is_last_wrong)

    def _judge_passed_over(self, token: int) -> None:
        """Observe whether the offers that were not made would have been right: `token` came next."""
        for offer in self._passed_over:
            if offer.first is not None:
                self._observe(offer.kind(), int(offer.first == token), rejected=offer.first != token)
        self._passed_over = []

    def _observe(self, kind: tuple[OfferReason, int], accepted: int, *, rejected: bool) -> None:
        """Count tokens of a kind that were accepted, and whether one was rejected after them."""
        acceptance = self._acceptance.get(kind)
        if acceptance is None:
            reason, grade = kind
            acceptance = Acceptance.assumed(_ASSUMED[reason][grade], _WEIGHT.get(reason, _USUAL_WEIGHT))
            self._acceptance[kind] = acceptance
        acceptance.observe(accepted, rejected=rejected)

    def _shares(self, offer: _Offer) -> list[float]:
        """For each token of an offer, the probability that it is right if those before it are (see `best_window`).

        The last one holds for all further tokens, as their kinds are the same.
        """
        kinds = (offer.kind(further) for further in range(max(1, _SETTLED - offer.match + 1)))
        return [
            observed.share if (observed := self._acceptance.get((reason, grade))) else _ASSUMED[reason][grade]
            for reason, grade in kinds
        ]

    def _offers(self, output: Sequence[int]) -> list[_Offer]:
        """All offers after `output`: the draft's next tokens while it is followed, else guesses where to go on."""
        if self._place is not None and self._place < len(self._draft):
            return [_Offer(OfferReason.FLOW, self._match, self._place)]
        offers = []
        if self._lost is not None:
            written = len(output) - self._lost.output
            place = self._alignment.find(output, self._lost.output, self._lost.draft)
            if place is not None and place.at < len(self._draft) and place.match >= (self._recovery or 0):
                reason = OfferReason.NEAR if place.distance <= _NEAR else OfferReason.FAR
                offers.append(_Offer(reason, place.match, place.at, self._draft[place.at]))
            guess = self._lost.draft + written
            if not self._recovery and written <= _GUESSES and guess < len(self._draft):
                offers.append(_Offer(OfferReason.GUESS, 0, guess, self._draft[guess]))
        if (token := self._copying.next()) is not None:
            reason = OfferReason.REPEAT if self._copying.match >= NGRAM else OfferReason.VARIATION
            offers.append(_Offer(reason, self._copying.match, -1, token))
        return offers

    def _ahead(self) -> Iterator[tuple[int, bool]]:
        """The draft's tokens from the place on, with known replacements; each with whether it is the draft's own."""
        place = self._place or 0
        if self._replacing is not None:
            yield from ((token, False) for token in self._replacing.new[self._replacing.written :])
            place += len(self._replacing.old)
        while place < len(self._draft):
            if substitution := self._substitutions.at(self._draft, place):
                old, new = substitution
                yield from ((token, False) for token in new)
                place += len(old)
            else:
                yield self._draft[place], True
                place += 1

    def _follow(self, output: Sequence[int], index: int) -> None:
        """Take the output's token at `index` into account: move the place on, or give it up after a mismatch.

        A trial that fails leaves `_lost` as it is.
        """
        if self._place is None:
            return
        if self._move_on(output[index]):
            if self._trial is not None:
                self._learn_edit(output, index)
            self._match += 1
            return
        if self._trial is None:
            written = 0 if self._replacing is None else self._replacing.written
            self._lost = _Lost(self._place, index - written)
        self._place, self._match, self._trial, self._replacing = None, 0, None, None

    def _move_on(self, token: int) -> bool:
        """Move the place on if the token is the draft's next, with or without a replacement. Returns whether it is."""
        assert self._place is not None  # noqa: S101 - `_follow` asks only then
        if self._replacing is not None:
            old, new, written = self._replacing.old, self._replacing.new, self._replacing.written
            if token != new[written]:
                self._substitutions.record(old, right=False)
                return False
            self._move_on_in(_Replacement(old, new, written + 1))
            return True
        substitution = self._substitutions.at(self._draft, self._place)
        if substitution is not None:
            old, new = substitution
            if token == new[0]:
                self._move_on_in(_Replacement(old, new, 1))
                return True
            self._substitutions.record(old, right=False)
        if self._draft[self._place : self._place + 1] != (token,):
            return False
        self._place += 1
        return True

    def _move_on_in(self, replacement: _Replacement) -> None:
        """Go on with a replacement; after its last token the place is after what it replaces."""
        if replacement.written < len(replacement.new):
            self._replacing = replacement
        else:
            self._substitutions.record(replacement.old, right=True)
            self._replacing = None
            self._place = (self._place or 0) + len(replacement.old)

    def _learn_edit(self, output: Sequence[int], index: int) -> None:
        """Learn the edit that ended before the output's token at `index`: the same replacement may recur.

        The tokens that matched before the trial's place are not part of the edit, on either side.
        """
        if self._trial is not None and self._lost is not None:
            match, place = self._trial.match, self._trial.index
            self._substitutions.learn(
                self._draft[self._lost.draft : place - match], output[self._lost.output : index - match]
            )
        self._trial = self._lost = None


def _grade(match: int) -> int:
    """The grade of a match of so many tokens, from 0 to 5: 0, 1, 2, 3 to 4, 5 to 8, or more tokens."""
    return next((grade for grade, most in enumerate((0, 1, 2, 4, 8)) if match <= most), 5)
