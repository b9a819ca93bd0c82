"""The models that are on this machine: the built-in one, and those in the caches of other programs.

Files are looked at, weights are not read, nothing is fetched and no server is asked. What is in a cache and cannot be
used is listed with the reason. Layouts: huggingface_hub's guide to its cache; `fs_get_cache_directory` in llama.cpp's
common/common.cpp; Ollama's manifests, which are those of container registries; LM Studio's "models directory".
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
"""The name of the model that needs none."""
_WEIGHTS = "application/vnd.ollama.image.model"
"""The layer of an Ollama manifest that is the model's file in GGUF."""
_REGISTRY, _LIBRARY = "registry.ollama.ai", "library"
"""What Ollama's names leave out."""
_MOST_JSON = 1 << 22
"""Bytes; a manifest has some hundred."""


class ModelKind(StrEnum):
    """What a model is kept as."""

    FOLDER = "folder"
    """Of transformers."""
    GGUF = "GGUF"
    OLLAMA = "Ollama"
    """A model that Ollama serves."""


class Cache(StrEnum):
    """Who keeps a model."""

    INSCOPE = "Inscope"
    HUB = "Hugging Face"
    LLAMA_CPP = "llama.cpp"
    OLLAMA = "Ollama"
    LM_STUDIO = "LM Studio"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model on this machine."""

    name: str
    """As `--model` takes it."""
    kind: ModelKind
    cache: Cache
    path: Path
    size: int
    """Bytes of its weights; 0 where they cannot be told."""
    family: str = ""
    """How it is asked to fill in (`decoder.prompt.families`); empty where that cannot be told."""
    extra: Extra | None = None
    """What it needs."""
    problem: str = ""
    """Why it cannot be used."""


def stored_models() -> Iterator[StoredModel]:
    """Every model that is found, the built-in one first, then by cache and name."""
    files = model_files.inspect(embedded.path())
    family = family_of_files(files).name
    yield StoredModel(BUILT_IN, ModelKind.FOLDER, Cache.INSCOPE, files.path, files.weights, family)
    yield from _of_hub(_hub())
    yield from _gguf_below(_llama_cpp(), Cache.LLAMA_CPP)
    yield from _of_ollama(_ollama())
    for folder in _lm_studio():
        yield from _gguf_below(folder, Cache.LM_STUDIO)


def _hub() -> Path:
    if (named := _named("HF_HUB_CACHE") or _named("HUGGINGFACE_HUB_CACHE")) is not None:
        return named
    return (_named("HF_HOME") or (_named("XDG_CACHE_HOME") or _home() / ".cache") / "huggingface") / "hub"


def _llama_cpp() -> Path:
    if (named := _named("LLAMA_CACHE")) is not None:
        return named
    if sys.platform == "win32":
        base = _named("LOCALAPPDATA") or _home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    else:
        base = _named("XDG_CACHE_HOME") or _home() / ".cache"
    return base / "llama.cpp"


def _ollama() -> Path:
    """The person's own folder; on Linux, where there is none, that of the service which Ollama's installer sets up."""
    if (named := _named("OLLAMA_MODELS")) is not None:
        return named
    own, service = _home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models")
    return service if sys.platform == "linux" and not _is_folder(own) and _is_folder(service) else own


def _lm_studio() -> tuple[Path, ...]:
    """The folder that its settings name, or the usual one; and that of its older versions."""
    home = _home() / ".lmstudio"
    pointer = _home() / ".lmstudio-home-pointer"
    try:
        if _is_file(pointer) and (folder := pointer.read_text("utf-8").strip()):
            home = Path(folder).expanduser()
    except (OSError, ValueError, RuntimeError):  # what cannot be read names nothing
        pass
    settings = _json(home / "settings.json") or {}
    named = settings.get("downloadsFolder")
    models = Path(named) if isinstance(named, str) and Path(named).is_absolute() else home / "models"
    return models, _home() / ".cache" / "lm-studio" / "models"


def _of_hub(cache: Path) -> Iterator[StoredModel]:
    """Each repository's snapshot that its branch `main` names: a model of transformers, or files in GGUF."""
    for repository in _entries(cache):
        kind, *parts = repository.name.split("--")
        if kind != "models" or not parts or (snapshot := _snapshot(repository)) is None:
            continue
        if _is_file(snapshot / "config.json") and any(snapshot.glob("*.safetensors*")):
            yield _looked_at("/".join(parts), ModelKind.FOLDER, Cache.HUB, snapshot, _in_folder)
        yield from _gguf_below(snapshot, Cache.HUB)


def _snapshot(repository: Path) -> Path | None:
    """The files of `main`; None where there are none."""
    try:
        commit = (repository / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
    folder = repository / "snapshots" / commit
    return folder if commit and _is_folder(folder) else None


def _gguf_below(folder: Path, cache: Cache) -> Iterator[StoredModel]:
    """The GGUF files below a folder; of a model in parts its first, which leads to the others."""
    for file in _files_below(folder):
        if file.suffix.lower() == SUFFIX and part_of(file) in (None, 1):
            yield _looked_at(str(file), ModelKind.GGUF, cache, file, _in_gguf)


def _of_ollama(models: Path) -> Iterator[StoredModel]:
    """What Ollama has manifests of: files called HOST/OWNER/MODEL/TAG."""
    manifests = models / "manifests"
    look = partial(_in_manifest, models / "blobs")
    for file in _files_below(manifests):
        match file.relative_to(manifests).parts:
            case (host, *owner, model, tag):
                path = [*owner] if host == _REGISTRY else [host, *owner]
                name = "/".join([*([] if path == [_LIBRARY] else path), model])
                yield _looked_at(f"ollama:{name}:{tag}", ModelKind.OLLAMA, Cache.OLLAMA, file, look)


@dataclass(frozen=True, slots=True)
class _Content:
    """What is in a model's files."""

    size: int
    family: str
    extra: Extra | None


def _looked_at(name: str, kind: ModelKind, cache: Cache, path: Path, look: Callable[[Path], _Content]) -> StoredModel:
    try:
        content = look(path)
    except (DecoderError, OSError) as error:
        size = size_of(path) if kind is ModelKind.GGUF else 0
        return StoredModel(name, kind, cache, path, size, problem=" ".join(str(error).split()))
    return StoredModel(name, kind, cache, path, content.size, content.family, content.extra)


def _in_folder(folder: Path) -> _Content:
    files: ModelFiles = model_files.inspect(folder)
    in_numpy = is_in_numpy(files, "auto", "auto")
    if not in_numpy:
        check_causal(files)
    return _Content(files.weights, family_of_files(files).name, None if in_numpy else Extra.TORCH)


def _in_gguf(file: Path) -> _Content:
    head = Head.of(file)
    head.check_writes(file)
    return _Content(size_of(file), family_of_head(head).name, Extra.GGUF)


def _in_manifest(blobs: Path, file: Path) -> _Content:
    manifest = _json(file)
    layers = None if manifest is None else manifest.get("layers")
    if not isinstance(layers, list):
        raise UnsupportedModelError(f"'{file}' is no manifest of Ollama. Pull the model again.")
    weights = [layer for layer in layers if isinstance(layer, dict) and layer.get("mediaType") == _WEIGHTS]
    if not weights:
        raise UnsupportedModelError("its weights are not on this machine: Ollama sends prompts for it elsewhere.")
    blob = blobs / str(weights[0].get("digest")).replace(":", "-")
    if not _is_file(blob):
        raise UnsupportedModelError(f"its weights are not whole (there is no '{blob}'). Pull the model again.")
    head = Head.of(blob)
    head.check_writes(blob)
    return _Content(blob.stat().st_size, family_of_head(head).name, Extra.SERVER)


def _named(variable: str) -> Path | None:
    """The folder that an environment variable names."""
    value = os.environ.get(variable, "").strip()
    try:
        return Path(value).expanduser() if value else None
    except RuntimeError:  # `~` of an unknown user
        return Path(value)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # there is none: nothing is there
        return Path()


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where it cannot be read."""
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
    """A JSON object; None where there is none."""
    try:
        with file.open("rb") as stream:
            value = json.loads(stream.read(_MOST_JSON))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
