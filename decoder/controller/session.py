"""One request's controller or program in a worker: loaded, given data about the place, and asked within time limits.

`Pool` makes sessions ready for use; `Control` asks them for steps, and a `Program` asks for what a main awaits.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from context_index.symbols import Language
from decoder.controller.protocol import Answer, Controller, Step, answer_of, encoded, marshalled
from decoder.controller.worker_process import WorkerProcess
from decoder.errors import ProgramError
from decoder.program.runner import Awaited, Runner
from decoder.program.wire import awaited_of

WANTED = frozenset({"distribution", "prior", "snippets", "symbols"})
"""The data that a controller gets only if its `wants` list it."""
_GRACE_SECONDS = 0.125
"""How long after a deadline the host waits for the worker to stop the program itself, before it ends the worker."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The time that one program may take."""

    load_seconds: float = 1.0
    """To be loaded, and for each question to a main."""
    step_seconds: float = 0.25
    """For each step."""
    request_seconds: float = 10.0
    """For all questions of a request together."""


class ProgramSession(Runner):
    """One request's program. `Pool.lend` loads it into a worker; it may be asked within that block only."""

    has_steps: bool
    """Whether it has a step function; else it has a main."""
    wants: frozenset[str]
    """The data that it wants, of `WANTED`."""
    _worker: WorkerProcess

    def __init__(self, controller: Controller, limits: Limits) -> None:
        self.controller, self.limits = controller, limits
        self._encode = marshalled if controller.language is Language.PYTHON else encoded
        self._seconds = 0.0
        """The time that the request has waited for it so far."""

    def load(self, worker: WorkerProcess) -> None:
        """Load the program into a worker, which is asked from now on.

        Raises:
            ProgramError: it threw or was stopped, or has neither a step nor a main.
        """
        self._worker = worker
        program = {
            "source": self.controller.source,
            "params": dict(self.controller.params),
            "name": self.controller.name,
            "deadline_s": self.limits.step_seconds,
        }
        about = _read(self._ask(b"L", json.dumps(program).encode(), self.limits.load_seconds))
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
        """The program's answer before a token is chosen; ids are below `vocabulary`.

        Raises:
            ProgramError: it was stopped, threw, or gave no valid answer.
        """
        return answer_of(self._ask(b"S", self._encode(step), self.limits.step_seconds), step.ids, vocabulary)

    def rollback(self, count: int) -> None:
        """Take the program back to after its first `count` steps. Its worker runs these again, which takes time."""
        self._ask(b"B", str(count).encode(), self.limits.step_seconds * (2 + count))

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """What the program's main awaits once these texts have been written; None where it is over."""
        return awaited_of(_read(self._ask(b"A", json.dumps(history).encode(), self.limits.load_seconds)))

    def _ask(self, kind: bytes, body: bytes, allowed: float) -> bytes:
        """The worker's answer to a frame, within `allowed` seconds and the request's limit.

        Raises:
            ProgramError: the program was stopped or threw.
        """
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
    """The JSON of a reply.

    Raises:
        ProgramError: it is none.
    """
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        raise ProgramError("the program has broken what it was run with: its answer cannot be read") from None
