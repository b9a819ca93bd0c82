"""A token by which a request's questions to a checker are cancelled, waiting or already being answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancellation:
    """Whether a request's questions were cancelled, and what is called when they are. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self.is_cancelled = False

    def cancel(self) -> None:
        """Cancel the questions: call all callbacks."""
        with self._lock:
            self.is_cancelled = True
            for callback in self._callbacks:
                callback()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have a function called on `cancel`, or at once if that was called before. The function must be quick."""
        with self._lock:
            self._callbacks.append(callback)
            if self.is_cancelled:
                callback()

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """As `on_cancel`, but only until the end of the block."""
        self.on_cancel(callback)
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)
