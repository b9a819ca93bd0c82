"""Tokens that the tables let through although nothing could follow them."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Grammar, dead_end_search, dead_ends, pinned
from decoder.grammar.tables import Tables

# what is written => what may follow, and what may not
CASES = [
    (Language.JAVASCRIPT, "class A { f(a", ", b", " + b"),
    (Language.JAVASCRIPT, "function (s", ",", "*"),
    (Language.JAVASCRIPT, "(...A", ")", " &&"),
    (Language.JAVASCRIPT, "x = [a", " ** b]", " ** ]"),
    (Language.JAVASCRIPT, "new ", "A", "!A"),
    (Language.JAVASCRIPT, "let a\n inst", "x", "ance)"),
    (Language.TYPESCRIPT, "let a", "!: b", "?"),
    (Language.PYTHON, "*", "a, b", "-a"),
    (Language.PYTHON, "for ", "a", "-"),
    (Language.PYTHON, "f(*", "-a", "="),
]


@pytest.mark.parametrize(("language", "written", "good", "bad"), CASES)
def test_dead_ends(language: Language, written: str, good: str, bad: str) -> None:
    state = Grammar.load(language).start().advance(written)
    assert state is not None
    assert state.advance(good) is not None
    assert state.advance(bad) is None


@pytest.mark.slow
@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.PYTHON])
def test_what_is_shipped_is_what_is_found(language: Language) -> None:
    tables = Tables(pinned.capsule(language))
    path = pinned.dead_ends_path(pinned.shipped_path(language))
    shipped = dead_ends.load(path, pinned.fingerprint(tables))
    assert dead_end_search.find(tables) == shipped, "the search has changed: python -m decoder.grammar.learn"
