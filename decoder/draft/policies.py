"""The interface of drafters, which propose tokens to the decode loop (`Drafter`), and two simple ones.

One offers nothing, the other does as the best-known hosted service does. `aligned` has the third.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Drafter(Protocol):
    """Proposes tokens to be verified next; no output depends on them. One object serves one output."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """At most `room` tokens that may follow `output`; none where nothing is expected.

        Args:
            output: All tokens so far. It begins with the output of the call before.
            room: The most tokens of the window.
        """

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Take note of the last window: its first `accepted` tokens were accepted."""


class Undrafted:
    """Offers nothing: plain decoding."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return ()

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Nothing to remember: nothing was offered."""


class Reference:
    """The policy of a hosted service, published in 2024; benchmarks compare with it.

    While the output follows the draft, `lookahead` tokens are offered at once. After a rejection tokens are generated
    one by one, until the last `confirmed` of them are found in the draft after the place of the rejection. From there
    on, the draft is offered again.
    """

    def __init__(self, draft: Sequence[int], *, lookahead: int = 16, confirmed: int = 32) -> None:
        self._draft = tuple(draft)
        self._lookahead = lookahead
        self._confirmed = confirmed
        self._place: int | None = 0
        """Index of the draft's next token; None after a rejection."""
        self._lost = 0
        """Index of the draft's token that was rejected last."""
        self._followed = 0
        """How many tokens of the output were taken into account."""
        self._endings: dict[tuple[int, ...], list[int]] = {}
        """By `confirmed` tokens of the draft: the indices after them, ascending."""
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
        """Take the last of the output's first `length` tokens into account: move the place on, or look for it."""
        if self._place is not None:
            if self._draft[self._place : self._place + 1] == (output[length - 1],):
                self._place += 1
                return
            self._lost, self._place = self._place, None
        ends = self._endings.get(tuple(output[max(0, length - self._confirmed) : length]), ())
        self._place = next((end for end in ends if end >= self._lost), None)
