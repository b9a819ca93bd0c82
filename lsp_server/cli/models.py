"""`inscope models`: lists the models that there are, or makes one the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_answers, note, working
from lsp_server.cli.model_tables import print_models
from lsp_server.cli.printing import print_json
from lsp_server.errors import NotUnderstoodError
from lsp_server.installation import model_choice, model_list

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """List the models, or write the choice of one into the user's own configuration file."""
    if arguments.action is not None:
        return _use(arguments)
    with working("looking for models"):
        models = model_list.list_models()
    if arguments.json:
        print_json(model_list.as_json(models))
    else:
        print_models(models, console_for_answers())
    return 0


def _use(arguments: Arguments) -> int:
    if arguments.name is None:
        raise NotUnderstoodError("'use' needs the name of a model; 'inscope models' lists them")
    choice = model_choice.use(arguments.name)
    if arguments.json:
        print_json(model_choice.as_json(choice))
        return 0
    says = "now says" if choice.is_new else "said already"
    console_for_answers().print(f"'{choice.file}' {says} that the model is {choice.model}.", soft_wrap=True)
    for need in choice.needs:
        note(need)
    return 0
