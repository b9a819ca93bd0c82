"""Makes a model the user's choice (`use`), in the user's own configuration file.

`inscope models use` and the editors' command `inscope.models` call it. It needs no network, except to ask a completion
server that is named.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from decoder import (
    BUILT_IN,
    KNOWN,
    DecoderError,
    ExtraMissingError,
    ModelServerError,
    NotFetchedError,
    ServerUnreachableError,
    StoredModel,
    describe_model,
    stored_models,
)
from lsp_server.engine.model_host import code_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation.free_memory import gpu_memory
from lsp_server.installation.own_configuration import configuration_file, configuration_text, settings_of
from lsp_server.settings.edit import MODEL, NoPlaceError, with_model
from lsp_server.settings.engine import options_of
from lsp_server.settings.table import Settings
from lsp_server.writing.page import write_page

_ASKED_WITH = {"model_prompt": "modelPrompt", "model_separator": "modelSeparator", "model_ends": "modelEnds"}
"""Settings that say how one particular model is asked, each with its name in the file."""
_GPU = "cuda"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user's own configuration file says after a choice."""

    model: str
    file: Path
    is_new: bool
    """Whether the file said something else before."""
    needs: tuple[str, ...]
    """One sentence for each thing that the model still needs."""


def use(name: str) -> ModelChoice:
    """Write a model into the user's own configuration file.

    Args:
        name: As `--model` takes it, or `built-in`. A path is written as an absolute one, as the file counts everywhere.

    Raises:
        RequestError: the model cannot be used, or the file cannot be changed; nothing is written then.
    """
    file = configuration_file()
    text = configuration_text(file)
    settings = settings_of(text)
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


def as_json(choice: ModelChoice) -> dict[str, Any]:
    """A choice for programs and editors."""
    return {
        "model": choice.model,
        "file": str(choice.file),
        "changed": choice.is_new,
        "needs": list(choice.needs),
    }


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
    on_gpu = gpu_memory() if settings.device == _GPU else None
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
