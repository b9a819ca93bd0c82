"""Settings: given at the start, pushed when they change, or asked for where the client wants it so.

A setting that does not fit is told to the person in one sentence, and keeps its value; the others are taken.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server import config
from lsp_server.handlers import indexing

if TYPE_CHECKING:
    from lsp_server.server import Later, Server

SECTION = "inscope"


def did_change(server: Server, params: types.DidChangeConfigurationParams) -> Later[None] | None:
    """The client's settings changed; some clients tell them here, others want to be asked."""
    if server.session.client.configuration and not params.settings:
        return partial(pull, server)
    return _take(server, params.settings)


async def subscribe(server: Server) -> None:
    """Take the client's settings, and ask to be told of changes."""
    if server.session.client.pushes_configuration:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        await server.register("workspace/didChangeConfiguration", options)
    if server.session.client.configuration:
        await pull(server)


async def pull(server: Server) -> None:
    """Ask the client for its settings."""
    params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        answer = await server.workspace_configuration_async(params)
    except JsonRpcException as error:
        server.say(f"the client did not tell its settings ({error.message}); all stay as they were")
        return
    reading = _take(server, answer[0] if answer else None)
    if reading is not None:
        await reading()


def _take(server: Server, given: Any) -> Later[None] | None:  # noqa: ANN401 - whatever the client sent
    """In force when this returns; what it returns, if anything, reads the workspace again."""
    before = server.session.settings
    apply(server, given)
    server.say_problems()
    reread = server.session.settings != before and server.start_engine()
    return partial(indexing.index, server) if reread else None


def apply(server: Server, given: Any) -> None:  # noqa: ANN401 - whatever the client sent
    """Take the settings that fit; the sentences on the others are said when the client can listen."""
    session = server.session
    session.settings, problems = config.updated(session.settings, given)
    session.problems.extend(problems)
    session.forget_shown()
    server.set_log_level(session.settings.log_level)
