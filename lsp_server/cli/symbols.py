"""`inscope symbols`: the names at a place, as the constraint would see them. Needs no model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_answers
from lsp_server.cli.files import syntax_at
from lsp_server.cli.render_symbols import rendered
from lsp_server.cli.workspace import workspace_of
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from context_index import SymbolContext
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.cli.place import Place


def run(arguments: Arguments) -> int:
    """List the names, innermost first."""
    if arguments.place is None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "name a place, FILE:LINE:COLUMN")
    syntax, offset = syntax_at(arguments.place)
    with workspace_of(arguments.workspace) as workspace:
        context = workspace.context(syntax, offset)
    if arguments.json:
        print(json.dumps(as_json(arguments.place, context), ensure_ascii=False))  # noqa: T201 - the product of --json
    else:
        console_for_answers().print(rendered(arguments.place, context))
    return 0


def as_json(place: Place, context: SymbolContext) -> dict[str, Json]:
    """The names with 1-based lines; `importable` are not in scope, but some file of the workspace exports them."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "language": str(context.language),
        "complete": context.complete,
        "caveats": list(context.caveats),
        "names": [
            {
                "name": name.text,
                "kind": str(name.kind),
                "origin": str(name.origin),
                "distance": name.distance,
                "line": None if name.line is None else name.line + 1,
                "detail": name.detail,
                "before_declaration": name.before_declaration,
                "is_type": name.is_type,
            }
            for name in sorted(context.names.values(), key=lambda name: (name.distance, name.line or 0, name.text))
        ],
        "importable": [
            {
                "name": one.text,
                "kind": str(one.kind),
                "module": one.module,
                "detail": one.detail,
                "is_default": one.is_default,
            }
            for one in context.importable
        ],
    }
