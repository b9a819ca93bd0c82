"""What people see: code stays what it is, and a suggestion can be told from its surroundings everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from context_index import (
    Document,
    Edit,
    Importable,
    Language,
    Name,
    NameKind,
    Origin,
    SymbolContext,
)
from decoder import Refusal, Rule, Stop, TokenTrace
from lsp_server.cli.console import console_for_answers
from lsp_server.engine.suggestion import Alternative, Suggestion, Withheld
from lsp_server.engine.wire.file_place import FilePlace
from lsp_server.engine.wire.suggestions import answered, failure
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.rendering.rewrite import coloured, difference
from lsp_server.rendering.suggestion import STOPS, VISIBLE, highlighted, in_context, rendered
from lsp_server.rendering.symbols import rendered as rendered_symbols

if TYPE_CHECKING:
    from rich.console import RenderableType

CODE = st.text(st.sampled_from("ab =+(){}[]'\"`\\/*#$\n\t") | st.characters(codec="utf-8"), max_size=80)


@given(CODE, st.sampled_from(Language))
@example("\ufeff", Language.JAVASCRIPT)
@example("\ufeffx = 1", Language.PYTHON)
def test_highlighting_keeps_every_character(code: str, language: Language) -> None:
    assert highlighted(code, language).plain == code.translate(VISIBLE)


def printed(renderable: RenderableType, console: Console) -> str:
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def like_a_file(width: int = 80) -> Console:
    return Console(force_terminal=False, width=width, markup=False, emoji=False, highlight=False)


def shown(code: str, suggestion: str) -> list[str]:
    """The lines of `code`, which has a cursor mark, as printed with the suggestion in it."""
    offset = code.index("^")
    document = Document("untitled:x", Language.JAVASCRIPT, code.replace("^", ""))
    console = like_a_file()
    return printed(in_context(document, offset, suggestion, console), console).split("\n")


IN_CONTEXT = [
    ("let a = ^;", "f(1)", ["1 ▎ let a = ⟦f(1)⟧;", ""]),
    ("^", "a;", ["1 ▎ ⟦a;⟧", ""]),
    ("a\n^", "", ["1   a", "2 ▎", ""]),
    ("if (a) {\n\t^\n}\n", "b();\n\tc();", ["1   if (a) {", "2 ▎     ⟦b();", "3 ▎     c();⟧", "4   }", "5", ""]),
    ("a;\r\nb = ^;\r\nc;", "1", ["1   a;", "2 ▎ b = ⟦1⟧;", "3   c;", ""]),
    ("a;\rb = ^;\rc;", "1", ["1   a;", "2 ▎ b = ⟦1⟧;", "3   c;", ""]),
    ("'\x1b[31m' + ^", "👍", ["1 ▎ '␛[31m' + ⟦👍⟧", ""]),
    ("1\n2\n3\n4\n5\n6\n7^\n8\n9\n10\n11", "x", ["3   3", "4   4", "5   5", "6   6", "7 ▎ 7⟦x⟧", "8   8", "9   9", ""]),
]


@pytest.mark.parametrize(("code", "suggestion", "lines"), IN_CONTEXT)
def test_in_context(code: str, suggestion: str, lines: list[str]) -> None:
    assert shown(code, suggestion) == lines


def test_terminal_marks_by_weight_and_not_by_brackets() -> None:
    console = Console(force_terminal=True, color_system="standard")
    document = Document("untitled:x", Language.PYTHON, "x = \n")
    said = printed(in_context(document, 4, "1", console), console)
    assert "⟦" not in said
    assert "\x1b[1" in said


def test_a_difference_ends_lines_where_patch_does() -> None:
    said = "".join(difference("a\n\fb\u2028c\r\nd", "a\n\fB\u2028c\r\nd", "/x.py"))
    assert said.partition("@@\n")[2] == " a\n-\fb\u2028c\r\n+\fB\u2028c\r\n d\n\\ No newline at end of file\n"
    assert said.startswith("--- a/x.py\n+++ b/x.py\n")


def test_a_difference_does_not_command_the_terminal() -> None:
    assert coloured(iter(["--- a\n", "+++ b\n", "+\x1b[2J\f\n"])).plain == "--- a\n+++ b\n+␛[2J␌\n"


def test_what_is_no_terminal_gets_each_line_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    code = "const a = ;\nb(" + "c, " * 100 + "c);\n"
    console = console_for_answers()
    console.print(in_context(Document("untitled:x", Language.JAVASCRIPT, code), 10, "1", console))
    said = capsys.readouterr().out.split("\n")
    assert said == ["1 ▎ const a = ⟦1⟧;", "2   b(" + "c, " * 100 + "c);", "3", ""]


def test_every_stop_has_words() -> None:
    assert set(STOPS) == set(map(str, Stop))


PLAIN = Suggestion(text="", stop=Stop.STATEMENT, tokens=8, latency_ms=48.2, first_token_ms=12.0)


def test_alternatives_stand_where_the_text_does() -> None:
    """They are texts alone: what replaces more, or needs an import, would be wrong with the answer's own."""
    document = Document("untitled:x", Language.PYTHON, "ab\n")
    others = tuple(
        Alternative(text, replaces, additional_edits=edits)
        for text, replaces, edits in (("x", 1, ()), ("y", 2, ()), ("z", 1, (Edit(0, 0, "import z\n"),)))
    )
    answer = answered(1, replace(PLAIN, text="w", replaces=1, alternatives=others), document, explain=False)
    assert answer["alternatives"] == ["x"]


NOTES: dict[str, dict[str, Any]] = {
    "end of statement · 8 tokens · 48 ms · first after 12 ms": {},
    "end of statement · 1 token · 48 ms": {"tokens": 1},
    "210 prompt tokens reused": {"reused_tokens": 210},
    "withheld (syntax_error): A new error.": {"withheld": Withheld.SYNTAX_ERROR, "reason": "A new error."},
    "it would have been: f(↵": {"withheld": Withheld.SYNTAX_ERROR, "withheld_text": "f(\n"},
    "not all names in scope are known: zap": {"unlisted": ("zap",)},
    "Names may be missing: a with statement.": {"notes": ("Names may be missing: a with statement.",)},
    "also changes line 1: import y": {"additional_edits": (Edit(0, 0, "import y\n"),)},
    "cost (scope: cost)": {"trace": (TokenTrace("a", -0.1, "b", (("cost", Refusal(Rule.SCOPE, "cost")),)),)},
    "(chosen among all tokens)": {"trace": (TokenTrace("a", -0.1, "b", walked=True),)},
    "(end of text)  90.5%": {"trace": (TokenTrace("", -0.1, ""),)},
}


@pytest.mark.parametrize("said", NOTES)
def test_notes(said: str) -> None:
    console = like_a_file(width=200)
    suggestion = replace(PLAIN, **NOTES[said])
    document = Document("untitled:x", Language.PYTHON, "x = \n")
    assert said in printed(rendered(suggestion, document, 4, console, explain=True), console)


def test_notes_are_quiet() -> None:
    suggestion = replace(PLAIN, notes=("The text above does not parse.",))
    console = Console(force_terminal=True, color_system="standard")
    document = Document("untitled:x", Language.PYTHON, "x = \n")
    assert "\x1b[2mThe text above" in printed(rendered(suggestion, document, 4, console), console)


def test_notes_are_in_json_where_they_are_asked_for() -> None:
    suggestion = replace(PLAIN, text="1", unlisted=("zap",), notes=("Names may be missing: eval.",))
    document = Document("untitled:x", Language.PYTHON, "x = ")
    answer = answered(7, suggestion, document, explain=False)
    assert list(answer) == list(failure(RequestError(ErrorCode.INTERNAL, "no"), 7)), "one shape for all answers"
    explained = answered(7, suggestion, document, explain=True)
    assert explained["notes"] == ["Names may be missing: eval."]
    assert explained.keys() - answer.keys() == {"notes", "reason", "withheld_text", "rejected", "trace"}


def test_a_long_line_is_shown_around_the_suggestion() -> None:
    (line, *_) = shown("a" * 3000 + "^" + "b" * 100_000, "X")
    assert "⟦X⟧" not in line, "folded far below"
    said = "".join(part[4:] for part in shown("a" * 3000 + "^" + "b" * 100_000, "X"))
    assert said == "…" + "a" * 500 + "⟦X⟧" + "b" * 497 + "…"


def test_symbols() -> None:
    names = (
        Name("items", NameKind.PARAMETER, Origin.LOCAL, 0, 3),
        Name("later", NameKind.CONSTANT, Origin.LOCAL, 0, 9, before_declaration=True),
        Name("tax", NameKind.FUNCTION, Origin.IMPORT, 1, 0, detail="./tax.js"),
        *(Name(f"g{n}", NameKind.FUNCTION, Origin.GLOBAL, 9) for n in range(8)),
    )
    context = SymbolContext(
        Language.JAVASCRIPT,
        {name.text: name for name in names},
        importable=(Importable("Cart", NameKind.CLASS, "./cart.js"),),
        caveats=("a with statement",),
    )
    lines = printed(rendered_symbols(FilePlace("a.js", 4, 1), context), like_a_file()).split("\n")
    assert lines == [
        "3 names in scope at a.js:4:1, 8 global names",
        "distance  name   kind       line  type  detail",
        "       0  items  parameter     4",
        "          later  constant     10        not yet declared here",
        "       1  tax    function      1        ./tax.js, import",
        "global names: g0, g1, g2, g3, g4, g5 and 2 more (--json lists all)",
        "importable: Cart (./cart.js)",
        "names may be missing: a with statement",
        "",
    ]
