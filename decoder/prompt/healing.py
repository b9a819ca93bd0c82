"""Token healing: a half-typed word is taken back from the prompt, and the output is held to begin with it.

A tokenizer cuts `response` into other tokens than `respon`; asked to go on after `respon`, a model is off the paths
it was trained on. Asked after what stands before the word, it writes the whole word in tokens it knows.
Knows nothing of tokens or syntax: a word is a run of identifier characters.
"""

from __future__ import annotations

from typing import NamedTuple


class Healed(NamedTuple):
    """A prefix in two parts: prefix + word is the text before the cursor."""

    prefix: str
    """What the prompt says."""
    word: str
    """What the output must begin with; empty where no word is half-typed."""


def heal(text: str) -> Healed:
    """Take the half-typed word back from the end of `text`.

    A number is not taken back, nor a word of more than 64 characters: that is data, not a name being typed.
    """
    start = len(text)
    while start and _in_word(text[start - 1]) and len(text) - start <= _LONGEST:
        start -= 1
    word = text[start:]
    if not word or word[0].isdigit() or len(word) > _LONGEST:
        return Healed(text, "")
    return Healed(text[:start], word)


_LONGEST = 64


def _in_word(character: str) -> bool:
    """Identifier characters of all our languages: `$` is one in JavaScript and never ends Python before a name."""
    return character in "_$" or f"a{character}".isidentifier()
