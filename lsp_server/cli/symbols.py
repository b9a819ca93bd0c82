"""`inscope symbols`: the names at a place, as the constraint would see them. Needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.printing import print_json
from lsp_server.cli.workspace import workspace_of
from lsp_server.engine.snippets import shown_at
from lsp_server.engine.symbols import CHECKER_SECONDS, checker_info_at, types_at
from lsp_server.engine.wire.sources import syntax_at
from lsp_server.engine.wire.symbols import as_json, snippets_as_json
from lsp_server.errors import NotUnderstoodError
from lsp_server.rendering import snippets, symbols

if TYPE_CHECKING:
    from context_index import Syntax
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.wire.file_place import FilePlace

_LIBRARY_SECONDS = 20.0
"""How long the first reading of a project's libraries is waited for; later ones take a fraction of a second."""


def run(arguments: Arguments) -> int:
    """Print what a type checker knows about the place, then the names in scope, innermost first."""
    if arguments.place is None:
        raise NotUnderstoodError("name a place, FILE:LINE:COLUMN")
    syntax, offset = syntax_at(arguments.place)
    if arguments.prompt:
        return _prompt(arguments, arguments.place, syntax, offset)
    with workspace_of(arguments) as workspace:
        workspace.read_libraries(syntax.document, _LIBRARY_SECONDS)
        if syntax.errors:
            from lsp_server.engine.verification import Verifier  # noqa: PLC0415 - it brings the decoder, half a second

            syntax = Verifier(workspace).read(syntax, offset, CHECKER_SECONDS)
        context = workspace.context(syntax, offset)
        with working("asking the type checker"):
            info = checker_info_at(workspace, syntax, offset)
            types = types_at(context)
    if arguments.json:
        print_json(as_json(arguments.place, context, info, types))
    else:
        console_for_answers().print(symbols.rendered(arguments.place, context, info, types))
    return 0


def _prompt(arguments: Arguments, place: FilePlace, syntax: Syntax, offset: int) -> int:
    """Print what a model would be shown of other files (`--prompt`)."""
    with workspace_of(arguments) as workspace:
        shown = shown_at(workspace, syntax, offset, arguments.model)
    if arguments.json:
        print_json(snippets_as_json(place, shown))
    else:
        console_for_answers().print(snippets.rendered(place, shown))
    return 0
