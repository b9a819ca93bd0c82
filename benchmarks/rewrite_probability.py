"""Fit how probable the built-in model's rewrites are to be right; how often they are, and how reliable that number is.

Functions of packages that are not held out are rewritten with the wordings that training never saw, and as often with
instructions of which its recipe has nothing. A result that changes something and parses is right if it is the expected
one, token by token. The tables are of functions of held-out packages, asked in the same two ways.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.grammar_corpus import installed_python
from benchmarks.model import held_out
from benchmarks.model_rewrites import Task, draw_rewrites, rewrite_task
from benchmarks.timing import line, machine_line
from context_index import Document, Workspace, parse
from decoder import Model, load_model
from decoder.calibration import Calibration
from decoder.errors import RegionTooLongError
from decoder.rewriting.probability import FEATURES, FILE, features
from decoder.rewriting.rewriting import rewrite
from decoder.search import Rejected
from lsp_server.cli.values import existing
from training import calibration_fit
from training.corpus import HELD_OUT, SourceFile, collect
from training.licences import packages_under

_OTHERS = (
    "log the arguments", "raise an error if it is negative", "cache the result", "sort the result first",
    "make it faster", "handle the empty case first", "count how often it is called", "return a tuple instead",
    "use a dictionary", "split it in two functions", "add a timeout", "say more in the error message",
    "use early returns", "remove the duplication", "round to two digits", "write it as a generator",
)  # fmt: skip
_UNKNOWN = "not in the recipe"
_PACKAGES, _CAP = 150, 120_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one task."""

    kind: str
    """Of rewrite; what the recipe has nothing of is a kind of its own."""
    features: Mapping[str, float] | None
    """What its probability is computed from; None where nothing was accepted or changed."""
    is_right: bool


def _files(*, held: bool, roots: Sequence[Path]) -> list[SourceFile]:
    if held:
        return [file for files in held_out(roots).values() for file in files]
    packages = [one for root in roots for one in packages_under(root) if one.name not in HELD_OUT]
    random.Random(11).shuffle(packages)  # noqa: S311 - a sample
    return list(collect(packages[:_PACKAGES], cap=_CAP).training)


def outcomes(model: Model, files: Sequence[SourceFile], each: int) -> Iterator[Outcome]:
    """Of each task, asked for in words of its own and then for something else."""
    draw, workspace = random.Random(5), Workspace([])  # noqa: S311 - a sample
    drawn = draw_rewrites(files, each, random.Random(17))  # noqa: S311 - a sample
    tasks = [task for kind, found in drawn.items() if kind != "rename" for task in found]  # which the checker does
    for task in tasks:
        written, values = _written(model, workspace, task, task.made.instruction)
        yield Outcome(str(task.made.kind), values, values is not None and written.split() == task.made.result.split())
    for task in tasks:
        _, values = _written(model, workspace, task, draw.choice(_OTHERS))
        yield Outcome(_UNKNOWN, values, is_right=False)


def _written(
    model: Model, workspace: Workspace, task: Task, instruction: str
) -> tuple[str, Mapping[str, float] | None]:
    """The text that is accepted, and what its probability is computed from; None where that changes nothing."""
    before, after = task.around
    language, request = task.function.language, rewrite_task(workspace, task, instruction)
    errors = parse(Document("untitled:file", language, before + request.text + after)).errors

    def verify(region: str) -> Rejected | None:
        worse = parse(Document("untitled:file", language, before + region + after)).errors > errors
        return Rejected() if worse else None

    try:
        _, found = rewrite(model, request, verify)
    except RegionTooLongError:
        return "", None
    if not found.accepted or found.accepted[0].text == task.made.original:
        return "", None
    return found.accepted[0].text, features(found.accepted[0])


def main(argv: list[str] | None = None) -> int:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="inscope bench rewrite-probability", description=__doc__)
    parser.add_argument("--each", type=int, default=24, help="functions of each kind of rewrite (default 24)")
    parser.add_argument(
        "--root", type=existing, nargs="*", default=[], help="more packages: a node_modules, for example"
    )
    parser.add_argument("--write", action="store_true", help="let the weights take the place of those in use")
    arguments = parser.parse_args(argv)
    roots = [*installed_python(), *arguments.root]
    model = load_model()
    print(machine_line())
    fitting = outcomes(model, _files(held=False, roots=roots), arguments.each)
    written = calibration_fit.fit([(one.features, one.is_right) for one in fitting if one.features is not None])
    if arguments.write:
        FILE.write_text(written, "utf-8")
    print(written)
    _print(list(outcomes(model, _files(held=True, roots=roots), arguments.each)), json.loads(written))
    return 0


def _print(held: Sequence[Outcome], weights: Mapping[str, Any]) -> None:
    calibration = Calibration.read(weights, FEATURES)
    kinds: dict[str, list[tuple[float | None, bool]]] = defaultdict(list)
    tenths: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for one in held:
        said = None if one.features is None else calibration.probability(one.features)
        kinds[one.kind].append((said, one.is_right))
        if said is not None:
            tenths[min(9, int(said * 10))].append((said, one.is_right))
    line("held-out packages", "tasks", "changed", "right", "said", width=12)
    for kind, tasks in kinds.items():
        changed = [said for said, _ in tasks if said is not None]
        right = sum(is_right for _, is_right in tasks)
        mean = f"{sum(changed) / len(changed):.2f}" if changed else ""
        line(f"  {kind}", str(len(tasks)), str(len(changed)), str(right), mean, width=12)
    line("probability", "rewrites", "said", "right", width=12)
    for tenth, rows in sorted(tenths.items()):
        said, right = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        line(f"  {tenth / 10:.1f} to {tenth / 10 + 0.1:.1f}", str(len(rows)), f"{said:.2f}", f"{right:.2f}", width=12)


if __name__ == "__main__":
    raise SystemExit(main())
