"""Has the signals that end a process wait while files are replaced, so that no set stays half written.

The command line enters a `WaitingSignals` around a write; `replacing` asks it between its steps.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from signal import Handlers
    from types import FrameType, TracebackType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""Windows has no SIGHUP; what a system lacks is left out."""


class WaitingSignals:
    """A context in which SIGINT, SIGTERM and SIGHUP wait; the first one that came is delivered at its end.

    Python lets only the main thread handle signals; in other threads the context changes nothing.
    """

    def __init__(self) -> None:
        self.pending: list[int] = []
        """The numbers of the signals that wait, in the order in which they came."""
        self._handlers: dict[int, Callable[[int, FrameType | None], object] | int | Handlers | None] = {}
        """What handled each signal before the context, by the signal's number."""

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
        """Raise a KeyboardInterrupt if a signal waits, so that the work ends; the signal itself comes at the end."""
        if self.pending:
            raise KeyboardInterrupt

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.pending.append(number)
