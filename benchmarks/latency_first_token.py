"""The first token after a long prompt while one types: with the cache of the last keystroke, and from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks.timing import milliseconds, spread, spread_text
from decoder import load_model
from decoder.models.transformers_model import TransformersModel
from decoder.prefill import Prefilled, prefill
from decoder.prompt import heal

if TYPE_CHECKING:
    from benchmarks.latency_sessions import TypingSession
    from decoder.models.model import Model
    from decoder.models.vocabulary import Vocabulary

_SUFFIX_SHARE = 4
"""The suffix is one in so many tokens of the prompt, as in the packer's prompts."""
_CONTEXT = 2048
"""Tokens that the random model has room for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The times of first tokens in one session, a key each, in milliseconds."""

    warm: list[float]
    """With the cache of the last keystroke."""
    cold: list[float]
    """With an empty cache."""
    is_identical: bool
    """Whether both gave the same best token at every keystroke."""
    difference: float
    """The largest difference between two logits of the same prompt."""
    tokens: int
    """Length of the prompt at the last keystroke."""

    @property
    def ratio(self) -> float:
        """How many times faster the median is with the cache."""
        return float(np.median(self.cold) / np.median(self.warm))

    def as_json(self) -> dict[str, object]:
        """The figures as data, for `--json`."""
        return {
            "prompt_tokens": self.tokens,
            "warm_ms": spread(self.warm),
            "cold_ms": spread(self.cold),
            "ratio": round(self.ratio, 2),
            "identical": self.is_identical,
            "largest_difference": self.difference,
        }

    def cells(self) -> tuple[str, ...]:
        """The cells of a printed row: with the cache, from nothing, and the ratio."""
        same = "identical" if self.is_identical else "DIFFERENT"
        return spread_text(self.warm), spread_text(self.cold), f"x{self.ratio:.1f}, {same}"


def compare(model: Model, session: TypingSession, size: int) -> Compared:
    """Type the session after a prompt of at least `size` tokens; at each key both ways take their turn."""
    other = model.branch()
    prompts = list(_prompts(model.vocabulary, session, size))
    warm, cold, identical, difference = [], [], True, 0.0
    prefill(model, prompts[0])
    for prompt in prompts[1:]:
        results: list[Prefilled] = []
        warm.append(milliseconds(_reader(model, prompt, results)))
        other.truncate(0)
        cold.append(milliseconds(_reader(other, prompt, results)))
        warm_logits, cold_logits = (result.logits[-1] for result in results)
        identical &= bool(warm_logits.argmax() == cold_logits.argmax())
        difference = max(difference, float(np.abs(warm_logits - cold_logits).max()))
    return Compared(warm, cold, identical, difference, len(prompts[-1]))


def _reader(model: Model, prompt: list[int], results: list[Prefilled]) -> Callable[[], None]:
    """A function that reads the prompt and appends its result, to be timed."""

    def read() -> None:
        result = prefill(model, prompt)
        assert result is not None  # noqa: S101 - nothing cancels it
        results.append(result)

    return read


def _prompts(vocabulary: Vocabulary, session: TypingSession, size: int) -> list[list[int]]:
    """The prompt after each key: the suffix, then the prefix, in tokens.

    The prefix begins at the line that makes the first prompt at least `size` tokens long, at every key.
    """
    suffix = vocabulary.encode(session.after[: size * 8])[: size // _SUFFIX_SHARE]
    special = vocabulary.special
    head = [special["<|lang_py|>"], special["<|fim_suffix|>"], *suffix, special["<|fim_prefix|>"]]
    start = len(session.before)
    while start > 0 and len(head) + len(vocabulary.encode(session.before[start:])) < size:
        start = session.before.rfind("\n", 0, start - 1) + 1
    middle = special["<|fim_middle|>"]
    return [[*head, *vocabulary.encode(heal(prefix).prefix[start:]), middle] for prefix in session.prefixes()]


def random_model() -> TransformersModel:
    """A model of 82 million random float32 weights with the embedded model's vocabulary; only its speed is of use."""
    card = load_model(device="cpu").card
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=card.vocabulary.size,
        hidden_size=768,
        intermediate_size=2048,
        num_hidden_layers=12,
        num_attention_heads=12,
        num_key_value_heads=4,
        max_position_embeddings=_CONTEXT,
        tie_word_embeddings=True,
    )
    return TransformersModel(LlamaForCausalLM(config), card, _CONTEXT)
