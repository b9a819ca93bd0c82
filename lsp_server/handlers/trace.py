"""The command `inscope.trace`: what the model was asked last and what became of each token, as text for people."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.server import Later, Server
    from lsp_server.suggestion import CompletionRequest, Suggestion

COMMAND = "inscope.trace"
_NOTHING = "Nothing was suggested yet: type in a file of JavaScript, TypeScript or Python, and ask again.\n"


def trace(server: Server) -> Later[str]:
    """The page on the last suggestion, whether it was shown or not."""
    return partial(_trace, server)


async def _trace(server: Server) -> str:
    last = server.session.last
    return _NOTHING if last is None else await server.schedule.blocking(lambda _give_up: _page(*last))


def _page(request: CompletionRequest, suggestion: Suggestion) -> str:
    from lsp_server.cli.render_suggestion import page  # noqa: PLC0415 - only those who ask wait for what draws tables

    return page(request, suggestion)
