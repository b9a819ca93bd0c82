"""`inscope train --calibration`: fits how probable a model's suggestions are to be right. Takes an hour or two.

`inscope bench calibration` measures what the model suggests at the fitting pauses, so a checkout is needed; results
of an earlier run in DIR/pauses are used again.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lsp_server.cli import bench
from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from training import calibration_fit

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Measure, fit, and write DIR/calibration.json; its place is the model's directory."""
    if find_spec("sklearn") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "scikit-learn fits the weights: pip install scikit-learn")
    if "calibration" not in bench.benchmarks(bench.CHECKOUT):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "the pauses to fit to are part of a source checkout")
    measured = arguments.out.absolute() / "pauses"  # benchmarks work in the checkout
    model = [] if arguments.start is None else ["--model", str(arguments.start.absolute())]
    if bench.run_one("calibration", ["--out", str(measured), *model, "--set", "fitting"]):
        raise RequestError(ErrorCode.INTERNAL, "the suggestions at the fitting pauses could not be measured")
    lines = (measured / "observed.jsonl").read_text("utf-8").splitlines()
    observed = [(one["features"], one["exact"]) for one in map(json.loads, lines)]
    if len({exact for _, exact in observed}) <= 1:
        why = f"nothing can be fitted to {len(observed)} suggestions of which none is right, or none wrong"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, why)
    file = calibration_fit.save(calibration_fit.fit(observed), arguments.out)
    if arguments.json:
        print_json({"calibration": str(file)})
    else:
        note(f"The weights are in {file}; put the file beside a model's weights to use it")
    return 0
