"""Settings: read from files, sent by the client at the start or when they change, or requested from the client.

A setting whose new value is not valid is reported in one sentence and keeps its old value; the others are applied.

Wherever values come from, they go one way: the session keeps them, `compose` computes the settings in force, and
`_follow_change` does what their change demands. At the start the engine is built after `compose` for the first time.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.handlers import indexing, workspace_controllers
from lsp_server.lsp.session import NotServed, Snapshot
from lsp_server.settings import files, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lsp_server.lsp.server import Later, Server

SECTION = "inscope"
COMMAND = "inscope.settings"
"""Answers with the settings in force, whoever set them; of a document that is named, with those of its language."""


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """The value of each setting, by its name.

    Raises:
        RequestError: the arguments are neither none nor the URI of an open document.
    """
    match params.arguments or ():
        case []:
            return partial(_values, server, None)
        case [str(uri)]:
            return partial(_values, server, server.session.snapshot(uri))
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{COMMAND} takes no arguments, or a document's URI")


async def _values(server: Server, of: Snapshot | NotServed | None) -> dict[str, object]:
    settings = server.session.settings
    values = table.values_of(settings)
    if isinstance(of, Snapshot):
        values["inline.trigger"] = str(table.trigger_of(settings, of.document.language))
    return values


def did_change(server: Server, params: types.DidChangeConfigurationParams) -> Later[None] | None:
    """Take settings that changed: some clients send them here, others want to be asked for them.

    A client may send only what changed, so settings that it does not name stay as they were.
    """
    if server.session.client.configuration and not params.settings:
        return partial(pull, server)
    settings, problems = table.accepted(params.settings)
    return _put_in_force(server, {**server.session.client_settings, **settings}, problems)


async def subscribe(server: Server) -> None:
    """Ask the client for its settings, and for notifications when they change."""
    if server.session.client.pushes_configuration:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        await server.register(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
    if server.session.client.configuration:
        await pull(server)


async def pull(server: Server) -> None:
    """Ask the client for its settings; the answer has all of them."""
    params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        answer = await server.workspace_configuration_async(params)
    except JsonRpcException as error:
        server.say(f"the client did not send its settings ({error.message}); all stay as they were")
        return
    settings, problems = table.accepted(answer[0] if answer else None, server.session.client_settings)
    if (later := _put_in_force(server, settings, problems)) is not None:
        await later()


def _put_in_force(server: Server, settings: Mapping[str, object], problems: Iterable[str]) -> Later[None] | None:
    """Put the client's settings in force; returns the work that follows from this, or None."""
    before = server.session.settings
    server.session.client_settings, server.session.client_problems = settings, tuple(problems)
    server.session.problems.extend(server.session.client_problems)
    compose(server)
    return _follow_change(server, before)


def read_files_again(server: Server) -> Later[None] | None:
    """Put a changed configuration file in force; returns the work that follows from this, or None."""
    before = server.session.settings
    compose(server)
    return _follow_change(server, before)


def start(server: Server, options: Any) -> None:  # noqa: ANN401 - whatever the client sent
    """Put `initializationOptions` in force; sentences about them are shown once the client may get messages."""
    server.session.options, server.session.option_problems = table.accepted(options)
    server.session.problems.extend(server.session.option_problems)
    compose(server)


def compose(server: Server) -> None:
    """Compute the settings in force from the files, then `initializationOptions`, then the client's later settings."""
    session = server.session
    session.files = files.files(next(iter(session.roots), None))
    problems = tuple(problem for file in session.files for problem in file.problems)
    session.problems.extend(problem for problem in problems if problem not in session.file_problems)
    session.file_problems = problems
    settings = server.initial
    for values in (*(file.values for file in session.files), {**session.options, **session.client_settings}):
        settings = table.applied(settings, values)
    session.settings = settings
    session.forget_shown()
    server.set_log_level(session.settings.log_level)


def _follow_change(server: Server, before: table.Settings) -> Later[None] | None:
    """Follow a change of the settings in force; returns the work that takes time, or None."""
    server.say_problems()
    settings = server.session.settings
    reread = False
    if settings != before:
        reread = server.start_engine()
        server.send_status()  # the model may have changed
    if server.session.setup.allowed:  # else `lifecycle` will check, once the workspace has been read
        server.check_health_later()
    trust_changed = (settings.trusted, settings.workspace_controllers) != (before.trusted, before.workspace_controllers)
    may_ask = trust_changed and server.session.setup.allowed  # else `lifecycle` will ask
    return partial(_ask_and_read, server, reread=reread, may_ask=may_ask) if reread or may_ask else None


async def _ask_and_read(server: Server, *, reread: bool, may_ask: bool) -> None:
    """Ask about controllers, and read the workspace's files again, as far as a change of settings demands it."""
    controllers = [workspace_controllers.offer(server, server.session.roots)] if may_ask else []
    await asyncio.gather(*controllers, *([indexing.index(server)] if reread else []))
