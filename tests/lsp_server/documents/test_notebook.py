"""A program's text as texts of a notebook's cells: what a rename or a rewrite of the program comes to in each."""

from __future__ import annotations

import pytest

from context_index import Document, Language
from lsp_server.documents.notebook import Notebook, joined, parted
from lsp_server.documents.parsing import Parsing

# the cells, `*` before the one that is rewritten; the program's new text; the cells' new texts
CASES = {
    "all cells": (["*a = 1\n", "", "b = a"], "z = 1\n\n\n\n\nb = z", ["z = 1\n", "", "b = z"]),
    "CRLF": (["a = 1\r\n", "*b = a\r\n"], "z = 1\r\n\n\nb = z\r\n", ["z = 1\r\n", "b = z\r\n"]),
    "a line more": (["a = 1", "*b = a", "c"], "a = 1\n\nb = a\nb\n\nc", ["a = 1", "b = a\nb", "c"]),
    "a blank line more": (["*a = 1", "c"], "a = 1\n\n\nc", ["a = 1\n", "c"]),
    "lines fewer": (["a", "*b\nb\nb", "c"], "a\n\nb\n\nc", ["a", "b", "c"]),
    "nothing left": (["a", "*b = a", "c"], "a\n\n\nc", ["a", "", "c"]),
    "nothing left of the last": (["a", "*b = a"], "a\n\n", ["a", ""]),
    "magics in all cells": (["*%time a\na = 1", "!ls\na"], "#time a\nz = 1\n\n#ls\nz", ["%time a\nz = 1", "!ls\nz"]),
    "a magic deleted": (["*%load_ext a\na = 1\nb = 2"], "a = 1\nb = 2", ["%load_ext a\na = 1\nb = 2"]),
    "a magic between": (["*a = 1\n!ls\nb = 2"], "c = 3", ["!ls\nc = 3"]),
    "a magic at the end": (["*a = 1\n!ls", "c"], "a = 2\n\nc", ["!ls\na = 2", "c"]),
    "a magic written over": (["*%time a\na = 1"], "#time b\na = 1", ["%time a\n#time b\na = 1"]),
}


@pytest.mark.parametrize(("marked", "after", "expected"), CASES.values(), ids=CASES)
def test_a_program_is_parted_into_its_cells(marked: list[str], after: str, expected: list[str]) -> None:
    (own,) = (f"cell:{at}" for at, text in enumerate(marked) if text.startswith("*"))
    documents = {
        f"cell:{at}": Document(f"cell:{at}", Language.PYTHON, text.removeprefix("*")) for at, text in enumerate(marked)
    }
    program, cells = joined(Notebook("file:///n.ipynb", tuple(documents)), Parsing(documents[own]), documents.get)
    assert [text for _, text in parted(cells, own, program.document.text, after)] == expected
