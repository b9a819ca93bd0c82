"""Lists the models to choose from (`list_models`), for `inscope models` and the editors' command `inscope.models`.

Needs no network. Knows nothing of how models are shown.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from decoder import BUILT_IN, KNOWN, KnownModel, StoredModel, stored_models
from lsp_server.errors import RequestError
from lsp_server.installation.free_memory import FreeMemory, free_memory
from lsp_server.installation.own_configuration import configuration_file, configuration_text, settings_of


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


def list_models() -> ModelList:
    """All models on this machine, and some that may be fetched."""
    chosen = BUILT_IN
    with suppress(RequestError):  # the file is not needed to list models
        chosen = settings_of(configuration_text(configuration_file())).model or BUILT_IN
    return ModelList(tuple(stored_models()), KNOWN, free_memory(), chosen)


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
