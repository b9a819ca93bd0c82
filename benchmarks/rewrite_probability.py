"""Fit how probable the built-in model's rewrites are to be right, and how reliable that is on other packages.

Functions of packages that are not held out are rewritten with the wordings that training never saw, and as many with
wishes of which its recipe has nothing; a result that changes something and parses is right if it is the expected one,
token by token. Functions of held-out packages, asked in the same two ways, are what the diagram is of.
"""

from __future__ import annotations

import argparse
import json
import random
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.model import held_out
from benchmarks.model_rewrites import Task, draw_rewrites
from benchmarks.timing import line, machine_line
from context_index import Document, Workspace, identifiers, names_from_outside, parse
from decoder import Model, load_model
from decoder.calibration import Calibration
from decoder.draft import Prediction
from decoder.rewriting.probability import FEATURES, FILE, features
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import RewriteTask
from decoder.search import Rejected
from training import calibration_fit
from training.corpus import HELD_OUT, SourceFile, collect
from training.licences import packages_under

_OTHERS = (
    "log the arguments", "raise an error if it is negative", "cache the result", "sort the result first",
    "make it faster", "handle the empty case first", "count how often it is called", "return a tuple instead",
    "use a dictionary", "split it in two functions", "add a timeout", "say more in the error message",
    "use early returns", "remove the duplication", "round to two digits", "write it as a generator",
)  # fmt: skip
_PACKAGES, _CAP = 40, 120_000
Observed = tuple[Mapping[str, float], bool]


def _files(*, held: bool, roots: Sequence[Path]) -> list[SourceFile]:
    if held:
        return [file for files in held_out(roots).values() for file in files]
    packages = [one for root in roots for one in packages_under(root) if one.name not in HELD_OUT]
    random.Random(11).shuffle(packages)  # noqa: S311 - a sample
    return list(collect(packages[:_PACKAGES], cap=_CAP).training)


def observed(model: Model, files: Sequence[SourceFile], each: int) -> Iterator[Observed]:
    """Of each result that changes something: what its probability is made of, and whether it is right."""
    draw, workspace = random.Random(5), Workspace([])  # noqa: S311 - a sample
    drawn = draw_rewrites(files, each, random.Random(17))  # noqa: S311 - a sample
    tasks = [one for found in drawn.values() for one in found]
    tasks = [one for one in tasks if one.made.kind != "rename"]  # which the checker does
    asked = [(task, True) for task in tasks] + [(task, False) for task in tasks]
    for task, is_known in asked:
        instruction = task.made.instruction if is_known else draw.choice(_OTHERS)
        if (found := _observed(model, workspace, task, instruction)) is not None:
            values, written = found
            yield values, is_known and written.split() == task.made.result.split()


def _observed(
    model: Model, workspace: Workspace, task: Task, instruction: str
) -> tuple[Mapping[str, float], str] | None:
    before, after = task.around
    text, language = before + task.made.original + after, task.function.language
    syntax = parse(Document("untitled:file", language, text))

    def verify(region: str) -> Rejected | None:
        worse = parse(Document("untitled:file", language, before + region + after)).errors > syntax.errors
        return Rejected() if worse else None

    request = RewriteTask(
        task.made.original,
        instruction,
        workspace.context(syntax, len(before)),
        prefix=before,
        suffix=after,
        names=names_from_outside(syntax),
        words=frozenset(map(syntax.text, identifiers(syntax))),
        prediction=Prediction(task.made.original),
    )
    _, found = rewrite(model, request, verify)
    if not found.accepted or found.accepted[0].text == task.made.original:
        return None
    return features(found.accepted[0]), found.accepted[0].text


def main(argv: list[str] | None = None) -> int:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="inscope bench rewrite-probability", description=__doc__)
    parser.add_argument("--each", type=int, default=24, help="functions of each kind of rewrite (default 24)")
    parser.add_argument("--root", type=Path, nargs="*", default=[], help="more packages: a node_modules, for example")
    parser.add_argument("--write", action="store_true", help="let the weights take the place of those in use")
    arguments = parser.parse_args(argv)
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"]), *arguments.root]
    model = load_model()
    print(machine_line())
    fitting = list(observed(model, _files(held=False, roots=roots), arguments.each))
    written = calibration_fit.fitted(fitting)
    if arguments.write:
        FILE.write_text(written, "utf-8")
    print(written)
    weights = Calibration.read(json.loads(written), FEATURES)
    tenths: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for values, is_right in observed(model, _files(held=True, roots=roots), arguments.each):
        chance = weights.probability(values)
        tenths[min(9, int(chance * 10))].append((chance, is_right))
    line("probability, held-out packages", "rewrites", "said", "right", width=12)
    for tenth, rows in sorted(tenths.items()):
        said, right = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        line(f"  {tenth / 10:.1f} to {tenth / 10 + 0.1:.1f}", str(len(rows)), f"{said:.2f}", f"{right:.2f}", width=12)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
