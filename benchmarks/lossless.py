"""What it costs that a draft changes nothing: rounding by grouping, near-ties, and blocks of one shape.

The embedded model writes greedily, one token at a time; the same tokens are then computed in blocks of 17. How far the
logits are apart, at how many places the best token differs, and what the two remedies of `decoder/grouping.py` cost.
On the CPU, float32 is computed by `decoder.models.llama`, bfloat16 by transformers, and times are processor time.
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
_PROMPT = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench lossless", description=__doc__)
    parser.add_argument("--tokens", type=int, default=17 * 16, help="written and compared (default 272)")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    report = {dtype: _measured(arguments.device, dtype, arguments.tokens) for dtype in ("float32", "bfloat16")}
    if arguments.json:
        print(json.dumps({"machine": machine(), **report}))
        return 0
    print(machine_line())
    line("", *report, width=14)
    for name in report["float32"]:
        line(name, *(f"{figures[name]:.4g}" for figures in report.values()), width=14)
    return 0


def _measured(device: str, dtype: str, length: int) -> dict[str, float]:
    model = load_model(device=device, dtype=dtype)
    clock = busy_milliseconds if device == "cpu" else milliseconds
    prompt = list(rewrite_prompt(model.vocabulary, Language.PYTHON, "rename item to entry", _PROMPT).tokens)
    tokens, single = _one_by_one(model, prompt, length)
    model.truncate(0)
    model.forward(prompt)
    blocks = []
    for start in range(0, length, _BLOCK):
        part = tokens[start : start + _BLOCK]
        blocks.append(model.forward(part, len(part)))
    block = np.concatenate(blocks)
    margins = np.sort(single, axis=1)
    edited = [*tokens[: length // 3], *tokens[length // 3 + 2 :]]
    plain_ms, plain, _ = _steady(model, prompt, length, (), clock)
    drafted_ms, drafted, asked = _steady(model, prompt, length, edited, clock)
    bare_ms = clock(lambda: _one_by_one(model, prompt, length))
    return {
        "largest difference of logits": float(np.abs(single - block).max()),
        "other best tokens": float((single.argmax(1) != block.argmax(1)).sum()),
        "places": float(length),
        f"closer than {CLOSE:g}, of all": float((margins[:, -1] - margins[:, -2] < CLOSE).mean()),
        "read afresh": float(asked),
        "plain, ms per token": bare_ms / length,
        "plain and steady, ms per token": plain_ms / length,
        "drafted and steady, ms per token": drafted_ms / length,
        "drafted = undrafted": float(plain == drafted),
    }


def _one_by_one(model: Model, prompt: list[int], length: int) -> tuple[list[int], np.ndarray]:
    """Greedy tokens, and the logits after each."""
    model.truncate(0)
    token = int(model.forward(prompt)[-1].argmax())
    tokens, rows = [], []
    for _ in range(length):
        tokens.append(token)
        row = model.forward([token])[-1]
        rows.append(row)
        token = int(row.argmax())
    return tokens, np.stack(rows)


def _steady(
    model: Model, prompt: list[int], length: int, draft: list[int] | tuple[()], clock: Callable[..., float]
) -> tuple[float, list[int], int]:
    """Milliseconds, the output, and how often a near-tie was read afresh."""
    chosen, grouping = steady(model.branch(), prompt)
    vocabulary = model.vocabulary.ended_by(frozenset())
    run = unconstrained(length, vocabulary)
    drafter = Aligned(draft, prompt, costs=Costs) if draft else Undrafted()

    def write() -> None:
        for _ in decode(chosen, prompt, run, Sampler(SamplingOptions()), drafter, grouping=grouping):
            pass

    return clock(write), run.tokens, getattr(grouping, "asked", 0)


if __name__ == "__main__":
    raise SystemExit(main())
