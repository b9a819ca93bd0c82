"""Cancels questions that a checker may already be answering."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancellation:
    """Whether the answers to some questions are still wanted. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self.is_cancelled = False
        """Whether the questions were cancelled."""

    def cancel(self) -> None:
        """Cancel the questions."""
        with self._lock:
            self.is_cancelled = True
            for callback in self._callbacks:
                callback()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have a function called, now if they are cancelled already. It must be short."""
        with self._lock:
            self._callbacks.append(callback)
            if self.is_cancelled:
                callback()

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """The same, and no call after the block."""
        self.on_cancel(callback)
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)
