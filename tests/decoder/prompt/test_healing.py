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
    "let x =  ": " ",
    "f(a, b": " b",
    "f(": "",
    "": "",
    "    ": "",
    "if a:\n    ": "",
    "if a:\n    retu": "retu",
    "if a:\r    retu": "retu",
    "\tre": "re",
    "x =\ty": "y",
    "return $el": " $el",
    "this.#priv": "priv",
    "_private": "_private",
    "let größ": " größ",
    "x = 12": "",
    "x = 0xff": "",
    "x1": "x1",
    "foo\n": "",
    "\nfoo": "foo",
    "a" * 64: "a" * 64,
    "a" * 65: "",
    "x = " + "a" * 64: " " + "a" * 64,
}


@pytest.mark.parametrize(("text", "word"), CASES.items())
def test_the_half_typed_word_and_its_space(text: str, word: str) -> None:
    assert heal(text) == (text[: len(text) - len(word)], word)


@given(text=st.text(max_size=80))
def test_nothing_is_lost(text: str) -> None:
    prefix, word = heal(text)
    assert prefix + word == text
