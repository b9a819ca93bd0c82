"""A plain Llama with the interface of the decode loop (`decoder.models.model.Model`).

`loading` makes it for the built-in model and others as small. One object belongs to one thread; branches share the
network.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoder.errors import OutOfDeviceMemoryError
from decoder.models.card import ModelCard
from decoder.models.llama.keys_values import KeysValues
from decoder.models.llama.network import Network
from decoder.models.model import LOCAL, Logits


class LlamaModel:
    """A network with a cache.

    Args:
        network: The weights, and what computes with them.
        card: Its vocabulary has as many tokens as `network` has columns of logits.
        context: The longest sequence it was trained for, in tokens.
    """

    device = "cpu"
    dtype = "float32"
    abilities = LOCAL

    def __init__(self, network: Network, card: ModelCard, context: int) -> None:
        self.card, self.vocabulary = card, card.vocabulary
        self.context = context
        self._network = network
        self._past = KeysValues(network.shape)
        self._tokens: list[int] = []

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens in the cache, oldest first. A view: it changes with the cache."""
        return self._tokens

    @property
    def memory(self) -> int:
        """Bytes of the weights and the cache."""
        return self._network.nbytes + self._past.nbytes

    def branch(self) -> LlamaModel:
        """The same network with an empty cache of its own."""
        return LlamaModel(self._network, self.card, self.context)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens` (at least one) to the cache; the logits after each of the last `rows` of them.

        Raises:
            OutOfDeviceMemoryError: the cache is then as it was before the call.
        """
        if not 1 <= rows <= len(tokens):
            raise ValueError(f"{rows} rows of logits were asked for, of {len(tokens)} tokens")
        try:
            logits = self._network.forward(tokens, rows, self._past, len(self._tokens))
        except MemoryError as error:
            raise OutOfDeviceMemoryError(
                f"no room on cpu for {len(self._tokens) + len(tokens)} tokens: use a smaller context."
            ) from error
        self._tokens.extend(tokens)
        return logits

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens of the cache."""
        if not 0 <= length <= len(self._tokens):
            raise ValueError(f"cannot truncate a cache of {len(self._tokens)} tokens to {length}")
        del self._tokens[length:]
