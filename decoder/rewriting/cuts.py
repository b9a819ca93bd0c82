"""Where a tokenizer cuts: the tokens of a text by their places, and the one that goes on with a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.models.vocabulary import Vocabulary


def cuts(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """The tokens of a text, each with the character that it begins with; none that begins within one."""
    place, begun = 0, b""
    for token in vocabulary.encode(text):
        if not begun:
            yield place, token
        begun += vocabulary.token_bytes[token]
        try:
            place += len(begun.decode())
        except UnicodeDecodeError:
            continue
        begun = b""


def rest_of(word: str, begun: str, vocabulary: Vocabulary) -> list[int]:
    """Tokens that go on with a word: the one with which a tokenizer does; behind others a model loses its way."""
    for text in (word, f" {word}"):
        written = ""
        for token in vocabulary.encode(text):
            if written.strip() == begun:
                return [token]
            written += vocabulary.token_bytes[token].decode("utf-8", "ignore")
    return list(vocabulary.beginning_of(word[len(begun) :].encode("utf-8", "ignore")))
