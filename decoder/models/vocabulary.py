"""A tokenizer as the decode loop sees it: the bytes of every token, and the tokens that begin with a given text.

Tokens are byte strings: a token may end inside a UTF-8 character, so only whole sequences decode to text.
`tokenizer_bytes` makes a `Vocabulary`, and so does `server.tokenizer`.
"""

from __future__ import annotations

import string
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from decoder.models.line_tokens import LineTokens

if TYPE_CHECKING:
    import numpy.typing as npt


_FOLLOWING = ("", *string.ascii_lowercase, "A", "0", "_", "(", ".", " ", ":", "=")
"""Samples of what may follow a half-typed word; other letters seldom change how the word is divided into tokens."""
_FIRSTS_KEPT = 1024
"""Texts whose `first_of` is cached; beyond, the cache is emptied."""


class Vocabulary:
    """The tokens of a model.

    Args:
        token_bytes: The bytes of each token; `b""` for special tokens and unused columns of the model.
        encode: Returns the tokens of a text, as the model was trained to read it, without special tokens.
        special: The special tokens, by their spelling in the tokenizer.
        end: The tokens by which the model ends a text.
    """

    def __init__(
        self,
        token_bytes: Sequence[bytes],
        *,
        encode: Callable[[str], list[int]],
        special: Mapping[str, int],
        end: frozenset[int],
    ) -> None:
        self.token_bytes = tuple(token_bytes)
        self.encode = encode
        self.special = MappingProxyType(dict(special))
        self.end = end
        self._ended_by: dict[frozenset[int], Vocabulary] = {}
        self._first_of: dict[str, frozenset[int]] = {}

    def ended_by(self, end: frozenset[int]) -> Vocabulary:
        """The same tokens with other end tokens, which then write nothing. Equal arguments give the same object."""
        if end == self.end:
            return self
        ended = self._ended_by.get(end)
        if ended is None:
            written = [b"" if token in end else text for token, text in enumerate(self.token_bytes)]
            ended = self._ended_by[end] = Vocabulary(written, encode=self.encode, special=self.special, end=end)
        return ended

    @property
    def size(self) -> int:
        """Columns of the model's logits."""
        return len(self.token_bytes)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of a sequence; bytes that are no UTF-8 become U+FFFD."""
        return b"".join(self.token_bytes[token] for token in tokens).decode("utf-8", "replace")

    def starting_with(self, prefix: bytes) -> npt.NDArray[np.intp]:
        """Tokens whose bytes begin with `prefix`, in the order of their bytes."""
        spellings, tokens = self.in_order
        after = _successor(prefix)
        return tokens[bisect_left(spellings, prefix) : bisect_left(spellings, after) if after else len(spellings)]

    def writing(self, text: bytes) -> Sequence[int]:
        """Tokens whose bytes are `text`, which is not empty."""
        spellings, tokens = self.in_order
        same: list[int] = tokens[bisect_left(spellings, text) : bisect_left(spellings, text + b"\0")].tolist()
        return same

    def beginning_of(self, text: bytes) -> Iterator[int]:
        """Tokens whose bytes are a non-empty beginning of `text`, shortest first."""
        spellings, tokens = self.in_order
        for length in range(1, min(len(text), self.longest) + 1):
            place = bisect_left(spellings, text[:length])
            while place < len(spellings) and spellings[place] == text[:length]:
                yield int(tokens[place])
                place += 1

    def fitting(self, required: bytes) -> npt.NDArray[np.intp]:
        """Tokens with which a text that begins with `required` may begin, each once.

        First those that cover all of `required`, then the shorter ones.
        """
        return np.concatenate([self.starting_with(required), np.array([*self.beginning_of(required[:-1])], np.intp)])

    def first_of(self, text: str) -> frozenset[int]:
        """The tokens with which `encode` begins texts that begin with `text`, judged by common continuations."""
        firsts = self._first_of.get(text)
        if firsts is None:
            if len(self._first_of) >= _FIRSTS_KEPT:
                self._first_of.clear()
            first_tokens = (self.encode(text + following)[:1] for following in _FOLLOWING)
            firsts = self._first_of[text] = frozenset(token for tokens in first_tokens for token in tokens)
        return firsts

    @cached_property
    def lines(self) -> LineTokens:
        """`encode`, line by line and cached."""
        return LineTokens(self.encode)

    @cached_property
    def longest(self) -> int:
        """Bytes of the longest token."""
        return max(map(len, self.token_bytes), default=0)

    @cached_property
    def in_order(self) -> tuple[tuple[bytes, ...], npt.NDArray[np.intp]]:
        """The bytes of all tokens that write something, sorted, and the tokens in the same order.

        So tokens with a common prefix are neighbours.
        """
        spellings = self.token_bytes
        tokens = sorted((token for token, text in enumerate(spellings) if text), key=spellings.__getitem__)
        return tuple(spellings[token] for token in tokens), np.array(tokens, np.intp)


def _successor(prefix: bytes) -> bytes:
    """The smallest byte string greater than everything that begins with `prefix`; empty where there is none."""
    trimmed = prefix.rstrip(b"\xff")
    return trimmed[:-1] + bytes([trimmed[-1] + 1]) if trimmed else b""
