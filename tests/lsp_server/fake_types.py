"""A type checker that knows what it was told, answers at once, late or never, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from context_index.symbols import Answer, Closed, Listed, Members, NameKind, Open, Position

Knows = Callable[[str, Position], Members]
"""From the text before a place, and what is asked there."""


def closed(*names: str) -> Closed:
    """Only these."""
    return Closed(dict.fromkeys(names, NameKind.PROPERTY))


def listed(*names: str) -> Listed:
    """These, and perhaps more."""
    return Listed(dict.fromkeys(names, NameKind.PROPERTY))


@dataclass
class FakeAsked:
    """A question that was answered before it was put, unless it is late."""

    members: Members
    late: bool = False
    fault: Exception | None = None
    unproven: bool = False
    """The names are listed already, and the answer itself is still on its way until somebody waits for it."""
    dropped: bool = False
    waited: list[float] = field(default_factory=list)
    others: list[float | None] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return not (self.late or self.unproven)

    def answer(self, timeout: float, others: float | None = None) -> Answer:
        self.waited.append(timeout)
        self.others.append(others)
        if self.fault is not None:
            raise self.fault
        if self.late:
            return Answer(Open(f"the fake has not answered within {timeout * 1000:.0f} ms"), "fake", timeout)
        return Answer(self.members, "fake", 0.0)

    def early(self, timeout: float, others: float | None = None) -> Answer:
        if self.unproven and not isinstance(self.members, Open):
            return Answer(Listed(self.members.names), "fake", 0.0)
        return self.answer(timeout, others)

    def drop(self) -> None:
        self.dropped = True


class FakeTypes:
    """Answers by a table from receivers, or whatever stands last before the place, to members."""

    def __init__(
        self, knows: Knows, *, late: bool = False, fault: Exception | None = None, unproven: bool = False
    ) -> None:
        self._knows = knows
        self._unproven = unproven
        self._late = late
        self._fault = fault
        self.asked: list[tuple[str, Position]] = []
        self.questions: list[FakeAsked] = []

    def ask(self, text: str, offset: int, position: Position) -> FakeAsked:
        self.asked.append((text[:offset], position))
        self.questions.append(FakeAsked(self._knows(text[:offset], position), self._late, self._fault, self._unproven))
        return self.questions[-1]


def told(table: Mapping[tuple[str, Position], Members]) -> Knows:
    """Knows what follows texts that end in certain ways."""

    def knows(before: str, position: Position) -> Members:
        for (ending, asked), members in table.items():
            if asked is position and before.endswith(ending):
                return members
        return Open("the fake knows nothing of this place")

    return knows
