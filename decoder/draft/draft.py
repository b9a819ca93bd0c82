"""The predicted output: tokens that are known before anything is generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Draft:
    """The tokens that the output is expected to be like. Not part of the prompt, and no output depends on them."""

    tokens: tuple[int, ...] = ()

    @classmethod
    def of(cls, tokens: Sequence[int]) -> Draft:
        """A draft of these tokens."""
        return cls(tuple(tokens))


class Drafter(Protocol):
    """Proposes tokens to be verified next. One object serves one output."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """At most `room` tokens that may follow `output`; none where nothing is expected.

        Args:
            output: All tokens so far: the output of the last call, and what was verified since.
            room: The size of the window.
        """

    def record(self, window: Sequence[int], accepted: int) -> None:
        """Take note of how many tokens at the start of the last window were accepted."""
