"""Loading: the embedded model at once, others by directory, and a clear sentence where it cannot be done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import torch
from safetensors.torch import load_file, save_file
from threadpoolctl import ThreadpoolController

from context_index.symbols import Language
from decoder.errors import (
    DeviceError,
    ModelDamagedError,
    OutOfDeviceMemoryError,
    UnsupportedModelError,
)
from decoder.models import loading
from decoder.models.loading import load_model
from decoder.prefill import prefill
from decoder.prompt import PromptSource, pack
from tests.decoder.tiny_models import write_model

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

pytestmark = pytest.mark.slow


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_model("llama", tmp_path / "tiny")


def test_the_embedded_model_completes_a_common_idiom() -> None:
    model = load_model(device="cpu", threads=1)
    assert (model.dtype, model.context, model.vocabulary.size) == ("float32", 512, 8192)
    prefix = "function total(items) {\n  let sum = 0;\n  for (let i = 0; i < items."
    prompt = pack(model.card, PromptSource(Language.JAVASCRIPT, prefix, "\n}\n"), 400).tokens
    written: list[int] = []
    for _ in range(4):
        result = prefill(model, [*prompt, *written])
        assert result is not None
        written.append(int(result.logits[-1].argmax()))
    assert model.vocabulary.decode(written).startswith("length; i++")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_number_type_can_be_chosen(tiny: Path, dtype: str) -> None:
    model = load_model(str(tiny), device="cpu", dtype=dtype)
    assert model.dtype == dtype
    assert model.forward([1, 2, 3]).dtype == "float32"


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "unknown device": ({"device": "tpu"}, DeviceError, "choose one of auto, cpu, cuda, mps"),
    "unknown number type": ({"device": "cpu", "dtype": "int3"}, UnsupportedModelError, "choose one of auto, float32"),
}


@pytest.mark.parametrize(("options", "error", "says"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_option_is_reported(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        load_model(**options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_a_device_that_is_not_there_is_reported() -> None:
    with pytest.raises(DeviceError, match="no cuda device: choose the device cpu"):
        load_model(device="cuda")


def change_config(directory: Path, **changes: object) -> None:
    file = directory / "config.json"
    config = json.loads(file.read_text())
    config.update(changes)
    file.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


CONFIGS: dict[str, tuple[dict[str, object], type[Exception], str]] = {
    "not causal": ({"architectures": ["BertForMaskedLM"]}, UnsupportedModelError, "not a causal language model"),
    "not known": (
        {"architectures": ["NovelForCausalLM"]},
        UnsupportedModelError,
        "transformers does not have",
    ),
    "no vocabulary": ({"vocab_size": None}, UnsupportedModelError, "no vocab_size"),
    "another vocabulary": ({"vocab_size": 9}, UnsupportedModelError, "different models"),
    "wrong width": ({"hidden_size": 64}, ModelDamagedError, "cannot be read"),
    "more layers than weights": ({"num_hidden_layers": 3}, ModelDamagedError, "lacks weights"),
    "nonsense": ({"num_attention_heads": "four"}, ModelDamagedError, "cannot be read"),
}


@pytest.mark.parametrize(("changes", "error", "says"), CONFIGS.values(), ids=CONFIGS.keys())
def test_a_config_that_does_not_fit_is_reported(
    tiny: Path, changes: dict[str, object], error: type[Exception], says: str
) -> None:
    change_config(tiny, **changes)
    with pytest.raises(error, match=says) as raised:
        load_model(str(tiny), device="cpu")
    assert "\n" not in str(raised.value)


def test_a_file_of_weights_that_lacks_one_is_reported(tiny: Path) -> None:
    weights = load_file(tiny / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, tiny / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelDamagedError, match=r"lacks weights \(model.layers.1.mlp"):
        load_model(str(tiny), device="cpu")


def test_a_gpu_without_room_is_left_for_the_cpu_with_one_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no GPU to fill up here: the choice of device and the failure are put in by hand."""
    model = str(write_model("qwen2", tmp_path))
    load = loading._network

    def without_room(files: Any, device: str, dtype: str) -> Any:  # noqa: ANN401 - as the function it replaces
        if device == "cuda":
            raise OutOfDeviceMemoryError("no room")
        return load(files, device, dtype)

    monkeypatch.setattr(loading, "_network", without_room)
    monkeypatch.setattr(loading, "_device", lambda device: "cuda" if device in {"auto", "cuda"} else device)
    notices: list[str] = []
    assert load_model(model, device="auto", notify=notices.append).device == "cpu"
    assert notices == ["The model does not fit into the memory of the GPU (cuda); it runs on the CPU."]
    with pytest.raises(OutOfDeviceMemoryError):
        load_model(model, device="cuda", notify=pytest.fail)


DAMAGED = {
    "tokenizer.json": '{"model": {}, "decoder": {}}',
    "generation_config.json": "[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_reported_by_its_name(tiny: Path, name: str) -> None:
    (tiny / name).write_text(DAMAGED[name])
    with pytest.raises(ModelDamagedError, match=name) as raised:
        load_model(str(tiny), device="cpu")
    assert "\n" not in str(raised.value)


def test_threads_are_set_when_they_are_asked_for(tmp_path: Path) -> None:
    model = str(write_model("qwen2", tmp_path))
    load_model(model, device="cpu", threads=2)
    assert torch.get_num_threads() == 2
    load_model(model, device="cpu")
    assert torch.get_num_threads() == 1, "one thread is faster for a small model"


def test_a_product_without_torch_takes_one_thread(tiny: Path) -> None:
    load_model(str(tiny), device="cpu", threads=2)
    threads = ThreadpoolController().select(user_api="blas").info()
    assert {library["num_threads"] for library in threads} <= {1}
