"""What a program at each token costs: in the worker and with the way to it, starts, and how soon a stuck one is ended.

`inscope bench controller [--json]`. The peer of each language is the empty way: a step that answers nothing.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median

from benchmarks.timing import line, machine, machine_line, percentile
from decoder.controller.pool import Limits, Pool
from decoder.controller.protocol import Controller, ControllerError, Language, Step

CANDIDATES = 64
STEPS = 400
STARTS = 40
KILLS = 5
DEADLINE_S = 0.25
BARS = {Language.JAVASCRIPT: 350, Language.WASM: 60}
"""Microseconds per token in the worker."""

_MODULE = """(module (memory (export "memory") 4) (func (export "buffer") (result i32) (i32.const 0))
  (func (export "step") (result i32) {body}))"""
_BIASES = """(local $n i32) (local $i i32) (local $at i32)
  (local.set $n (i32.load (i32.const 4)))
  (local.set $at (i32.add
    (i32.add (i32.const 16) (i32.mul (local.get $n) (i32.const 12))) (i32.load (i32.const 8))))
  (loop $next (if (i32.lt_s (local.get $i) (local.get $n)) (then
    (f32.store (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 4)))
      (select (f32.const 2) (f32.const 0) (i32.eq (i32.load8_u (local.get $at)) (i32.const 97))))
    (local.set $at (i32.add (local.get $at) (i32.load (i32.add
      (i32.add (i32.const 16) (i32.mul (local.get $n) (i32.const 8))) (i32.mul (local.get $i) (i32.const 4))))))
    (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $next))))
  (i32.const 1)"""
PROGRAMS = {
    Language.JAVASCRIPT: (
        "export function step(s) { return {} }",
        'export function step(s) { return s.candidates.map((one) => (one.text.startsWith("a") ? 2 : 0)) }',
    ),
    Language.WASM: (_MODULE.format(body="(i32.const 0)"), _MODULE.format(body=_BIASES)),
    Language.PYTHON: (
        "def step(s): return {}",
        "def step(s): return [2 if one.text.startswith('a') else 0 for one in s.candidates]",
    ),
}
"""In each language a step that answers nothing, and one that prefers what begins with an a."""
STUCK = {
    Language.JAVASCRIPT: "export function step() { for (;;); }",
    Language.WASM: _MODULE.format(body="(loop $l (br $l)) (i32.const 0)"),
    Language.PYTHON: "def step(s):\n    while True:\n        pass",
}


def steps(pool: Pool, language: Language, source: str) -> tuple[float, float]:
    """Microseconds per step at the median, with the way to the worker and inside it."""
    texts = [f"{'ab'[index % 2]}{index}" for index in range(CANDIDATES)]
    taken = []
    with pool.session(Controller(language, source.encode())) as session:
        for position in range(STEPS):
            step = Step(position, "xy", range(CANDIDATES), texts, [-0.1 * index for index in range(CANDIDATES)])
            started = time.perf_counter()
            session.step(step, CANDIDATES)
            taken.append(time.perf_counter() - started)
        inside = session.worker_seconds()
    return median(taken) * 1e6, inside * 1e6


def start(pool: Pool, language: Language) -> float:
    """Milliseconds until a worker of the pool has loaded a program, at the median."""
    taken = []
    for _ in range(STARTS if language is not Language.PYTHON else 3):
        pool.prepare(language)
        started = time.perf_counter()
        with pool.session(Controller(language, PROGRAMS[language][1].encode())):
            taken.append(time.perf_counter() - started)
    return median(taken) * 1e3


def kills(pool: Pool, language: Language) -> list[float]:
    """Milliseconds until the host was told of programs that did not come to an end."""
    taken = []
    for _ in range(KILLS):
        pool.prepare(language)
        with pool.session(Controller(language, STUCK[language].encode())) as session:
            started = time.perf_counter()
            try:
                session.step(Step(0, "", (), (), ()), CANDIDATES)
            except ControllerError:
                taken.append((time.perf_counter() - started) * 1e3)
    return taken


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    arguments = options.parse_args()
    pool = Pool(limits=Limits(step_seconds=DEADLINE_S))
    if not arguments.json:
        print(f"{machine_line()}\n")
        line(f"{CANDIDATES} candidates", "in the worker", "with the way to it", "start", "kill at 250 ms, worst")
    rows = {}
    try:
        for language, (nothing, something) in PROGRAMS.items():
            pool.prepare(language)
            empty, (trip, inside) = steps(pool, language, nothing), steps(pool, language, something)
            started, ended = start(pool, language), kills(pool, language)
            rows[str(language)] = {
                "worker_us": round(inside), "trip_us": round(trip), "empty_worker_us": round(empty[1]),
                "empty_trip_us": round(empty[0]), "start_ms": round(started, 2),
                "kill_ms": round(percentile(ended, 1), 1), "bar_us": BARS.get(language),
            }  # fmt: skip
            if not arguments.json:
                cells = f"{inside:.0f} us", f"{trip:.0f} us", f"{started:.2f} ms", f"{max(ended):.0f} ms"
                line(f"{language}, biases", *cells)
                line(f"{language}, nothing", f"{empty[1]:.0f} us", f"{empty[0]:.0f} us")
    finally:
        pool.close()
    if arguments.json:
        print(json.dumps({"machine": machine(), "candidates": CANDIDATES, "languages": rows}))


if __name__ == "__main__":
    main()
