"""What a check of the grammar engine (`benchmarks/grammar_soundness.py`) has counted so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decoder.grammar import State

_SHOWN = 12
"""The most failures that are kept in full."""


@dataclass
class GrammarTally:
    """What was counted, and the first failures in full."""

    counts: dict[str, int] = field(default_factory=dict)
    """How often each thing was seen, by a phrase for people such as `files` or `valid, refused`; failures included."""
    failures: list[str] = field(default_factory=list)
    advances: int = 0
    """Texts that a state was asked to read."""
    seconds: float = 0.0
    """The time that all advances took."""

    def count(self, what: str, number: int = 1) -> None:
        """Add `number` to the count of `what`."""
        self.counts[what] = self.counts.get(what, 0) + number

    def fail(self, what: str, detail: str) -> None:
        """Count `what`, which should not have happened."""
        self.count(what)
        if len(self.failures) < _SHOWN:
            self.failures.append(f"{what}: {detail}")

    def advance(self, state: State, text: str) -> State | None:
        """The state after `text`, counted and timed; None where it is refused."""
        started = time.perf_counter()
        following = state.advance(text)
        self.seconds += time.perf_counter() - started
        self.advances += 1
        return following
