"""Our forward of a plain Llama: the textbook's logits, and a cache that is whole whatever happens.

Against transformers, in every number type and in several files: `test_llama`, which is slow.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from decoder import embedded
from decoder.errors import OutOfDeviceMemoryError, UnsupportedModelError
from decoder.models.llama import Shape
from decoder.models.llama.keys_values import KeysValues
from decoder.models.llama.network import Network
from decoder.models.llama.slices import LayerDone, Slices
from tests.decoder.models.textbook_llama import COLUMNS, PLAIN, difference, read_llama, textbook, write_llama

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 3e-5
"""Largest difference of two logits, as a share of the largest logit of the row: float32 over a few layers."""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"num_key_value_heads": 2, "head_dim": 24, "rope_theta": 500_000.0},
        {"num_key_value_heads": 1, "tie_word_embeddings": False, "rms_norm_eps": 0.03},
        {"dtype": np.float16, "num_hidden_layers": 3, "num_attention_heads": 1},
    ],
)
def test_logits_are_the_textbooks_however_tokens_are_grouped(changes: dict[str, Any], tmp_path: Path) -> None:
    ours = read_llama(write_llama(tmp_path, **changes))
    tokens = [(place * 37) % COLUMNS for place in range(90)]
    wanted = textbook(tmp_path, tokens)
    for sizes in ([90], [1, 2, 30, 57], [1] * 90):
        ours.truncate(0)
        rows, start = [], 0
        for size in sizes:
            rows.append(ours.forward(tokens[start : start + size], size))
            start += size
        assert rows[0].dtype == np.float32
        assert difference(np.concatenate(rows), wanted) < TOLERANCE


def test_only_the_rows_asked_for_are_given(tmp_path: Path) -> None:
    ours = read_llama(write_llama(tmp_path))
    whole = ours.forward([1, 2, 3, 4, 5], 5)
    ours.truncate(2)
    assert difference(ours.forward([3, 4, 5], 2), whole[-2:]) < TOLERANCE


def test_a_forward_without_memory_leaves_the_cache_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = read_llama(write_llama(tmp_path))
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
    assert difference(ours.forward([8, 9], 2), textbook(tmp_path, [5, 6, 7, 8, 9])[-2:]) < TOLERANCE


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("fault", [MemoryError, KeyboardInterrupt])
def test_a_slice_that_fails_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, fault: type[BaseException]
) -> None:
    ours = read_llama(write_llama(tmp_path))
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
    assert difference(ours.forward(tokens, 195), textbook(tmp_path, [5, 6, 7, *tokens])[-195:]) < 10 * TOLERANCE


@given(count=st.integers(1, 400), threads=st.integers(1, 5))
def test_slices_cover_all_tokens_and_each_layer_is_written_in_order(count: int, threads: int) -> None:
    layers, events, read_rows = 3, list[tuple[str, int, int]](), list[int]()

    def read(begin: int, end: int, layer_done: LayerDone) -> None:
        for layer in range(layers):
            events.append(("write", layer, begin))
            layer_done(layer)
            events.append(("read", layer, begin))
        read_rows.extend(range(begin, end))

    Slices(threads).read(count, read)
    assert sorted(read_rows) == list(range(count))
    for place, (what, layer, begin) in enumerate(events):
        if what == "read":
            before = {other for kind, one, other in events[:place] if (kind, one) == ("write", layer)}
            assert {other for _, _, other in events if other < begin} <= before


def test_a_branch_has_a_cache_of_its_own(tmp_path: Path) -> None:
    ours = read_llama(write_llama(tmp_path))
    ours.forward([5, 6])
    branch = ours.branch()
    branch.forward([7])
    assert (list(ours.tokens), list(branch.tokens)) == ([5, 6], [7])
    assert difference(ours.forward([8]), textbook(tmp_path, [5, 6, 8])[-1:]) < TOLERANCE
    assert branch.memory <= ours.memory


@pytest.mark.parametrize(("tokens", "rows"), [([1, 2], 0), ([1, 2], 3), ([], 1)])
def test_rows_that_do_not_exist_are_refused(tmp_path: Path, tokens: list[int], rows: int) -> None:
    ours = read_llama(write_llama(tmp_path))
    with pytest.raises(ValueError, match="rows"):
        ours.forward(tokens, rows)


@pytest.mark.parametrize("length", [-1, 4])
def test_truncating_to_more_than_there_is_is_refused(tmp_path: Path, length: int) -> None:
    ours = read_llama(write_llama(tmp_path))
    ours.forward([1, 2, 3])
    with pytest.raises(ValueError, match="truncate"):
        ours.truncate(length)


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
    "an endless size": {"intermediate_size": math.inf},
    "nothing": {"num_hidden_layers": 0},
}


@pytest.mark.parametrize("changes", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
def test_what_is_not_plain_is_left_to_transformers(changes: dict[str, Any]) -> None:
    plain = {"architectures": ["LlamaForCausalLM"], **PLAIN}
    assert Shape.of(plain) is not None
    assert Shape.of({**plain, **changes}) is None


def test_weights_in_a_rare_number_type_are_reported(tmp_path: Path) -> None:
    directory = write_llama(tmp_path)
    weights = load_file(directory / "model.safetensors")
    weights["model.norm.weight"] = weights["model.norm.weight"].astype(np.float64)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnsupportedModelError, match="are F64; F32, BF16 and F16 are read"):
        read_llama(directory)


def test_the_embedded_model_needs_no_torch_no_network_and_no_cache(tmp_path: Path) -> None:
    """Importing torch and transformers takes longer than a first suggestion may."""
    program = (
        "import json, socket, sys\n"
        "def refuse(*_): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from decoder import load_model\n"
        "model = load_model()\n"
        "model.forward(model.vocabulary.encode('def f():'))\n"
        "print(json.dumps([name for name in ('torch', 'transformers', 'huggingface_hub') if name in sys.modules]))\n"
    )
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HOME": str(tmp_path), "HF_HUB_OFFLINE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False,
        cwd=embedded.path().parents[1],
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", ""), "nothing is printed beside the protocol"
