"""The clock of wasmtime's deadlines: it ticks while programs run and a while longer, and sleeps while none does."""

from __future__ import annotations

import threading
import time

import wasmtime

TICK_SECONDS = 0.005
"""How exactly a deadline is kept."""
_IDLE_TICKS = 200
"""After which it sleeps: to be woken costs the program's thread more than a step does."""


class Ticking:
    """Has the epochs of an engine go on within a block; there is one engine in a process."""

    def __init__(self) -> None:
        self._running = 0
        self._asleep = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._engine: wasmtime.Engine | None = None

    def __call__(self, engine: wasmtime.Engine) -> Ticking:
        """The block in which the engine's epochs go on."""
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
