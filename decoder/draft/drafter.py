"""The interface of what proposes tokens to the decode loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Drafter(Protocol):
    """Proposes tokens to be verified next; no output depends on them. One object serves one output."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """At most `room` tokens that may follow `output`; none where nothing is expected.

        Args:
            output: All tokens so far: the output of the last call, and what was verified since.
            room: The size of the window.
        """

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Take note of how many tokens at the start of the last window were accepted."""
