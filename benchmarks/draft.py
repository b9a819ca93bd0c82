"""Predicted outputs beside plain decoding and transformers' prompt lookup: the same model, prompt and output for all.

The output is forced: every method pays for real forwards, whose logits are then made to prefer the given text, so that
the model's quality decides nothing. Prompt lookup runs in transformers, as it does for its users. Times include reading
the prompt into an empty cache. Plain decoding writes the whole output too, and no part of it is extrapolated: after
4,000 tokens a token costs more than after 2,000.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import median
from typing import Any

import torch

from benchmarks.draft_forced_model import ForcedModel, random_qwen
from benchmarks.draft_tasks import DraftTask, tasks
from benchmarks.predicted_outputs import by_kind
from benchmarks.timing import line, machine, machine_line
from benchmarks.unconstrained import unconstrained
from context_index import Language
from decoder.draft import Aligned, Counts, Drafter, Reference, Undrafted, costs_of
from decoder.draft.counts import TokenOrigin
from decoder.grouping import steady
from decoder.loop import decode
from decoder.models.loading import load_model, load_through_transformers
from decoder.models.model import Model
from decoder.models.transformers_model import TransformersModel
from decoder.prompt.rewriting import rewrite_prompt
from decoder.sampling import Sampler, SamplingOptions

LOOKUP = 10
"""`prompt_lookup_num_tokens`, as transformers' documentation has it."""
METHODS = ("plain", "prompt lookup", "reference", "aligned")


@dataclass(frozen=True, slots=True)
class DraftRow:
    """Seconds of each method for one task, and what became of the draft."""

    name: str
    tokens: int
    seconds: dict[str, float]
    """By method, the median of the rounds."""
    counts: dict[str, Counts]
    """By method of ours: where each token of the output came from."""
    unchanged: frozenset[int]
    """Indices of the output's tokens that the draft has in the same order."""

    def taken(self, *kinds: TokenOrigin) -> float:
        """The share of the unchanged tokens that have one of these origins."""
        spans = (span for span in self.counts["aligned"].spans if span.kind in kinds)
        places = {place for span in spans for place in range(span.start, span.start + len(span.tokens))}
        return len(places & self.unchanged) / max(1, len(self.unchanged))


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench draft", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="times that all methods take turns (default 1)")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="tasks whose name holds one of these")
    parser.add_argument("--shape", choices=("1.5B", "7B"), help="random weights in the shape of Qwen2.5-Coder")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--lines", type=int, nargs="+", default=[200], help="of what is rewritten (default 200)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    if not arguments.json:
        print(machine_line())
    model: Model = load_model(device=arguments.device)
    theirs = load_through_transformers(device=arguments.device, threads=1)
    if arguments.shape:
        model = theirs = random_qwen(arguments.shape, theirs.vocabulary, arguments.device)
    drawn = [task for lines in arguments.lines for task in tasks(lines)]
    chosen = [task for task in drawn if not arguments.only or any(word in task.name for word in arguments.only)]
    if not arguments.json:
        line("tokens per second", *METHODS, "aligned / plain", "/ lookup", "unchanged taken", width=17)
    report = []
    for task in chosen:
        row = _measure(model, theirs, task, arguments.rounds)
        report.append(_figures(row))
        if not arguments.json:
            _print(row)
    if arguments.json:
        print(json.dumps({"machine": machine(), "tasks": report}))
    return 0


def _measure(model: Model, theirs: TransformersModel, task: DraftTask, rounds: int) -> DraftRow:
    """Write one task's output by every method, in turn, so many times."""
    before, after = task.before.rstrip(), task.after.rstrip()
    prompt = list(rewrite_prompt(model.card, Language.PYTHON, task.name, before).tokens)
    target, draft = model.vocabulary.encode(after), model.vocabulary.encode(before)
    model.truncate(0)
    model.forward(prompt[:256])
    costs = costs_of(model)
    counts: dict[str, Counts] = {}

    def ours(name: str, drafter: Callable[[], Drafter]) -> float:
        seconds, counts[name] = _ours(model, prompt, target, drafter())
        return seconds

    runs: dict[str, Callable[[], float]] = {
        "plain": lambda: ours("plain", Undrafted),
        "prompt lookup": lambda: _lookup(theirs, prompt, target),
        "reference": lambda: ours("reference", lambda: Reference(draft)),
        "aligned": lambda: ours("aligned", lambda: Aligned(draft, prompt, costs=lambda: costs)),
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(run())
    blocks = SequenceMatcher(None, draft, target, autojunk=False).get_matching_blocks()
    unchanged = frozenset(place for block in blocks for place in range(block.b, block.b + block.size))
    medians = {name: median(seconds) for name, seconds in times.items()}
    return DraftRow(task.name, len(target), medians, counts, unchanged)


def _ours(model: Model, prompt: Sequence[int], target: Sequence[int], drafter: Drafter) -> tuple[float, Counts]:
    """The seconds that our decode loop takes to write the target, and the origins of its tokens.

    Raises:
        AssertionError: another text was written.
    """
    model.truncate(0)
    forced = ForcedModel(model, target, len(prompt))
    steadied, _ = steady(forced, prompt)
    run = unconstrained(len(target))
    decoded_by = forced if isinstance(drafter, Undrafted) else steadied
    started = time.perf_counter()
    for _ in decode(decoded_by, prompt, run, Sampler(SamplingOptions()), drafter):
        pass
    seconds = time.perf_counter() - started
    if run.tokens != list(target):
        raise AssertionError("the forced text was not written")
    return seconds, run.ledger.counts(run.tokens)


def _lookup(model: TransformersModel, prompt: Sequence[int], target: Sequence[int]) -> float:
    """The seconds that `generate` of transformers takes to write the target with prompt lookup.

    Raises:
        AssertionError: another text was written.
    """
    forced = torch.tensor([*target, 0], device=model._network.device)

    def force(tokens: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        row = torch.full_like(scores, -torch.inf)
        row[:, forced[min(tokens.shape[1] - len(prompt), len(target))]] = 0
        return row

    inputs = torch.tensor([prompt], device=model._network.device)
    options: Any = {"prompt_lookup_num_tokens": LOOKUP, "do_sample": False, "logits_processor": [force]}
    started = time.perf_counter()
    with torch.inference_mode():
        output = model._network.generate(
            inputs,
            attention_mask=torch.ones_like(inputs),
            max_new_tokens=len(target),
            min_new_tokens=len(target),
            **options,
        )
    seconds = time.perf_counter() - started
    if output[0, len(prompt) :].tolist() != list(target):
        raise AssertionError("the forced text was not written")
    return seconds


def _figures(row: DraftRow) -> dict[str, object]:
    """The figures of a task as data, for `--json`; their numbers are also those of the printed row."""
    return {
        "task": row.name,
        "tokens": row.tokens,
        "tokens_per_second": {name: round(row.tokens / seconds, 1) for name, seconds in row.seconds.items()},
        "aligned_over_plain": round(row.seconds["plain"] / row.seconds["aligned"], 2),
        "aligned_over_lookup": round(row.seconds["prompt lookup"] / row.seconds["aligned"], 2),
        "unchanged_accepted": round(row.taken(TokenOrigin.ACCEPTED), 4),
        "unchanged_taken": round(row.taken(TokenOrigin.ACCEPTED, TokenOrigin.EXTRA), 4),
        "aligned": by_kind(row.counts["aligned"]),
        "reference": by_kind(row.counts["reference"]),
    }


def _print(row: DraftRow) -> None:
    """Print the row of a task, and what became of the aligned draft's tokens."""
    figures = _figures(row)
    speeds = [f"{row.tokens / row.seconds[name]:.0f}" for name in METHODS]
    ratios = f"x{figures['aligned_over_plain']:.2f}", f"x{figures['aligned_over_lookup']:.2f}"
    line(f"{row.name}, {row.tokens} tokens", *speeds, *ratios, f"{figures['unchanged_taken']:.1%}", width=17)
    print("    aligned: " + ", ".join(f"{name} {count}" for name, count in by_kind(row.counts["aligned"]).items()))


if __name__ == "__main__":
    raise SystemExit(main())
