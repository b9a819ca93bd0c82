"""Signals that end a process wait while files are replaced."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from signal import Handlers
    from types import FrameType, TracebackType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class WaitingSignals:
    """A context in which SIGINT, SIGTERM and SIGHUP wait; they are delivered where it ends.

    Only the main thread can do so; in others it changes nothing.
    """

    def __init__(self) -> None:
        self.pending: list[int] = []
        """Those that wait."""
        self._handlers: dict[int, Callable[[int, FrameType | None], object] | int | Handlers | None] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in _NAMES:
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) not in {signal.SIG_IGN, None}:
                    self._handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        if self.pending:
            signal.raise_signal(self.pending[0])

    def deliver(self) -> None:
        """End what is being done where a signal waits; it is delivered where the context ends."""
        if self.pending:
            raise KeyboardInterrupt

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.pending.append(number)
