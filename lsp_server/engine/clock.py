"""The time that somebody waits for an answer, and how it is shared among those who make it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Event


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that runs from when a request came."""

    seconds: float | None = None
    """How long its answer may take; None for no limit."""
    started: float = field(default_factory=time.monotonic)
    cancel: Event = field(default_factory=Event)
    """Set where nobody waits for the answer."""
    checker_seconds: float | None = None
    """How long checkers may take in total; None waits for every answer."""

    def until(self, share: float = 1.0) -> float | None:
        """When a share of the time is over, on `time.monotonic`'s clock; None for never."""
        return None if self.seconds is None else self.started + share * self.seconds

    def left(self, share: float = 1.0) -> float | None:
        """Seconds of a share of the time that are left, 0 at least; None for no limit."""
        until = self.until(share)
        return None if until is None else max(0.0, until - time.monotonic())

    def for_checkers(self, waited: float = 0.0, share: float = 1.0) -> float | None:
        """Seconds in which a checker may answer, of a share of the time; None for no limit.

        Args:
            waited: Seconds that were waited for checkers already.
        """
        limits = self.left(share), None if self.checker_seconds is None else max(0.0, self.checker_seconds - waited)
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def elapsed_ms(self) -> float:
        """Since the request came."""
        return (time.monotonic() - self.started) * 1000

    def is_over(self, share: float = 1.0) -> bool:
        """Whether a share of the time is over, or nobody waits."""
        return self.cancel.is_set() or self.left(share) == 0.0
