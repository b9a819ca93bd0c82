"""Entering a document."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Entries, Entry


def enter(language: Language, marked: str) -> Entry:
    before, _, after = marked.partition("^")
    return Entries(language).enter(before + after, len(before))


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


def test_only_what_changed_is_read_again() -> None:
    entries = Entries(Language.PYTHON)
    text = "x = 1\n" * 2_000
    entries.enter(text, len(text))
    middle = len(text) // 2
    assert entries.enter(text[:middle] + "y" + text[middle:], middle + 1).reread < 100
