"""The beginning and the end of a session: `initialize`, `initialized`, `shutdown`, `exit`; and `$/setTrace`."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

import psutil
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from context_index import Encoding, Language
from lsp_server.engine.controllers.from_request import controller_of
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers import (
    commands,
    completion,
    configuration,
    indexing,
    rewrite,
    setup,
    signature_help,
    workspace,
    workspace_controllers,
)
from lsp_server.lsp.protocol import from_proto
from lsp_server.lsp.session import Phase
from lsp_server.store import has_journals
from lsp_server.writing.recovery import interrupted_in

if TYPE_CHECKING:
    from lsp_server.lsp.server import Later, Server

_log = logging.getLogger(__name__)
_CLIENT_SECONDS = 3.0
"""How often the server checks that the client's process is still running."""


def initialize(server: Server, params: types.InitializeParams) -> types.InitializeResult:
    """Exchange capabilities and apply the first settings. No file of the workspace is read, and no model is loaded."""
    session = server.session
    session.client = from_proto.client(params.capabilities)
    session.encoding = Encoding(ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities))
    session.roots = from_proto.roots(params)
    session.phase = Phase.RUNNING
    if (process := _process(params.process_id)) is not None:
        _leave_after(server, process)
    options = params.initialization_options
    if isinstance(options, dict) and "controller" in options:
        fields = options["controller"]
        options = {name: value for name, value in options.items() if name != "controller"}
        try:
            session.controller = controller_of(fields)
        except RequestError as error:
            session.problems.append(f"{error.message}; ghost text comes without it")
    if has_journals():
        session.problems += [write.advice() for root in session.roots for write in interrupted_in(root)]
    configuration.start(server, options)
    server.start_engine()
    _log.info("initialized: %s, %d roots", session.encoding, len(session.roots))
    return types.InitializeResult(
        capabilities=_capabilities(server),
        server_info=server.protocol.server_info,
    )


def initialized(server: Server, _params: types.InitializedParams) -> Later[None]:
    """Send what waited for a client that is ready, then read the workspace and ask about missing parts."""
    server.send_status()
    server.say_problems()
    return partial(_prepare, server)


async def _prepare(server: Server) -> None:
    """Take the client's settings, and then start what they may forbid: questions, and the reading of files."""
    await workspace.watch(server)
    await configuration.subscribe(server)
    server.session.setup.allowed = True
    controllers = workspace_controllers.offer(server, server.session.roots)
    await asyncio.gather(_index(server), controllers, setup.offer(server))


async def _index(server: Server) -> None:
    """Read the workspace, and only then check the installation's health: people wait for the reading."""
    await indexing.index(server)
    server.check_health_later()


def shutdown(server: Server, _params: None) -> None:
    """Stop all work; `exit` follows."""
    server.session.phase = Phase.SHUT_DOWN
    server.stop_work()


def leave(server: Server, _params: None) -> None:
    """End the process, with exit code 0 if `shutdown` came before."""
    server.leave()


def _leave_after(server: Server, client: psutil.Process) -> None:
    """End the conversation once the client's process has ended: another process may hold its end of the pipe open."""
    if _has_ended(client):
        _log.warning("the client is gone: its process %d has ended", client.pid)
        server.leave()
    elif not server.exit_code.done():
        asyncio.get_running_loop().call_later(_CLIENT_SECONDS, _leave_after, server, client)


def _process(number: int | None) -> psutil.Process | None:
    """A process by its number; None if we cannot see it, as with a client outside of the server's container."""
    try:
        return None if number is None else psutil.Process(number)
    except (psutil.Error, ValueError, OverflowError):
        return None


def _has_ended(process: psutil.Process) -> bool:
    """Whether a process has ended; False if we may not know."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:  # another user's
        return False


def set_trace(_server: Server, _params: types.SetTraceParams) -> None:
    """Accepted without effect; the setting `logLevel` sets the level of the log."""


def _capabilities(server: Server) -> types.ServerCapabilities:
    """What the server can do, as far as this client can use it."""
    cells = [types.NotebookCellLanguage(language) for language in Language if language.record.is_in_notebooks]
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(server.session.encoding),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental
        ),
        notebook_document_sync=types.NotebookDocumentSyncOptions(
            [types.NotebookDocumentFilterWithCells(cells=cells)],
        ),
        completion_provider=types.CompletionOptions(completion.TRIGGERS, resolve_provider=True),
        signature_help_provider=types.SignatureHelpOptions(signature_help.TRIGGERS),
        inline_completion_provider=types.InlineCompletionOptions(),
        rename_provider=types.RenameOptions(prepare_provider=True) if server.session.client.prepares_renames else True,
        code_action_provider=types.CodeActionOptions([rewrite.KIND]),
        execute_command_provider=types.ExecuteCommandOptions(list(commands.COMMANDS), work_done_progress=True),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True),
        ),
    )
