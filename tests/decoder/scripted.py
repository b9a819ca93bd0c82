"""A byte-level vocabulary, names and a scripted model: the whole decoder in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from context_index.symbols import Name, NameKind, Origin
from decoder.models.card import ModelCard
from decoder.models.model import LOCAL, Logits
from decoder.models.vocabulary import Vocabulary

END = 256
PIECES = (b"total", b"return ", b"const ", b"    ", b");", b"\n    ", "é".encode()[:1], b"items", b".length")
"""A few longer tokens, as real tokenizers have them, and the first byte of a character a second time."""
TOKENS = (*(bytes([value]) for value in range(256)), b"", *PIECES)
"""The bytes of each token; `END` has none."""


def byte_vocabulary(markers: Mapping[str, int] = MappingProxyType({})) -> Vocabulary:
    """`TOKENS`; text is encoded byte by byte. A marker has the number of a byte that tests do not write."""
    special = {"<end>": END, **markers}
    return Vocabulary(TOKENS, encode=lambda text: list(text.encode()), special=special, end=frozenset({END}))


def token(piece: bytes) -> int:
    """The token whose bytes `piece` is."""
    return TOKENS.index(piece)


def variables(*names: str, distance: int = 0) -> dict[str, Name]:
    """Names that are visible at a place, as many scopes away."""
    return {name: Name(name, NameKind.VARIABLE, Origin.LOCAL, distance) for name in names}


class ScriptedModel:
    """Prefers at each step what `script` says for the output so far.

    Args:
        script: From the tokens after the prompt to logits, float32 [vocabulary].
    """

    def __init__(self, script: Callable[[Sequence[int]], np.ndarray], *, prompt_length: int | None = None) -> None:
        self.card = ModelCard.of(byte_vocabulary())
        self.context = 4096
        self.device = "cpu"
        self.memory = 0
        self.abilities = LOCAL
        self.tokens: list[int] = []
        self.forwarded = 0
        """Tokens read in all, cached ones not counted again."""
        self._script = script
        self._prompt_length = prompt_length

    @property
    def vocabulary(self) -> Vocabulary:
        """The card's."""
        return self.card.vocabulary

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens; logits after the last `rows` of them."""
        if self._prompt_length is None:
            self._prompt_length = len(self.tokens) + len(tokens)
        self.tokens.extend(tokens)
        self.forwarded += len(tokens)
        ends = range(len(self.tokens) - rows + 1, len(self.tokens) + 1)
        return np.stack([self._script(self.tokens[self._prompt_length : end]) for end in ends]).astype(np.float32)

    def branch(self) -> ScriptedModel:
        """The same script, nothing read."""
        return ScriptedModel(self._script, prompt_length=self._prompt_length)

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens."""
        del self.tokens[length:]


def says(*pieces: bytes) -> ScriptedModel:
    """A model that wants to say these tokens in this order, then end, whatever it was made to say instead of one.

    Second to its favourite it prefers the end, then low bytes.
    """
    wanted = [token(piece) for piece in pieces] + [END]

    def script(output: Sequence[int]) -> np.ndarray:
        logits = -np.arange(len(TOKENS), dtype=np.float32) / 100
        logits[END] = 5
        logits[wanted[min(len(output), len(wanted) - 1)]] = 10
        return logits

    return ScriptedModel(script)


def letters(text: str) -> tuple[bytes, ...]:
    """The text as single bytes."""
    return tuple(bytes([value]) for value in text.encode())


def randomly(seed: int) -> ScriptedModel:
    """A model whose logits are noise, the same for the same seed and output."""

    def script(output: Sequence[int]) -> np.ndarray:
        return np.random.default_rng([seed, *output]).normal(size=len(TOKENS))

    return ScriptedModel(script)


def thinks(texts: Mapping[str, float]) -> ScriptedModel:
    """A model that gives whole texts these probabilities; a byte has that of all texts that go on with it.

    Beside the output of such a text, all that it might write next is equally improbable.
    """

    def script(output: Sequence[int]) -> np.ndarray:
        written = b"".join(TOKENS[one] for one in output)
        following: dict[int, float] = {}
        for text, probability in texts.items():
            whole = text.encode()
            if whole.startswith(written):
                after = whole[len(written)] if whole != written else END
                following[after] = following.get(after, 0.0) + probability
        logits = np.full(len(TOKENS), -40.0, dtype=np.float32)
        for after, probability in following.items():
            logits[after] = math.log(probability / sum(following.values()))
        return logits

    return ScriptedModel(script)
