"""Texts read together say what each says read alone."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.masks.suffixes import NO_PART, Suffixes
from tests.decoder.grammar.masks.test_masker import texts

PARTS = ("if", "f", "in", "wh", "hile")


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.PYTHON])
def test_reading_together(language: Language) -> None:
    lexer = Grammar.load(language).lexer.tokens
    suffixes = Suffixes(texts(), lexer, PARTS)
    numbers = suffixes.tails[suffixes.tails >= 0]  # each end of each text, the empty one often
    for first in sorted(set(lexer.roots.values())):
        ways = suffixes.read(numbers, first)
        for at, number in enumerate(numbers.tolist()):
            text = suffixes.all[number]
            state, start, end, token, read = first, 0, 0, NO_TOKEN, 0
            for read, character in enumerate(text, 1):
                move = lexer.moves[state][character]
                if move is None:
                    break
                state, skips, accepted = move
                start = read if skips else start
                token, end = (accepted, read) if accepted != NO_TOKEN else (token, end)
            else:
                assert ways.is_inside[at], text
                assert ways.is_blank[at] == (start == read), text
                assert suffixes.all[ways.begins[at]] == text[start:]
                assert ways.states[at] == state, text
                continue
            assert not ways.is_inside[at], text
            assert ways.tokens[at] == token, text
            assert ways.at_once[at] == (start == 0), text
            assert ways.has_line[at] == ("\n" in text[:start] or "\r" in text[:start]), text
            if token != NO_TOKEN:
                assert suffixes.all[ways.rests[at]] == text[end:]
                assert ways.lengths[at] == end - start, text


@pytest.mark.parametrize(
    ("text", "length", "part"),
    [("if x", 2, "if"), ("if x", 1, None), ("hile(", 4, "hile"), ("while", 2, "wh"), ("x", 1, None)],
)
def test_parts_of_keywords(text: str, length: int, part: str | None) -> None:
    suffixes = Suffixes([text], Grammar.load(Language.PYTHON).lexer.tokens, PARTS)
    number = suffixes.number(text)
    found = suffixes.part(number, length)
    assert (None if found == NO_PART else suffixes.parts[found]) == part


def test_leading_characters_are_taken_off() -> None:
    suffixes = Suffixes(["  a b", "b"], Grammar.load(Language.PYTHON).lexer.tokens, ())
    numbers = suffixes.tails[[suffixes.number("  a b")]]
    assert suffixes.all[suffixes.stripped(numbers, " a")[0]] == "b"
    assert suffixes.all[suffixes.without(numbers, 2)[0]] == " b"
