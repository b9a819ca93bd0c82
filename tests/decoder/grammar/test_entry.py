"""Entering a document, and where a text may stop."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Entries, Entry


def enter(language: Language, marked: str) -> Entry:
    before, _, after = marked.partition("^")
    return Entries(language).enter(before + after, len(before))


def may_stop(entry: Entry, written: str) -> bool:
    assert entry.state is not None
    state = entry.state.advance(written)
    return state is not None and entry.surroundings.accept(written, state)


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        (Language.JAVASCRIPT, "const x = 1 2;\nf(^)\n"),
        (Language.JAVASCRIPT, "functio f(a) {\n  return b\n}\nx = ^\n"),
        (Language.TYPESCRIPT, "let a: = 1;\nlet b: ^\n"),
        (Language.PYTHON, "de f(a):\n    return a\n\ng(^)\n"),
    ],
)
def test_no_state_below_a_fault(language: Language, marked: str) -> None:
    entry = enter(language, marked)
    assert entry.state is None


def test_a_stop_must_leave_the_file_no_worse() -> None:
    entry = enter(Language.JAVASCRIPT, "x = 1^;\nfunction f() { return y }\n")
    assert may_stop(entry, " + 2")
    assert not may_stop(entry, " +")
    assert not may_stop(entry, " + f(")


# text that does not parse, with a cursor at the end of a line => where one may stop there, and where not
UNFINISHED = [
    (Language.PYTHON, "y = x + ^", ("x", "f(x)", "[x for a in b]"), ("x +", "not", "x if a", "lambda a", "x.")),
    (Language.PYTHON, "y = ^\nz = 1\n", ("x", "(x)"), ("x and", "[a for b", "x[1:2] ==")),
    (Language.PYTHON, "f(a, ^\nreturn b\n", ("c)", "c, d)"), ("c +", "c for d")),
    (Language.JAVASCRIPT, "const x = ^", ("a", "a;", "() => a", "{", "[a,"), ("a +", "() =>", "new", "a ? b")),
    (Language.JAVASCRIPT, "f(^\n", ("a", "a)", "a,"), ("a &&", "a ? b :", "(b) =>")),
    (Language.TYPESCRIPT, "let a: ^", ("string", "Map<string>", "string;", "{ b: c"), ("string |", "keyof", "() =>")),
]


@pytest.mark.parametrize(
    ("language", "marked", "finished", "unfinished"), UNFINISHED, ids=[repr(marked) for _, marked, *_ in UNFINISHED]
)
def test_no_stop_amid_an_expression(
    language: Language, marked: str, finished: tuple[str, ...], unfinished: tuple[str, ...]
) -> None:
    entry = enter(language, marked)
    may_end = {written: may_stop(entry, written) for written in (*finished, *unfinished)}
    assert may_end == dict.fromkeys(finished, True) | dict.fromkeys(unfinished, False)


@pytest.mark.parametrize("marked", ["const x = ^", "f(a +^\n"])
def test_nothing_may_always_be_said(marked: str) -> None:
    assert may_stop(enter(Language.JAVASCRIPT, marked), "")


# what an editor closed, above lines that cannot follow what is not finished yet
CLOSED = [
    (Language.TSX, "import { ^}\nimport { a } from 'a';\n", "b", True),
    (Language.TSX, "import { ^}\nimport { a } from 'a';\n", "b; c", False),
    (Language.TSX, 'x = (\n  <a>\n    <b c="^"\n  </a>\n);\n', "d", True),
    (Language.TSX, "x = (\n  <a>\n    <b c={^}\n  </a>\n);\n", "d", True),
    (Language.TSX, "x = (\n  <a>\n    <b c={^}\n  </a>\n);\n", "d;", False),
    (Language.TYPESCRIPT, "function f(^)\nexport const a = 1;\n", "b: B", True),
    (Language.JAVASCRIPT, "const { ^}\nexport const a = 1;\n", "b", True),
    (Language.PYTHON, "def f(^)\n    return a\n", "a, b=1", True),
    (Language.PYTHON, "def f(^)\n    return a\n", "a +", False),
]


@pytest.mark.parametrize(("language", "marked", "written", "may"), CLOSED)
def test_a_line_whose_bracket_is_closed_may_be_unfinished(
    language: Language,
    marked: str,
    written: str,
    may: bool,
) -> None:
    assert may_stop(enter(language, marked), written) is may


def test_a_half_typed_word_is_replaced() -> None:
    entry = Entries(Language.JAVASCRIPT).enter("x = ma;\n", 4, 6)
    assert may_stop(entry, "map")
    assert not may_stop(entry, "map(")


def test_only_what_changed_is_read_again() -> None:
    entries = Entries(Language.PYTHON)
    text = "x = 1\n" * 2_000
    entries.enter(text, len(text))
    middle = len(text) // 2
    assert entries.enter(text[:middle] + "y" + text[middle:], middle + 1).reread < 100
