"""Models that answer a rewrite with what a function makes of the original: the content is given, the rest is real."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

import numpy as np

from decoder.models.card import ModelCard
from decoder.models.model import Logits
from decoder.prompt.layouts import JAVASCRIPT, MIDDLE, PREFIX, PYTHON, SUFFIX
from tests.decoder.scripted import END, TOKENS, ScriptedModel, byte_vocabulary

_BEFORE, _AFTER = b"Before:\n", b" After this change: "


class Forced(ScriptedModel):
    """Reads the original out of the prompt for models without instructions, and wants to write the changed one.

    Args:
        hold: Forwards wait until it is set; `waits` is set while one does.
    """

    def __init__(self, change: Callable[[str], str], hold: Event | None = None, waits: Event | None = None) -> None:
        super().__init__(lambda _written: np.zeros(0))
        self._change = change
        self._hold, self._waits = hold, waits
        self._wanted: list[int] | None = None
        self._start = 0

    def branch(self) -> Forced:
        """The same, nothing read."""
        return Forced(self._change, self._hold, self._waits)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens; logits that want the forced text."""
        if self._hold is not None and self._wanted is not None and not self._hold.is_set():
            if self._waits is not None:
                self._waits.set()
            self._hold.wait(30)
        self.tokens.extend(tokens)
        if self._wanted is None:
            self._read()
        ends = range(len(self.tokens) - rows + 1, len(self.tokens) + 1)
        return np.stack([self._row(end) for end in ends])

    def _read(self) -> None:
        """Once the prompt is there, know what to say."""
        text = bytes(token % 256 for token in self.tokens)
        place = text.find(_AFTER)
        end = text.find(b"\n", place)
        if place < 0 or end < 0:
            return
        original = text[text.index(_BEFORE) + len(_BEFORE) : text.rindex(b"\n\n", 0, place)].decode()
        self._wanted, self._start = [*self._change(original).encode(), END], end + 1

    def _row(self, end: int) -> np.ndarray:
        logits = np.zeros(len(TOKENS), dtype=np.float32)
        logits[END] = 4  # so improbable beside what is wanted that no search tries it
        if self._wanted is not None:
            logits[self._wanted[min(max(0, end - self._start), len(self._wanted) - 1)]] = 10
        return logits


class BuiltIn(Forced):
    """The same with the built-in model's markers, so that its prompt is that model's.

    Args:
        surety: The logit of what it wants to write; that of the other tokens is 0.
    """

    def __init__(self, change: Callable[[str], str], surety: float = 10) -> None:
        super().__init__(change)
        self._surety = surety
        self.card = ModelCard.of(byte_vocabulary(_MARKERS))

    def branch(self) -> BuiltIn:
        """The same, nothing read."""
        return BuiltIn(self._change, self._surety)

    def _read(self) -> None:
        """The original is between two markers; the second ends the prompt."""
        if _MARKERS[MIDDLE] not in self.tokens:
            return
        start, self._start = self.tokens.index(_MARKERS[SUFFIX]) + 1, self.tokens.index(_MARKERS[MIDDLE]) + 1
        original = bytes(self.tokens[start : self._start - 1]).decode()
        self._wanted = [*self._change(original).encode(), END]

    def _row(self, end: int) -> np.ndarray:
        return super()._row(end) * self._surety / 10


_MARKERS = {PYTHON: 1, JAVASCRIPT: 2, PREFIX: 3, SUFFIX: 4, MIDDLE: 5}
"""Bytes that no source has."""


def said(text: str) -> Forced:
    """A model that answers with this, whatever the original."""
    return Forced(lambda _original: text)
