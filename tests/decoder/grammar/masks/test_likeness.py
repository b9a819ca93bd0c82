"""Words of one number are read alike from wherever a lexer is; kinds of texts are told apart by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.dfa import NO_TOKEN, Dfa
from decoder.grammar.masks.characters import codes_of, columns_of, those
from decoder.grammar.masks.kinds import WORDS, Kinds
from decoder.grammar.masks.likeness import Likeness, alike_states, near_states
from tests.decoder.grammar.masks.test_masker import texts

TELLING = ("if", "f", "in", "wh", "hile", "1f")


def dfa_of(language: Language) -> Dfa:
    dfa = Grammar.load(language).lexer.tokens
    assert isinstance(dfa, Dfa)
    return dfa


def read(dfa: Dfa, word: str, state: int) -> tuple[object, ...]:
    """What reading a word from a state comes to, letter by letter; what is left of it where its token ends."""
    token, end = NO_TOKEN, 0
    for at, character in enumerate(word):
        move = dfa.moves[state][character]
        if move is None:
            rest = word[end:]
            return token, rest if rest in TELLING else rest[:1].isdigit()
        state = move.target
        if move.token != NO_TOKEN:
            token, end = move.token, at + 1
    return state, token, len(word) - end if token != NO_TOKEN else 0


@pytest.mark.parametrize("language", list(Language))
def test_words_of_one_number_are_read_alike(language: Language) -> None:
    dfa = dfa_of(language)
    words = sorted(
        {word for text in texts() for word in WORDS.findall(text)} | {"é", "中文", "0x1f", "1e5", "if", "wh"}
    )
    targets = np.array([[-1 if move is None else move.target for move in row] for row in dfa.rows], dtype=np.int32)
    same = alike_states(targets, np.array(dfa.accepts, dtype=np.int32))
    begun = sorted(set(same[near_states(dfa)].tolist()))
    numbers = Likeness(dfa).numbers(words, TELLING).tolist()
    found: dict[int, list[tuple[object, ...]]] = {}
    for word, number in zip(words, numbers, strict=True):
        said = []
        for state in begun:
            one = read(dfa, word, state)
            said.append((int(same[one[0]]), *one[1:]) if len(one) == 3 else one)  # type: ignore[call-overload]
        assert found.setdefault(number, said) == said, word
    assert len(found) < len(words) / 2
    assert Likeness(dfa).numbers([], TELLING).tolist() == []


@pytest.mark.parametrize("language", [Language.TSX, Language.PYTHON])
def test_characters_have_their_columns(language: Language) -> None:
    dfa = dfa_of(language)
    text = "".join(sorted({character for text in texts() for character in text} | set("é中😀\u2028")))
    for character, column in zip(text, columns_of(dfa, codes_of(text)).tolist(), strict=True):
        assert all(row[column] == dfa.move(state, ord(character)) for state, row in enumerate(dfa.rows)), character
    assert those(codes_of(text), str.isdigit).tolist() == [character.isdigit() for character in text]


def test_kinds_are_of_words_that_are_alike() -> None:
    some = (
        ("house", "housing", "housekeeping"),
        (" house", " housing"),
        ("house.housing", "housing.house"),
        ("house.house",),
        ("\\house",),
        ("\\housing",),
        ("if",),
        ("while",),
        ("hile",),
        ("b",),
        ("house  ", "house   ", "housing    "),
        ("house ",),
        ("",),
        ("é",),
        ("",),
    )
    given = [text for kind in some for text in kind]
    kinds = Kinds(given, Grammar.load(Language.PYTHON).automaton.reader)
    for number, alike in zip(kinds.of.tolist(), [members for members in some for _ in members], strict=True):
        assert kinds.texts[number] == max(alike, key=len)
    assert len(kinds.texts) == len(set(some))
    having = [index for index, text in enumerate(given) if "house" in WORDS.findall(text)]
    assert kinds.writing({"house"}, "") == having
    assert kinds.writing({"hashouse"}, "has") == [index for index in having if given[index].startswith("house")]
    assert kinds.writing({"hashouse", "horse"}, "") == []
