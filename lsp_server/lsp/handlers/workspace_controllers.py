"""Asks a person before controllers run that a workspace brings for its completions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import path_of
from lsp_server.engine.controllers.from_workspace import CONTROLLERS, configured, controller_for
from lsp_server.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from decoder import Controller
    from lsp_server.lsp.server import Server

_log = logging.getLogger(__name__)

RUN = "Run Them"
"""The only answer that lets them run."""
_LEAVE = "Not Now"


async def offer(server: Server, roots: Iterable[Path]) -> None:
    """Ask about the controllers of folders, each once, and report those that are not run."""
    for root in roots:
        await _offer(server, root)


async def _offer(server: Server, root: Path) -> None:
    """Ask about one folder's controllers, or report why they are not run."""
    try:
        names = await server.schedule.blocking(lambda _give_up: configured(root))
    except RequestError as error:
        server.say(f"{error.message}; controllers of the workspace are not run")
        return
    trust = server.session.trust
    if not names or trust.runs(root):
        return
    controllers = f"{', '.join(names)} in {CONTROLLERS.as_posix()} of '{root.name}'"
    if not trust.trusted:
        server.say(f"not run, as the workspace is not trusted: {controllers}", types.MessageType.Info)
    elif trust.setting == "off":
        _log.info("not run, as `workspace.controllers` is off: %s", controllers)
    elif root not in server.session.roots_asked:
        server.session.roots_asked.add(root)
        await _ask(server, root, controllers)


async def _ask(server: Server, root: Path, controllers: str) -> None:
    """Ask whether the controllers of a folder, named in `controllers`, may run."""
    question = (
        f"this workspace brings controllers that take part in its completions ({controllers}). They run in a "
        "sandbox, without files and network. Run them?"
    )
    try:
        answer = await server.ask(question, (RUN, _LEAVE))
    except JsonRpcException as error:
        _log.info("not run, as the client cannot ask about it (%s): %s", error.message, controllers)
        return
    if answer == RUN and root in server.session.roots:
        server.session.roots_agreed.add(root)
        server.session.forget_shown()
        _log.info("run, with consent: %s", controllers)
    else:
        _log.info("not run, without consent: %s", controllers)


def controller_of(server: Server, uri: str) -> Controller | None:
    """The workspace's controller for a file; None where there is none, it may not be run, or it cannot be read."""
    session = server.session
    try:
        return controller_for(session.roots, path_of(uri), session.trust)
    except RequestError as error:
        server.say(f"{error.message}; ghost text comes without it")
        return None
