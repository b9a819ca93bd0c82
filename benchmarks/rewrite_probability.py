"""Fit the probability that a rewrite by the built-in model is right; print how often it is, and how reliable that is.

The fit uses functions of packages that are not held out, each asked for once in the recipe's words and once for
something that the recipe does not have, and the frozen instructions of `fitting`. A result that changes something and
parses is right if it is the expected one. The tables are measured on functions of held-out packages, asked for in words
that training never saw, and on the frozen instructions that nothing was fitted to (`benchmarks.instructions`).
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
from decoder.rewriting.rewriting import Rewriting
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
"""Instructions that the recipe does not have."""
_UNKNOWN, _FROZEN = "not in the recipe", "instructions"
"""Kinds of outcomes besides the recipe's; the name of the frozen set follows the second."""
_USUAL = 0.8
"""An instruction is strange if it surprises the model more than this share of the recipe's own ones."""
_PACKAGES, _CAP = 150, 120_000
"""Packages that are fitted to, and the most characters of each."""


@dataclass(frozen=True, slots=True)
class ProbabilityOutcome:
    """What came of one task."""

    kind: str
    """The kind of rewrite, `_UNKNOWN`, or `_FROZEN` and the set."""
    features: Mapping[str, float] | None
    """What its probability is computed from; None where no text was accepted that changes something."""
    is_right: bool
    asked: str
    """The instruction."""

    @property
    def is_of_recipe(self) -> bool:
        """Whether it is of a kind that the recipe has, asked for in its words."""
        return self.kind != _UNKNOWN and not self.kind.startswith(_FROZEN)


def _files(*, held: bool, roots: Sequence[Path]) -> list[SourceFile]:
    """The files of all held-out packages below the roots, or of a sample of the others."""
    if held:
        return [file for files in held_out(roots).values() for file in files]
    packages = [package for root in roots for package in packages_under(root) if package.name not in HELD_OUT]
    random.Random(11).shuffle(packages)  # noqa: S311 - a sample
    return list(collect(packages[:_PACKAGES], cap=_CAP).training)


def outcomes(
    model: Model, files: Sequence[SourceFile], each: int, *, in_seen_words: bool
) -> Iterator[ProbabilityOutcome]:
    """The outcomes of up to `each` functions of each kind: all asked for what is expected, then all for something else.

    Renames are left out, as the checker does them.
    """
    draw, workspace = random.Random(5), Workspace([])  # noqa: S311 - a sample
    drawn = draw_rewrites(files, each, random.Random(17), in_seen_words=in_seen_words)  # noqa: S311 - a sample
    cases = [case for kind, of_kind in drawn.items() if kind != "rename" for case in of_kind]

    def outcome(case: FunctionRewrite, kind: str, instruction: str) -> ProbabilityOutcome:
        request = rewrite_task(workspace, case, instruction)
        written, values = _write(model, request, case.function.language)
        is_expected = kind != _UNKNOWN and written.split() == case.rewrite.result.split()
        return ProbabilityOutcome(kind, values, values is not None and is_expected, instruction)

    for case in cases:
        yield outcome(case, str(case.rewrite.kind), case.rewrite.instruction)
    for case in cases:
        yield outcome(case, _UNKNOWN, draw.choice(_OTHERS))


def frozen_outcomes(model: Model, name: str) -> Iterator[ProbabilityOutcome]:
    """The outcomes of the frozen instructions of a set."""
    workspace = Workspace([])
    for case in instructions.load(name):
        written, values = _write(model, case.task(workspace), case.syntax.document.language)
        is_right = values is not None and case.is_right(written)
        yield ProbabilityOutcome(f"{_FROZEN}: {name}", values, is_right, case.instruction)


def _write(model: Model, request: RewriteTask, language: Language) -> tuple[str, Mapping[str, float] | None]:
    """The text that is accepted, and what its probability is computed from.

    An empty text and None where nothing is accepted, where the text changes nothing, and where the region is too long.
    """
    before, after = request.prefix, request.suffix
    errors = parse(Document("untitled:file", language, before + request.text + after)).errors

    def verify(region: str) -> NotAccepted | None:
        worse = parse(Document("untitled:file", language, before + region + after)).errors > errors
        return NotAccepted() if worse else None

    try:
        rewriting = Rewriting(model, request)
    except RegionTooLongError:
        return "", None
    result = rewriting.search(verify)
    if not result.accepted or result.accepted[0].text == request.text:
        return "", None
    return result.accepted[0].text, features(result.accepted[0], rewriting.surprise or 0.0)


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
        *(outcome for name in ("heldout", "known") for outcome in frozen_outcomes(model, name)),
        *outcomes(model, _files(held=True, roots=roots), arguments.each, in_seen_words=False),
    ]
    if arguments.out is not None:
        rows = [json.dumps({"fitted": True, **asdict(outcome)}) for outcome in fitting]
        rows += [json.dumps({"fitted": False, **asdict(outcome)}) for outcome in held]
        arguments.out.write_text("\n".join(rows) + "\n", "utf-8")
    _print(held, json.loads(written))
    return 0


def fit(observed: Sequence[ProbabilityOutcome]) -> str:
    """The text of `rewrites.json`, see `RewriteCalibration`.

    Besides the weights it has the surprise from which on an instruction is strange, and how often the results of
    strange instructions are right.
    """
    changed = [(outcome, outcome.features) for outcome in observed if outcome.features is not None]
    fields = json.loads(calibration_fit.fit([(values, outcome.is_right) for outcome, values in changed]))
    of_recipe = sorted(math.expm1(values["surprise"]) for outcome, values in changed if outcome.is_of_recipe)
    strange = of_recipe[int(_USUAL * len(of_recipe))]
    right_of_strange = [
        outcome.is_right
        for outcome, values in changed
        if not outcome.is_of_recipe and math.expm1(values["surprise"]) >= strange
    ]
    share = sum(right_of_strange) / len(right_of_strange)
    fields |= {"strange": round(strange, 2), "right_of_strange": round(share, 4)}
    return json.dumps(fields, indent=1) + "\n"


def _print(held: Sequence[ProbabilityOutcome], weights: Mapping[str, Any]) -> None:
    """Print a row for each kind of outcome, and one for each tenth of the probability."""
    calibration = RewriteCalibration.read(weights)
    kinds: dict[str, list[tuple[float | None, bool]]] = defaultdict(list)
    tenths: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for outcome in held:
        said = None if outcome.features is None else calibration.probability(outcome.features)
        kinds[outcome.kind].append((said, outcome.is_right))
        if said is not None:
            tenths[min(9, int(said * 10))].append((said, outcome.is_right))
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
