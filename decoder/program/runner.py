"""What runs a program part by part (`Runner`), and what it answers: the part that is awaited next (`Awaited`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from decoder.program.nodes import ProgramNode


@dataclass(frozen=True, slots=True)
class Awaited:
    """A part that a program awaits."""

    node: ProgramNode
    place: str = ""
    """Where in the program it is awaited, such as `program.js:3:9`; empty where that is not known."""
    used: bool = True
    """Whether the program may look at what was written."""


class Runner(ABC):
    """What runs a program: in this process, or in a worker."""

    @abstractmethod
    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited after these texts were written for the parts before; None if the program is over.

        Raises:
            ProgramError: the program throws, loops or awaits something that is no part.
        """

    def watch(self) -> None:  # noqa: B027 - most know it anyway
        """From now on, have `after` set `Awaited.place` and `Awaited.used`."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what it holds. No other method may be called afterwards."""
