"""Prints the models to choose from as tables: those on this machine, and those that may be fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.rendering.columns import Columns

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from lsp_server.installation.model_list import ModelList

_GAP = (0, 2, 0, 0)


def print_models(models: ModelList, console: Console) -> None:
    """Print the models on this machine, those that may be fetched, and how one is chosen."""
    console.print("On this machine (* is the model of your own configuration):")
    console.print(_stored(models))
    for model in models.stored:
        if model.problem:
            console.print(f"- {model.name} ({model.cache}) cannot be used: {model.problem}", soft_wrap=True)
    gpu = models.free.gpu
    free = f"{_size(models.free.memory)} of memory" + ("" if gpu is None else f" and {_size(gpu)} of the GPU")
    console.print(f"\nSome that may be fetched, by the memory that they need ({free} are free):")
    console.print(_known(models))
    console.print("\n'inscope models use NAME' makes one yours. A model of the hub is fetched at its first use.")


def _stored(models: ModelList) -> Table:
    """The models on this machine that can be used."""
    table = Columns("", "name", "size", "kind", "family", "from", "needs", box=None, padding=_GAP)
    for model in models.stored:
        if model.problem:
            continue
        needs = "" if model.extra is None or model.extra.is_installed else f"inscope[{model.extra}]"
        chosen = "*" if model.name == models.chosen else ""
        family = model.family or "unknown"
        table.add_row(chosen, model.name, _size(model.size), model.kind, family, model.cache, needs)
    return table


def _known(models: ModelList) -> Table:
    """The models that may be fetched."""
    table = Columns("name", "memory", "fits", "parameters", "licence", "family", "get it", box=None, padding=_GAP)
    stored = {model.name for model in models.stored if not model.problem}
    for model in models.known:
        fits = ", ".join("GPU" if where == "gpu" else where for where in models.free.has_room_for(model)) or "no"
        get = "is here" if model.name in stored else model.fetch or "its first use"
        parameters = f"{model.parameters / 1e9:.2f}B" if model.parameters >= 1e8 else f"{model.parameters / 1e6:.1f}M"  # noqa: PLR2004 - written in millions below
        table.add_row(model.name, _size(model.memory), fits, parameters, model.licence, model.family, get)
    return table


def _size(count: int) -> str:
    """Bytes, for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"  # noqa: PLR2004 - the unit
