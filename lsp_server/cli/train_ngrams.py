"""`inscope train --ngrams`: fits how much n-gram counts weigh beside a model. Takes minutes."""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from decoder import load_model
from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from training import corpus, licences, ngram_fit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.cli.arguments import Arguments

_HOLES: Final = 2_000


def run(arguments: Arguments, roots: Sequence[Path]) -> int:
    """Fit, and write DIR/ngrams.json; its place is the model's directory."""
    if find_spec("scipy") is None:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, "SciPy fits the numbers: pip install scipy")
    draw = random.Random(arguments.seed or 0)  # noqa: S311 - repeatable, not secret
    packages = (package for root in roots for package in licences.packages_under(root))
    files = ngram_fit.projects(corpus.collect(packages).training, draw)
    if not files:
        names = ", ".join(map(str, roots))
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"there is no project of several files below {names}; see --root")
    model = load_model(None if arguments.start is None else str(arguments.start))
    seen = ngram_fit.observed(model, files, _HOLES, draw)
    mixture = ngram_fit.fitted(seen, say=lambda line: note(line, "dim"))
    file = ngram_fit.save(mixture, arguments.out)
    if arguments.json:
        print_json({"ngrams": str(file)})
    else:
        note(f"The numbers are in {file}; put the file beside a model's weights to use it")
    return 0
