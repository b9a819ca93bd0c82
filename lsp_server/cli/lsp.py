"""`inscope lsp`: the language server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.server import run as serve

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Serve until the editor says to exit."""
    return serve(tcp=arguments.tcp)
