"""What a controller, a person's program that is asked at each token, costs.

Three things are measured in each language: a step, which is one question and its answer; the start of a program; and
the end of a program that is stuck.

A step is compared with a bare round trip, which sends as many bytes over the same kind of socket to a process that does
nothing with them. Steps and bare trips are timed in turn, so that they meet the same load. If the system allows it, all
processes are held to one core; otherwise chance decides whether a trip wakes another core, which takes longer. `of a
token` is a step's time in proportion to the built-in model's forward for one token.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from statistics import median

from benchmarks.timing import alternating, line, machine, machine_line
from context_index.symbols import Language
from decoder.controller.frames import FRAME_BYTES
from decoder.controller.pool import Pool
from decoder.controller.protocol import Controller, Step, encoded, marshalled
from decoder.controller.session import Limits
from decoder.errors import ProgramError
from decoder.models.loading import load_model

CANDIDATES = 64
"""Tokens that a step is asked about."""
STEPS = 400
"""Steps of a program, of which the median is taken."""
STARTS = {Language.JAVASCRIPT: 40, Language.PYTHON: 3}
"""Starts of a program, of which the median is taken. Python has few, as each of its programs gets a new process."""
TOKENS = 200
"""Forwards of which the median is taken."""
CONTEXT = 480
"""Tokens of a prompt about as long as the built-in model reads."""
KILLS = 5
"""Programs that do not end, of which the slowest end is shown."""
DEADLINE_S = 0.25
"""Seconds for a step, after which a program is ended."""
BARS = {Language.JAVASCRIPT: 5.0, Language.PYTHON: 3.0}
"""The most bare round trips that a step should cost. `--json` has it beside the measured ratio; nothing fails by it."""

PROGRAMS = {
    Language.JAVASCRIPT: (
        "export function step(s) { return {} }",
        'export function step(s) { return s.candidates.map((one) => (one.text.startsWith("a") ? 2 : 0)) }',
    ),
    Language.PYTHON: (
        "def step(s): return {}",
        "def step(s): return [2 if one.text.startswith('a') else 0 for one in s.candidates]",
    ),
}
"""In each language a step that answers nothing, and one that prefers what begins with an a."""
STUCK = {
    Language.JAVASCRIPT: "export function step() { for (;;); }",
    Language.PYTHON: "def step(s):\n    while True:\n        pass",
}


_ECHO = """
import socket, sys
line = socket.socket(fileno=int(sys.argv[1]))
asked, answered = int(sys.argv[2]), bytes(int(sys.argv[3]))
while True:
    left = asked
    while left:
        part = line.recv(left)
        if not part:
            sys.exit()
        left -= len(part)
    line.sendall(answered)
"""


class Bare:
    """A process that reads `asked` bytes and sends `answered` bytes back, again and again."""

    def __init__(self, asked: int, answered: int) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-c", _ECHO, str(theirs.fileno()), str(asked), str(answered)]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])  # noqa: S603 - made above
        self._asked, self._answered = bytes(asked), answered

    @property
    def pid(self) -> int:
        """The process id of the other process."""
        return self._process.pid

    def trip(self) -> None:
        """Send the bytes, and read until all bytes of the answer are here."""
        self._line.sendall(self._asked)
        left = self._answered
        while left:
            left -= len(self._line.recv(left))

    def close(self) -> None:
        """End the other process."""
        self._line.close()
        self._process.wait()


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of a step, medians."""

    trip: float
    """Request, program and answer."""
    bare: float
    """A round trip of as many bytes."""

    @property
    def ratio(self) -> float:
        """How many bare round trips a step costs."""
        return self.trip / self.bare


@contextmanager
def on_one_core(*pids: int) -> Iterator[None]:
    """Hold processes to the first core that this process may use, where the system can; pid 0 is this process."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    for pid in pids:
        os.sched_setaffinity(pid, {min(cores)})
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):  # it was ended
                os.sched_setaffinity(pid, cores)


def measure_steps(pool: Pool, language: Language, source: str) -> Cost:
    """The cost of a step of the program `source`; each step is followed by a bare round trip."""
    texts = [f"{'ab'[index % 2]}{index}" for index in range(CANDIDATES)]
    step_times, bare_times = [], []
    requests = [
        Step(position, "xy", array("i", range(CANDIDATES)), texts, array("f", range(CANDIDATES)))
        for position in range(STEPS)
    ]
    request_bytes = marshalled(requests[0]) if language is Language.PYTHON else encoded(requests[0])
    answer_bytes = 1 + 4 * CANDIDATES  # the kind of answer, and a bias for each candidate as float32
    echo = Bare(FRAME_BYTES + len(request_bytes), FRAME_BYTES + answer_bytes)
    with pool.session(Controller(language, source)) as session, on_one_core(0, session.pid, echo.pid):
        for step in requests:
            started = time.perf_counter()
            session.step(step, CANDIDATES)
            between = time.perf_counter()
            echo.trip()
            bare_times.append(time.perf_counter() - between)
            step_times.append(between - started)
    echo.close()
    return Cost(median(step_times) * 1e6, median(bare_times) * 1e6)


def measure_token() -> float:
    """Microseconds of the built-in model for one more token after a prompt, at the median."""
    model = load_model(None, device="cpu")
    model.forward([index % 200 for index in range(CONTEXT)])

    def forward_of_one() -> None:
        model.truncate(CONTEXT)
        model.forward([7])

    return alternating([forward_of_one], TOKENS)[0] * 1e3


def measure_start(pool: Pool, language: Language) -> float:
    """Milliseconds until a worker of the pool has loaded a program, at the median."""
    times = []
    for _ in range(STARTS[language]):
        pool.prepare(language)
        started = time.perf_counter()
        with pool.session(Controller(language, PROGRAMS[language][1])):
            times.append(time.perf_counter() - started)
    return median(times) * 1e3


def measure_kills(pool: Pool, language: Language) -> list[float]:
    """For each of `KILLS` programs that do not end: milliseconds until it was ended."""
    times = []
    for _ in range(KILLS):
        pool.prepare(language)
        with pool.session(Controller(language, STUCK[language])) as session:
            started = time.perf_counter()
            try:
                session.step(Step(0, "", array("i"), (), array("f")), CANDIDATES)
            except ProgramError:
                times.append((time.perf_counter() - started) * 1e3)
            else:
                raise AssertionError("a stuck program answered")
    return times


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    arguments = options.parse_args()
    pool = Pool(limits=Limits(step_seconds=DEADLINE_S))
    if not arguments.json:
        print(f"{machine_line()}\n")
        titles = "a step", "bare", "ratio", "of a token", "start", "kill at 250 ms"
        line(f"{CANDIDATES} candidates", *titles, width=16)
    rows = {}
    try:
        token_us = measure_token()
        for language, (answers_nothing, answers_biases) in PROGRAMS.items():
            pool.prepare(language)
            empty = measure_steps(pool, language, answers_nothing)
            cost = measure_steps(pool, language, answers_biases)
            started, ended = measure_start(pool, language), measure_kills(pool, language)
            rows[str(language)] = {
                **asdict(cost), "ratio": round(cost.ratio, 2), "of_a_token": round(cost.trip / token_us, 3),
                "bar": BARS.get(language), "empty": asdict(empty),
                "start_ms": round(started, 2), "kill_ms": round(max(ended), 1),
            }  # fmt: skip
            if not arguments.json:
                for title, step in ((f"{language}, biases", cost), (f"{language}, nothing", empty)):
                    times = f"{step.trip:.0f} us", f"{step.bare:.0f} us"
                    shares = f"{step.ratio:.1f}", f"{step.trip / token_us:.1%}"
                    line(title, *times, *shares, f"{started:.2f} ms", f"{max(ended):.0f} ms", width=16)
    except ProgramError as error:
        sys.exit(f"error: {error}")
    finally:
        pool.close()
    if arguments.json:
        print(
            json.dumps({"machine": machine(), "candidates": CANDIDATES, "token_us": round(token_us), "languages": rows})
        )


if __name__ == "__main__":
    main()
