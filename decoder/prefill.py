"""Brings a model's cache to a prompt: keeps the part that it shares with the last prompt, and reads the rest.

While one types, a prompt differs from the last one only near its end, so nearly all tokens are kept. The logits are
those of reading the prompt from nothing, up to the rounding of another grouping (float32: about 1e-5, with the same
best token unless two are that close). Knows no devices and no prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from decoder.models.model import Logits, Model

CHUNK = 256
"""Tokens between two looks at `cancel`: about a sixth of a second for 82M parameters on two idle cores."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """The cache holds the prompt."""

    logits: Logits
    """After the last token of the prompt, float32 [1, vocabulary]."""
    reused: int
    """Tokens that the cache held already."""


def prefill(
    model: Model,
    tokens: Sequence[int],
    *,
    cancel: Event | None = None,
    chunk: int = CHUNK,
) -> Prefilled | None:
    """Make `model.tokens` equal `tokens`, of which there must be at least one.

    None where `cancel` was set before the end; what was read so far stays in the cache for the next request.

    Raises:
        OutOfDeviceMemoryError: the cache then holds a beginning of `tokens`.
    """
    reading = portions(model, tokens, chunk=chunk)
    while not (cancel and cancel.is_set()):
        if (prefilled := next(reading)) is not None:
            return prefilled
    return None


def portions(model: Model, tokens: Sequence[int], *, chunk: int = CHUNK) -> Iterator[Prefilled | None]:
    """The same in portions: None after each but the last, which brings the logits."""
    reused = min(shared_length(model.tokens, tokens), len(tokens) - 1)  # the last one is read again for its logits
    model.truncate(reused)
    if not model.abilities.is_whole:
        chunk = len(tokens)  # a server reads its prompt itself, and each row is a request
    start = reused
    while len(tokens) - start > chunk:
        model.forward(tokens[start : start + chunk])
        start += chunk
        yield None
    yield Prefilled(model.forward(tokens[start:]), reused)


def shared_length(one: Sequence[object], other: Sequence[object]) -> int:
    """How many elements two sequences have in common at their beginning."""
    shortest = min(len(one), len(other))
    if one[:shortest] == other[:shortest]:
        return shortest
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)
