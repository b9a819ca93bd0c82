"""How good a model is on packages that it never saw: likelihood, infills, stopping, rewrites; models side by side.

The held-out packages (`training.corpus.HELD_OUT`) are looked for in this Python's library and packages and in each
`--root` (a node_modules, a site-packages). All models get the same rows, holes and functions. The measuring is in
`benchmarks/model_likelihood.py`, `model_infill.py` and `model_rewrites.py`; this module chooses files and prints.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.grammar_corpus import installed_python
from benchmarks.model_infill import draw_holes, infill
from benchmarks.model_likelihood import ABOVE, Likelihood, LikelihoodRow, corpora, likelihood, likelihood_with, rows
from benchmarks.model_rewrites import draw_rewrites, exact
from benchmarks.timing import machine_line
from context_index import Language
from decoder import Model, load_model
from lsp_server.paths import existing
from training.corpus import HELD_OUT, SourceFile, collect
from training.licences import packages_under

T = TypeVar("T")
EMBEDDED = "embedded"
"""What `--model` calls the built-in model."""
_BUNDLE_FOLDERS = frozenset({"dist", "build", "umd"})
"""Folders whose files are put together of others."""
PARTS = ("likelihood", "ngrams", "infill", "rewrites")
"""What can be measured, in the order of printing."""
Figures = dict[str, dict[str, float]]
"""By language or kind: figures by name."""


def held_out(roots: Sequence[Path]) -> Mapping[str, list[SourceFile]]:
    """Files that no model of ours was trained on, by group: `Python`, or `JavaScript`, which includes TypeScript."""
    packages = [package for root in roots for package in packages_under(root) if package.name in HELD_OUT]
    files: dict[str, list[SourceFile]] = defaultdict(list)
    for file in sorted(collect(packages).held_out, key=lambda file: (file.package, file.path)):
        files["Python" if file.language is Language.PYTHON else "JavaScript"].append(file)
    return files


def measure(
    name: str,
    files: Mapping[str, list[SourceFile]],
    parts: Sequence[str],
    count: int,
    draw: Callable[[], Random],
) -> Figures:
    """The figures of one model.

    Args:
        name: A directory, or `EMBEDDED`.
        parts: Which of `PARTS` are measured.
        count: Rows, holes, and functions of each kind.
        draw: Makes a generator of random numbers, with the same seed each time.
    """
    figures: Figures = defaultdict(dict)
    model = load_model(None if name == EMBEDDED else name)
    for language, sources in files.items():
        handwritten = [file for file in sources if not _is_built(file)]
        holes = draw_holes(handwritten, count, draw())
        if {"likelihood", "ngrams"} & {*parts}:
            stretches = rows(model, sources, count, draw())
            figures[language] |= _likelihoods(model, stretches, handwritten, parts, language)
        if "infill" in parts:
            figures[language] |= infill(model, _with_progress(holes, language))
        if "rewrites" in parts:
            for kind, tasks in draw_rewrites(sources, count, draw()).items():
                figures[f"{language}, {kind}"] |= exact(model, _with_progress(tasks, f"{language}, {kind}"))
    return figures


def _likelihoods(
    model: Model, stretches: Sequence[LikelihoodRow], files: Sequence[SourceFile], parts: Sequence[str], language: str
) -> dict[str, float]:
    """How probable the rows' tokens are: by the model alone, with and without a context, and with n-gram caches."""
    figures: dict[str, float] = {}
    if "likelihood" in parts:
        for suffix, above in (("", 0), (f", {ABOVE} tokens above", ABOVE)):
            figures |= _name_with_suffix(likelihood(model, _with_progress(stretches, language), above), suffix)
    if "ngrams" in parts and model.card.mixture is not None:
        for suffix, others in ((", file", None), (", file and workspace", corpora(model, files))):
            figures |= _name_with_suffix(likelihood_with(model, _with_progress(stretches, language), others), suffix)
    return figures


def _name_with_suffix(result: Likelihood, suffix: str) -> dict[str, float]:
    """The two figures by their names in the table, which end with `suffix`."""
    return {f"bits per byte{suffix}": result.bits_per_byte, f"next token, top 1{suffix}": result.top_1}


def _is_built(file: SourceFile) -> bool:
    """Whether a file was put together of others; the text around a hole in one of these is also in the built file."""
    return not _BUNDLE_FOLDERS.isdisjoint(Path(file.path).parts)


def _with_progress(items: Sequence[T], what: str) -> Iterable[T]:
    """The items, with a progress bar on a terminal."""
    return track(items, what, console=Console(stderr=True), disable=not sys.stderr.isatty())


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each model, and print them side by side."""
    parser = argparse.ArgumentParser(prog="inscope bench model", description=__doc__)
    parser.add_argument("--model", action="append", default=[], help=f"a directory, or '{EMBEDDED}'; may be repeated")
    parser.add_argument("--root", type=existing, action="append", default=[])
    parser.add_argument("--only", choices=PARTS, action="append", default=[])
    parser.add_argument("--count", type=int, default=160, help="rows, holes, and functions of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    files = held_out([*installed_python(), *arguments.root])
    models = arguments.model or [EMBEDDED]
    parts = arguments.only or PARTS

    def draw() -> Random:
        return Random(arguments.seed)  # noqa: S311 - repeatable, not secret

    figures = {name: measure(name, files, parts, arguments.count, draw) for name in models}
    about = {language: sorted({file.package for file in sources}) for language, sources in files.items()}
    if arguments.json:
        print(json.dumps({"machine": machine_line(), "held out": about, "figures": figures}))
        return 0
    print(machine_line())
    for language, packages in about.items():
        print(f"{language}: {', '.join(packages)}")
    table = Table("", "", *models)
    rows = dict.fromkeys((group, row) for of_model in figures.values() for group in of_model for row in of_model[group])
    for group, figure in rows:
        values = (figures[name].get(group, {}).get(figure) for name in models)
        table.add_row(group, figure, *("" if value is None else f"{value:.3f}" for value in values))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
