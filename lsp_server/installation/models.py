"""Lists the models to choose from (`model_list`), and makes one the user's choice (`use`).

`inscope models` and the editors' command `inscope.models` call it. It needs no network, except to ask a completion
server that is named. Knows nothing of how models are shown.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from context_index import LateError, finish, has_gpu_driver, on_path, start
from decoder import (
    BUILT_IN,
    KNOWN,
    DecoderError,
    ExtraMissingError,
    KnownModel,
    ModelServerError,
    NotFetchedError,
    ServerUnreachableError,
    StoredModel,
    describe_model,
    stored_models,
)
from lsp_server.engine.model_host import code_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import unreadable
from lsp_server.settings.edit import MODEL, NoPlaceError, with_model
from lsp_server.settings.engine import options_of
from lsp_server.settings.files import FOLDER, MOST_BYTES, own_file
from lsp_server.settings.table import Settings, accepted, applied
from lsp_server.writing.page import write_page

_PATIENCE_S = 5
"""How long NVIDIA's program may take; it answers in some tenths of a second."""
_ASKED_WITH = {"model_prompt": "modelPrompt", "model_separator": "modelSeparator", "model_ends": "modelEnds"}
"""Settings that say how one particular model is asked, each with its name in the file."""
_GPU = "cuda"


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """The free memory of this machine, in bytes."""

    memory: int
    gpu: int | None
    """The memory of the GPU that has most of it free; None without a GPU, or if its memory is not known."""

    def has_room_for(self, model: KnownModel) -> tuple[str, ...]:
        """Where a model has room: `memory`, `gpu`."""
        kinds = {"memory": self.memory, "gpu": self.gpu or 0}
        return tuple(name for name, free in kinds.items() if model.memory <= free)


@dataclass(frozen=True, slots=True)
class ModelList:
    """The models to choose from."""

    stored: tuple[StoredModel, ...]
    """Those on this machine, also some that cannot be used."""
    known: tuple[KnownModel, ...]
    """Some that may be fetched."""
    free: FreeMemory
    chosen: str
    """The name of the model that the person's own file sets."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user's own configuration file says after a choice."""

    model: str
    file: Path
    is_new: bool
    """Whether the file said something else before."""
    needs: tuple[str, ...]
    """One sentence for each thing that the model still needs."""


def model_list() -> ModelList:
    """All models on this machine, and some that may be fetched."""
    chosen = BUILT_IN
    with suppress(RequestError):  # the file is not needed to list models
        chosen = _settings(_read(_own_file())).model or BUILT_IN
    return ModelList(
        tuple(stored_models()), KNOWN, FreeMemory(psutil.virtual_memory().available, _gpu_memory()), chosen
    )


def use(name: str) -> ModelChoice:
    """Write a model into the user's own configuration file.

    Args:
        name: As `--model` takes it, or `built-in`. A path is written as an absolute one, as the file counts everywhere.

    Raises:
        RequestError: the model cannot be used, or the file cannot be changed; nothing is written then.
    """
    file = _own_file()
    text = _read(file)
    settings = _settings(text)
    model = None if name == BUILT_IN else _absolute(name)
    needs = _needs(model, settings)
    try:
        changed = with_model(text, model)
    except NoPlaceError as error:
        line = "nothing" if model is None else f"{MODEL} = '{model}'"
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST,
            f"'{file}' sets the model in one statement with other settings, which is not changed here; have it say "
            f"{line} yourself",
        ) from error
    if changed != text:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_page(file, changed)
        except OSError as error:
            raise RequestError(ErrorCode.INTERNAL, f"cannot write '{file}': {error.strerror or error}") from error
    return ModelChoice(model or BUILT_IN, file, changed != text, needs)


def as_json(models: ModelList) -> dict[str, Any]:
    """The list for programs and editors."""
    stored = {model.name for model in models.stored if not model.problem}
    return {
        "chosen": models.chosen,
        "free_bytes": {"memory": models.free.memory, "gpu": models.free.gpu},
        "stored": [
            {
                "name": model.name,
                "kind": str(model.kind),
                "cache": str(model.cache),
                "path": str(model.path),
                "bytes": model.size,
                "family": model.family or None,
                "extra": None if model.extra is None else str(model.extra),
                "extra_installed": model.extra is None or model.extra.is_installed,
                "problem": model.problem or None,
            }
            for model in models.stored
        ],
        "known": [
            {
                "name": model.name,
                "kind": str(model.kind),
                "parameters": model.parameters,
                "bytes": model.size,
                "memory_bytes": model.memory,
                "licence": model.licence,
                "family": model.family,
                "source": model.source,
                "fetch": model.fetch or None,
                "fits": list(models.free.has_room_for(model)),
                "stored": model.name in stored,
            }
            for model in models.known
        ],
    }


def choice_as_json(choice: ModelChoice) -> dict[str, Any]:
    """A choice for programs and editors."""
    return {
        "model": choice.model,
        "file": str(choice.file),
        "changed": choice.is_new,
        "needs": list(choice.needs),
    }


def _own_file() -> Path:
    """The user's own configuration file, which need not exist.

    Raises:
        RequestError: there can be none.
    """
    file = own_file()
    if file is None:
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST,
            f"there is no configuration file of your own, as the variable {FOLDER} is empty; unset it",
        )
    return file


def _read(file: Path) -> str:
    """The text of the user's file; empty if there is none.

    Raises:
        RequestError: it cannot be read, or is not TOML.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable(str(file), error) from error
    if len(data) > MOST_BYTES:
        raise RequestError(ErrorCode.TOO_LARGE, f"'{file}' is larger than {MOST_BYTES:,} bytes and is not read")
    try:
        text = data.decode()
        tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise RequestError(ErrorCode.NOT_UTF8, f"'{file}' is not UTF-8; correct it first") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{file}' is not TOML ({error}); correct it first") from error
    return text


def _settings(text: str) -> Settings:
    """The settings that a configuration file's text makes of the defaults."""
    return applied(Settings(), accepted(tomllib.loads(text))[0])


def _absolute(name: str) -> str:
    """The name of a model; a path becomes an absolute one.

    Raises:
        RequestError: it cannot be the name of a model.
    """
    try:
        path = Path(name).expanduser()
        is_local = path.exists() or name.startswith((".", "~"))
        name.encode()
    except (OSError, ValueError, RuntimeError) as error:
        raise RequestError(ErrorCode.MODEL_NOT_FOUND, f"no model '{name}': it cannot be the name of any") from error
    # links are not followed: those of the hub's cache lead to files that are named by their hashes
    return os.path.abspath(path) if is_local else name  # noqa: PTH100 - `Path.absolute` keeps `..`


def _needs(model: str | None, settings: Settings) -> tuple[str, ...]:
    """What a model still needs before it can be used, each thing in a sentence.

    Raises:
        RequestError: it cannot be used.
    """
    asked_with = options_of(settings)
    try:
        description = describe_model(model, device=settings.device, dtype=settings.dtype, options=asked_with)
    except NotFetchedError:
        known = next((row for row in KNOWN if row.name == model), None)
        size = "" if known is None else f" ({_gigabytes(known.size)})"
        fetched = f"It is not on this machine: its first use fetches it from the hub{size}"
        return (f"{fetched}; whether the hub has it was not checked.",)
    except ExtraMissingError as error:
        return _needs_without_extra(model or BUILT_IN, error)
    except ModelServerError as error:
        stored = _stored(model or BUILT_IN)
        if isinstance(error, ServerUnreachableError) and stored is not None and not stored.problem:
            return (f"Ollama has to run: {str(error).rstrip('.')}.",)
        fetch = next((f" It may be fetched: {row.fetch}" for row in KNOWN if row.name == model and not stored), "")
        raise RequestError(code_of(error), f"{str(error).rstrip('.')}.{fetch}") from error
    except (DecoderError, OSError) as error:
        code = code_of(error) if isinstance(error, DecoderError) else ErrorCode.MODEL_NOT_FOUND
        raise RequestError(code, str(error)) from error
    needs = []
    on_gpu = _gpu_memory() if settings.device == _GPU else None
    free = psutil.virtual_memory().available if on_gpu is None else on_gpu
    if description.weights > free:
        where = "memory" if on_gpu is None else "the GPU's memory"
        needs.append(f"Its weights are {_gigabytes(description.weights)}, and {_gigabytes(free)} of {where} are free.")
    if for_another := [name for field, name in _ASKED_WITH.items() if getattr(settings, field)]:
        needs.append(f"The file also sets {', '.join(for_another)}: this model is asked with that, too.")
    return tuple(needs)


def _needs_without_extra(model: str, error: ExtraMissingError) -> tuple[str, ...]:
    """What a model still needs if packages are missing without which it cannot be examined.

    Raises:
        RequestError: its files are damaged.
    """
    stored = _stored(model)
    if stored is not None and stored.problem:
        raise RequestError(ErrorCode.MODEL_DAMAGED, stored.problem) from error
    if stored is not None or Path(model).exists():
        return (str(error),)
    return (str(error), "It is not on this machine, and whether there is such a model was not checked.")


def _stored(name: str) -> StoredModel | None:
    """The model of that name on this machine; a name of Ollama's may leave out its tag."""
    names = {name, f"{name}:latest"}
    return next((model for model in stored_models() if model.name in names), None)


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


def _gpu_memory() -> int | None:
    """The free bytes of the GPU that has most of them, as NVIDIA's program or Linux's driver for AMD reports."""
    if not has_gpu_driver():
        return None
    return max([*_of_nvidia(), *_of_amd()], default=None)


def _of_nvidia() -> Sequence[int]:
    """The free bytes of each GPU of NVIDIA's."""
    here = (Path.cwd(),)
    program = on_path("nvidia-smi", here)
    if program is None:
        return ()
    query: list[str | Path] = [program, "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    try:
        ended = finish(start(query, outside_of=here), _PATIENCE_S)
    except (OSError, LateError):
        return ()
    mebibytes = ended.output.decode("utf-8", "replace").split()
    return [int(number) << 20 for number in mebibytes if number.isdecimal()]


def _of_amd() -> Sequence[int]:
    """The free bytes of each GPU of AMD's."""
    free = []
    for file in Path("/sys/class/drm").glob("card*/device/mem_info_vram_total"):
        with suppress(OSError, ValueError):
            used = file.with_name("mem_info_vram_used").read_text("ascii")
            free.append(int(file.read_text("ascii")) - int(used))
    return free
