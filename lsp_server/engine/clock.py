"""The time limits of one request (`Clock`): its deadline, shares of it, and a limit for type checkers alone."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Event


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that starts when a request comes. A `share` is the first part of its time: 0.5 is the first half."""

    seconds: float | None = None
    """How many seconds the answer may take; None for no limit."""
    started: float = field(default_factory=time.monotonic)
    """When the request came, on `time.monotonic`'s clock."""
    cancel: Event = field(default_factory=Event)
    """Set when the request is cancelled."""
    checker_seconds: float | None = None
    """How many seconds checkers may take in total, within the time of the request; None for no limit of their own."""

    def until(self, share: float = 1.0) -> float | None:
        """When a share of the time ends, on `time.monotonic`'s clock; None without a limit."""
        return None if self.seconds is None else self.started + share * self.seconds

    def left(self, share: float = 1.0) -> float | None:
        """Seconds that are left of a share of the time, at least 0; None without a limit."""
        until = self.until(share)
        return None if until is None else max(0.0, until - time.monotonic())

    def for_checkers(self, waited: float = 0.0, share: float = 1.0) -> float | None:
        """Seconds that a checker may take within a share of the time; None without a limit.

        Args:
            waited: Seconds that this request has already waited for checkers.
        """
        limits = self.left(share), None if self.checker_seconds is None else max(0.0, self.checker_seconds - waited)
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the request came."""
        return (time.monotonic() - self.started) * 1000

    def is_over(self, share: float = 1.0) -> bool:
        """Whether a share of the time is over, or the request was cancelled."""
        return self.cancel.is_set() or self.left(share) == 0.0
