"""`inscope models`: lists the models that there are, or makes one the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_answers, note, working
from lsp_server.cli.printing import print_json
from lsp_server.errors import NotUnderstoodError
from lsp_server.installation.models import as_json, choice_as_json, model_list, use
from lsp_server.rendering.columns import Columns

if TYPE_CHECKING:
    from rich.table import Table

    from lsp_server.cli.arguments import Arguments
    from lsp_server.installation.models import ModelList

_GAP = (0, 2, 0, 0)


def run(arguments: Arguments) -> int:
    """List the models, or write the choice of one into the user's own configuration file."""
    if arguments.action is not None:
        return _use(arguments)
    with working("looking for models"):
        models = model_list()
    if arguments.json:
        print_json(as_json(models))
    else:
        _print(models)
    return 0


def _use(arguments: Arguments) -> int:
    if arguments.name is None:
        raise NotUnderstoodError("'use' needs the name of a model; 'inscope models' lists them")
    choice = use(arguments.name)
    if arguments.json:
        print_json(choice_as_json(choice))
        return 0
    says = "now says" if choice.is_new else "said already"
    console_for_answers().print(f"'{choice.file}' {says} that the model is {choice.model}.", soft_wrap=True)
    for need in choice.needs:
        note(need)
    return 0


def _print(models: ModelList) -> None:
    console = console_for_answers()
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
