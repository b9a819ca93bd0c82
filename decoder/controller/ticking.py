"""The clock behind wasmtime's deadlines: it ticks while a program runs, and sleeps while none does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import wasmtime

TICK_SECONDS = 0.005
"""How exactly a deadline is kept."""


class _Clock:
    """One thread for all programs of a process."""

    def __init__(self) -> None:
        self._running = 0
        self._engine: wasmtime.Engine | None = None
        self._awake = threading.Condition()

    @contextmanager
    def on(self, engine: wasmtime.Engine) -> Iterator[None]:
        with self._awake:
            if self._engine is None:
                self._engine = engine
                threading.Thread(target=self._tick, args=(engine,), name="inscope-epochs", daemon=True).start()
            self._running += 1
            self._awake.notify()
        try:
            yield
        finally:
            with self._awake:
                self._running -= 1

    def _tick(self, engine: wasmtime.Engine) -> None:
        while True:
            with self._awake:
                self._awake.wait_for(lambda: self._running > 0)
            time.sleep(TICK_SECONDS)
            engine.increment_epoch()


_CLOCK = _Clock()


def ticking(engine: wasmtime.Engine) -> AbstractContextManager[None]:
    """Have epochs go on within the block; there is one engine in a process."""
    return _CLOCK.on(engine)
