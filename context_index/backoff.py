"""Pauses before something that failed is tried again; they grow, so that a lasting fault slows down few requests."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

FIRST_SECONDS = 0.5
"""The first pause of most things."""
LONGEST_SECONDS = 60.0
"""The longest pause of most things."""
_MOST_DOUBLINGS = 32
"""The most times that a pause doubles: after 1,024 a float overflows, and a server runs for weeks."""
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FailurePause:
    """How often something failed in a row, and when it may be tried again."""

    failures: int
    seconds: float
    """Seconds until it may be tried again."""


class Backoff(Generic[_Key]):
    """The failures of several things, by key. Not thread-safe: the owner must lock.

    Args:
        first: Seconds of the first pause; each further failure doubles it.
        longest: Seconds that no pause exceeds.
    """

    def __init__(self, first: float = FIRST_SECONDS, longest: float = LONGEST_SECONDS) -> None:
        self._first = first
        self._longest = longest
        self._failures: dict[_Key, tuple[int, float]] = {}
        """By key, how often the thing failed in a row, and when it may be tried again, on `monotonic`'s clock."""

    def record_failure(self, key: _Key) -> FailurePause:
        """Record a failure; returns the pause before the next try."""
        failures = self._failures.get(key, (0, 0.0))[0] + 1
        seconds = min(self._first * 2 ** min(failures - 1, _MOST_DOUBLINGS), self._longest)
        self._failures[key] = failures, monotonic() + seconds
        return FailurePause(failures, seconds)

    def pause(self, key: _Key) -> FailurePause | None:
        """The rest of the pause; None where the thing may be tried now."""
        failures, next_try = self._failures.get(key, (0, 0.0))
        seconds = next_try - monotonic()
        return FailurePause(failures, seconds) if seconds > 0 else None

    def record_success(self, key: _Key) -> None:
        """Forget the failures of one thing."""
        self._failures.pop(key, None)

    def forget(self) -> None:
        """Forget all failures: their causes may be gone."""
        self._failures.clear()
