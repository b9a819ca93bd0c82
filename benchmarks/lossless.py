"""What it costs that a draft changes nothing: rounding by grouping, near-ties, and blocks of one shape.

The embedded model writes greedily, one token at a time. The same tokens are then computed in blocks of 17, as for a
draft. The benchmark prints how far the logits are apart, at how many places the best token differs, and what the two
remedies of `decoder/grouping.py` cost. On the CPU, `decoder.models.llama` computes float32, transformers computes
bfloat16, and times are processor time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import numpy as np

from benchmarks.timing import busy_milliseconds, line, machine, machine_line, milliseconds
from benchmarks.unconstrained import unconstrained
from context_index import Language
from decoder import load_model
from decoder.draft import Aligned, Undrafted
from decoder.draft.window import Costs
from decoder.grouping import CLOSE, steady
from decoder.loop import decode
from decoder.models.model import Model
from decoder.prompt.rewriting import rewrite_prompt
from decoder.sampling import Sampler, SamplingOptions

_BLOCK = 17
"""Tokens that are computed in one forward."""
_PROMPT = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench lossless", description=__doc__)
    parser.add_argument("--tokens", type=int, default=17 * 16, help="written and compared (default 272)")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    report = {dtype: _measure(arguments.device, dtype, arguments.tokens) for dtype in ("float32", "bfloat16")}
    if arguments.json:
        print(json.dumps({"machine": machine(), **report}))
        return 0
    print(machine_line())
    line("", *report, width=14)
    for name in report["float32"]:
        line(name, *(f"{figures[name]:.4g}" for figures in report.values()), width=14)
    return 0


def _measure(device: str, dtype: str, length: int) -> dict[str, float]:
    """All figures for one number type, over `length` tokens."""
    model = load_model(device=device, dtype=dtype)
    clock = busy_milliseconds if device == "cpu" else milliseconds
    prompt = list(rewrite_prompt(model.card, Language.PYTHON, "rename item to entry", _PROMPT).tokens)
    tokens, single = _one_by_one(model, prompt, length)
    model.truncate(0)
    model.forward(prompt)
    blocks = []
    for start in range(0, length, _BLOCK):
        block = tokens[start : start + _BLOCK]
        blocks.append(model.forward(block, len(block)))
    grouped = np.concatenate(blocks)
    ascending = np.sort(single, axis=1)
    draft = [*tokens[: length // 3], *tokens[length // 3 + 2 :]]
    steady_ms, undrafted, _ = _write_steadily(model, prompt, length, (), clock)
    drafted_ms, drafted, asked = _write_steadily(model, prompt, length, draft, clock)
    plain_ms = clock(lambda: _one_by_one(model, prompt, length))
    return {
        "largest difference of logits": float(np.abs(single - grouped).max()),
        "other best tokens": float((single.argmax(1) != grouped.argmax(1)).sum()),
        "places": float(length),
        f"closer than {CLOSE:g}, of all": float((ascending[:, -1] - ascending[:, -2] < CLOSE).mean()),
        "read afresh": float(asked),
        "plain, ms per token": plain_ms / length,
        "plain and steady, ms per token": steady_ms / length,
        "drafted and steady, ms per token": drafted_ms / length,
        "drafted = undrafted": float(undrafted == drafted),
    }


def _one_by_one(model: Model, prompt: list[int], length: int) -> tuple[list[int], np.ndarray]:
    """`length` greedy tokens, and the logits after each: [length, vocabulary]."""
    model.truncate(0)
    token = int(model.forward(prompt)[-1].argmax())
    tokens, rows = [], []
    for _ in range(length):
        tokens.append(token)
        row = model.forward([token])[-1]
        rows.append(row)
        token = int(row.argmax())
    return tokens, np.stack(rows)


def _write_steadily(
    model: Model, prompt: list[int], length: int, draft: list[int] | tuple[()], clock: Callable[..., float]
) -> tuple[float, list[int], int]:
    """Write with the remedies of `decoder/grouping.py`, with a draft or without one (an empty tuple).

    Returns:
        Milliseconds by the clock, the output, and how often a near-tie was read afresh.
    """
    steadied, grouping = steady(model.branch(), prompt)
    vocabulary = model.vocabulary.ended_by(frozenset())
    run = unconstrained(length, vocabulary)
    drafter = Aligned(draft, prompt, costs=Costs) if draft else Undrafted()

    def write() -> None:
        for _ in decode(steadied, prompt, run, Sampler(SamplingOptions()), drafter, grouping=grouping):
            pass

    return clock(write), run.tokens, getattr(grouping, "asked", 0)


if __name__ == "__main__":
    raise SystemExit(main())
