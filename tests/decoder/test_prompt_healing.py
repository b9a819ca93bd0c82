"""What is taken back from the prompt before it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.prompt import heal

CASES = {
    "let x = respon": " respon",
    "respon": "respon",
    "response.da": "da",
    "response.": "",
    "let x = ": " ",
    "x  =": "",
    "x =  ": "",
    "x =  foo": "foo",
    "if a:\n    ": "",
    "if a:\n ": "",
    " ": "",
    "": "",
    "$el": "$el",
    "this.#priv": "priv",
    "_private": "_private",
    "größ": "größ",
    "x = 12": "",
    "x = 0xff": "",
    "x1": "x1",
    "f(": "",
    "foo\n": "",
    "\nfoo": "foo",
    "a" * 64: "a" * 64,
    "a" * 65: "",
}


@pytest.mark.parametrize(("text", "word"), CASES.items())
def test_the_half_typed_word(text: str, word: str) -> None:
    assert heal(text) == (text[: len(text) - len(word)], word)


@given(text=st.text(max_size=80))
def test_nothing_is_lost(text: str) -> None:
    prefix, word = heal(text)
    assert prefix + word == text
