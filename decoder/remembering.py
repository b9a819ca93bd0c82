"""A model in front of another that reads nothing twice: what has been read once has its logits at once.

Outputs of one suggestion begin alike, and each turns back to where the ones before it did. Their tokens stay in the
other's cache as long as they stand behind one another; where they do not, they are read in one go once a new token
follows them. Knows nothing of outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Logits, Model

_MOST: Final = 32_000_000
"""Bytes of logits that are kept: 490 rows of the embedded model, 53 of one with 150,000 tokens."""


class Remembering:
    """The other model, with the logits behind all that it reads token by token. Belongs to one request.

    Args:
        model: Nobody else uses it meanwhile.
    """

    def __init__(self, model: Model) -> None:
        self.vocabulary = model.vocabulary
        self.context = model.context
        self.device = model.device
        self.exact = model.exact
        self.rolls_back = model.rolls_back
        self._model = model
        self._tokens = [*model.tokens]
        self._shared = len(self._tokens)
        """So many tokens at least does the other's cache begin with as well."""
        self._known: dict[tuple[int, ...], Logits] = {}
        """By tokens, float32 [1, vocabulary] behind them."""
        self._room = _MOST

    @property
    def tokens(self) -> Sequence[int]:
        """What has been read and not taken back; the other's cache may hold less of it, and more behind that."""
        return self._tokens

    @property
    def memory(self) -> int:
        """See `Model`; logits belong to the processor's memory and are not counted."""
        return self._model.memory

    def branch(self) -> Model:
        """The other's; it remembers nothing."""
        return self._model.branch()

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens."""
        del self._tokens[length:]
        self._shared = min(self._shared, length)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """See `Model`. What is given for several rows is not remembered."""
        whole = (*self._tokens, *tokens)
        known = self._known.get(whole) if rows == 1 else None
        if known is None:
            known = self._read(whole, rows)
            if rows == 1 and known.nbytes <= self._room:
                self._room -= known.nbytes
                self._known[whole] = known
        self._tokens.extend(tokens)
        return known

    def _read(self, whole: tuple[int, ...], rows: int) -> Logits:
        held, most = self._model.tokens, len(whole) - rows
        shared = min(self._shared, most)
        while shared < min(len(held), most) and held[shared] == whole[shared]:
            shared += 1
        self._model.truncate(shared)
        self._shared = shared
        logits = self._model.forward(whole[shared:], rows)
        self._shared = len(whole)
        return logits
