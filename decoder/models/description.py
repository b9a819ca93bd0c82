"""Describes a model without loading it: whether it could be loaded, by which engine and where.

`inscope doctor` calls it, and so does the list of models. No weights are read, nothing is fetched, and torch is not
imported, so it takes milliseconds. Only a completion server is asked, for no longer than its answer may take.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from context_index.extras import Extra
from decoder import embedded
from decoder.errors import ExtraMissingError
from decoder.models import files as model_files
from decoder.models.files import ModelFiles, check_causal
from decoder.models.gguf import SUFFIX, Head, markers_of_head, size_of
from decoder.models.loading import chat_of, check_device, columns_of, is_in_numpy
from decoder.models.model import LOCAL, Abilities, Sees
from decoder.models.options import ModelOptions
from decoder.models.server.address import address_of
from decoder.models.tokenizer_bytes import markers_of
from decoder.prompt.families import Family, family_of

if TYPE_CHECKING:
    from decoder.models.server.model import ServerModel


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model that could be loaded."""

    engine: str
    """What computes it: numpy, PyTorch, llama.cpp, or the kind of a server."""
    family: Family
    """How it is asked to fill in."""
    device: str
    """Where it will compute: a device, `auto` where only the engine knows, or a server's address."""
    weights: int
    """Bytes of its weights; 0 for a server's model."""
    abilities: Abilities
    """What it can do."""


def describe_model(
    name_or_path: str | None, *, device: str = "auto", dtype: str = "auto", options: ModelOptions | None = None
) -> ModelDescription:
    """What `load_model` would load with the same arguments.

    Raises:
        NotFetchedError: it is a name of the hub, from which it will be fetched.
        ModelError: there is no such model, or it cannot be used; the message says what to do.
        DeviceError: this machine has no such device.
    """
    options = options or ModelOptions()
    row = options.own_family()
    if name_or_path is not None and (address := address_of(name_or_path)) is not None:
        from decoder.models.server.probe import connect  # noqa: PLC0415 - only a server needs a client

        return _describe_server(connect(address, options))
    if name_or_path is not None and name_or_path.lower().endswith(SUFFIX):
        return _describe_gguf(Path(name_or_path).expanduser().absolute(), row, device)
    built_in = name_or_path is None
    files = model_files.inspect(embedded.path()) if built_in else model_files.find(str(name_or_path), fetch=False)
    family = family_of_files(files, row)
    in_numpy = is_in_numpy(files, device, dtype)
    if not in_numpy:
        check_device(device)
        check_causal(files)
        if not Extra.TORCH.is_installed:
            what = f"the model at '{files.path}'" + ("" if device == "auto" else f" on the device {device}")
            raise ExtraMissingError(f"{what} needs packages that are not installed. {Extra.TORCH.advice}")
    return ModelDescription(
        "numpy" if in_numpy else "PyTorch",
        family,
        "cpu" if in_numpy else device,
        files.weights,
        LOCAL,
    )


def family_of_files(files: ModelFiles, row: Family | None = None) -> Family:
    """How the model in a folder is asked to fill in.

    Args:
        row: The family that a person configured (`ModelOptions.own_family`); None where the markers tell.

    Raises:
        ModelError: its tokenizer cannot be used, or does not fit `row`.
    """
    return family_of(markers_of(files.tokenizer, columns_of(files.config), row), chat_of(files), row)


def family_of_head(head: Head, row: Family | None = None) -> Family:
    """How the model in a GGUF file is asked to fill in; arguments and errors as of `family_of_files`."""
    return family_of(markers_of_head(head.keys, row), head.chat, row)


def _describe_server(model: ServerModel) -> ModelDescription:
    """The model of a server, to which a connection was made only for this."""
    kind, _, url = model.device.partition(" at ")
    model.close()
    return ModelDescription(kind, model.card.family, url, 0, model.abilities)


def _describe_gguf(file: Path, row: Family | None, device: str) -> ModelDescription:
    """The model in a GGUF file, from its head; llama.cpp is not started."""
    from decoder.models.server import child  # noqa: PLC0415 - as above

    head = child.head_of(file)
    child.check_installed(file)
    head.check_writes(file)
    can = Abilities(Sees.TOP_TOKENS, drafts=False)
    return ModelDescription("llama.cpp", family_of_head(head, row), device, size_of(file), can)
