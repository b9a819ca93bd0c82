"""Grammars that we know nothing about: any compiled parser will do, with a lexer that is ready at once."""

from __future__ import annotations

import ctypes
import random
import struct

import pytest
import tree_sitter

from benchmarks.grammar_other_languages import SAMPLES, capsule, package
from decoder.grammar import Grammar, GrammarError
from decoder.grammar.tables import Tables


def accepts(grammar: Grammar, text: str, draw: random.Random) -> bool:
    state, at = grammar.start(), 0
    while at < len(text):
        following = state.advance(chunk := text[at : at + draw.randint(1, 8)])
        if following is None:
            return False
        state, at = following, at + len(chunk)
    return state.complete()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("portable", [False, True])
def test_any_compiled_parser(name: str, portable: bool) -> None:
    pytest.importorskip(package(name))
    parser = tree_sitter.Parser(tree_sitter.Language(capsule(name)))
    grammar = Grammar.of_parser(capsule(name), portable=portable)
    draw = random.Random(1)
    text = SAMPLES[name]
    assert not parser.parse(text.encode()).root_node.has_error
    assert accepts(grammar, text, draw)
    for _ in range(5 if portable else 25):
        start = draw.randrange(len(text))
        spoilt = text[:start] + text[start + draw.randint(1, 6) :]
        assert accepts(grammar, spoilt, draw) == (not parser.parse(spoilt.encode()).root_node.has_error), spoilt


def test_an_unknown_abi_is_a_sentence() -> None:
    other = ctypes.create_string_buffer(struct.pack("<I", 99), 4096)
    with pytest.raises(GrammarError, match=r"ABI 99 \(we read 13 to 15\)"):
        Tables(ctypes.addressof(other))
