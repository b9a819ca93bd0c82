"""Byte pairs in Python give the tokens of the library, for the tokenizers that they read; others are left to it."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from decoder import embedded
from decoder.models.byte_pairs import BytePairs, byte_pairs
from decoder.models.tokenizer_bytes import _SPELLING, _made_exact, _read
from tests.examples import examples

EXACT = _made_exact(_read(embedded.path() / "tokenizer.json"))


def ours(tokenizer: dict[str, Any]) -> BytePairs | None:
    return byte_pairs(tokenizer, _SPELLING)


def library(tokenizer: dict[str, Any]) -> Tokenizer:
    read = Tokenizer.from_str(json.dumps(tokenizer))
    read.encode_special_tokens = True
    return read


OURS, LIBRARY = ours(EXACT), library(EXACT)
PIECES = [
    "self",
    " return",
    "\n    ",
    "\r\n",
    "\r",
    "\t",
    "  ",
    "<|fim_prefix|>",
    "é",
    "你好",
    "🙂",
    "0x1f",
    "\x1c",
    "\u2028",
    "=>",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12)).map("".join))
@examples(300)
def test_a_text_has_the_librarys_tokens(text: str) -> None:
    assert OURS is not None
    assert OURS.encode(text) == LIBRARY.encode(text, add_special_tokens=False).ids


@pytest.mark.slow
def test_characters_of_all_scripts_have_the_librarys_tokens() -> None:
    assert OURS is not None
    codes = [*range(0xD800), *range(0xE000, 0x10000), *range(0x10000, sys.maxunicode, 97)]
    samples = [f"a {chr(code)}b \t{chr(code)}" for code in codes]
    texts = ["".join(samples[start : start + 500]) for start in range(0, len(samples), 500)]
    assert [text for text in texts if OURS.encode(text) != LIBRARY.encode(text, add_special_tokens=False).ids] == []


def test_words_are_forgotten_before_they_take_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoder.models.byte_pairs._WORDS_KEPT", 3)
    forgetful = ours(EXACT)
    assert forgetful is not None
    text = "one two three four one two"
    assert forgetful.encode(text) == LIBRARY.encode(text, add_special_tokens=False).ids


PATTERNS = {
    r"[ ]?\w+": None,
    r"\p{L}+|\s+": None,
    r"(?i:a)|\s+": None,
    r"[a-z&&[^b]]+": None,
    r"[\S]+": None,
    r"[[a]b]+": None,
    r"\s*": None,
    r"[^\s\d]+|\s|\d": "a\x1cb 12\u2003c\u2028",
    r"[a-z]+(?=\s)|\S": "ab cd\x1d",
    r"(a|b)+|\n": None,
    r"(?:a|b)+|\n": "abba c\nb",
}
"""Each with a text that both cut in the same way, or None where only the library may read it."""


@pytest.mark.parametrize("pattern", PATTERNS)
def test_only_patterns_that_mean_the_same_are_read(pattern: str) -> None:
    tokenizer = deepcopy(EXACT)
    tokenizer["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = pattern
    read, text = ours(tokenizer), PATTERNS[pattern]
    assert (read is None) == (text is None)
    if read is not None and text is not None:
        assert read.encode(text) == library(tokenizer).encode(text, add_special_tokens=False).ids


MORE: dict[str, tuple[str, Any]] = {
    "a normalizer": ("normalizer", {"type": "NFC"}),
    "another kind of model": ("model", {**EXACT["model"], "type": "Unigram"}),
    "pieces of the middle": ("model", {**EXACT["model"], "continuing_subword_prefix": "##"}),
    "whole words": ("model", {**EXACT["model"], "ignore_merges": True}),
    "tokens that are found first": ("added_tokens", [{"id": 9, "content": "self", "special": False}]),
    "no words": ("pre_tokenizer", {"type": "ByteLevel", "use_regex": True}),
}


@pytest.mark.parametrize("what", MORE)
def test_what_does_more_is_left_to_the_library(what: str) -> None:
    name, value = MORE[what]
    assert ours({**EXACT, name: value}) is None
