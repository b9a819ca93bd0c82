"""What was learned of a compiled lexer is what it does."""

from __future__ import annotations

import gzip
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.grammar import pinned
from decoder.grammar.learn import learn, main
from decoder.grammar.lex_function import MARK, SKIP, LexFunction
from decoder.grammar.lexer import load, save
from decoder.grammar.tables import Tables
from decoder.grammar.unlearned import unlearned
from tests.examples import examples

if TYPE_CHECKING:
    from pathlib import Path

    from decoder.grammar.dfa import Walkable
    from decoder.grammar.lexer import Lexer

LEARNED = [language for language in Language if pinned.shipped_path(language).is_file()]
CHARACTERS = st.one_of(st.sampled_from("abx_$019 \n\t\r\"'`/*+-=<>!&|.,:;(){}[]#@\\eu"), st.characters(codec="utf-8"))


@cache
def tables(language: Language) -> Tables:
    return Tables(pinned.capsule(language))


@cache
def function(language: Language) -> LexFunction:
    return LexFunction(tables(language).raw.lex_function)


@cache
def shipped(language: Language) -> Lexer | None:
    return load(pinned.shipped_path(language), tables(language).fingerprint())


@cache
def of_unlearned_python() -> Lexer:
    return unlearned(tables(Language.PYTHON))


def walk(dfa: Walkable, root: int, word: str) -> list[tuple[bool, int]]:
    """For each character read, whether it was skipped, and the token that ends after it."""
    state = dfa.roots[root]
    seen: list[tuple[bool, int]] = []
    for character in word:
        move = dfa.moves[state][character]
        if move is None:
            break
        state = move.target
        seen.append((move.skips, dfa.accepts[state]))
    return seen


def run(lexer: LexFunction, root: int, word: str) -> list[tuple[bool, int]]:
    seen: list[tuple[bool, int]] = []
    for event in lexer.trace(root, tuple(map(ord, word))):
        if event < MARK:
            seen.append((event == SKIP, -1))
        elif seen:
            seen[-1] = (seen[-1][0], event - MARK)
    return seen[: len(word)]


def test_each_language_s_automaton_is_shipped() -> None:
    assert set(Language) == set(LEARNED)


@examples(100)
@given(st.sampled_from(LEARNED), st.data())
def test_the_shipped_automata_do_what_the_compiled_lexers_do(language: Language, data: st.DataObject) -> None:
    lexer = shipped(language)
    assert lexer is not None, "the shipped automaton is another version's: python -m decoder.grammar.learn"
    root = data.draw(st.sampled_from(sorted(lexer.tokens.roots)))
    word = "".join(data.draw(st.lists(CHARACTERS, max_size=8))).replace("\0", "")
    assert walk(lexer.tokens, root, word) == run(function(language), root, word)


@examples(40)
@given(st.data())
def test_the_unlearned_automaton_does_too(data: st.DataObject) -> None:
    dfa = of_unlearned_python().tokens
    root = data.draw(st.sampled_from(sorted(dfa.roots)))
    word = "".join(data.draw(st.lists(CHARACTERS, max_size=8))).replace("\0", "")
    assert walk(dfa, root, word) == run(function(Language.PYTHON), root, word)


SHIPPED = pinned.shipped_path(Language.PYTHON).read_bytes()
DAMAGED = {
    "empty": b"",
    "cut off": SHIPPED[:100],
    "no deflate": SHIPPED[:10] + b"\xff" + SHIPPED[11:],
    "another byte": SHIPPED[:1_000] + bytes([SHIPPED[1_000] ^ 1]) + SHIPPED[1_001:],
    "another text": gzip.compress(b"no JSON"),
    "another value": gzip.compress(b"[]"),
    "nothing in it": gzip.compress(b"{}"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_not_trusted(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(DAMAGED[damage])
    assert load(path, tables(Language.PYTHON).fingerprint()) is None


def test_only_a_file_of_the_same_version_is_used(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    assert load(path, tables(Language.PYTHON).fingerprint()) is None
    path.write_bytes(SHIPPED)
    assert load(path, "another version") is None
    assert load(path, tables(Language.PYTHON).fingerprint()) is not None


def test_one_file_is_for_one_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json.gz"
    monkeypatch.setattr("sys.argv", ["learn", "-o", str(path)])
    with pytest.raises(SystemExit):
        main()
    assert not path.exists()


@pytest.mark.slow
def test_a_small_lexer_is_learned_and_kept(tmp_path: Path) -> None:
    of_json = Tables(pytest.importorskip("tree_sitter_json").language())
    tokens, keywords = learn(of_json)
    path = tmp_path / "json.json.gz"
    save(path, tokens, keywords, "x")
    again = load(path, "x")
    assert again is not None
    lexer = LexFunction(of_json.raw.lex_function)
    for root in tokens.roots:
        for word in ('"a', "-1.5e3 ", "true", " \n{", "é", '"\\u12', "1a"):
            assert walk(tokens, root, word) == walk(again.tokens, root, word) == run(lexer, root, word)
