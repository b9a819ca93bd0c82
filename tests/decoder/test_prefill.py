"""Reading a prompt with a warm cache is reading it with a cold one."""

from __future__ import annotations

import random
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoder.models.loading import load_model
from decoder.models.model import LOCAL
from decoder.prefill import prefill, shared_length
from tests.decoder.tiny_models import write_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from decoder.models.card import ModelCard
    from decoder.models.model import Logits, Model
    from decoder.models.vocabulary import Vocabulary

TOKENS = st.lists(st.integers(0, 3), max_size=8)


@given(one=TOKENS, other=TOKENS)
def test_shared_length_is_the_longest_common_beginning(one: list[int], other: list[int]) -> None:
    length = shared_length(one, other)
    assert one[:length] == other[:length]
    assert length == min(len(one), len(other)) or one[length] != other[length]


class CountingModel:
    """A cache without a network: says how it was driven, and sets `cancel` after some forwards."""

    card: ModelCard
    vocabulary: Vocabulary
    context = 1000
    device = "cpu"
    memory = 0
    abilities = LOCAL

    def __init__(self, cancel: Event | None = None, after: int = 0) -> None:
        self.tokens: list[int] = []
        self.calls: list[int] = []
        self._cancel, self._after = cancel, after

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        self.tokens.extend(tokens)
        self.calls.append(len(tokens))
        if self._cancel and len(self.calls) == self._after:
            self._cancel.set()
        return np.zeros((rows, 4), np.float32)

    def truncate(self, length: int) -> None:
        del self.tokens[length:]

    def branch(self) -> CountingModel:
        return CountingModel()


@given(before=TOKENS, tokens=st.lists(st.integers(0, 3), min_size=1, max_size=20), chunk=st.integers(1, 8))
def test_whatever_was_read_before_the_cache_holds_the_prompt(before: list[int], tokens: list[int], chunk: int) -> None:
    model = CountingModel()
    model.tokens = list(before)
    result = prefill(model, tokens, chunk=chunk)
    assert result is not None
    assert model.tokens == tokens
    assert len(result.logits) == 1
    assert result.reused == min(shared_length(before, tokens), len(tokens) - 1)
    assert sum(model.calls) == len(tokens) - result.reused
    assert max(model.calls) <= chunk


def test_a_cancelled_prompt_is_left_after_the_chunk_and_its_beginning_is_kept() -> None:
    cancel = Event()
    model = CountingModel(cancel, after=2)
    assert prefill(model, list(range(100)), cancel=cancel, chunk=10) is None
    assert model.tokens == list(range(20))
    cancel.clear()
    resumed = prefill(model, list(range(100)), chunk=10)
    assert resumed is not None
    assert resumed.reused == 20


def edits(seed: int, start: list[int], size: int) -> list[list[int]]:
    """Prompts as one types, deletes and jumps."""
    chance = random.Random(seed)
    prompts = [start]
    for _ in range(8):
        prompt = list(prompts[-1])
        place = chance.choice([len(prompt), len(prompt), len(prompt), chance.randrange(1, len(prompt))])
        new = [chance.randrange(9, size) for _ in range(chance.randrange(4))]
        prompts.append(prompt[: max(1, place - chance.randrange(3))] + new + prompt[place:])
    return prompts


def same(warm: Model, cold: Model, prompts: list[list[int]]) -> None:
    for prompt in prompts:
        cold.truncate(0)
        with_reuse, without = prefill(warm, prompt), prefill(cold, prompt)
        assert with_reuse is not None
        assert without is not None
        assert without.reused == 0
        assert with_reuse.logits.argmax() == without.logits.argmax()
        assert np.allclose(with_reuse.logits, without.logits, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), length=st.integers(2, 400))
def test_the_embedded_model_says_the_same_with_and_without_reuse(
    embedded_pair: tuple[Model, Model], seed: int, length: int
) -> None:
    start = [random.Random(seed).randrange(9, 8000) for _ in range(length)]
    same(*embedded_pair, edits(seed, start, 8000))


@pytest.fixture(scope="module")
def embedded_pair() -> tuple[Model, Model]:
    return load_model(threads=1, device="cpu"), load_model(threads=1, device="cpu")


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["starcoder2", "mistral", "qwen3_next"])
def test_sliding_windows_and_hybrids_say_the_same_with_and_without_reuse(architecture: str, tmp_path: Path) -> None:
    directory = str(write_model(architecture, tmp_path))
    warm, cold = (load_model(directory, threads=1, device="cpu", dtype="float32") for _ in range(2))
    for seed in range(5):
        same(warm, cold, edits(seed, list(range(9, 60)), 200))
