"""A type checker in front of another that notes what was waited for: where, for what, how long, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from context_index.oracles.types import DocumentTypes
from context_index.symbols import Answer, Asked, Open, Position

NOTICED = 0.001
"""Seconds of waiting that count as such."""
_SHOWN = 30
"""Characters before a place."""


@dataclass(slots=True)
class Traced:
    """Asks `types`; a `TypeOracle` that looks at finished texts, too."""

    types: DocumentTypes
    waits: list[str] = field(default_factory=list)

    def ask(self, text: str, offset: int, position: Position) -> Asked:
        """The names, as the other says."""
        before = text[max(0, offset - _SHOWN) : offset]
        return _TracedAsked(self.types.ask(text, offset, position), self, f"{position} behind {before!r}")

    def note(self, what: str, seconds: float, told: str) -> None:
        """Somebody waited."""
        if seconds > NOTICED:
            self.waits.append(f"{seconds * 1000:.0f} ms for {what}: {told}")


@dataclass(slots=True)
class _TracedAsked:
    asked: Asked
    around: Traced
    what: str

    @property
    def done(self) -> bool:
        return self.asked.done

    def answer(self, timeout: float, others: float | None = None) -> Answer:
        return self._timed(lambda: self.asked.answer(timeout, others))

    def early(self, timeout: float, others: float | None = None) -> Answer:
        return self._timed(lambda: self.asked.early(timeout, others))

    def drop(self) -> None:
        self.asked.drop()

    def _timed(self, wait: Callable[[], Answer]) -> Answer:
        begun = time.perf_counter()
        answer = wait()
        members = answer.members
        told = members.why if isinstance(members, Open) else f"{len(members.names)} names of {answer.by}"
        self.around.note(self.what, time.perf_counter() - begun, told)
        return answer
