"""Random texts of the examples that need a file, in files of the little shop: the checker finds no new error."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from textwrap import indent

import pytest

from benchmarks.program_texts import walk
from context_index import Document, Query, Workspace, language_of, parse
from decoder.program import Program
from tests import needs
from tests.decoder.program.walking import EXAMPLES

pytestmark = pytest.mark.slow

SHOP = EXAMPLES.parent / "workspace"
COUNT = int(os.environ.get("INSCOPE_RANDOM_TEXTS", "12"))
"""The 500 that BENCHMARKS.md reports take some minutes."""


@dataclass(frozen=True)
class Place:
    """Above a line of a file, and the functions that the examples call there."""

    file: str
    above: str
    blanks: str
    """Takes a text and a number."""
    function: str

    def open(self) -> tuple[Document, int, str]:
        """The file, the offset, and what the line is indented by."""
        path = SHOP / self.file
        language = language_of(path.name)
        assert language is not None
        text = path.read_text("utf-8")
        line = text.index(self.above)
        return Document(path.as_uri(), language, text), line, text[text.rindex("\n", 0, line) + 1 : line]


PLACES = (
    # JSDoc, an inferred object of another file, and a class of another file
    Place("storefront/src/receipt.js", "if (gift", "receiptLine", "receiptLine"),
    # imported interfaces, an enumeration, inferred constants
    Place("orders/src/pricing.ts", "const total = subtotal", "parseInt", "shippingFor"),
    Place("orders/src/store.ts", "this.orders.set(id", "parseInt", "isOpen"),
    # imported data classes with properties, annotated and inferred
    Place("reports/reports/summary.py", "counts[line.product]", "print", "summarize"),
)
NAMES = ("context", "message", "steps", "here")


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    needs.typescript()
    opened = Workspace([SHOP])
    opened.index()
    yield opened
    opened.close()


def errors(workspace: Workspace, document: Document) -> Counter[tuple[str, str]]:
    found = workspace.checker_of(document).ask(document, Query.diagnostics).result()
    return Counter((one.code, one.message) for one in found if one.is_error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: Path(place.file).name)
def test_random_texts_bring_no_error(workspace: Workspace, place: Place, name: str) -> None:
    document, offset, margin = place.open()
    symbols = workspace.context(parse(document), offset)
    params = {"function": place.blanks if name == "context" else place.function}
    suffix = ".py" if place.file.endswith(".py") else ".js"
    with Program.load(EXAMPLES / f"{name}{suffix}", params=params, symbols=symbols) as program:
        start = program.constraint()
        texts = {walk(start, Random(seed), free=seed % 90) for seed in range(COUNT)}
    before = errors(workspace, document)
    for text in texts:
        end = "\n" if suffix == ".py" else ";\n"
        written = indent(text + end, margin)[len(margin) :] + margin
        shown = document.text[:offset] + written + document.text[offset:]
        new = errors(workspace, Document(document.uri, document.language, shown)) - before
        assert not new, f"{new} after {text}"
