"""What the counts on real files add up to."""

from __future__ import annotations

from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Tally:
    """What was counted, and the first failures in full."""

    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    advances: int = 0
    characters: int = 0

    def count(self, what: str, number: int = 1) -> None:
        """One more of `what`."""
        self.counts[what] = self.counts.get(what, 0) + number

    def fail(self, what: str, detail: str) -> None:
        """One more of `what`, which should not be."""
        self.count(what)
        if len(self.failures) < _SHOWN:
            self.failures.append(f"{what}: {detail}")
