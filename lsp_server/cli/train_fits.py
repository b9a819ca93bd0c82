"""`inscope train --prior`, `--ngrams` and `--calibration`: fits numbers to the index or to a model, and writes a file.

This is a module apart from `train`, as it imports what only training needs: `train` first checks that it is installed.
"""

from __future__ import annotations

import json
import random
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from decoder import load_model
from lsp_server.cli import bench
from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.wording import counted
from training import calibration_fit, corpus, licences, ngram_fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.cli.arguments import Arguments

_HOLES: Final = 2_000
"""The number of holes in files at which n-grams are observed."""


def fit_prior(arguments: Arguments, roots: Sequence[Path]) -> int:
    """Fit the weights of the prior over names, in minutes: DIR/weights.json, to be put into `context_index/prior`."""
    from training.prior_fit import fit_weights  # noqa: PLC0415 - needs scikit-learn

    try:
        with tempfile.TemporaryDirectory(prefix="inscope-prior-") as scratch:
            text = fit_weights(
                [root.resolve() for root in roots],
                Path(scratch).resolve(),
                seed=arguments.seed or 0,
                say=lambda line: note(line, "dim"),
            )
    except FileNotFoundError as fault:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"{fault}; name a node_modules with --root") from fault
    file = arguments.out / "weights.json"
    file.write_text(text, "utf-8")
    return _written("weights", file, arguments)


def fit_ngrams(arguments: Arguments, roots: Sequence[Path]) -> int:
    """Fit how much n-gram counts weigh beside a model, in minutes: DIR/ngrams.json, to be put beside its weights."""
    if find_spec("scipy") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "SciPy fits the numbers: pip install scipy")
    draw = random.Random(arguments.seed or 0)  # noqa: S311 - repeatable, not secret
    packages = (package for root in roots for package in licences.packages_under(root))
    files = ngram_fit.projects(corpus.collect(packages).training, draw)
    if not files:
        names = ", ".join(map(str, roots))
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"there is no project of several files below {names}; see --root")
    model = load_model(None if arguments.start is None else str(arguments.start))
    seen = ngram_fit.observe(model, files, _HOLES, draw)
    mixture = ngram_fit.fit(seen, say=lambda line: note(line, "dim"))
    file = ngram_fit.save(mixture, arguments.out)
    return _written("ngrams", file, arguments)


def fit_calibration(arguments: Arguments) -> int:
    """Fit how probable a model's suggestions are to be right: DIR/calibration.json, to be put beside its weights.

    It takes an hour or two. `inscope bench calibration` measures what the model suggests at the fitting pauses, so it
    needs a checkout. Results of an earlier run in DIR/pauses are used again.
    """
    if "calibration" not in bench.benchmarks(bench.CHECKOUT):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "the pauses to fit to are part of a source checkout")
    measured = arguments.out.absolute() / "pauses"  # benchmarks work in the checkout
    model = [] if arguments.start is None else ["--model", str(arguments.start.absolute())]
    if bench.run_one("calibration", ["--out", str(measured), *model, "--set", "fitting"]):
        raise RequestError(ErrorCode.INTERNAL, "the suggestions at the fitting pauses could not be measured")
    lines = (measured / "observed.jsonl").read_text("utf-8").splitlines()
    observed = [(row["features"], row["exact"]) for row in map(json.loads, lines)]
    if len({exact for _, exact in observed}) <= 1:
        why = f"nothing can be fitted to {counted(len(observed), 'suggestion')} of which none is right, or none wrong"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, why)
    file = calibration_fit.save(calibration_fit.fit(observed), arguments.out)
    return _written("calibration", file, arguments)


def _written(what: str, file: Path, arguments: Arguments) -> int:
    """Print where the numbers are; returns the exit code."""
    if arguments.json:
        print_json({what: str(file)})
    else:
        note(f"The numbers are in {file}; beside a model's weights it is used with them")
    return 0
