"""Every way in which a model's directory can be wrong is reported in one sentence, before torch is imported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import huggingface_hub
import huggingface_hub.constants
import pytest

from decoder import embedded
from decoder.errors import ModelDamagedError, ModelError, ModelNotFoundError, UnsupportedModelError
from decoder.models.files import find, inspect

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A copy of the embedded model to damage."""
    return shutil.copytree(embedded.path(), tmp_path / "model", ignore=shutil.ignore_patterns("__pycache__"))


def cut(file: str, length: int) -> Callable[[Path], None]:
    def damage(directory: Path) -> None:
        path = directory / file
        path.write_bytes(path.read_bytes()[:length])

    return damage


def write(file: str, text: str) -> Callable[[Path], object]:
    return lambda directory: (directory / file).write_text(text)


def remove(file: str) -> Callable[[Path], None]:
    return lambda directory: (directory / file).unlink()


def only_pickles(directory: Path) -> None:
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")


def header(text: bytes) -> Callable[[Path], object]:
    return lambda directory: (directory / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text)


def unreadable(directory: Path) -> None:
    """Put a file in the place of the weights that nobody can read, not even root."""
    memory = Path("/proc/self/mem")
    if not memory.is_file():
        pytest.skip("this system has no /proc")
    (directory / "model.safetensors").unlink()
    (directory / "model.safetensors").symlink_to(memory)


INDEX = "model.safetensors.index.json"
DAMAGE: dict[str, tuple[Callable[[Path], object], type[ModelError], str]] = {
    "no config": (remove("config.json"), ModelNotFoundError, "expected config.json and"),
    "config cut short": (cut("config.json", 100), ModelDamagedError, "config.json' is damaged"),
    "config is a list": (write("config.json", "[]"), ModelDamagedError, "not a JSON object"),
    "config without end": (write("config.json", "[" * 100_000), ModelDamagedError, "config.json' is damaged"),
    "config is binary": (write("config.json", "\x00\xff"), ModelDamagedError, "config.json' is damaged"),
    "no architecture": (write("config.json", "{}"), UnsupportedModelError, "does not name its architecture"),
    "no weights": (remove("model.safetensors"), ModelDamagedError, "no weights"),
    "weights cut short": (cut("model.safetensors", 5_000_000), ModelDamagedError, "5,000,000 bytes where"),
    "weights cut in the header": (cut("model.safetensors", 100), ModelDamagedError, "cut short"),
    "weights empty": (cut("model.safetensors", 0), ModelDamagedError, "damaged"),
    "weights are text": (write("model.safetensors", "version https://git-lfs"), ModelDamagedError, "cut short"),
    "weights end at no number": (header(b'{"a": {"data_offsets": [0, "8"]}}'), ModelDamagedError, "its header is not"),
    "weights in pickles": (only_pickles, UnsupportedModelError, "only safetensors"),
    "index without map": (write(INDEX, "{}"), ModelDamagedError, "which file holds what"),
    "a shard is missing": (write(INDEX, '{"weight_map": {"a": "b.safetensors"}}'), ModelDamagedError, "lacks"),
    "weights cannot be read": (unreadable, ModelNotFoundError, "it cannot be read: Input/output error"),
    "no tokenizer": (remove("tokenizer.json"), ModelDamagedError, "tokenizer.json"),
}


@pytest.mark.parametrize(("damage", "error", "says"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_directory_is_reported_in_one_sentence(
    damage: Callable[[Path], object], error: type[ModelError], says: str, directory: Path
) -> None:
    damage(directory)
    with pytest.raises(error) as raised:
        find(str(directory), pytest.fail)
    sentence = str(raised.value)
    assert says in sentence
    assert str(directory) in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_shards_are_followed_and_their_sizes_added(directory: Path) -> None:
    (directory / "model.safetensors").rename(directory / "one.safetensors")
    shutil.copy(directory / "one.safetensors", directory / "two.safetensors")
    (directory / INDEX).write_text(
        '{"weight_map": {"a": "one.safetensors", "b": "two.safetensors", "c": "one.safetensors"}}'
    )
    assert inspect(directory).weights == 2 * inspect(embedded.path()).weights


PATHS = ["./qwen", "/no/such/model", "~/no such model", "..\\qwen", "a/b/c", "~nosuchuser/x", "./" + "m" * 5000]


@pytest.mark.parametrize("name", PATHS, ids=lambda path: path[:20])
def test_a_path_is_never_looked_for_on_the_network(name: str) -> None:
    with pytest.raises(ModelNotFoundError, match="Name a model of the hub or a directory") as raised:
        find(name, pytest.fail)
    assert "\n" not in str(raised.value)


def test_a_file_is_no_model_and_no_name_on_the_hub(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("")
    with pytest.raises(ModelNotFoundError, match="is a file"):
        find(str(file), pytest.fail)


def test_a_directory_may_be_given_with_a_tilde(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(directory.parent))
    monkeypatch.setenv("USERPROFILE", str(directory.parent))
    assert find("~/model", pytest.fail).architecture == "LlamaForCausalLM"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub, and no network."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def cached(hub: Path, name: str) -> Path:
    """A snapshot in the cache, as the hub's client lays it out."""
    repository = hub / f"models--{name.replace('/', '--')}"
    snapshot = repository / "snapshots" / ("0" * 40)
    shutil.copytree(embedded.path(), snapshot)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    return snapshot


def test_a_hub_name_is_found_in_the_cache_without_a_network(hub: Path) -> None:
    snapshot = cached(hub, "someone/some-model")
    assert find("someone/some-model", pytest.fail).path == snapshot


@pytest.mark.parametrize("name", ["someone/other-model", "just-a-name"])
def test_a_hub_name_that_is_not_cached_is_reported_while_offline(hub: Path, name: str) -> None:
    assert hub.is_dir()
    with pytest.raises(ModelNotFoundError, match=r"HF_HUB_OFFLINE is set.*Name a model of the hub") as raised:
        find(name, pytest.fail)
    assert name in str(raised.value)


def test_a_download_that_broke_off_is_not_taken_for_a_model(hub: Path) -> None:
    (cached(hub, "someone/half") / "model.safetensors").unlink()
    with pytest.raises(ModelNotFoundError, match="not whole in the hub's cache"):
        find("someone/half", pytest.fail)


def test_pickles_in_the_cache_do_not_hide_safetensors_of_the_hub(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = cached(hub, "someone/both")
    only_pickles(snapshot)
    with pytest.raises(UnsupportedModelError, match="only safetensors"):
        find("someone/both", pytest.fail)

    def download(_name: str, *, local_files_only: bool = False, **_: object) -> str:
        if not local_files_only:
            shutil.copy(embedded.path() / "model.safetensors", snapshot)
        return str(snapshot)

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    said: list[str] = []
    assert find("someone/both", said.append).path == snapshot
    assert said == ["Fetching the model someone/both from the hub."]


@pytest.mark.parametrize("name", ["what is this?", "a//b", "x" * 200])
def test_what_cannot_be_a_hub_name_is_reported(hub: Path, name: str) -> None:
    assert hub.is_dir()
    with pytest.raises(ModelNotFoundError, match="no model"):
        find(name, pytest.fail)


def test_the_embedded_model_is_whole_and_says_what_it_was_trained_for() -> None:
    files = inspect(embedded.path())
    assert files.architecture == "LlamaForCausalLM"
    assert files.weights > 12_000_000
    assert files.optional("tokenizer_config.json")["model_max_length"] == 512
    assert files.optional("no_such_file.json") == {}
    assert json.loads((embedded.path() / "config.json").read_text())["vocab_size"] == 8192
