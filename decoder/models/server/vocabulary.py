"""The tokens of a model whose tokenizer cannot be read here, learnt from the server's answers.

A token of an answer gets a number of our own when it is first seen. So a constraint, which asks what tokens write,
works as with a tokenizer. Tokens that no answer has named are not known. The prompt is text: `encode` cuts it into
pieces of a few characters and numbers them, and `spell` turns the numbers back into the text that is sent.

Numbers, in this order: the markers, one that stands for the end where the server names no end, the tokens of answers
up to `_MOST_TOKENS`, the pieces of prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

_MOST_TOKENS = 1 << 15
"""The most markers and tokens of answers: the columns of a row."""
_PIECE_LENGTH = 3
"""Characters of a piece. A token of code has 3 to 4, so a prompt that fits as pieces fits as the server's tokens."""


class LearntVocabulary(Vocabulary):
    """Tokens as they are seen. Used on the model's thread only.

    Args:
        special: The spellings of the model's markers.
        ends: The markers with which the model ends a text.
        ids: The server's ids of markers, as far as it has said them.
    """

    def __init__(
        self,
        special: Iterable[str],
        ends: Iterable[str],
        ids: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        markers = {spelling: number for number, spelling in enumerate(dict.fromkeys(special))}
        named_ends = frozenset(markers[spelling] for spelling in ends if spelling in markers)
        end = named_ends or frozenset({len(markers)})  # the decoder needs one
        super().__init__([b""] * _MOST_TOKENS, encode=self._encode_pieces, special=markers, end=end)
        self._markers = {token: spelling for spelling, token in markers.items()}
        self._written = [b""] * _MOST_TOKENS
        self._numbers: dict[bytes, int] = {}
        """By what a token of an answer writes: its number."""
        self._ids = {markers[spelling]: token for spelling, token in ids.items() if spelling in markers}
        """By token: its id on the server."""
        self._by_id = {token_id: token for token, token_id in self._ids.items()}
        self._next = len(markers) + 1
        """The number of the next new token."""
        self._pieces: list[str] = []
        """The pieces of prompts; piece i has the number `_MOST_TOKENS` + i."""
        self._piece_numbers: dict[str, int] = {}
        self._order: tuple[tuple[bytes, ...], npt.NDArray[np.intp]] | None = None
        """`in_order`, until a new token is seen."""
        self.token_bytes = self._written  # type: ignore[assignment]  # grows as tokens are seen

    def number(self, written: bytes, token_id: int | None = None) -> int | None:
        """The number of a token in an answer, which is learnt if it is new.

        None where the vocabulary is full, or where the token writes nothing and is no known marker.
        """
        if token_id is not None and (known := self._by_id.get(token_id)) is not None:
            return known
        marker = self.special.get(written.decode("utf-8", "replace"))
        if marker is not None:
            self._remember(marker, token_id)
            return marker
        if not written:
            return None
        number = self._numbers.get(written)
        if number is None:
            if self._next >= _MOST_TOKENS:
                return None
            number = self._numbers[written] = self._next
            self._written[number] = written
            self._next += 1
            self._order = None
        self._remember(number, token_id)
        return number

    def spell(self, tokens: Iterable[int]) -> str:
        """The text that is sent for some tokens: markers as they are spelled, and what the others write."""
        return b"".join(map(self._bytes_of, tokens)).decode("utf-8", "replace")

    def decode(self, tokens: Sequence[int]) -> str:
        """See `Vocabulary`. The tokens may be those of a prompt."""
        return self.spell(tokens)

    def first_of(self, text: str) -> frozenset[int]:  # noqa: ARG002 - nobody knows the server's tokenizer
        """See `Vocabulary`. Always empty: how the server's tokenizer begins a text is not known."""
        return frozenset()

    def id_of(self, token: int) -> int | None:
        """The token's id on the server; None where the server has not said it."""
        return self._ids.get(token)

    @property
    def in_order(self) -> tuple[tuple[bytes, ...], npt.NDArray[np.intp]]:
        """See `Vocabulary`."""
        if self._order is None:
            tokens = sorted(self._numbers.items())
            self._order = tuple(text for text, _ in tokens), np.array([token for _, token in tokens], np.intp)
        return self._order

    @property
    def longest(self) -> int:
        """See `Vocabulary`."""
        return max(map(len, self._numbers), default=0)

    def ended_by(self, end: frozenset[int]) -> Vocabulary:
        """See `Vocabulary`. Returns the same object, as it goes on learning; `end` is added to its end tokens."""
        self.end |= frozenset(token for token in end if token < _MOST_TOKENS)
        return self

    def _bytes_of(self, token: int) -> bytes:
        if token >= _MOST_TOKENS:
            return self._pieces[token - _MOST_TOKENS].encode()
        marker = self._markers.get(token)
        return self._written[token] if marker is None else marker.encode()

    def _remember(self, token: int, token_id: int | None) -> None:
        """Note the server's id of a token, if it was said."""
        if token_id is not None:
            self._ids[token] = token_id
            self._by_id[token_id] = token

    def _encode_pieces(self, text: str) -> list[int]:
        """The numbers of the pieces of a prompt; this is `encode`."""
        starts = range(0, len(text), _PIECE_LENGTH)
        return [self._piece_number(text[start : start + _PIECE_LENGTH]) for start in starts]

    def _piece_number(self, piece: str) -> int:
        number = self._piece_numbers.get(piece)
        if number is None:
            number = self._piece_numbers[piece] = _MOST_TOKENS + len(self._pieces)
            self._pieces.append(piece)
        return number
