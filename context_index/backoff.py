"""Pauses before what failed is tried again; they grow, so that a lasting fault is not paid for at each request."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 60.0
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Pause:
    """How often something failed in a row, and how long it is not tried again."""

    failures: int
    seconds: float


class Backoff(Generic[_Key]):
    """The failures of several things, by key. Not thread-safe: the owner must lock."""

    def __init__(self, first: float = FIRST_SECONDS, longest: float = LONGEST_SECONDS) -> None:
        """The first pause, in seconds, doubles with each failure up to the longest."""
        self._first = first
        self._longest = longest
        self._failures: dict[_Key, tuple[int, float]] = {}
        """How often it failed in a row, and until when it is not tried again."""

    def failed(self, key: _Key) -> Pause:
        """Record a failure; returns the pause before the next try."""
        failures = self._failures.get(key, (0, 0.0))[0] + 1
        seconds = min(self._first * 2.0 ** (failures - 1), self._longest)
        self._failures[key] = failures, monotonic() + seconds
        return Pause(failures, seconds)

    def pause(self, key: _Key) -> Pause | None:
        """The rest of the pause; None where the thing may be tried now."""
        failures, until = self._failures.get(key, (0, 0.0))
        left = until - monotonic()
        return Pause(failures, left) if left > 0 else None

    def succeeded(self, key: _Key) -> None:
        """Forget the failures of one thing."""
        self._failures.pop(key, None)

    def forget(self) -> None:
        """Forget all failures, as their causes may be gone."""
        self._failures.clear()
