"""The policy that finds its place in the draft again as soon as an edit is over.

While the output follows the draft, what comes next in it is offered, with the replacements applied that the output has
made before. After a mismatch each token brings a new guess where the draft goes on: at the likeliest place by
alignment or, right after the mismatch, after as many tokens as were written instead. Meanwhile what is written may
repeat what was read or written before, with variations. How much is offered follows from how often tokens of the same
kind were right, whether they were offered or only thought of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice

from decoder.draft.alignment import Alignment
from decoder.draft.copying import Copying, N
from decoder.draft.counts import Ledger
from decoder.draft.draft import Draft
from decoder.draft.substitutions import Substitutions, Tokens
from decoder.draft.window import LONGEST, Acceptance, Costs, best_window

_NEAR = 16
"""Distance up to which a place is where an edit of a few tokens would leave it."""
_GUESSES = 2
"""Tokens after a mismatch for which a replacement of equal length is thought of."""


class Source(Enum):
    """Why tokens are offered."""

    FLOW = auto()
    """The output follows the draft."""
    NEAR = auto()
    """It is thought to do so again, close to where it left."""
    FAR = auto()
    """Likewise, elsewhere."""
    GUESS = auto()
    """As many tokens were replaced as were written."""
    REPEAT = auto()
    """The last tokens were written before."""
    VARIATION = auto()
    """They were, with a difference just now."""


_ASSUMED = {
    Source.FLOW: (0.9, 0.9, 0.92, 0.95, 0.97, 0.98),
    Source.NEAR: (0.3, 0.4, 0.6, 0.8, 0.9, 0.95),
    Source.FAR: (0.05, 0.1, 0.3, 0.5, 0.8, 0.95),
    Source.GUESS: (0.35,) * 6,
    Source.REPEAT: (0.05, 0.1, 0.2, 0.56, 0.68, 0.83),
    Source.VARIATION: (0.1, 0.6, 0.7) * 2,
}
"""Acceptance of each token, by how many tokens before it match, as `_grade` counts. Corrected by what is observed. The
last two were counted in 80 files of Python's library and of packages of npm."""
_WEIGHT = {Source.VARIATION: 2.0}
"""How many observations an assumption counts as, where it is not four: texts are either full of variations or have
none."""
_SETTLED = 9
"""Tokens that match from which on more of them say no more."""


@dataclass(frozen=True, slots=True)
class _Lost:
    """Where the output left the draft: the index of the first token that was not written, and of the one that was."""

    draft: int
    output: int


@dataclass(frozen=True, slots=True)
class _Offer:
    """Tokens that may follow."""

    source: Source
    match: int
    index: int
    """Of the draft token that comes first; -1 where it is not from the draft."""
    first: int | None = None
    """The token that comes first, if it is known already."""

    def kind(self, further: int = 0) -> tuple[Source, int]:
        """What this offer's tokens are counted as, that many tokens after the first, if those before it are right."""
        match self.source:
            case Source.GUESS if further:
                return Source.NEAR, _grade(further)
            case Source.VARIATION if self.match + further >= N:
                return Source.REPEAT, _grade(self.match + further)
        return self.source, _grade(self.match + further)


class Aligned:
    """See above.

    Args:
        costs: What forwards cost with this machine and model.
        ledger: Told which tokens of a window the draft has.
        lookahead: At most so many tokens are offered at once.
        recovery: So many tokens must agree before the draft is followed again; None for what is probable enough.
    """

    def __init__(
        self,
        draft: Draft,
        prompt: Sequence[int] = (),
        *,
        costs: Costs | None = None,
        ledger: Ledger | None = None,
        lookahead: int | None = None,
        recovery: int | None = None,
    ) -> None:
        self._draft = draft.tokens
        self._costs = costs or Costs()
        self._ledger, self._lookahead, self._recovery = ledger or Ledger(), lookahead or LONGEST, recovery
        self._alignment = Alignment(draft.tokens)
        self._copying = Copying(prompt)
        self._substitutions = Substitutions()
        self._acceptance: dict[tuple[Source, int], Acceptance] = {}
        self._place: int | None = 0
        self._match = 0
        self._replacing: tuple[Tokens, Tokens] | None = None
        """What the draft says at the place, and what is still to be written instead."""
        self._lost: _Lost | None = None
        """Set from the mismatch until a token after it was right."""
        self._trial: _Offer | None = None
        """The place that was offered, if it is not certain."""
        self._offered: _Offer | None = None
        self._silent: list[_Offer] = []
        """What was thought of, and not offered."""
        self._followed = 0

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """The most promising tokens, as many as pay."""
        if len(output) > self._followed:
            self._judge(output[self._followed])
        for index in range(self._followed, len(output)):
            self._follow(output, index)
        self._copying.extend(output[self._followed :])
        self._followed = len(output)
        offers = self._offers(output)
        best, length, value = None, 0, 0.0
        for offer in offers:
            wanted, worth = best_window(self._shares(offer), self._costs, min(room, self._lookahead))
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
        if best.source is not Source.FLOW:
            self._trial, self._place, self._match = best, best.index, best.match
        ahead = list(islice(self._ahead(), length))
        self._ledger.offered([given for _, given in ahead])
        return [token for token, _ in ahead]

    def verified(self, window: Sequence[int], accepted: int) -> None:
        """Remember how good tokens of these kinds are."""
        if self._offered is None:
            return
        tried = min(accepted + 1, len(window))
        kinds = [self._offered.kind(min(further, _SETTLED)) for further in range(tried)]
        for kind in dict.fromkeys(kinds):
            wrong = accepted < len(window) and kinds[-1] == kind
            self._observe(kind, kinds.count(kind) - wrong, rejected=wrong)

    def _judge(self, token: int) -> None:
        """Whether what was thought of, and not offered, would have been right."""
        for offer in self._silent:
            if offer.first is not None:
                self._observe(offer.kind(), int(offer.first == token), rejected=offer.first != token)
        self._silent = []

    def _observe(self, kind: tuple[Source, int], accepted: int, *, rejected: bool) -> None:
        known = self._acceptance.get(kind)
        if known is None:
            known = Acceptance.assumed(_ASSUMED[kind[0]][kind[1]], weight=_WEIGHT.get(kind[0], 4.0))
            self._acceptance[kind] = known
        known.observe(accepted, rejected=rejected)

    def _shares(self, offer: _Offer) -> list[float]:
        kinds = (offer.kind(further) for further in range(max(1, _SETTLED - offer.match + 1)))
        return [known.share if (known := self._acceptance.get(kind)) else _ASSUMED[kind[0]][kind[1]] for kind in kinds]

    def _offers(self, output: Sequence[int]) -> list[_Offer]:
        if self._place is not None and self._place < len(self._draft):
            return [_Offer(Source.FLOW, self._match, self._place)]
        offers = []
        if self._lost is not None:
            written = len(output) - self._lost.output
            place = self._alignment.find(output, self._lost.output, self._lost.draft)
            if place is not None and place.at < len(self._draft) and place.match >= (self._recovery or 0):
                source = Source.NEAR if place.distance <= _NEAR else Source.FAR
                offers.append(_Offer(source, place.match, place.at, self._draft[place.at]))
            if not self._recovery and written <= _GUESSES and self._lost.draft + written < len(self._draft):
                at = self._lost.draft + written
                offers.append(_Offer(Source.GUESS, 0, at, self._draft[at]))
        if (token := self._copying.next()) is not None:
            source = Source.REPEAT if self._copying.match >= N else Source.VARIATION
            offers.append(_Offer(source, self._copying.match, -1, token))
        return offers

    def _ahead(self) -> Iterator[tuple[int, bool]]:
        """What the draft says from the place on, with known replacements; whether it is the draft's own."""
        place = self._place or 0
        if self._replacing is not None:
            old, rest = self._replacing
            yield from ((token, False) for token in rest)
            place += len(old)
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
            self._lost = _Lost(self._place, index)
        self._place, self._match, self._trial, self._replacing = None, 0, None, None

    def _steps(self, token: int) -> bool:
        """Whether the token is what the draft says, with or without a replacement; moves the place if so."""
        assert self._place is not None  # noqa: S101 - `_follow` asks only then
        if self._replacing is not None:
            old, rest = self._replacing
            if token != rest[0]:
                self._substitutions.was(old, right=False)
                return False
            return self._replace(old, rest[1:])
        known = self._substitutions.at(self._draft, self._place)
        if known is not None:
            old, new = known
            if token == new[0]:
                return self._replace(old, new[1:])
            self._substitutions.was(old, right=False)
        if self._draft[self._place : self._place + 1] != (token,):
            return False
        self._place += 1
        return True

    def _replace(self, old: Tokens, rest: Tokens) -> bool:
        """Go on inside of a replacement, of which `rest` is still to come."""
        if rest:
            self._replacing = old, rest
        else:
            self._substitutions.was(old, right=True)
            self._replacing = None
            self._place = (self._place or 0) + len(old)
        return True

    def _rejoined(self, output: Sequence[int], index: int) -> None:
        """The token at `index` was the first right one after an edit: what the edit replaced may recur."""
        if self._trial is not None and self._lost is not None:
            match, place = self._trial.match, self._trial.index
            self._substitutions.learn(
                self._draft[self._lost.draft : place - match], output[self._lost.output : index - match]
            )
        self._trial = self._lost = None


def _grade(match: int) -> int:
    """How much a match of so many tokens is worth, in six grades."""
    return next((grade for grade, most in enumerate((0, 1, 2, 4, 8)) if match <= most), 5)
