"""The simple policies: offer nothing, or do as the best-known hosted service does."""

from __future__ import annotations

from collections.abc import Sequence


class Undrafted:
    """Offers nothing: plain decoding."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return ()

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Nothing to remember: nothing was offered."""


class Reference:
    """The policy of a hosted service, published in 2024: 16 tokens at once, and again after 32 confirmed ones.

    After a rejection tokens are generated one by one until the last `confirmed` of them are found in the draft, after
    the place of the rejection; from there on, the draft is verified again.
    """

    def __init__(self, draft: Sequence[int], *, lookahead: int = 16, confirmed: int = 32) -> None:
        self._draft = tuple(draft)
        self._lookahead = lookahead
        self._confirmed = confirmed
        self._place: int | None = 0
        self._lost = 0
        self._followed = 0
        self._endings: dict[tuple[int, ...], list[int]] = {}
        for end in range(confirmed, len(self._draft) + 1):
            self._endings.setdefault(self._draft[end - confirmed : end], []).append(end)

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """The next tokens of the draft, while the output follows it."""
        for length in range(self._followed + 1, len(output) + 1):
            self._follow(output, length)
        self._followed = len(output)
        if self._place is None:
            return ()
        return self._draft[self._place : self._place + min(self._lookahead, room)]

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Nothing to remember: the output shows which tokens were accepted."""

    def _follow(self, output: Sequence[int], length: int) -> None:
        """Advance or search the place in the draft, for the token before `length`."""
        if self._place is not None:
            if self._draft[self._place : self._place + 1] == (output[length - 1],):
                self._place += 1
                return
            self._lost, self._place = self._place, None
        ends = self._endings.get(tuple(output[max(0, length - self._confirmed) : length]), ())
        self._place = next((end for end in ends if end >= self._lost), None)
