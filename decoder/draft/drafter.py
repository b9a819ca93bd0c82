"""The interface of a drafter, which proposes tokens to the decode loop. `aligned` and `policies` implement it."""

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
