"""Controllers that a workspace brings for its completions: the person is asked before any of them runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import path_of
from lsp_server.controllers.from_workspace import PROGRAMS, configured, controller_for
from lsp_server.errors import RequestError

if TYPE_CHECKING:
    from pathlib import Path

    from decoder import Controller
    from lsp_server.server import Server

_log = logging.getLogger(__name__)

RUN = "Run Them"
"""The one answer that counts as a yes."""
_LEAVE = "Not Now"


async def offer(server: Server) -> None:
    """Ask about controllers without a decision, and report those that are not run."""
    for root in server.session.roots:
        try:
            names = await server.schedule.blocking(lambda _stop, root=root: configured(root))  # type: ignore[misc]
        except RequestError as error:
            server.say(f"{error.message}; programs of the workspace are not run")
            continue
        trust = server.session.trust
        if not names or trust.runs(root):
            continue
        said = f"{', '.join(names)} in {PROGRAMS.as_posix()} of '{root.name}'"
        if not trust.trusted:
            server.say(f"not run, as the workspace is not trusted: {said}", types.MessageType.Info)
        elif trust.setting == "off":
            _log.info("not run, as `workspace.controllers` is off: %s", said)
        else:
            await _ask(server, root, said)


async def _ask(server: Server, root: Path, said: str) -> None:
    question = (
        f"Inscope: this workspace brings programs that take part in its completions ({said}). They run in a sandbox, "
        "without files and network. Run them?"
    )
    actions = [types.MessageActionItem(RUN), types.MessageActionItem(_LEAVE)]
    params = types.ShowMessageRequestParams(types.MessageType.Warning, question, actions)
    try:
        answer = await server.window_show_message_request_async(params)
    except JsonRpcException as error:
        _log.info("not run, as the client cannot ask about it (%s): %s", error.message, said)
        return
    if answer is not None and answer.title == RUN:
        server.session.agreed.add(root)
        server.session.forget_shown()
        _log.info("run, with consent: %s", said)
    else:
        _log.info("not run, without consent: %s", said)


def of_workspace(server: Server, uri: str) -> Controller | None:
    """The program of the workspace that takes part in a file's completions; None where there is none, or no yes."""
    session = server.session
    try:
        return controller_for(session.roots, path_of(uri), session.trust)
    except RequestError as error:
        server.say(f"{error.message}; ghost text comes without it")
        return None
