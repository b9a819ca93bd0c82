"""The models that are on this machine: the built-in one, and those in the caches of other programs.

`stored_models` lists them. It looks at files, reads no weights, fetches nothing and asks no server. A model that cannot
be used is listed with the reason. Layouts: huggingface_hub's guide to its cache; `fs_get_cache_directory` in
llama.cpp's common/common.cpp; Ollama's manifests, which are those of container registries; LM Studio's "models
directory".
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from context_index.extras import Extra
from decoder import embedded
from decoder.errors import DecoderError, UnsupportedModelError
from decoder.models import files as model_files
from decoder.models.description import family_of_files, family_of_head
from decoder.models.files import ModelFiles, check_causal
from decoder.models.gguf import SUFFIX, Head, part_of, size_of
from decoder.models.loading import is_in_numpy

BUILT_IN = "built-in"
"""The name of the built-in model, which nobody has to name."""
_WEIGHTS_TYPE = "application/vnd.ollama.image.model"
"""The media type of the layer in an Ollama manifest that is the model's GGUF file."""
_REGISTRY, _LIBRARY = "registry.ollama.ai", "library"
"""The host and the owner that Ollama's names leave out."""
_MOST_JSON_BYTES = 1 << 22
"""No more of a JSON file is read; a manifest has some hundred bytes."""


class ModelKind(StrEnum):
    """The form in which a model is kept."""

    FOLDER = "folder"
    """A folder that transformers reads."""
    GGUF = "GGUF"
    OLLAMA = "Ollama"
    """A model that Ollama serves."""


class Cache(StrEnum):
    """The program that keeps a model."""

    INSCOPE = "Inscope"
    HUB = "Hugging Face"
    LLAMA_CPP = "llama.cpp"
    OLLAMA = "Ollama"
    LM_STUDIO = "LM Studio"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model on this machine."""

    name: str
    """The name as `--model` takes it."""
    kind: ModelKind
    cache: Cache
    path: Path
    size: int
    """Bytes of its weights; 0 where that is not known."""
    family: str = ""
    """The name of its family (`decoder.prompt.families`); empty where that is not known."""
    extra: Extra | None = None
    """The packages that it needs; None where it needs no further ones."""
    problem: str = ""
    """Why it cannot be used; empty where it can."""


def stored_models() -> Iterator[StoredModel]:
    """Every model in these caches, the built-in one first, then by cache and name."""
    files = model_files.inspect(embedded.path())
    family = family_of_files(files).name
    yield StoredModel(BUILT_IN, ModelKind.FOLDER, Cache.INSCOPE, files.path, files.weights, family)
    yield from _models_of_hub(_hub_folder())
    yield from _gguf_below(_llama_cpp_folder(), Cache.LLAMA_CPP)
    yield from _models_of_ollama(_ollama_folder())
    for folder in _lm_studio_folders():
        yield from _gguf_below(folder, Cache.LM_STUDIO)


def _hub_folder() -> Path:
    if (named := _folder_in("HF_HUB_CACHE") or _folder_in("HUGGINGFACE_HUB_CACHE")) is not None:
        return named
    return (_folder_in("HF_HOME") or (_folder_in("XDG_CACHE_HOME") or _home() / ".cache") / "huggingface") / "hub"


def _llama_cpp_folder() -> Path:
    if (named := _folder_in("LLAMA_CACHE")) is not None:
        return named
    if sys.platform == "win32":
        base = _folder_in("LOCALAPPDATA") or _home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    else:
        base = _folder_in("XDG_CACHE_HOME") or _home() / ".cache"
    return base / "llama.cpp"


def _ollama_folder() -> Path:
    """The person's own folder. On Linux, if there is none, that of the service which Ollama's installer sets up."""
    if (named := _folder_in("OLLAMA_MODELS")) is not None:
        return named
    personal, service = _home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models")
    return service if sys.platform == "linux" and not _is_folder(personal) and _is_folder(service) else personal


def _lm_studio_folders() -> tuple[Path, ...]:
    """The folder that LM Studio's settings name, or the usual one; and that of its older versions."""
    home = _home() / ".lmstudio"
    pointer = _home() / ".lmstudio-home-pointer"
    try:
        if _is_file(pointer) and (folder := pointer.read_text("utf-8").strip()):
            home = Path(folder).expanduser()
    except (OSError, ValueError, RuntimeError):  # a pointer that cannot be read names no folder
        pass
    settings = _json(home / "settings.json") or {}
    named = settings.get("downloadsFolder")
    models = Path(named) if isinstance(named, str) and Path(named).is_absolute() else home / "models"
    return models, _home() / ".cache" / "lm-studio" / "models"


def _models_of_hub(cache: Path) -> Iterator[StoredModel]:
    """The models in each repository of the hub's cache, as of its branch `main`.

    A repository is a folder `models--OWNER--NAME`; it holds a model of transformers, or GGUF files.
    """
    for repository in _entries(cache):
        kind, *name_parts = repository.name.split("--")
        if kind != "models" or not name_parts or (snapshot := _snapshot(repository)) is None:
            continue
        if _is_file(snapshot / "config.json") and any(snapshot.glob("*.safetensors*")):
            yield _stored("/".join(name_parts), ModelKind.FOLDER, Cache.HUB, snapshot, _folder_content)
        yield from _gguf_below(snapshot, Cache.HUB)


def _snapshot(repository: Path) -> Path | None:
    """The folder with the files of the branch `main`; None where there is none."""
    try:
        commit = (repository / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
    folder = repository / "snapshots" / commit
    return folder if commit and _is_folder(folder) else None


def _gguf_below(folder: Path, cache: Cache) -> Iterator[StoredModel]:
    """The models in the GGUF files below a folder. Of a model in parts the first file is named."""
    for file in _files_below(folder):
        if file.suffix.lower() == SUFFIX and part_of(file) in (None, 1):
            yield _stored(str(file), ModelKind.GGUF, cache, file, _gguf_content)


def _models_of_ollama(models: Path) -> Iterator[StoredModel]:
    """The models of which Ollama has a manifest, a file `manifests/HOST/OWNER/MODEL/TAG`."""
    manifests = models / "manifests"
    read = partial(_manifest_content, models / "blobs")
    for file in _files_below(manifests):
        match file.relative_to(manifests).parts:
            case (host, *owner, model, tag):
                path = [*owner] if host == _REGISTRY else [host, *owner]
                name = "/".join([*([] if path == [_LIBRARY] else path), model])
                yield _stored(f"ollama:{name}:{tag}", ModelKind.OLLAMA, Cache.OLLAMA, file, read)


@dataclass(frozen=True, slots=True)
class _Content:
    """The fields of `StoredModel` that are read from the model's files."""

    size: int
    family: str
    extra: Extra | None


def _stored(name: str, kind: ModelKind, cache: Cache, path: Path, read: Callable[[Path], _Content]) -> StoredModel:
    """The model at `path`, with the error of `read` as its problem if that fails."""
    try:
        content = read(path)
    except (DecoderError, OSError) as error:
        size = size_of(path) if kind is ModelKind.GGUF else 0
        return StoredModel(name, kind, cache, path, size, problem=" ".join(str(error).split()))
    return StoredModel(name, kind, cache, path, content.size, content.family, content.extra)


def _folder_content(folder: Path) -> _Content:
    """The content of a model of transformers; raises as `files.inspect` if it cannot be used."""
    files: ModelFiles = model_files.inspect(folder)
    in_numpy = is_in_numpy(files, "auto", "auto")
    if not in_numpy:
        check_causal(files)
    return _Content(files.weights, family_of_files(files).name, None if in_numpy else Extra.TORCH)


def _gguf_content(file: Path) -> _Content:
    """The content of a GGUF file; raises as `Head` if it cannot be used."""
    head = Head.of(file)
    head.check_writes(file)
    return _Content(size_of(file), family_of_head(head).name, Extra.GGUF)


def _manifest_content(blobs: Path, file: Path) -> _Content:
    """The content of an Ollama model, whose weights are a GGUF file in the folder `blobs`.

    Args:
        file: The model's manifest, which names that file.

    Raises:
        ModelDamagedError, UnsupportedModelError: the model cannot be used.
    """
    manifest = _json(file)
    layers = None if manifest is None else manifest.get("layers")
    if not isinstance(layers, list):
        raise UnsupportedModelError(f"'{file}' is no manifest of Ollama. Pull the model again.")
    weights = [layer for layer in layers if isinstance(layer, dict) and layer.get("mediaType") == _WEIGHTS_TYPE]
    if not weights:
        raise UnsupportedModelError("its weights are not on this machine: Ollama sends prompts for it elsewhere.")
    blob = blobs / str(weights[0].get("digest")).replace(":", "-")
    if not _is_file(blob):
        raise UnsupportedModelError(f"its weights are not whole (there is no '{blob}'). Pull the model again.")
    head = Head.of(blob)
    head.check_writes(blob)
    return _Content(blob.stat().st_size, family_of_head(head).name, Extra.SERVER)


def _folder_in(variable: str) -> Path | None:
    """The folder that an environment variable names; None where it is empty or not set."""
    value = os.environ.get(variable, "").strip()
    try:
        return Path(value).expanduser() if value else None
    except RuntimeError:  # `~` of an unknown user
        return Path(value)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # there is no home: the current folder has no caches, so no models are listed
        return Path()


def _entries(folder: Path) -> list[Path]:
    """The entries of a folder, by name; none where it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _files_below(folder: Path) -> Iterator[Path]:
    """All files below a folder, by path; hidden ones and folders that are links are left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent) / name for name in sorted(files) if not name.startswith("."))


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - `Path.is_dir` raises an error for a path that is too long


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - as above


def _json(file: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None where there is none."""
    try:
        with file.open("rb") as stream:
            value = json.loads(stream.read(_MOST_JSON_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
