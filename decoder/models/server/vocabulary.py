"""The tokens of a model whose tokenizer is elsewhere, learnt from what the server says.

The prompt is text: `encode` cuts it into pieces of a few characters, which stand for it and go out as text. A token of
an answer gets a number when it is first seen. So a constraint, which asks what tokens write, works as with a
tokenizer; which tokens there are beside those seen is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

    from decoder.prompt.chat import ChatTemplate

_SEEN = 1 << 15
"""The most tokens that are told apart in answers: columns of a row."""
_PIECE = 3
"""Characters of a piece: code has 3 to 4 a token, so a prompt of so many pieces has room."""


class LearntVocabulary(Vocabulary):
    """Tokens as they are seen. Used on the model's thread only.

    Args:
        special: The markers' spellings, which go out as text; or as their ids, where the server has said them.
        ends: Those with which the model ends a text.
    """

    def __init__(
        self,
        special: Iterable[str],
        ends: Iterable[str],
        chat: ChatTemplate | None = None,
        ids: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        markers = {spelling: number for number, spelling in enumerate(dict.fromkeys(special))}
        end = frozenset(markers[spelling] for spelling in ends if spelling in markers) or frozenset({len(markers)})
        super().__init__([b""] * _SEEN, encode=self._pieces, special=markers, end=end, chat=chat)
        self._markers = {token: spelling for spelling, token in markers.items()}
        self._written = [b""] * _SEEN
        self._numbers: dict[bytes, int] = {}
        self._ids = {markers[spelling]: token for spelling, token in ids.items() if spelling in markers}
        """By token: its id on the server."""
        self._by_id = {token_id: token for token, token_id in self._ids.items()}
        self._next = len(markers) + 1
        self._texts: list[str] = []
        self._piece_numbers: dict[str, int] = {}
        self._order: tuple[tuple[bytes, ...], npt.NDArray[np.intp]] | None = None
        self.token_bytes = self._written  # type: ignore[assignment]  # grows as tokens are seen

    def number(self, written: bytes, token_id: int | None = None) -> int | None:
        """The number of a token that an answer has; None where no more can be told apart, or it writes nothing."""
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
            if self._next >= _SEEN:
                return None
            number = self._numbers[written] = self._next
            self._written[number] = written
            self._next += 1
            self._order = None
        self._remember(number, token_id)
        return number

    def spelled(self, tokens: Iterable[int]) -> str:
        """What goes out for some tokens: markers' spellings, pieces' texts, and what others write."""
        return b"".join(map(self._spelled, tokens)).decode("utf-8", "replace")

    def id_of(self, token: int) -> int | None:
        """The token's id on the server, where it has been said."""
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
        """See `Vocabulary`. It stays the same object, which goes on learning; other ends are not told apart."""
        self.end |= frozenset(token for token in end if token < _SEEN)
        return self

    def _spelled(self, token: int) -> bytes:
        if token >= _SEEN:
            return self._texts[token - _SEEN].encode()
        marker = self._markers.get(token)
        return self._written[token] if marker is None else marker.encode()

    def _remember(self, token: int, token_id: int | None) -> None:
        if token_id is not None:
            self._ids[token] = token_id
            self._by_id[token_id] = token

    def _pieces(self, text: str) -> list[int]:
        return [self._piece(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE)]

    def _piece(self, text: str) -> int:
        number = self._piece_numbers.get(text)
        if number is None:
            number = self._piece_numbers[text] = _SEEN + len(self._texts)
            self._texts.append(text)
        return number
