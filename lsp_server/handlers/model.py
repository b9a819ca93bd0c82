"""What the model's thread tells of itself: the status line, a bar while it loads, a sentence where it fails."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.handlers.progress import Progress
from lsp_server.model_host import ModelState

if TYPE_CHECKING:
    from lsp_server.model_host import ModelEvent, ModelHost
    from lsp_server.server import Server

_log = logging.getLogger(__name__)


def on_event(server: Server, host: ModelHost, event: ModelEvent) -> None:
    """Pass on what happened; a model that was replaced is not heard any more."""
    session = server.session
    if session.engine is None or host is not session.engine.host:
        return
    _log.info("model %s %s", event.state, event.message)
    session.status = replace(session.status, state=event.state, message=event.message)
    server.tell_status()
    if event.state is ModelState.LOADING:
        if server.loading is None:
            server.loading = asyncio.ensure_future(Progress.begin(server, "Inscope: loading the model"))
    elif (begun := server.loading) is not None:
        server.loading = None
        begun.add_done_callback(lambda bar: None if bar.cancelled() else bar.result().end(event.state))
    if event.state is ModelState.FAILED:
        server.say(event.message, types.MessageType.Error)
    elif event.message and event.state is not ModelState.UNLOADED:  # that it was idle is for the status line only
        server.say(event.message, types.MessageType.Info)
