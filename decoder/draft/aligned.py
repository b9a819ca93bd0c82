"""The policy that finds its place in the draft again as soon as an edit is over.

While the output follows the draft, the draft's next tokens are offered, with the replacements applied that the output
has made before. After a mismatch, each token of the output brings a new guess where the draft continues: at the most
likely place by alignment or, right after the mismatch, as many tokens further as were written instead. Tokens that
would repeat what was read or written before, with variations, compete with these. How many tokens are offered follows
from how often tokens of the same kind were right, whether they were offered or only considered.
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
"""The largest distance of a place from where the output left the draft that an edit of a few tokens explains."""
_GUESSES = 2
"""Tokens after a mismatch for which a replacement of equal length is considered."""


class OfferReason(Enum):
    """Why tokens are offered."""

    FLOW = auto()
    """The output follows the draft."""
    NEAR = auto()
    """The output may follow it again, close to where it left."""
    FAR = auto()
    """The output may follow it again, elsewhere."""
    GUESS = auto()
    """As many tokens may have been replaced as were written."""
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
"""The assumed acceptance of a token, by how many tokens before it match, as `_grade` counts; observations correct it.
Before a guess none match, and before a variation fewer than `NGRAM`. The last two were counted in 80 files of Python's
library and of packages of npm."""
_WEIGHT = {OfferReason.VARIATION: 2.0}
"""How many observations an assumption counts as, if not `_USUAL_WEIGHT`: texts are full of variations or have none."""
_USUAL_WEIGHT = 4.0
_SETTLED = 9
"""Matching tokens; more of them change no estimate."""


@dataclass(frozen=True, slots=True)
class _Lost:
    """Where the output left the draft: the index of the draft's token, and of the output's token in its place."""

    draft: int
    output: int


@dataclass(frozen=True, slots=True)
class _Replacement:
    """A replacement that the output is in the middle of."""

    old: Tokens
    """The draft's tokens at the place."""
    new: Tokens
    written: int
    """How many tokens of `new` the output has already."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Tokens that may follow."""

    source: OfferReason
    match: int
    index: int
    """The first token's index in the draft; -1 where it is not from the draft."""
    first: int | None = None
    """The first token, if it is known already."""

    def kind(self, further: int = 0) -> tuple[OfferReason, int]:
        """The kind under which the acceptance of the token `further` tokens after the first is counted.

        It is tried only if those before it were right.
        """
        match self.source:
            case OfferReason.GUESS if further:
                return OfferReason.NEAR, _grade(further)
            case OfferReason.VARIATION if self.match + further >= NGRAM:
                return OfferReason.REPEAT, _grade(self.match + further)
        return self.source, _grade(self.match + further)


class Aligned:
    """A drafter that realigns the output with the draft after each edit.

    Args:
        costs: Returns what forwards cost with this machine and model. It is called only once the prompt has been read,
            since it may have to measure them.
        ledger: Records which tokens of a window are the draft's.
        lookahead: The most tokens that are offered at once.
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
        """Tokens up to the end of the output that follow the draft."""
        self._replacing: _Replacement | None = None
        self._lost: _Lost | None = None
        """Set from a mismatch until the draft is followed again."""
        self._trial: _Offer | None = None
        """The uncertain place from which tokens were offered."""
        self._offered: _Offer | None = None
        self._silent: list[_Offer] = []
        """Offers that were considered and not made."""
        self._followed = 0

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """The most promising tokens, as many as are worth their cost."""
        if len(output) > self._followed:
            self._judge(output[self._followed])
        for index in range(self._followed, len(output)):
            self._follow(output, index)
        self._copying.extend(output[self._followed :])
        self._followed = len(output)
        offers = self._offers(output)
        best, length, value = None, 0, 0.0
        for offer in offers:
            wanted, worth = best_window(self._shares(offer), self._costs(), min(room, self._lookahead))
            if wanted and worth > value:
                best, length, value = offer, wanted, worth
        self._offered = best
        self._silent = [offer for offer in offers if offer is not best]
        if best is None:
            return ()
        if best.index < 0:
            copied = self._copying.ahead(length)
            self._ledger.offered([False] * len(copied))
            return copied
        if best.source is not OfferReason.FLOW:
            self._trial, self._place, self._match = best, best.index, best.match
        ahead = list(islice(self._ahead(), length))
        self._ledger.offered([given for _, given in ahead])
        return [token for token, _ in ahead]

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Take note of how many tokens of each kind were accepted."""
        if self._offered is None:
            return
        tried = min(accepted + 1, len(window))
        kinds = [self._offered.kind(min(further, _SETTLED)) for further in range(tried)]
        for kind in dict.fromkeys(kinds):
            wrong = accepted < len(window) and kinds[-1] == kind
            self._observe(kind, kinds.count(kind) - wrong, rejected=wrong)

    def _judge(self, token: int) -> None:
        """Observe whether the offers that were not made would have been right."""
        for offer in self._silent:
            if offer.first is not None:
                self._observe(offer.kind(), int(offer.first == token), rejected=offer.first != token)
        self._silent = []

    def _observe(self, kind: tuple[OfferReason, int], accepted: int, *, rejected: bool) -> None:
        known = self._acceptance.get(kind)
        if known is None:
            known = Acceptance.assumed(_ASSUMED[kind[0]][kind[1]], _WEIGHT.get(kind[0], _USUAL_WEIGHT))
            self._acceptance[kind] = known
        known.observe(accepted, rejected=rejected)

    def _shares(self, offer: _Offer) -> list[float]:
        kinds = (offer.kind(further) for further in range(max(1, _SETTLED - offer.match + 1)))
        return [known.share if (known := self._acceptance.get(kind)) else _ASSUMED[kind[0]][kind[1]] for kind in kinds]

    def _offers(self, output: Sequence[int]) -> list[_Offer]:
        if self._place is not None and self._place < len(self._draft):
            return [_Offer(OfferReason.FLOW, self._match, self._place)]
        offers = []
        if self._lost is not None:
            written = len(output) - self._lost.output
            place = self._alignment.find(output, self._lost.output, self._lost.draft)
            if place is not None and place.at < len(self._draft) and place.match >= (self._recovery or 0):
                source = OfferReason.NEAR if place.distance <= _NEAR else OfferReason.FAR
                offers.append(_Offer(source, place.match, place.at, self._draft[place.at]))
            if not self._recovery and written <= _GUESSES and self._lost.draft + written < len(self._draft):
                at = self._lost.draft + written
                offers.append(_Offer(OfferReason.GUESS, 0, at, self._draft[at]))
        if (token := self._copying.next()) is not None:
            source = OfferReason.REPEAT if self._copying.match >= NGRAM else OfferReason.VARIATION
            offers.append(_Offer(source, self._copying.match, -1, token))
        return offers

    def _ahead(self) -> Iterator[tuple[int, bool]]:
        """The draft's tokens from the place on, with known replacements, and whether each is the draft's own."""
        place = self._place or 0
        if self._replacing is not None:
            yield from ((token, False) for token in self._replacing.new[self._replacing.written :])
            place += len(self._replacing.old)
        while place < len(self._draft):
            known = self._substitutions.at(self._draft, place)
            if known:
                yield from ((token, False) for token in known[1])
            else:
                yield self._draft[place], True
            place += len(known[0]) if known else 1

    def _follow(self, output: Sequence[int], index: int) -> None:
        """Take one more token of the output into account."""
        if self._place is None:
            return
        if self._steps(output[index]):
            if self._trial is not None:
                self._rejoined(output, index)
            self._match += 1
            return
        if self._trial is None:
            written = 0 if self._replacing is None else self._replacing.written
            self._lost = _Lost(self._place, index - written)
        self._place, self._match, self._trial, self._replacing = None, 0, None, None

    def _steps(self, token: int) -> bool:
        """Whether the token is the draft's next, with or without a replacement; if so, the place moves."""
        assert self._place is not None  # noqa: S101 - `_follow` asks only then
        if self._replacing is not None:
            old, new, written = self._replacing.old, self._replacing.new, self._replacing.written
            if token != new[written]:
                self._substitutions.record(old, right=False)
                return False
            return self._replace(_Replacement(old, new, written + 1))
        known = self._substitutions.at(self._draft, self._place)
        if known is not None:
            old, new = known
            if token == new[0]:
                return self._replace(_Replacement(old, new, 1))
            self._substitutions.record(old, right=False)
        if self._draft[self._place : self._place + 1] != (token,):
            return False
        self._place += 1
        return True

    def _replace(self, replacement: _Replacement) -> bool:
        """Move on in a replacement; after its last token the place is after what it replaces."""
        if replacement.written < len(replacement.new):
            self._replacing = replacement
        else:
            self._substitutions.record(replacement.old, right=True)
            self._replacing = None
            self._place = (self._place or 0) + len(replacement.old)
        return True

    def _rejoined(self, output: Sequence[int], index: int) -> None:
        """Learn the edit that ended before the token at `index`: the same replacement may recur."""
        if self._trial is not None and self._lost is not None:
            match, place = self._trial.match, self._trial.index
            self._substitutions.learn(
                self._draft[self._lost.draft : place - match], output[self._lost.output : index - match]
            )
        self._trial = self._lost = None


def _grade(match: int) -> int:
    """The length of a match, in six grades."""
    return next((grade for grade, most in enumerate((0, 1, 2, 4, 8)) if match <= most), 5)
