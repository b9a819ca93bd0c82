"""What a token costs after 512 others: our loop and forward, transformers', and llama.cpp where it is installed.

All compute the embedded model on one thread, greedily and without constraint, and take turns. A loop's time is the time
for 65 tokens minus that for one. A block of 17 tokens and a prompt of 512 are one forward each. `busy` is processor
time, which depends least on the machine's other work; `waited` is time on the clock.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import torch

from benchmarks.speed_llama_cpp import LlamaCpp
from benchmarks.timing import line, machine, machine_line
from benchmarks.unconstrained import unconstrained
from decoder.loop import generate
from decoder.models.loading import load_model, load_through_transformers
from decoder.models.model import Model
from decoder.models.transformers_model import TransformersModel
from decoder.sampling import Sampler, SamplingOptions

PROMPT = 512
"""Tokens of the prompt."""
LENGTH = 64
"""Tokens of a loop that are counted, and forwards of one token in one measurement."""
BLOCK = 17
"""Tokens of a block."""
_BLOCKS = 8
"""Forwards of a block in one measurement."""

Measured = dict[str, dict[str, float]]
"""Milliseconds by what was measured (token, block, prompt), and by clock (busy, waited)."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="times that all take their turn (default 7)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    with TemporaryDirectory() as directory:
        figures = _measure(_contestants(Path(directory)), arguments.rounds)
    if arguments.json:
        print(json.dumps({"machine": machine(), "milliseconds": figures}))
        return 0
    print(machine_line())
    ours = next(iter(figures.values()))
    titles = {
        "token": "a token of a loop",
        "step": "a forward of one",
        "block": f"of {BLOCK}",
        "prompt": f"of {PROMPT}",
    }
    for what, title in titles.items():
        line(f"\n{title}, ms", "busy", "waited", "over ours (busy)", width=18)
        for name, rows in figures.items():
            if what in rows:
                busy, waited = rows[what]["busy"], rows[what]["waited"]
                line(f"  {name}", f"{busy:.2f}", f"{waited:.2f}", f"x{busy / ours[what]['busy']:.2f}", width=18)
    return 0


def _contestants(directory: Path) -> dict[str, dict[str, Callable[[], object]]]:
    """By name: what each contestant does, by what is measured. A loop is there twice: `short` and `long`."""
    model = load_model(threads=1)
    ordinary = [token for token, text in enumerate(model.vocabulary.token_bytes) if text]
    prompt = [ordinary[place * 37 % len(ordinary)] for place in range(PROMPT)]
    block = prompt[:BLOCK]
    runs = {"ours, float32": _forwards(model, prompt, block) | _our_loop(model, prompt)}
    for dtype in ("float32", "bfloat16"):
        theirs = load_through_transformers(dtype=dtype, threads=1)
        runs[f"transformers, {dtype}"] = _forwards(theirs, prompt, block) | _their_loop(theirs, prompt)
    if find_spec("xllamacpp") and find_spec("gguf"):
        for kind in ("F32", "BF16", "Q8_0"):
            peer = LlamaCpp(kind, directory)
            runs[f"llama.cpp, {kind}"] = {
                "short": lambda peer=peer: peer.write(prompt, 1),  # type: ignore[misc]
                "long": lambda peer=peer: peer.write(prompt, 1 + LENGTH),  # type: ignore[misc]
            }
    return runs


def _forwards(model: Model, prompt: list[int], block: list[int]) -> dict[str, Callable[[], object]]:
    """Forwards of a prompt, and after it of one token (`step`) and of a block, each several times."""

    def after_prompt(tokens: Sequence[int], times: int) -> Callable[[], None]:
        def run() -> None:
            if len(model.tokens) < PROMPT:
                model.forward(prompt)
            for _ in range(times):
                model.truncate(PROMPT)
                model.forward(tokens, len(tokens))

        return run

    def read() -> None:
        model.truncate(0)
        model.forward(prompt)

    return {"prompt": read, "step": after_prompt(block[:1], LENGTH), "block": after_prompt(block, _BLOCKS)}


def _our_loop(model: Model, prompt: list[int]) -> dict[str, Callable[[], object]]:
    """Our decode loop, from an empty cache."""
    vocabulary = model.vocabulary.ended_by(frozenset())

    def write(length: int) -> None:
        model.truncate(0)
        run = unconstrained(length, vocabulary)
        generate(model, prompt, run, Sampler(SamplingOptions()))
        if len(run.tokens) != length:
            raise AssertionError(f"{len(run.tokens)} tokens were written, not {length}")

    return {"short": lambda: write(1), "long": lambda: write(1 + LENGTH)}


def _their_loop(model: TransformersModel, prompt: list[int]) -> dict[str, Callable[[], object]]:
    """The loop of transformers, `generate`."""
    inputs = torch.tensor([prompt])

    def write(length: int) -> None:
        with torch.inference_mode():
            model._network.generate(
                inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=length,
                min_new_tokens=length,
                do_sample=False,
            )

    return {"short": lambda: write(1), "long": lambda: write(1 + LENGTH)}


def _measure(contestants: dict[str, dict[str, Callable[[], object]]], rounds: int) -> dict[str, Measured]:
    """Medians by contestant over the rounds, after a first one that is not counted."""
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for number in range(rounds + 1):
        for name, runs in contestants.items():
            for what, run in runs.items():
                run() if number == 0 else times.setdefault((name, what), []).append(_time(run))
    figures: dict[str, Measured] = {}
    for name, runs in contestants.items():
        medians = {what: [median(clock) for clock in zip(*times[name, what], strict=True)] for what in runs}
        forwards = {"step": LENGTH, "block": _BLOCKS}
        rows = {what: [clock / forwards.get(what, 1) for clock in clocks] for what, clocks in medians.items()}
        long, short = rows.pop("long"), rows.pop("short")
        rows["token"] = [(of_long - of_short) / LENGTH for of_long, of_short in zip(long, short, strict=True)]
        rows.setdefault("prompt", short)  # llama.cpp is only asked for whole texts: its prompt includes one token
        figures[name] = {what: dict(zip(("busy", "waited"), clocks, strict=True)) for what, clocks in rows.items()}
    return figures


def _time(run: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of this process on all processors, and milliseconds on the clock."""
    busy, waited = time.process_time(), time.perf_counter()
    run()
    return (time.process_time() - busy) * 1000, (time.perf_counter() - waited) * 1000


if __name__ == "__main__":
    raise SystemExit(main())
