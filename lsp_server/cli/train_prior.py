"""`inscope train --prior`: fits the weights of the prior over names. Takes minutes."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from training.prior_fit import fit_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments, roots: Sequence[Path]) -> int:
    """Fit, and write DIR/weights.json; in a checkout DIR is `context_index/prior`."""
    if find_spec("sklearn") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "scikit-learn fits the prior: pip install scikit-learn")
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
    if arguments.json:
        print_json({"weights": str(file)})
    else:
        note(f"The weights are in {file}")
    return 0
