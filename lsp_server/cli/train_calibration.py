"""`inscope train --calibration`: fits how probable a model's suggestions are to be right. Takes an hour or two.

`inscope bench calibration` measures what the model suggests at the fitting places, so a checkout is needed; results
of an earlier run in DIR/places are used again.
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


_SETS = ("fitting", "heldout")
"""Of places; those of `heldout2` are kept to check the weights."""


def run(arguments: Arguments) -> int:
    """Measure, fit, and write DIR/calibration.json; its place is the model's directory."""
    if find_spec("sklearn") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "scikit-learn fits the weights: pip install scikit-learn")
    if "calibration" not in bench.benchmarks(bench.CHECKOUT):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "the places to fit to are part of a source checkout")
    measured = arguments.out.absolute() / "places"  # benchmarks work in the checkout
    model = [] if arguments.start is None else ["--model", str(arguments.start.absolute())]
    if bench.run_one("calibration", ["--out", str(measured), *model, "--set", *_SETS]):
        raise RequestError(ErrorCode.INTERNAL, "the suggestions at the fitting places could not be measured")
    lines = [line for path in sorted(measured.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    answers = [json.loads(line) for line in lines]
    observed = [(one["features"], one["exact"]) for one in answers if one["features"]]
    if len({exact for _, exact in observed}) <= 1:
        why = f"nothing can be fitted to {len(observed)} suggestions of which none is right, or none wrong"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, why)
    file = calibration_fit.save(calibration_fit.fit(observed), arguments.out)
    if arguments.json:
        print_json({"calibration": str(file)})
    else:
        note(f"The weights are in {file}; put the file beside a model's weights to use it")
    return 0
