"""Time of one forward by tokens in it, engine, number type and threads: what the loader's choices rest on.

The context is 480 tokens. A forward of n tokens after it gives the logits after each of them, as for a draft; it is
timed and rolled back. `as loaded` is what the product computes with, the others are transformers'.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable

import torch

from benchmarks.timing import alternating, line, machine, machine_line
from decoder.models.loading import load_model, load_through_transformers
from decoder.models.model import Model

BLOCKS = (1, 2, 4, 8, 16, 32, 64)
"""Tokens in a forward."""
CONTEXT = 480
"""Tokens that are read before a forward is timed: about the longest prompt of the built-in model."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench forward", description=__doc__)
    parser.add_argument("--model", help="a directory or hub name; the embedded model otherwise")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, torch.get_num_threads()])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    chance = random.Random(1)  # noqa: S311 - reproducible, not secret

    print_line: Callable[..., None] = (lambda *_, **__: None) if arguments.json else line
    if not arguments.json:
        print(machine_line())
    print_line("tokens in a forward, ms", f"read {CONTEXT}", *(str(block) for block in BLOCKS), width=9)
    rows = {}

    def add_row(title: str, model: Model) -> None:
        medians = measure(model, chance, arguments.times)
        print_line(title, *(f"{value:.1f}" for value in medians), width=9)
        rows[title] = dict(zip(["read", *map(str, BLOCKS)], (round(value, 2) for value in medians), strict=True))

    add_row("as loaded", load_model(arguments.model, device="cpu"))
    for dtype in arguments.dtypes:
        theirs = load_through_transformers(arguments.model, dtype=dtype)
        for threads in dict.fromkeys(arguments.threads):
            torch.set_num_threads(threads)
            add_row(f"{dtype}, {threads} thread{'s' if threads > 1 else ''}", theirs)
    if arguments.json:
        print(json.dumps({"machine": machine(), "milliseconds": rows}))
    return 0


def measure(model: Model, chance: random.Random, times: int) -> list[float]:
    """Medians in milliseconds: of reading the context, then of a forward of each size after it."""
    ordinary = [token for token, text in enumerate(model.vocabulary.token_bytes) if text]
    context = chance.choices(ordinary, k=CONTEXT)

    def read() -> None:
        model.truncate(0)
        model.forward(context)

    def forward_of(tokens: list[int]) -> Callable[[], None]:
        def run() -> None:
            model.truncate(CONTEXT)
            model.forward(tokens, len(tokens))

        return run

    reading = alternating([read], max(3, times // 3))
    return reading + alternating([forward_of(chance.choices(ordinary, k=size)) for size in BLOCKS], times)


if __name__ == "__main__":
    raise SystemExit(main())
