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
from itertools import islice

from decoder.draft.alignment import Alignment
from decoder.draft.copying import NGRAM, Copying
from decoder.draft.counts import Ledger
from decoder.draft.draft_position import DraftPosition, Mismatch
from decoder.draft.offers import Offer, OfferAcceptance, OfferReason
from decoder.draft.window import LONGEST, Costs, best_window

_NEAR = 16
"""The largest distance, in tokens, between the place where the output left the draft and one that counts as near."""
_GUESSES = 2
"""The most tokens after a mismatch for which a replacement of equal length is considered."""


class Aligned:
    """A drafter that realigns the output with the draft after each edit.

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
        self._position = DraftPosition(self._draft)
        self._alignment = Alignment(self._draft)
        self._copying = Copying(prompt)
        self._acceptance = OfferAcceptance()
        self._made: Offer | None = None
        """The offer that the last call of `window` made; None if it made none."""
        self._unmade: list[Offer] = []
        """The other offers that it considered, until the output's next token is known."""
        self._read_tokens = 0
        """How many tokens of the output the fields above take into account."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """See `Drafter`: the tokens of the most promising offer, as many as are worth their cost."""
        self._read(output)
        offers = self._offers(output)
        best, best_length, best_value = None, 0, 0.0
        for offer in offers:
            shares = self._acceptance.shares(offer)
            length, value = best_window(shares, self._costs(), min(room, self._lookahead))
            if length and value > best_value:
                best, best_length, best_value = offer, length, value
        self._made = best
        self._unmade = [offer for offer in offers if offer is not best]
        return () if best is None else self._make(best, best_length)

    def record(self, window: Sequence[int], accepted: int) -> None:
        """See `Drafter`: observe how many tokens of each kind were accepted."""
        if self._made is not None:
            self._acceptance.observe(self._made, len(window), accepted)

    def _read(self, output: Sequence[int]) -> None:
        """Take into account what was written since the last window."""
        if len(output) > self._read_tokens:
            for offer in self._unmade:
                self._acceptance.observe_unmade(offer, output[self._read_tokens])
            self._unmade = []
        for index in range(self._read_tokens, len(output)):
            self._position.follow(output, index)
        self._copying.extend(output[self._read_tokens :])
        self._read_tokens = len(output)

    def _offers(self, output: Sequence[int]) -> list[Offer]:
        """All offers after `output`: the draft's next tokens while it is followed, else guesses where to go on."""
        position = self._position
        if position.next is not None and position.next < len(self._draft):
            return [Offer(OfferReason.FLOW, position.match, position.next)]
        offers = [] if position.mismatch is None else [*self._places_to_go_on(output, position.mismatch)]
        if (token := self._copying.next()) is not None:
            reason = OfferReason.REPEAT if self._copying.match >= NGRAM else OfferReason.VARIATION
            offers.append(Offer(reason, self._copying.match, first=token))
        return offers

    def _places_to_go_on(self, output: Sequence[int], mismatch: Mismatch) -> Iterator[Offer]:
        """The draft's tokens from each place on at which the output may follow it again."""
        place = self._alignment.find(output, mismatch.output, mismatch.draft)
        if place is not None and place.at < len(self._draft) and place.match >= (self._recovery or 0):
            reason = OfferReason.NEAR if place.distance <= _NEAR else OfferReason.FAR
            yield Offer(reason, place.match, place.at, self._draft[place.at])
        written = len(output) - mismatch.output
        guess = mismatch.draft + written
        if not self._recovery and written <= _GUESSES and guess < len(self._draft):
            yield Offer(OfferReason.GUESS, 0, guess, self._draft[guess])

    def _make(self, offer: Offer, length: int) -> Sequence[int]:
        """Offer the first `length` tokens of an offer: note them in the ledger, and try the offer's place.

        No place is tried while the draft is followed, nor for tokens that are not of the draft.
        """
        if offer.index is None:
            copied = self._copying.ahead(length)
            self._ledger.offered([False] * len(copied))
            return copied
        if offer.reason is not OfferReason.FLOW:
            self._position.try_place(offer.index, offer.match)
        ahead = list(islice(self._position.ahead(), length))
        self._ledger.offered([is_drafts_own for _, is_drafts_own in ahead])
        return [token for token, _ in ahead]
