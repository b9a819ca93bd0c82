"""What is told of a wish before a model is asked: why it cannot be, and what it surely comes to."""

from __future__ import annotations

import pytest

from context_index import Document, Language, Workspace, parse
from lsp_server.rewriting.broken import around, broken, is_to_mend, told
from lsp_server.rewriting.edits import applied
from lsp_server.rewriting.verdict import Failed
from lsp_server.rewriting.wish import Wish, read_wish

PYTHON = """\
import fetch
LIMIT = 5


def add_up(rows, quality):
    total = 0
    for row in rows:
        total += row.total * quality
    return total


class Cart:
    def add_up(self):
        return add_up(self.rows, "rows")


def other(amount):
    return amount, LIMIT
"""


@pytest.mark.parametrize(
    ("instruction", "failed", "reason"),
    [
        ("rename qty to quantity", Failed.NO_SUCH_NAME, "`qty` does not stand in the file; did you mean `quality`?"),
        ("rename Total to amount", Failed.NO_SUCH_NAME, "`Total` does not stand in the file; did you mean `total`?"),
        ("rename zz9 to amount", Failed.NO_SUCH_NAME, "`zz9` does not stand in the file."),
        ("rename the helper to amount", None, ""),  # it may say what is meant
        ("rename total to rows", Failed.NAME_TAKEN, "`rows` is already something else where `total` stands (line 5)"),
        ("rename total to LIMIT", None, ""),  # nobody means the constant there
        ("rename total to class", Failed.NAME_TAKEN, "`class` is a word of the language"),
        ("rename amount to LIMIT", Failed.NAME_TAKEN, "`LIMIT` is already something else where `amount` stands"),
        ("rename total to amount", None, ""),  # another function's parameter
        ("extract 0 into a constant LIMIT", Failed.NAME_TAKEN, "`LIMIT` is already defined in the file (line 2)"),
        ("extract 0 into a constant START", None, ""),
    ],
)
def test_what_cannot_be_is_told(instruction: str, failed: Failed | None, reason: str) -> None:
    wish = read(instruction)
    assert wish.failed is failed
    assert reason in wish.reason
    assert bool(wish.reason) == (failed is not None)


def read(instruction: str, text: str = PYTHON, lines: tuple[int, int] | None = None) -> Wish:
    syntax = parse(Document("untitled:a", Language.PYTHON, text))
    starts = [*syntax.document.lines, len(text)]
    start, end = (0, len(text)) if lines is None else (starts[lines[0] - 1], starts[lines[1]])
    return read_wish(instruction, syntax, start, end, Workspace([]).context(syntax, 0).names)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "the file is empty"), (" \n\n", "the file is empty"), ("a = 1\n\n\n", "the lines are blank")],
)
def test_where_nothing_stands_nothing_is_rewritten(text: str, reason: str) -> None:
    wish = read("add a function", text, None if not text.strip() else (2, 3))
    assert (wish.failed, wish.reason) == (Failed.EMPTY, f"There is nothing to rewrite: {reason}.")


def test_a_name_outside_of_the_lines_is_told_so() -> None:
    assert "does not stand in the lines that are to be rewritten" in read("rename amount to sum", lines=(5, 9)).reason


@pytest.mark.parametrize(
    ("instruction", "old", "new", "note"),
    [
        ("rename quality to factor", "quality", "factor", ""),
        ("change quality to factor", "quality", "factor", ""),
        ("rename the function add_up to sum_up", " add_up(", " sum_up(", ""),
        ("rename the method add_up to sum_up", "def add_up(self", "def sum_up(self", ""),
        ("rename add_up to sum_up", " add_up(", " sum_up(", "The member `add_up` (line 13) keeps its name"),
        ("rename row to line", "row", "line", ""),
        ("rename rows to lines", "rows", "lines", "A string says `rows`, too (line 14)"),
    ],
)
def test_what_a_rename_comes_to(instruction: str, old: str, new: str, note: str) -> None:
    wish = read(instruction)
    assert wish.edits is not None
    expected = PYTHON.replace(old, new)
    if "function" in instruction or note.startswith("The member"):
        expected = expected.replace("def sum_up(self", "def add_up(self")
    expected = expected.replace(f'"{new}"', f'"{old}"').replace("self.lines", "self.rows")
    expected = expected.replace("lines" if old == "row" else "\0", "rows")
    assert applied(PYTHON, list(wish.edits)) == expected
    assert note in "".join(wish.notes)


@pytest.mark.parametrize(
    "instruction",
    [
        "change quality to optional",
        "change quality to a list",
        "change quality to rows",  # not new
        "change quality to len",  # it means something
        "change fetch to load",  # what is imported is another module's
        "change print to log",
        "change total to amounts and sort the rows",
        "make quality optional",
    ],
)
def test_what_may_be_no_rename_is_left_to_the_model(instruction: str) -> None:
    wish = read(instruction)
    assert (wish.instruction, wish.edits, wish.failed) == (instruction, None, None)


@pytest.mark.parametrize(
    ("text", "instruction", "expected"),
    [
        ("a = 200\nb = 2000 # 200\n", "change 200 to 100", "a = 100\nb = 2000 # 200\n"),
        ("a = 200 + 200", "change 200 to 100", None),  # which?
        ("a = 'b', \"b\", 'b c'", "replace 'b' with 'd e'", "a = 'd e', \"d e\", 'b c'"),
        ("a = 'b'\nb = 1", "change 'b' to 'c'", None),  # it may be the name
        ("'b'\na = 1", "change 'b' to 'c'", None),
        ("a = 'b'", "change 'b' to 5", None),
    ],
)
def test_a_value_takes_the_place_of_another(text: str, instruction: str, expected: str | None) -> None:
    wish = read(instruction, text)
    assert (None if wish.edits is None else applied(text, list(wish.edits))) == expected or wish.renames


TORN = "def f(:\n    return 1\n\n\ndef g(total):\n    return total\n\n\nx = = 2\n"


def test_what_does_not_parse_is_left_as_it_is() -> None:
    syntax = parse(Document("untitled:a", Language.PYTHON, TORN))
    spans = broken(syntax, 0, len(TORN))
    assert told(syntax, spans) == "Lines 1 to 2, 9 do not parse"
    (left,) = around(spans, 0, len(TORN), TORN)
    assert TORN[slice(*left)].strip() == "def g(total):\n    return total"
    assert told(syntax, spans[1:]) == "Line 9 does not parse"
    assert broken(parse(Document("untitled:a", Language.PYTHON, PYTHON)), 0, len(PYTHON)) == []


@pytest.mark.parametrize(
    ("instruction", "mends"),
    [("fix the syntax error", True), ("close the bracket", True), ("rename f to g", False), ("use f-strings", False)],
)
def test_whether_somebody_wants_it_mended(instruction: str, mends: bool) -> None:
    assert is_to_mend(instruction) is mends
