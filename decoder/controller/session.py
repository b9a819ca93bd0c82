"""One request's controller in a worker: loaded with data about the place, asked at each token, within time limits."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from context_index.symbols import Language
from decoder.controller.protocol import Answer, Controller, Step, answer_of, encoded, marshalled
from decoder.controller.worker_process import WorkerProcess
from decoder.errors import ProgramError
from decoder.program.nodes import Awaited, Runner
from decoder.program.wire import awaited_of

WANTED = frozenset({"distribution", "prior", "snippets", "symbols"})
"""What a controller gets only if its `wants` list it."""
_GRACE_SECONDS = 0.125
"""After a deadline, in which the worker itself should have stopped a program; then the host does it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use."""

    load_seconds: float = 1.0
    step_seconds: float = 0.25
    request_seconds: float = 10.0
    """Time in all that a request may wait for it."""


class ProgramSession(Runner):
    """One request's program. `Pool.lend` loads it into a worker; it is asked within that block only."""

    has_steps: bool
    """Whether it has a step function; else it has a main."""
    wants: frozenset[str]
    _worker: WorkerProcess

    def __init__(self, controller: Controller, limits: Limits) -> None:
        self.controller, self.limits = controller, limits
        self._body = marshalled if controller.language is Language.PYTHON else encoded
        self._seconds = 0.0

    def load(self, worker: WorkerProcess) -> None:
        """Load the program, and ask this worker from now on.

        Raises:
            ProgramError: it fails, or is no program.
        """
        self._worker = worker
        given = {
            "source": self.controller.source,
            "params": dict(self.controller.params),
            "name": self.controller.name,
            "deadline_s": self.limits.step_seconds,
        }
        about = _read(self._ask(b"L", json.dumps(given).encode(), self.limits.load_seconds))
        if not isinstance(about, dict) or about.get("kind") not in ("step", "main"):
            raise ProgramError("the program has no function 'step' or 'main', and does not call 'start'")
        self.has_steps = about["kind"] == "step"
        wants = about.get("wants")
        self.wants = frozenset(map(str, wants)) if isinstance(wants, list) else frozenset()
        if unknown := sorted(self.wants - WANTED):
            raise ProgramError(f"a program can want {', '.join(sorted(WANTED))}, not {unknown[0]!r:.40}")

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._worker.process.pid

    def set_place(self, data: dict[str, Any]) -> None:
        """Send the data about the place that it wants."""
        self._ask(b"C", json.dumps(data).encode(), self.limits.load_seconds)

    def step(self, step: Step, vocabulary: int) -> Answer:
        """Its answer at a token; ids are below `vocabulary`.

        Raises:
            ProgramError: it was stopped, threw, or answers what is no answer.
        """
        return answer_of(self._ask(b"S", self._body(step), self.limits.step_seconds), step.ids, vocabulary)

    def rollback(self, count: int) -> None:
        """Take it back to after its first `count` steps, which the worker may have to repeat."""
        self._ask(b"B", str(count).encode(), self.limits.step_seconds * (2 + count))

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """What its main waits for once these texts have been written; None where it is over."""
        return awaited_of(_read(self._ask(b"A", json.dumps(history).encode(), self.limits.load_seconds)))

    def _ask(self, kind: bytes, body: bytes, allowed: float) -> bytes:
        left = self.limits.request_seconds - self._seconds
        if left <= 0:
            self._worker.end()
            most = self.limits.request_seconds
            raise ProgramError(f"the program was stopped: its request ran for more than {most:g} s in it")
        started = time.monotonic()
        try:
            return self._worker.ask(kind, body, min(allowed + _GRACE_SECONDS, left), min(allowed, left))
        finally:
            self._seconds += time.monotonic() - started


def _read(reply: bytes) -> Any:  # noqa: ANN401 - whatever a worker says
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        raise ProgramError("the program has broken what it was run with: its answer cannot be read") from None
