"""Our forward of a plain Llama is transformers' own: the same weights, the same tokens, logits apart by rounding."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

from decoder import embedded
from decoder.errors import OutOfDeviceMemoryError, UnsupportedModelError
from decoder.models import files as model_files
from decoder.models import loading
from decoder.models.llama import LlamaModel, Shape, network_of
from decoder.models.llama.keys_values import KeysValues
from decoder.models.llama.network import Network
from decoder.models.llama.slices import Slices, Written
from decoder.models.loading import load_model, load_through_transformers
from decoder.models.transformers_model import TransformersModel
from decoder.models.vocabulary import Vocabulary
from tests.decoder.tiny_models import write_model

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 3e-5
"""Largest difference of two logits, as a share of the largest logit of the row: float32 over a few layers."""

COLUMNS = 97
PLAIN: dict[str, Any] = {
    "vocab_size": COLUMNS,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": True,
}
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


def pair(directory: Path) -> tuple[LlamaModel, LlamaForCausalLM]:
    """Ours, and transformers' with the same numbers in float32."""
    vocabulary = Vocabulary([b"x"] * COLUMNS, encode=lambda _: [], special={}, end=frozenset())
    files = model_files.inspect(directory)
    shape = Shape.of(files.config)
    assert shape is not None
    theirs = LlamaForCausalLM.from_pretrained(directory, dtype=torch.float32)
    return LlamaModel(network_of(files, shape, threads=3), vocabulary, 4096), theirs


def afresh(network: LlamaForCausalLM, tokens: list[int]) -> np.ndarray:
    with torch.inference_mode():
        logits: np.ndarray = network(input_ids=torch.tensor([tokens]), use_cache=False).logits[0].numpy()
    return logits


def difference(one: np.ndarray, other: np.ndarray) -> float:
    assert one.shape == other.shape
    return float((np.abs(one - other).max(-1) / np.abs(other).max(-1)).max())


@pytest.fixture(scope="module", params=SHAPES)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - see pair
    return pair(random_llama(tmp_path_factory.mktemp("llama"), **SHAPES[request.param]))


TOKENS = st.lists(st.integers(0, COLUMNS - 1), min_size=1, max_size=40)
STEPS = st.lists(
    st.one_of(st.tuples(st.just("forward"), TOKENS), st.tuples(st.just("truncate"), st.floats(0, 1))), max_size=7
)


@pytest.mark.slow
@settings(max_examples=8)
@given(steps=STEPS)
def test_any_appending_and_rolling_back_gives_the_logits_of_transformers(both: Any, steps: list[Any]) -> None:  # noqa: ANN401 - a pair that the fixture makes
    ours, theirs = both
    ours.truncate(0)
    expected: list[int] = []
    for verb, argument in steps:
        if verb == "truncate":
            length = int(argument * len(expected))
            ours.truncate(length)
            del expected[length:]
        else:
            logits = ours.forward(argument, len(argument))
            expected += argument
            assert logits.dtype == np.float32
            assert difference(logits, afresh(theirs, expected)[-len(argument) :]) < TOLERANCE
        assert list(ours.tokens) == expected


@pytest.mark.slow
def test_a_long_text_read_in_portions_as_at_once(both: Any) -> None:  # noqa: ANN401 - likewise
    """Beyond the room that a cache begins with, and beyond the table of rotations."""
    ours, theirs = both
    tokens = [(place * 37) % COLUMNS for place in range(1_300)]
    wanted = afresh(theirs, tokens)
    for size in (1_300, 256, 17):
        ours.truncate(0)
        rows = [ours.forward(part, len(part)) for part in (tokens[at : at + size] for at in range(0, 1_300, size))]
        assert difference(np.concatenate(rows), wanted) < 10 * TOLERANCE  # 1,300 positions add up


def test_only_the_rows_asked_for_are_given(tmp_path: Path) -> None:
    ours, _ = pair(random_llama(tmp_path))
    whole = ours.forward([1, 2, 3, 4, 5], 5)
    ours.truncate(2)
    assert difference(ours.forward([3, 4, 5], 2), whole[-2:]) < TOLERANCE


def test_a_forward_without_memory_leaves_the_cache_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pair(random_llama(tmp_path))
    ours.forward([5, 6, 7])
    reserve = KeysValues.reserve

    def fail(past: KeysValues, positions: int, kept: int) -> None:
        reserve(past, positions, kept)
        past.layers[:, :, kept:positions] = np.nan  # as a forward that got so far would leave it
        raise MemoryError

    monkeypatch.setattr(KeysValues, "reserve", fail)
    with pytest.raises(OutOfDeviceMemoryError, match="5 tokens"):
        ours.forward([8, 9])
    monkeypatch.undo()
    assert list(ours.tokens) == [5, 6, 7]
    assert difference(ours.forward([8, 9], 2), afresh(theirs, [5, 6, 7, 8, 9])[-2:]) < TOLERANCE


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("fault", [MemoryError, KeyboardInterrupt])
def test_a_slice_that_fails_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, fault: type[BaseException]
) -> None:
    ours, theirs = pair(random_llama(tmp_path))
    ours.forward([5, 6, 7])
    attend = Network._attention

    def fail(network: Network, queries: np.ndarray, held: np.ndarray, future: np.ndarray) -> np.ndarray:
        if held.shape[1] == 3 + 65 * (failing + 1):
            raise fault
        return attend(network, queries, held, future)

    tokens = [place % COLUMNS for place in range(195)]
    monkeypatch.setattr(Network, "_attention", fail)
    with pytest.raises(OutOfDeviceMemoryError if fault is MemoryError else fault):
        ours.forward(tokens)
    monkeypatch.undo()
    assert list(ours.tokens) == [5, 6, 7]
    assert difference(ours.forward(tokens, 195), afresh(theirs, [5, 6, 7, *tokens])[-195:]) < 10 * TOLERANCE


@given(count=st.integers(1, 400), threads=st.integers(1, 5))
def test_slices_cover_all_tokens_and_each_layer_is_written_in_order(count: int, threads: int) -> None:
    layers, events, read_rows = 3, list[tuple[str, int, int]](), list[int]()

    def read(begin: int, end: int, written: Written) -> None:
        for layer in range(layers):
            events.append(("write", layer, begin))
            written(layer)
            events.append(("read", layer, begin))
        read_rows.extend(range(begin, end))

    Slices(threads).read(count, read)
    assert sorted(read_rows) == list(range(count))
    for place, (what, layer, begin) in enumerate(events):
        if what == "read":
            before = {other for kind, one, other in events[:place] if (kind, one) == ("write", layer)}
            assert {other for _, _, other in events if other < begin} <= before


def test_a_branch_has_a_cache_of_its_own(tmp_path: Path) -> None:
    ours, theirs = pair(random_llama(tmp_path))
    ours.forward([5, 6])
    branch = ours.branch()
    branch.forward([7])
    assert (list(ours.tokens), list(branch.tokens)) == ([5, 6], [7])
    assert difference(ours.forward([8]), afresh(theirs, [5, 6, 8])[-1:]) < TOLERANCE
    assert branch.memory <= ours.memory


@pytest.mark.parametrize(("tokens", "rows"), [([1, 2], 0), ([1, 2], 3), ([], 1)])
def test_rows_that_do_not_exist_are_refused(tmp_path: Path, tokens: list[int], rows: int) -> None:
    ours, _ = pair(random_llama(tmp_path))
    with pytest.raises(ValueError, match="rows"):
        ours.forward(tokens, rows)


@pytest.mark.parametrize("length", [-1, 4])
def test_truncating_to_more_than_there_is_is_refused(tmp_path: Path, length: int) -> None:
    ours, _ = pair(random_llama(tmp_path))
    ours.forward([1, 2, 3])
    with pytest.raises(ValueError, match="truncate"):
        ours.truncate(length)


def test_what_a_configuration_does_not_say_is_what_transformers_assumes() -> None:
    config = LlamaConfig()
    sizes = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    shape = Shape.of({"architectures": ["LlamaForCausalLM"], **{name: getattr(config, name) for name in sizes}})
    assert shape is not None
    assert shape == Shape.of(
        {"architectures": ["LlamaForCausalLM"], **config.to_dict()} | {"architectures": ["LlamaForCausalLM"]}
    )
    assert (shape.epsilon, shape.tied) == (config.rms_norm_eps, config.tie_word_embeddings)
    assert shape.base == LlamaConfig().to_dict()["rope_parameters"]["rope_theta"]


NOT_PLAIN: dict[str, dict[str, Any]] = {
    "another architecture": {"architectures": ["MistralForCausalLM"]},
    "no architecture": {"architectures": None},
    "biases in attention": {"attention_bias": True},
    "biases in the feed-forward": {"mlp_bias": True},
    "another activation": {"hidden_act": "gelu"},
    "stretched positions": {"rope_parameters": {"rope_theta": 10_000.0, "rope_type": "llama3"}},
    "stretched positions, as once written": {"rope_scaling": {"type": "linear", "factor": 2.0}},
    "rotations of half a head": {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
    "rotations that are no table": {"rope_parameters": [1]},
    "quantised": {"quantization_config": {"quant_method": "gptq"}},
    "heads that cannot be paired": {"head_dim": 7},
    "heads that do not share evenly": {"num_key_value_heads": 3},
    "a size in words": {"num_attention_heads": "four"},
    "no size": {"hidden_size": None},
    "nothing": {"num_hidden_layers": 0},
}


@pytest.mark.parametrize("changes", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
def test_what_is_not_plain_is_left_to_transformers(changes: dict[str, Any]) -> None:
    plain = {"architectures": ["LlamaForCausalLM"], **PLAIN}
    assert Shape.of(plain) is not None
    assert Shape.of({**plain, **changes}) is None


def test_weights_in_a_rare_number_type_are_told(tmp_path: Path) -> None:
    directory = random_llama(tmp_path)
    weights = load_file(directory / "model.safetensors")
    weights["model.norm.weight"] = weights["model.norm.weight"].to(torch.float64)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnsupportedModelError, match="are F64; F32, BF16 and F16 are read"):
        pair(directory)


ENGINES: dict[str, tuple[str, dict[str, Any], type]] = {
    "a small plain Llama": ("llama", {}, LlamaModel),
    "on the CPU": ("llama", {"device": "cpu", "dtype": "float32"}, LlamaModel),
    "in another number type": ("llama", {"device": "cpu", "dtype": "bfloat16"}, TransformersModel),
    "another architecture": ("qwen2", {"device": "cpu"}, TransformersModel),
}


@pytest.mark.slow
@pytest.mark.parametrize(("architecture", "options", "engine"), ENGINES.values(), ids=ENGINES.keys())
def test_who_computes_what(architecture: str, options: dict[str, Any], engine: type, tmp_path: Path) -> None:
    assert type(load_model(str(write_model(architecture, tmp_path)), **options)) is engine


@pytest.mark.slow
def test_a_large_model_is_left_to_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_SMALL", 1_000)
    assert type(load_model(str(write_model("llama", tmp_path)), device="cpu")) is TransformersModel


@pytest.mark.slow
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


def test_the_embedded_model_is_loaded_and_asked_without_torch() -> None:
    """Importing torch and transformers takes longer than a first suggestion may."""
    program = (
        "import json, sys\n"
        "from decoder import load_model\n"
        "model = load_model()\n"
        "model.forward(model.vocabulary.encode('def f():'))\n"
        "print(json.dumps([name for name in ('torch', 'transformers', 'huggingface_hub') if name in sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=embedded.path().parents[1], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []
