"""The rival of `inscope bench head_to_head` is sent, and shows, what llama.vim does."""

from __future__ import annotations

import pytest

from benchmarks.llama_vim import PREFIX_LINES, LocalContext, context_at, infill, shown

CONTEXTS = {
    "within a line": ("a = 1\nb = ^2\nc = 3\n", LocalContext("a = 1\n", "b = ", "2\nc = 3\n", 0)),
    "indented": ("def f():\n    return ^\n", LocalContext("def f():\n", "    return ", "\n\n", 4)),
    "a blank line begins at its beginning": ("x\n    ^\ny\n", LocalContext("x\n", "", "\ny\n", 0)),
}


@pytest.mark.parametrize(("marked", "expected"), CONTEXTS.values(), ids=CONTEXTS.keys())
def test_what_is_sent_of_a_file(marked: str, expected: LocalContext) -> None:
    offset = marked.index("^")
    assert context_at(marked.replace("^", ""), offset) == expected


def test_so_many_lines_are_sent() -> None:
    text = "x\n" * 1000
    for part in (1, 2):
        sent = infill(context_at(text, 1001, part))
        assert (sent["input_prefix"].count("x"), sent["input_suffix"].count("x")) == (PREFIX_LINES // part, 64 // part)


SHOWN = {
    "the first line": ("b = ^\n", "2\nc = 3\n", "2", 0),
    "nothing": ("b = ^\n", "\n\n", "", 0),
    "blanks": ("b = ^\n", "  ", "", 0),
    "the rest that is there": ("f(^)\n", ")", "", 0),
    "the next line again": ("a\n^\nb = 2\n", "b = 2", "", 0),
    "the next lines again": ("a\n^\nb = 2\nc = 3\n", "b = 2\nc = 3", "", 0),
    "the next line, and another": ("a\n^\nb = 2\nc = 3\n", "b = 2\nd = 4", "b = 2", 0),
    "more on the next line": ("x = [^\n]\n", "\n  1,", "", 0),
    "indentation that is there": ("f:\n    ^\n", "    return 1", "return 1", 0),
    "less indentation": ("f:\n    ^\n", "  return 1", "return 1", 2),
}


@pytest.mark.parametrize(("marked", "content", "text", "surplus"), SHOWN.values(), ids=SHOWN.keys())
def test_what_is_shown_of_an_answer(marked: str, content: str, text: str, surplus: int) -> None:
    ghost = shown(marked.replace("^", ""), marked.index("^"), content)
    assert (ghost.text, ghost.surplus) == (text, surplus)
