"""The predicted output: tokens that are guessed, all at once, before anything is generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Draft:
    """Tokens that the output is expected to be, more or less. Given apart from the prompt; changes no output."""

    tokens: tuple[int, ...] = ()

    @classmethod
    def of(cls, tokens: Sequence[int]) -> Draft:
        """A draft of these tokens."""
        return cls(tuple(tokens))


class Drafter(Protocol):
    """What a policy offers to be verified next. One object serves one output."""

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """At most `room` tokens that may follow `output`; none where nothing is expected.

        `output` is what was given last time, with what was verified since after it.
        """

    def verified(self, window: Sequence[int], accepted: int) -> None:
        """Of the window given last, so many tokens at its beginning were right."""
