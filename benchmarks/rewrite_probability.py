"""Fit how probable the built-in model's rewrites are to be right; how often they are, and how reliable that number is.

Fitted to functions of packages that are not held out, asked for in the recipe's words and as often in such of which it
has nothing, and to the frozen instructions of `fitting`. A result that changes something and parses is right if it is
the expected one. The tables are of functions of held-out packages, asked for in words that training never saw, and of
the frozen instructions that nothing was fitted to (`benchmarks.instructions`).
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import instructions
from benchmarks.grammar_corpus import installed_python
from benchmarks.model import held_out
from benchmarks.model_rewrites import FunctionRewrite, draw_rewrites, rewrite_task
from benchmarks.timing import line, machine_line
from context_index import Document, Language, Workspace, parse
from decoder import Model, load_model
from decoder.errors import RegionTooLongError
from decoder.rewriting.probability import FILE, RewriteCalibration, features
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import RewriteTask
from decoder.search import NotAccepted
from lsp_server.paths import existing
from training import calibration_fit
from training.corpus import HELD_OUT, SourceFile, collect
from training.licences import packages_under

_OTHERS = (
    "log the arguments", "raise an error if it is negative", "cache the result", "sort the result first",
    "make it faster", "handle the empty case first", "count how often it is called", "return a tuple instead",
    "use a dictionary", "split it in two functions", "add a timeout", "say more in the error message",
    "use early returns", "remove the duplication", "round to two digits", "write it as a generator",
)  # fmt: skip
_UNKNOWN, _FROZEN = "not in the recipe", "instructions"
_USUAL = 0.8
"""The share of the recipe's own instructions that are no stranger than what is taken for taught."""
_PACKAGES, _CAP = 150, 120_000


@dataclass(frozen=True, slots=True)
class ProbabilityOutcome:
    """What came of one task."""

    kind: str
    """Of rewrite; what the recipe has nothing of is a kind of its own."""
    features: Mapping[str, float] | None
    """What its probability is computed from; None where nothing was accepted or changed."""
    is_right: bool
    asked: str
    """The instruction."""

    @property
    def is_of_recipe(self) -> bool:
        """Whether it is of a kind that the recipe has, asked for in its words."""
        return self.kind != _UNKNOWN and not self.kind.startswith(_FROZEN)


def _files(*, held: bool, roots: Sequence[Path]) -> list[SourceFile]:
    if held:
        return [file for files in held_out(roots).values() for file in files]
    packages = [one for root in roots for one in packages_under(root) if one.name not in HELD_OUT]
    random.Random(11).shuffle(packages)  # noqa: S311 - a sample
    return list(collect(packages[:_PACKAGES], cap=_CAP).training)


def outcomes(
    model: Model, files: Sequence[SourceFile], each: int, *, in_seen_words: bool
) -> Iterator[ProbabilityOutcome]:
    """Of each task, asked for in words of its own and then for something else."""
    draw, workspace = random.Random(5), Workspace([])  # noqa: S311 - a sample
    drawn = draw_rewrites(files, each, random.Random(17), in_seen_words=in_seen_words)  # noqa: S311 - a sample
    tasks = [task for kind, found in drawn.items() if kind != "rename" for task in found]  # which the checker does

    def outcome(task: FunctionRewrite, kind: str, instruction: str) -> ProbabilityOutcome:
        request = rewrite_task(workspace, task, instruction)
        written, values = _written(model, request, task.function.language)
        is_meant = kind != _UNKNOWN and written.split() == task.made.result.split()
        return ProbabilityOutcome(kind, values, values is not None and is_meant, instruction)

    for task in tasks:
        yield outcome(task, str(task.made.kind), task.made.instruction)
    for task in tasks:
        yield outcome(task, _UNKNOWN, draw.choice(_OTHERS))


def frozen_outcomes(model: Model, name: str) -> Iterator[ProbabilityOutcome]:
    """Of each frozen instruction of a set."""
    workspace = Workspace([])
    for one in instructions.load(name):
        written, values = _written(model, one.task(workspace), one.syntax.document.language)
        yield ProbabilityOutcome(
            f"{_FROZEN}: {name}", values, values is not None and one.is_right(written), one.instruction
        )


def _written(model: Model, request: RewriteTask, language: Language) -> tuple[str, Mapping[str, float] | None]:
    """The text that is accepted, and what its probability is computed from; None where that changes nothing."""
    before, after = request.prefix, request.suffix
    errors = parse(Document("untitled:file", language, before + request.text + after)).errors

    def verify(region: str) -> NotAccepted | None:
        worse = parse(Document("untitled:file", language, before + region + after)).errors > errors
        return NotAccepted() if worse else None

    try:
        rewriting, found = rewrite(model, request, verify)
    except RegionTooLongError:
        return "", None
    if not found.accepted or found.accepted[0].text == request.text:
        return "", None
    return found.accepted[0].text, features(found.accepted[0], rewriting.surprise or 0.0)


def main(argv: list[str] | None = None) -> int:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="inscope bench rewrite-probability", description=__doc__)
    parser.add_argument("--each", type=int, default=24, help="functions of each kind of rewrite (default 24)")
    parser.add_argument(
        "--root", type=existing, nargs="*", default=[], help="more packages: a node_modules, for example"
    )
    parser.add_argument("--out", type=Path, help="a file for all outcomes as JSON lines")
    parser.add_argument("--write", action="store_true", help="let the weights take the place of those in use")
    arguments = parser.parse_args(argv)
    roots = [*installed_python(), *arguments.root]
    model = load_model()
    print(machine_line())
    fitting = [
        *frozen_outcomes(model, "fitting"),
        *outcomes(model, _files(held=False, roots=roots), arguments.each, in_seen_words=True),
    ]
    written = fit(fitting)
    if arguments.write:
        FILE.write_text(written, "utf-8")
    print(written)
    held = [
        *(one for name in ("heldout", "known") for one in frozen_outcomes(model, name)),
        *outcomes(model, _files(held=True, roots=roots), arguments.each, in_seen_words=False),
    ]
    if arguments.out is not None:
        both = ((True, fitting), (False, held))
        rows = (json.dumps({"fitted": is_fitted, **asdict(one)}) for is_fitted, of_set in both for one in of_set)
        arguments.out.write_text("\n".join(rows) + "\n", "utf-8")
    _print(held, json.loads(written))
    return 0


def fit(observed: Sequence[ProbabilityOutcome]) -> str:
    """The text of `rewrites.json`, see `RewriteCalibration`."""
    changed = [(one, one.features) for one in observed if one.features is not None]
    fields = json.loads(calibration_fit.fit([(values, one.is_right) for one, values in changed]))
    of_recipe = sorted(math.expm1(values["surprise"]) for one, values in changed if one.is_of_recipe)
    strange = of_recipe[int(_USUAL * len(of_recipe))]
    beyond = [
        one.is_right for one, values in changed if not one.is_of_recipe and math.expm1(values["surprise"]) >= strange
    ]
    fields |= {"strange": round(strange, 2), "right_of_strange": round(sum(beyond) / len(beyond), 4)}
    return json.dumps(fields, indent=1) + "\n"


def _print(held: Sequence[ProbabilityOutcome], weights: Mapping[str, Any]) -> None:
    calibration = RewriteCalibration.read(weights)
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
