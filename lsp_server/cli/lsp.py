"""`inscope lsp`: runs the language server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lsp_server.lsp.connection import run as serve

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments

_HINT = "This is a language server for editors, which start it. Ctrl+C ends it."


def run(arguments: Arguments) -> int:
    """Serve until the editor sends `exit`."""
    at_terminal = arguments.tcp is None and sys.stdin is not None and sys.stdin.isatty()
    return serve(tcp=arguments.tcp, listening=_greet) if at_terminal else serve(tcp=arguments.tcp)


def _greet() -> None:
    """Tell people who run the command in a terminal what it is for."""
    print(_HINT, file=sys.stderr)  # noqa: T201 - standard output is the editor's
