"""`inscope train --calibration`: fit how probable a model's suggestions are to be right. Takes an hour or two.

What the model suggests at the fitting places is measured by `inscope bench calibration`, so a checkout is needed; what
an earlier run has measured into DIR/places is not measured again.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from decoder import calibration
from decoder.calibration import FEATURES, Calibration
from lsp_server.cli import bench
from lsp_server.cli.console import console_for_notes
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.cli.arguments import Arguments

_STRENGTH: Final = 10.0
"""Inverse of the penalty on squared weights: hardly any, there are few features."""


def run(arguments: Arguments) -> int:
    """Measure, fit, and write DIR/calibration.json; its place is the model's directory."""
    if find_spec("sklearn") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "scikit-learn fits the weights: pip install 'inscope[train]'")
    if "calibration" not in bench.benchmarks(bench.CHECKOUT):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "the places to fit to come with a checkout of the source")
    measured = arguments.out / "places"
    model = [] if arguments.start is None else ["--model", str(arguments.start)]
    if bench.run_one("calibration", ["--set", "fitting", "--out", str(measured), *model]):
        raise RequestError(ErrorCode.INTERNAL, "the suggestions at the fitting places could not be measured")
    lines = [line for path in sorted(measured.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    file = arguments.out / calibration.FILE
    file.write_text(fitted([json.loads(line) for line in lines]), "utf-8")
    if arguments.json:
        print_json({"calibration": str(file)})
    else:
        console_for_notes().print(f"The weights are in {file}; beside a model's weights they are believed")
    return 0


def fitted(answers: Sequence[dict[str, Any]]) -> str:
    """The file of weights under which what was observed is the most probable.

    Args:
        answers: Lines of `inscope bench calibration`; those where nothing was suggested do not count.
    """
    import numpy as np  # noqa: PLC0415 - as below
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second, which only those who fit wait for

    suggested = [one for one in answers if one["features"]]
    features = np.array([[one["features"][name] for name in FEATURES] for one in suggested])
    model = LogisticRegression(C=_STRENGTH, max_iter=10_000).fit(features, [one["exact"] for one in suggested])
    weights = dict(zip(FEATURES, map(float, model.coef_[0]), strict=True))
    recipe = {"suggestions": len(suggested), "right": sum(one["exact"] for one in suggested), "strength": _STRENGTH}
    return Calibration(float(model.intercept_[0]), weights).written(recipe)
