"""A program's text as texts of a notebook's cells: what a rename or a rewrite of the program comes to in each."""

from __future__ import annotations

import pytest

from context_index import Document, Language, names_at
from lsp_server.lsp.documents.notebook import Notebook, joined, parted
from lsp_server.lsp.documents.parsing import Parsing

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
    "an open bracket": (["f(a", "*a = 1", "a"], "f(z\n)\n\nz = 1\n\nz", ["f(z", "z = 1", "z"]),
    "an open string": (['x = """a', "*a = 1"], 'x = """a\n"""\n\nz = 1\nb', ['x = """a', "z = 1\nb"]),
    "a header": (["if a:", "*a = 1", "a"], "if z:\n pass\n\nz = 1\n\nz", ["if z:", "z = 1", "z"]),
    "open, and rewritten": (["f(a", "*f(a", "a"], "f(a\n)\n\nf(z\n\na", ["f(a", "f(z", "a"]),
    "an indented magic": (["*if a:\n    !ls\n    a"], "if z:\n    0#s\n    z", ["if z:\n    !ls\n    z"]),
}


@pytest.mark.parametrize(("marked", "after", "expected"), CASES.values(), ids=CASES)
def test_a_program_is_parted_into_its_cells(marked: list[str], after: str, expected: list[str]) -> None:
    (own,) = (f"cell:{at}" for at, text in enumerate(marked) if text.startswith("*"))
    documents = {
        f"cell:{at}": Document(f"cell:{at}", Language.PYTHON, text.removeprefix("*")) for at, text in enumerate(marked)
    }
    program, cells = joined(Notebook("file:///n.ipynb", tuple(documents)), Parsing(documents[own]), documents.get)
    assert [text for _, text in parted(cells, own, program.document.text, after)] == expected


# a cell, and what Python reads
MAGICS = {
    "lines": ("%time a\n!ls\n?a\nb", "#time a\n#ls\n#a\nb"),
    "in a block": ("if a:\n    !ls -l\n    %time b\n", "if a:\n    0#s -l\n    0#ime b\n"),
    "help": ("a?\nb.c??\nd", "#?\n#.c??\nd"),
    "assigned": ("a = !ls\nb = %who_ls\nc = d = !l", "a = []#\nb = []#o_ls\nc = d = []"),
    "none: operators": ("a = (b\n% c)\nd = e % f\ng(h != i)", "a = (b\n% c)\nd = e % f\ng(h != i)"),
    "none: a line that goes on": ("a = b \\\n% c\n", "a = b \\\n% c\n"),
    "none: in strings": ('a = """\n%b\n!c\n"""\nd = \'e?\'', 'a = """\n%b\n!c\n"""\nd = \'e?\''),
    "none: in comments": ("a = 1  # why?\n# = !b", "a = 1  # why?\n# = !b"),
    "of a cell": ("%%time\na = 1", "#%time\na = 1"),
    "another language": ("%%bash\necho to me\n", "      \n          \n"),
    "markup": ("%%html\n<p>a</p>", "      \n        "),
    "CRLF": ("%a\r\nb = !ls\r\nc\r\n", "#a\r\nb = []#\r\nc\r\n"),
    "short": ("!\nif a:\n    !", "#\nif a:\n    0"),
}


def program(*texts: str, language: Language = Language.PYTHON) -> tuple[Document, list[int]]:
    """The program of which the last cell is asked about, and where each cell begins."""
    documents = {f"cell:{at}": Document(f"cell:{at}", language, text) for at, text in enumerate(texts)}
    own = Parsing(documents[f"cell:{len(texts) - 1}"])
    parsing, cells = joined(Notebook("file:///n.ipynb", tuple(documents)), own, documents.get)
    return parsing.document, [cell.start for cell in cells]


@pytest.mark.parametrize(("cell", "read"), MAGICS.values(), ids=MAGICS)
def test_magics_keep_their_places(cell: str, read: str) -> None:
    document, starts = program(cell, "a")
    assert document.text[: starts[1]].startswith(read)
    assert len(read) == len(cell)


# a cell that is left open, and what ends it
OPEN = {
    "a bracket": (Language.PYTHON, "print(radius", "\n)"),
    "brackets": (Language.PYTHON, "rows = [1,\n    {2: (3,", "\n)}]"),
    "a string": (Language.PYTHON, "text = f'''{radius", "\n}'''"),
    "a header": (Language.PYTHON, "def f(a):", "\n pass"),
    "a header in a block": (Language.PYTHON, "class A:\n    def f(self):  # what?", "\n     pass"),
    "parameters": (Language.PYTHON, "def f(a, b", "\n):\n pass"),
    "no colon": (Language.PYTHON, "def f(a, b)", ":\n pass"),
    "an error": (Language.PYTHON, "x = = 1", ""),
    "a comment": (Language.PYTHON, "# if a:", ""),
    "a string of one line": (Language.PYTHON, "text = 'abc", ""),
    "whole": (Language.PYTHON, "print(1)\nrows = {2: 3}", ""),
    "blocks": (Language.TYPESCRIPT, "function f() {\n  if (a) {", "\n}}"),
    "a template": (Language.JAVASCRIPT, "const a = `b ${c", "\n}`"),
    "a comment of lines": (Language.TYPESCRIPT, "/* a", "\n*/"),
}


@pytest.mark.parametrize(("language", "cell", "ended"), OPEN.values(), ids=OPEN)
def test_a_cell_ends_with_what_it_leaves_open(language: Language, cell: str, ended: str) -> None:
    own = "area = 2" if language.family == "python" else "const area = 2;"
    document, starts = program(cell, "", own, language=language)
    assert document.text == f"{cell}{ended}\n\n\n\n{own}"
    assert document.text[starts[2] :] == own
    syntax = Parsing(document).syntax
    assert "area" in names_at(syntax, len(document.text))
    *_, statement, _ = syntax.path(syntax.node_at(starts[2], len(document.text)))
    assert (syntax.start(statement), statement.is_error) == (starts[2], False)


def test_the_cell_that_is_asked_about_is_read_as_it_is() -> None:
    document, starts = program("def f(a", "print(f(")
    assert document.text == "def f(a\n):\n pass\n\nprint(f("
    assert starts == [0, 18]
