"""Token healing: what is half-typed is taken back from the prompt, and the output is held to begin with it.

A tokenizer cuts `response` into other tokens than `respon`; asked to go on after `respon`, a model is off the paths
it was trained on. Asked after what stands before the word, it writes the whole word in tokens it knows. The same holds
for the one space before a word, which most tokenizers make part of the word's first token.
Knows nothing of tokens or syntax: a word is a run of identifier characters.
"""

from __future__ import annotations

from typing import NamedTuple

_LONGEST = 64


class Healed(NamedTuple):
    """A prefix in two parts: prefix + word is the text before the cursor."""

    prefix: str
    """What the prompt says."""
    word: str
    """What the output must begin with: the half-typed word, the space before it, or both."""


def heal(text: str) -> Healed:
    """Take the half-typed word and a single space before it back from the end of `text`.

    A number is not taken back, nor a word of more than 64 characters: that is data, not a name being typed. Nor is
    white space that indents a line or aligns a column.
    """
    start = len(text)
    while start and _in_word(text[start - 1]) and len(text) - start <= _LONGEST:
        start -= 1
    if text[start : start + 1].isdigit() or len(text) - start > _LONGEST:
        return Healed(text, "")
    if start > 1 and text[start - 1] == " " and not text[start - 2].isspace():
        start -= 1
    return Healed(text[:start], text[start:])


def _in_word(character: str) -> bool:
    """Identifier characters of all our languages: `$` is one in JavaScript and never ends Python before a name."""
    return character in "_$" or f"a{character}".isidentifier()
