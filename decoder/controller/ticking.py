"""The clock of wasmtime's deadlines: it ticks while programs run and a while longer, and then sleeps."""

from __future__ import annotations

import threading
import time

import wasmtime

TICK_SECONDS = 0.005
"""The precision of a deadline."""
_IDLE_TICKS = 200
"""Ticks before the clock sleeps: waking it costs the program's thread more than a step does."""


class Ticking:
    """Advances the epochs of an engine within a block, `with ticking(engine):`; a process has one engine."""

    def __init__(self) -> None:
        self._running = 0
        self._asleep = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._engine: wasmtime.Engine | None = None

    def __call__(self, engine: wasmtime.Engine) -> Ticking:
        """Set the engine; returns the block."""
        self._engine = engine
        return self

    def __enter__(self) -> None:
        with self._changed:
            self._running += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._tick, name="inscope-epochs", daemon=True)
                self._thread.start()
            if self._asleep:
                self._changed.notify()

    def __exit__(self, *_error: object) -> None:
        with self._changed:
            self._running -= 1

    def _tick(self) -> None:
        idle = 0
        while True:
            idle = 0 if self._running else idle + 1
            if idle > _IDLE_TICKS:
                with self._changed:
                    self._asleep = True
                    self._changed.wait_for(lambda: self._running > 0)
                    self._asleep = False
            time.sleep(TICK_SECONDS)
            if self._engine is not None:
                self._engine.increment_epoch()


ticking = Ticking()
