"""Finds the files of a model, and checks before torch is imported that they are complete.

`find` takes a directory or the name of a model on the Hugging Face hub, which is taken from the local cache or
downloaded; `inspect` takes a directory. Knows file formats; knows nothing of torch, devices or tokens.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context_index.extras import Extra
from decoder.errors import ModelDamagedError, ModelNotFoundError, NotFetchedError, UnsupportedModelError, extra_needed

_ADVICE = "Name a model of the hub or a directory, or leave the name out to use the built-in model."
_FETCHED = ("*.json", "*.safetensors", "chat_template.jinja")
"""The files that are fetched from the hub: never code, never pickles."""

_CAUSAL_ENDS = ("ForCausalLM", "LMHeadModel")
"""What the names of transformers' classes that write text end with."""
_LENGTH_BYTES = 8
"""Bytes of the number with which a safetensors file begins: the length of its header."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A directory that holds a whole model."""

    path: Path
    config: Mapping[str, Any]
    weights: int
    """Bytes of all weights."""

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.path / "tokenizer.json"

    @property
    def architecture(self) -> str:
        """The class that reads the weights, by its name in transformers."""
        return str(self.config["architectures"][0])

    def optional(self, name: str) -> Mapping[str, Any]:
        """The content of a further JSON file of the model; empty where there is no such file.

        Raises:
            ModelDamagedError: the file is no JSON object.
        """
        file = self.path / name
        return _json(file) if file.exists() else {}


def find(name: str, notify: Callable[[str], None] = lambda _sentence: None, *, fetch: bool = True) -> ModelFiles:
    """The files of the model called `name`.

    Args:
        name: A directory, or a hub name such as `Qwen/Qwen2.5-Coder-0.5B`.
        notify: Called with a sentence before anything is fetched over the network.
        fetch: Whether the model may be fetched.

    Raises:
        NotFetchedError: it is on the hub, and `fetch` is false.
        ModelNotFoundError: there is no such directory and no such model on the hub.
        ModelDamagedError, UnsupportedModelError: its files cannot be used.
    """
    try:
        directory = Path(name).expanduser()
        is_local = directory.exists() or _looks_like_a_path(name)
    except (OSError, RuntimeError) as error:  # `~` of an unknown user; a name too long for this file system
        why = error.strerror if isinstance(error, OSError) and error.strerror else _first_line(error).rstrip(".")
        raise _not_found(name, f"the path cannot be followed: {why}") from error
    try:
        return inspect(directory) if is_local else _from_hub(name, notify, fetch=fetch)
    except OSError as error:
        raise _not_found(name, f"it cannot be read: {error.strerror or error}") from error


def inspect(directory: Path) -> ModelFiles:
    """The model in `directory`.

    Raises:
        ModelNotFoundError: the directory holds no model.
        ModelDamagedError: a file is missing, cut short or not what it should be.
        UnsupportedModelError: its weights are in no safetensors file, or its architecture is not named.
    """
    if directory.is_file():
        raise ModelNotFoundError(f"'{directory}' is a file; a model is a directory, or a name of the hub.")
    if not (directory / "config.json").is_file():
        raise ModelNotFoundError(f"no model at '{directory}' (expected config.json and *.safetensors). {_ADVICE}")
    config = _json(directory / "config.json")
    architectures = config.get("architectures")
    if not (isinstance(architectures, list) and architectures and isinstance(architectures[0], str)):
        raise UnsupportedModelError(
            f"the config.json at '{directory}' does not name its architecture. Use a causal language model."
        )
    weights = sum(_whole_size(file) for file in weight_files(directory))
    if not (directory / "tokenizer.json").is_file():
        raise ModelDamagedError(
            f"the model at '{directory}' has no tokenizer.json. Fetch it again, or convert its tokenizer first."
        )
    return ModelFiles(directory, config, weights)


def check_causal(files: ModelFiles) -> None:
    """Check that a model writes text.

    Raises:
        UnsupportedModelError: it does not.
    """
    if not files.architecture.endswith(_CAUSAL_ENDS):
        raise UnsupportedModelError(
            f"the model at '{files.path}' is a {files.architecture}, which is not a causal language model. "
            "Use another model."
        )


def weight_files(directory: Path) -> list[Path]:
    """The safetensors files of the model in `directory`, according to its index if it has one.

    Raises:
        ModelDamagedError: the index is damaged, or there are no weights.
        UnsupportedModelError: the weights are in another format.
    """
    index = directory / "model.safetensors.index.json"
    if index.is_file():
        weight_map = _json(index).get("weight_map")
        if not isinstance(weight_map, dict) or not weight_map:
            raise _damaged(index, "it does not say which file holds what")
        return sorted({directory / str(file) for file in weight_map.values()})
    single = directory / "model.safetensors"
    if not single.is_file():
        others = [file.name for pattern in ("*.bin", "*.pt", "*.gguf") for file in directory.glob(pattern)]
        if others:
            raise UnsupportedModelError(
                f"the weights at '{directory}' are in {others[0]}, and only safetensors are read. Convert them first."
            )
        raise ModelDamagedError(
            f"the model at '{directory}' has no weights (expected model.safetensors). Fetch it again."
        )
    return [single]


def _whole_size(file: Path) -> int:
    """The size of a safetensors file in bytes.

    Layout: eight bytes little-endian length, that many bytes of JSON, then the tensors end to end.

    Raises:
        ModelDamagedError: it is missing, or not as long as its header says.
    """
    if not file.is_file():
        raise ModelDamagedError(f"the model lacks '{file}'. Fetch it again.")
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
        if length > size - _LENGTH_BYTES:
            raise _damaged(file, "it is cut short")
        try:
            header = json.loads(stream.read(length))
            ends = (entry["data_offsets"][1] for key, entry in header.items() if key != "__metadata__")
            expected = _LENGTH_BYTES + length + max(ends, default=0)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            raise _damaged(file, "its header is not that of safetensors") from error
    if expected != size:
        raise _damaged(file, f"it has {size:,} bytes where its header says {expected:,}")
    return size


def _json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(file, _first_line(error)) from error
    if not isinstance(value, dict):
        raise _damaged(file, "it is not a JSON object")
    return value


def _damaged(file: Path, why: str) -> ModelDamagedError:
    return ModelDamagedError(f"the model file '{file}' is damaged: {why}. Fetch the model again.")


def _looks_like_a_path(name: str) -> bool:
    """Whether a name is certainly a path, and not looked up on the network; hub names are `name` or `owner/name`."""
    return name.startswith((".", "~", "/", os.sep)) or "\\" in name or Path(name).is_absolute() or name.count("/") > 1


def _from_hub(name: str, notify: Callable[[str], None], *, fetch: bool) -> ModelFiles:
    """The cached copy if it is whole; otherwise it is fetched, unless HF_HUB_OFFLINE forbids it."""
    with extra_needed(Extra.TORCH, f"'{name}' is no directory, and a model of the hub"):
        from huggingface_hub import constants, snapshot_download  # noqa: PLC0415 - 0.2 s that the built-in model never pays
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError  # noqa: PLC0415 - only a hub that was asked can fail

    try:
        return inspect(Path(snapshot_download(name, allow_patterns=list(_FETCHED), local_files_only=True)))
    except HFValidationError as error:
        raise _not_found(name, "not a directory, and not a possible hub name") from error
    except UnsupportedModelError:  # the cache may hold other weights than those that the hub has
        if constants.HF_HUB_OFFLINE:
            raise
    except (LocalEntryNotFoundError, ModelNotFoundError, ModelDamagedError) as error:
        if constants.HF_HUB_OFFLINE:
            raise _not_found(
                name, "not a directory, not whole in the hub's cache, and HF_HUB_OFFLINE is set"
            ) from error
    if not fetch:
        raise NotFetchedError(f"the model {name} is not on this machine yet; it will be fetched from the hub.")
    notify(f"Fetching the model {name} from the hub.")
    try:
        return inspect(Path(snapshot_download(name, allow_patterns=list(_FETCHED))))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise _not_found(name, f"not a directory, and the hub does not give it: {_first_line(error)}") from error


def _not_found(name: str, why: str) -> ModelNotFoundError:
    return ModelNotFoundError(f"no model '{name}' ({why}). {_ADVICE}")


def _first_line(error: Exception) -> str:
    line = str(error).strip().split("\n", 1)[0]
    return line.removeprefix("Got: ") or type(error).__name__  # huggingface_hub begins connection errors with "Got: "
