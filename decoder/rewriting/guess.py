"""A whole text that an instruction may want: what it is, whether it is written, and how far another one is from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guess(ABC):
    """One guess."""

    text: str
    """The original, changed as the instruction may mean."""

    def is_made_in(self, text: str) -> bool:
        """Whether that is what it says, but for white space."""
        return text.split() == self.text.split()

    @abstractmethod
    def astray(self, text: str, most: int) -> int:
        """The places, so many at most, at which a text that follows the guess in part is another than it."""


@dataclass(frozen=True, slots=True)
class Meant(Guess):
    """What the instruction surely wants, so that any other text is astray."""

    def astray(self, text: str, most: int) -> int:
        """The places, so many at most."""
        return 0 if self.is_made_in(text) else most
