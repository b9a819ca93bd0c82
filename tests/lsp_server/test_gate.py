"""What may be shown. `^` is the cursor; `=>` what is shown of the suggestion, or why nothing is."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.gate import judge, without_overlap
from lsp_server.suggestion import Withheld

CASES = [
    ("x = ^\n", "total", "total"),
    ("x = f(^)\n", "total)", "total"),
    ("x = f(^)\n", "total", "total"),
    ("x = f(^\n", "total)", "total)"),
    ("y; ^\n", "f(", Withheld.SYNTAX_ERROR),
    ("x = f(^)\n", "g(b)", "g(b)"),
    ("x = ^;\n", "b;", "b"),
    ("x = f(^\n", "total", "total"),  # no worse than before
    ("x = ^\n", "   \n ", Withheld.EMPTY),
    ("x = f(^)\n", ")", Withheld.REPEATS_FOLLOWING),
    ("const f ^= (a) => a;\n", "= (a)", Withheld.REPEATS_FOLLOWING),
    ("const x = ^items;\n", "itemCount + ", "itemCount +"),
    ("f(^response)\n", "respond, ", "respond,"),
    ("const f ^= (arg) => arg;\n", "= (str)", Withheld.REPEATS_FOLLOWING),
    ("throw ^new Error();\n", "new", Withheld.REPEATS_FOLLOWING),
    ("^\nreturn total;\n", "return total;", Withheld.REPEATS_FOLLOWING),
    ("y; ^\n", "f();\ny = (", "f();"),
    ("if (a) {\n  ^\n}\n", "b();\n  c(", "b();"),
    ("let s = '^';\n", "a'", "a"),
]


@pytest.mark.parametrize(("place", "text", "expected"), CASES)
def test_what_is_shown(place: str, text: str, expected: str | Withheld) -> None:
    offset = place.index("^")
    document = Document("file:///a.js", Language.JAVASCRIPT, place.replace("^", ""))
    verdict = judge(parse(document), offset, text)
    assert (verdict.withheld or verdict.text) == expected
    assert bool(verdict.reason) == bool(verdict.withheld)


@pytest.mark.parametrize(
    ("text", "rest", "expected"),
    [("a)", ")", "a"), ("a", ")", "a"), ("a);", ");", "a"), ("a", "", "a"), ("f(x)", "f(x)", ""), ("a'", "';", "a")],
)
def test_the_rest_of_the_line_is_not_said_twice(text: str, rest: str, expected: str) -> None:
    assert without_overlap(text, rest) == expected
