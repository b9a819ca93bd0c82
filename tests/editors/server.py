"""`inscope lsp` with the embedded model; of a rewrite alone, the content is given: `say Y for X` replaces it.

A model of six million parameters follows few instructions. The rest is real: prompt, draft, rules and edit. Setup
copies the TypeScript that `INSCOPE_TEST_TYPESCRIPT` names instead of downloading one. While the file that
`INSCOPE_TEST_HOLD` names exists, a rewrite or a setup waits, so that a test can look at it. A process that has its
model, and so was sent a document, is noted in the file that `INSCOPE_TEST_READY` names.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from context_index import PinnedPart
from decoder import load_model
from decoder.models.model import Logits, Model
from decoder.prompt.layouts import MIDDLE, PREFIX, SUFFIX
from lsp_server.cli import main
from lsp_server.engine import engine
from lsp_server.engine.model_host import ModelHost
from lsp_server.installation.setup import SetupStep
from lsp_server.lsp.handlers import setup

_RENAME = re.compile(r"say (\w+) for (\w+)")
_CERTAIN = 1000.0


class Renaming:
    """A model that is another one, but for rewrites that rename."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the model has
        return getattr(self._model, name)

    def branch(self) -> Renaming:
        """The same, nothing read."""
        return Renaming(self._model.branch())

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Logits of the model, or such as want the renamed code."""
        logits = self._model.forward(tokens, rows)
        vocabulary, read = self._model.vocabulary, list(self._model.tokens)
        if (asked := self._asked(read)) is None:
            return logits
        while Path(os.environ["INSCOPE_TEST_HOLD"]).exists():
            time.sleep(0.02)
        wanted, start = asked
        for row in range(rows):
            written = vocabulary.decode(read[start : len(read) - rows + 1 + row])
            rest = wanted[len(written) :] if wanted.startswith(written) else ""
            logits[row, vocabulary.encode(rest)[0] if rest else min(vocabulary.end)] = _CERTAIN
        return logits

    def _asked(self, read: list[int]) -> tuple[str, int] | None:
        """The renamed code, and where it is to begin; None where no rewrite is asked for."""
        vocabulary = self._model.vocabulary
        try:
            places = [read.index(vocabulary.special[marker]) for marker in (PREFIX, SUFFIX, MIDDLE)]
        except ValueError:
            return None
        prefix, suffix, middle = places
        said = _RENAME.fullmatch(vocabulary.decode(read[prefix + 1 : suffix]).strip())
        if said is None:
            return None
        code = vocabulary.decode(read[suffix + 1 : middle])
        return re.sub(rf"\b{said[2]}\b", said[1], code), middle + 1


def _install(
    *, report: Callable[[PinnedPart, SetupStep], None], wanted: Sequence[PinnedPart], **_given: object
) -> None:
    for part in wanted:
        report(part, SetupStep.DOWNLOADING)
        while Path(os.environ["INSCOPE_TEST_HOLD"]).exists():
            time.sleep(0.02)
        if (package := os.environ["INSCOPE_TEST_TYPESCRIPT"]) and part.key == "typescript":
            shutil.copytree(package, part.folder, dirs_exist_ok=True)
        report(part, SetupStep.INSTALLED)


def _load(name_or_path: str | None, **options: Any) -> Any:  # noqa: ANN401 - passed on
    model = load_model(name_or_path, **options)
    with Path(os.environ["INSCOPE_TEST_READY"]).open("a", encoding="utf-8") as ready:
        ready.write(f"{os.getpid()}\n")
    return Renaming(model)


if __name__ == "__main__":
    with (
        patch.object(engine, "ModelHost", partial(ModelHost, load=_load)),
        patch.object(setup, "install", _install),
    ):
        sys.exit(main())
