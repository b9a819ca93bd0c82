"""Entering a document."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Entries, Entry, State


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


def test_only_what_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = Entries(Language.PYTHON)
    text = "x = 1\n" * 2_000
    entries.enter(text, len(text))
    middle = len(text) // 2
    read, advance = [], State.advance

    def counting(state: State, piece: str) -> State | None:
        read.append(piece)
        return advance(state, piece)

    monkeypatch.setattr(State, "advance", counting)
    entries.enter(text[:middle] + "y" + text[middle:], middle + 1)
    assert len("".join(read)) < 100
