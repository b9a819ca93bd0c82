"""What is left of ghost text after typing. `^` is the cursor; before it was typed, and after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Language
from lsp_server.engine.typed_through import Ghost, ShownSuggestion


def left(before: str, suggestion: str, after: str, beginning: str = "") -> Ghost | None:
    shown = ShownSuggestion(document(before), before.index("^"), suggestion)
    return shown.at(document(after), after.index("^"), beginning)


def document(marked: str) -> Document:
    return Document("file:///a.js", Language.JAVASCRIPT, marked.replace("^", ""))


@pytest.mark.parametrize(
    ("before", "suggestion", "after", "expected"),
    [
        ("return ^;", "a + b", "return ^;", Ghost("a + b")),
        ("return ^;", "a + b", "return a ^;", Ghost("+ b")),
        ("return ^;", "a + b", "return a + b^;", None),
        ("return ^;", "a + b", "return b^;", None),
        ("return ^;", "a + b", "retur^;", None),
        ("return ^;", "a + b", "return a^", None),
        ("return ^;", "a + b", "let c; return a^;", None),
        ("return ^;", "a + b", "return a ^ ;", None),
        ("return ^;", "a + b", "return ^a ;", None),
        ("f^", "(x, y)", "f(^)", Ghost("x, y")),
        ("f^", "(x, [y])", "f(x, [^])", Ghost("y")),
        ("f^", "(g(x), [y])", "f(g(^))", Ghost("x), [y]", 1)),
        ("f^", "(x) + g(y)", "f(^)", Ghost("x) + g(y", 0)),
        ("f^", "(x) + y", "f(^)", Ghost("x) + y", 1)),
        ("f^", "('x')", "f('^')", Ghost("x")),
        ("f^", "(x, y", "f(^)", None),
        ("f^", "()", "f(^)", None),
        ("f^", "();", "f(^)", Ghost(");", 1)),
        ("if (a)^", " {\n  b();\n}", "if (a) {\n  ^\n}", Ghost("b();")),
        ("if (a) {^}", "\n  b();\n", "if (a) {\n  ^\n}", Ghost("b();")),
        ("f^", "(() => {\n  b();\n});", "f(() => {\n  ^\n})", None),
        ("if (a)^", " {\n  b();\n} else {\n  c();\n}", "if (a) {\n  ^\n}", Ghost("b();\n} else {\n  c();")),
        ("if (a)^", " {\n  b();", "if (a) {\n  ^\n}", None),
        ("^", "<b>{c}</b>", "<b>^</b>", Ghost("{c}")),
        ("^", "<b.c>{d}</b.c>;", "<b.c>^</b.c>", None),
        ("^", "<><b /></>", "<>^</>", Ghost("<b />")),
        ("f({^})", "\n  a: b,", "f({\n  ^\n})", Ghost("a: b,")),
        ("f^", '(\n  "a b"\n)', 'f(\n  "a ^"\n)', Ghost("b")),
        ("if (a)^", " {\n}", "if (a) {^\n}", None),
        ("aa^aa", "aaa", "aaa^aa", Ghost("aa")),
        ("x = ^", "'😀' + y\r\n", "x = '😀'^", Ghost(" + y\r\n")),
    ],
)
def test_at(before: str, suggestion: str, after: str, expected: Ghost | None) -> None:
    assert left(before, suggestion, after) == expected


@pytest.mark.parametrize(
    ("after", "suggestion", "expected"), [("ta^l", "a + b", Ghost(" + b", 1)), ("t(^)l", "(x)", None)]
)
def test_the_rest_of_a_word_stays_replaced(after: str, suggestion: str, expected: Ghost | None) -> None:
    shown = ShownSuggestion(document("t^l"), 1, suggestion, replaces=1)
    assert shown.at(document(after), after.index("^")) == expected


@pytest.mark.parametrize(("beginning", "expected"), [("sole", Ghost("sole.log()")), ("stant", None)])
def test_the_selected_item_must_begin_it(beginning: str, expected: Ghost | None) -> None:
    assert left("c^", "onsole.log()", "con^", beginning) == expected


@given(st.text("ab(\n😀", max_size=6), st.text("ab(\n😀", min_size=1, max_size=8), st.text("ab)\n", max_size=6))
def test_every_beginning_leaves_the_rest(prefix: str, suggestion: str, suffix: str) -> None:
    shown = ShownSuggestion(document(prefix + suffix), len(prefix), suggestion)
    for typed in range(len(suggestion)):
        now = document(prefix + suggestion[:typed] + suffix)
        assert shown.at(now, len(prefix) + typed) == Ghost(suggestion[typed:])


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("x = foo|", ["foo(a)", "foo(a) + b"]),
        ("x = foo(a)|", ["foo(a) + b"]),
        ("x = foo(a) + b|", []),
        ("x = fo|", []),
        ("x = foo.|", []),
        ("y = foo|", []),
    ],
)
def test_what_follows_comes_once_all_of_it_is_there(after: str, expected: list[str]) -> None:
    before = document("x = ")
    shown = ShownSuggestion(before, 4, "foo", continued=("foo(a)", "foo(a) + b"))
    text, rest = after.split("|")
    now, found = document(text + rest), []
    following = shown.next_at(now, len(text))
    if following is None and text == "x = foo(a)":  # after the one before it
        second = shown.next_at(document("x = foo"), 7)
        assert second is not None
        following = second.next_at(now, len(text))
    while following is not None:
        found.append(following.text)
        following = following.next_at(document(f"x = {following.text}"), 4 + len(following.text))
    assert found == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("f(^)", ["recipe", "recipes[0]", "rows"]),
        ("f(r^)", ["ecipe", "ecipes[0]", "ows"]),
        ("f(recip^)", ["e", "es[0]"]),
        ("f(recipe^)", []),
        ("f(recipes^)", []),
        ("f(ro^)", ["ws"]),
    ],
)
def test_of_what_was_taken_whole_no_longer_alternative_goes_on(after: str, expected: list[str]) -> None:
    """`f(recipe^)` would get `s[0]`, which was less probable than `recipe` alone."""
    place = document("f(^)"), 2
    others = tuple(ShownSuggestion(*place, text) for text in ("recipes[0]", "rows"))
    shown = ShownSuggestion(*place, "recipe", others=others)
    assert [ghost.text for ghost in shown.all_at(document(after), after.index("^"))] == expected
