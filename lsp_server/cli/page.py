"""A suggestion as a page of plain text, as `inscope complete --explain` prints it; for editors."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from context_index import path_of
from lsp_server.cli.render_suggestion import rendered

if TYPE_CHECKING:
    from lsp_server.suggestion import CompletionRequest, Suggestion

_WIDTH = 110
"""Columns; wider ones are folded."""


def page(request: CompletionRequest, suggestion: Suggestion) -> str:
    """Place, text, how it ended, and for each token what the model wanted and who refused it."""
    document, offset = request.syntax.document, request.offset
    place, path = document.position(offset), path_of(document.uri)
    name = document.uri if path is None else path.name
    written = StringIO()
    console = Console(file=written, width=_WIDTH, markup=False, emoji=False, highlight=False, color_system=None)
    console.print(f"{name}:{place.line + 1}:{place.column + 1}, {'shown' if suggestion.text else 'not shown'}\n")
    console.print(rendered(suggestion, document, offset, console, explain=True))
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"
