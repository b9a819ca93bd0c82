r"""Indentation between a file and a model. `^` is the cursor, `→` a tab, `|` a line end, `~` a carriage return."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Language
from lsp_server.engine.indentation import Indentation
from tests.examples import examples

TABS = "class A {|→go() {|→→^|→}|}"
EIGHT = "class A {|        go() {|                ^|        }|}"


def of(marked: str, *, python: bool = False) -> Indentation:
    text = marked.replace("|", "\n").replace("→", "\t").replace("~", "\r")
    return Indentation.at(
        text.replace("^", ""), text.index("^"), language=Language.PYTHON if python else Language.JAVASCRIPT
    )


@pytest.mark.parametrize(
    ("marked", "python", "written", "inserted"),
    [
        (TABS, False, "for (const a of b) {|      c.add(a);|    }", "for (const a of b) {|→→→c.add(a);|→→}"),
        (TABS, False, "for (const a of b) {|          c.add(a);|      }", "for (const a of b) {|→→→c.add(a);|→→}"),
        (TABS, False, "f(a,|      b)", "f(a,|→→→b)"),
        (TABS, False, "/**|     * x|     */", "/**|→→ * x|→→ */"),
        (TABS, False, "a;|b", "a;|b"),
        (EIGHT, False, "if (a) {|      b;|    }", "if (a) {|                        b;|                }"),
        ("class A {|→go() {|^|→}|}", False, "    return a;|    }", "→→return a;|→→}"),
        ("class A {|→go() {|→→x;|^|→}|}", False, "    return a;|  }", "→→return a;|→}"),
        ("def f():|  if a:|    ^", True, "if b:|            c|        d", "if b:|      c|    d"),
        ("def f():|    if a:^", True, "|      b|    c", "|        b|    c"),
        ("def f():|    ^", True, "x = g(a,|          b)", "x = g(a,|          b)"),
        ("def f():~|→^", True, "if a:|        b", "if a:~|→→b"),
        ("f(^)", False, "a {|  b|}", "a {|  b|}"),
    ],
)
def test_what_is_written_gets_the_files_own(marked: str, python: bool, written: str, inserted: str) -> None:
    found = of(marked, python=python).to_file(written.replace("|", "\n"))
    assert found.replace("\n", "|").replace("\t", "→").replace("\r", "~") == inserted


@pytest.mark.parametrize(
    ("marked", "python", "read"),
    [
        (TABS, False, "class A {|  go() {|    "),
        (EIGHT, False, "class A {|  go() {|    "),
        ("class A {|    go() {|        ^", False, "class A {|  go() {|    "),
        ("def f():|  a|  ^", True, "def f():|    a|    "),
        ("a;~|b;~|^", False, "a;|b;|"),
        ("/*|→ * a|→ */|→^", False, "/*|   * a|   */|  "),
    ],
)
def test_a_model_reads_what_it_was_trained_on(marked: str, python: bool, read: str) -> None:
    text = marked.replace("|", "\n").replace("→", "\t").replace("~", "\r")
    assert of(marked, python=python).to_model(text.partition("^")[0]).replace("\n", "|") == read


@st.composite
def blocks(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Levels of lines above a cursor, and of a text at the cursor: each at most one deeper than the last."""
    levels = [0]
    for _ in range(draw(st.integers(2, 12))):
        levels.append(draw(st.integers(0, levels[-1] + 1)))
    count = draw(st.integers(1, len(levels) - 1))
    return levels[:count], levels[count:]


@given(
    blocks(), st.sampled_from(["\t", "  ", "    ", "        ", "   "]), st.sampled_from(["\n", "\r\n"]), st.booleans()
)
@examples(200)
def test_there_and_back_is_the_same(drawn: tuple[list[int], list[int]], unit: str, newline: str, python: bool) -> None:
    above, text = drawn
    levels = [*above, *text]
    ends = [":" if deeper > level else ";" for level, deeper in zip(levels, [*levels[1:], 0], strict=True)]
    lines = [f"{unit * level}x{end}" for level, end in zip(levels, ends, strict=True)]
    before = newline.join(["a:", f"{unit}b;", *lines[: len(above)], unit * text[0]])
    inserted = newline.join(lines[len(above) :])[len(unit) * text[0] :]
    indentation = Indentation.at(before, len(before), language=Language.PYTHON if python else Language.JAVASCRIPT)
    read = indentation.to_model(before + inserted)[len(indentation.to_model(before)) :]
    assert "\t" not in read
    assert "\r" not in read
    assert indentation.to_file(read) == inserted
    for end in range(len(read)):
        assert indentation.length_in_model(read, len(indentation.to_file(read[:end]))) <= end
