"""Our forward of a plain Llama is transformers' own: the same weights, the same tokens, logits apart by rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from transformers import LlamaConfig, LlamaForCausalLM

from decoder.models import files as model_files
from decoder.models import loading
from decoder.models.card import ModelCard
from decoder.models.llama import LlamaModel, Shape, network_of
from decoder.models.loading import load_model, load_through_transformers
from decoder.models.transformers_model import TransformersModel
from decoder.models.vocabulary import Vocabulary
from tests.decoder.models.rolling_back import STEPS, Step, check_steps
from tests.decoder.models.textbook_llama import COLUMNS, PLAIN, difference
from tests.decoder.tiny_models import write_model

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

TOLERANCE = 3e-4
"""Largest difference of two logits, as a share of the largest logit of the row: float32 over a few layers. Of thousands
of drawn examples one over seven layers came to 6.0e-5; a wrong computation is off by tenths."""

Pair = tuple[LlamaModel, LlamaForCausalLM]

SHAPES: dict[str, dict[str, Any]] = {
    "each head its own keys": {},
    "two heads share keys": {"num_key_value_heads": 2},
    "all heads share keys": {"num_key_value_heads": 1},
    "one head": {"num_attention_heads": 1},
    "heads wider together than the model": {"head_dim": 24, "num_key_value_heads": 2},
    "an output matrix of its own": {"tie_word_embeddings": False},
    "another base": {"rope_theta": 500_000.0},
    "another epsilon": {"rms_norm_eps": 0.03},
    "deep": {"num_hidden_layers": 7, "num_key_value_heads": 2},
    "odd sizes": {"hidden_size": 30, "intermediate_size": 37, "num_attention_heads": 3, "head_dim": 10},
    "in bfloat16": {"dtype": torch.bfloat16},
    "in float16": {"dtype": torch.float16},
    "in several files": {"shard": "20KB"},
}


def random_llama(directory: Path, *, shard: str = "1GB", dtype: torch.dtype = torch.float32, **changes: Any) -> Path:  # noqa: ANN401 - a configuration's
    """Weights large enough that every part of the network is heard in the logits."""
    torch.manual_seed(11)
    network = LlamaForCausalLM(LlamaConfig(**{**PLAIN, **changes}))
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.3)
            else:
                parameter.uniform_(0.5, 1.5)
    network.to(dtype).save_pretrained(directory, max_shard_size=shard)  # type: ignore[arg-type]  # a decorator hides what `to` takes
    (directory / "tokenizer.json").write_text("{}")
    return directory


def pair(directory: Path) -> Pair:
    """Ours, and transformers' with the same numbers in float32."""
    vocabulary = Vocabulary([b"x"] * COLUMNS, encode=lambda _: [], special={}, end=frozenset())
    files = model_files.inspect(directory)
    shape = Shape.of(files.config)
    assert shape is not None
    theirs = LlamaForCausalLM.from_pretrained(directory, dtype=torch.float32)
    return LlamaModel(network_of(files, shape, threads=3), ModelCard.of(vocabulary), 4096), theirs


def afresh(network: LlamaForCausalLM, tokens: list[int]) -> np.ndarray:
    with torch.inference_mode():
        logits: np.ndarray = network(input_ids=torch.tensor([tokens]), use_cache=False).logits[0].numpy()
    return logits


@pytest.fixture(scope="module", params=SHAPES)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return pair(random_llama(tmp_path_factory.mktemp("llama"), **SHAPES[request.param]))


@settings(max_examples=8)
@given(steps=STEPS)
def test_any_appending_and_rolling_back_gives_the_logits_of_transformers(both: Pair, steps: list[Step]) -> None:
    ours, theirs = both
    check_steps(
        ours, steps, lambda tokens: afresh(theirs, tokens), lambda one, other: difference(one, other) < TOLERANCE
    )


def test_a_long_text_is_read_in_portions_as_at_once(both: Pair) -> None:
    """Beyond the room that a cache begins with, and beyond the table of rotations."""
    ours, theirs = both
    tokens = [(place * 37) % COLUMNS for place in range(1_300)]
    wanted = afresh(theirs, tokens)
    for size in (1_300, 256, 17):
        ours.truncate(0)
        rows = [ours.forward(part, len(part)) for part in (tokens[at : at + size] for at in range(0, 1_300, size))]
        assert difference(np.concatenate(rows), wanted) < 10 * TOLERANCE  # 1,300 positions add up


def test_what_a_configuration_does_not_say_is_what_transformers_assumes() -> None:
    config = LlamaConfig()
    sizes = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    shape = Shape.of({"architectures": ["LlamaForCausalLM"], **{name: getattr(config, name) for name in sizes}})
    assert shape is not None
    assert shape == Shape.of(config.to_dict() | {"architectures": ["LlamaForCausalLM"]})
    assert (shape.epsilon, shape.tied) == (config.rms_norm_eps, config.tie_word_embeddings)
    assert shape.base == config.to_dict()["rope_parameters"]["rope_theta"]


ENGINES: dict[str, tuple[str, dict[str, Any], type]] = {
    "a small plain Llama": ("llama", {}, LlamaModel),
    "on the CPU": ("llama", {"device": "cpu", "dtype": "float32"}, LlamaModel),
    "in another number type": ("llama", {"device": "cpu", "dtype": "bfloat16"}, TransformersModel),
    "another architecture": ("qwen2", {"device": "cpu"}, TransformersModel),
}


@pytest.mark.parametrize(("architecture", "options", "engine"), ENGINES.values(), ids=ENGINES.keys())
def test_who_computes_what(architecture: str, options: dict[str, Any], engine: type, tmp_path: Path) -> None:
    assert type(load_model(str(write_model(architecture, tmp_path)), **options)) is engine


def test_a_large_model_is_left_to_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "SMALL", 1_000)
    assert type(load_model(str(write_model("llama", tmp_path)), device="cpu")) is TransformersModel


def test_the_embedded_model_says_what_transformers_has_it_say() -> None:
    ours, theirs = load_model(), load_through_transformers(dtype="float32", threads=1)
    assert isinstance(ours, LlamaModel)
    assert (ours.context, ours.vocabulary.end, ours.device, ours.dtype) == (
        theirs.context, theirs.vocabulary.end, theirs.device, theirs.dtype,
    )  # fmt: skip
    tokens = [(place * 37) % 4000 + 300 for place in range(600)]
    wanted = theirs.forward(tokens, 600)
    assert difference(ours.forward(tokens, 600), wanted) < TOLERANCE
    ours.truncate(300)
    for start in range(300, 600, 17):
        part = tokens[start : start + 17]
        assert difference(ours.forward(part, len(part)), wanted[start : start + 17]) < TOLERANCE
    ours.truncate(500)
    single = np.concatenate([ours.forward([token]) for token in tokens[500:]])
    assert difference(single, wanted[500:]) < TOLERANCE
    assert (single.argmax(-1) == wanted[500:].argmax(-1)).all()
