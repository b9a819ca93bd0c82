"""Serves one editor from its first message to its last; `inscope lsp` calls `run`.

A reader thread takes messages off the stream and hands them to the server's event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import TYPE_CHECKING

from lsp_server.engine.acceptance import AcceptanceRates
from lsp_server.lsp.handlers import HANDLERS
from lsp_server.lsp.protocol import transport
from lsp_server.lsp.server import Server
from lsp_server.store import acceptance_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.lsp.protocol.transport import Channel
    from lsp_server.settings.table import Settings

_log = logging.getLogger(__name__)


def run(
    tcp: tuple[str, int] | None = None,
    settings: Settings | None = None,
    *,
    listening: Callable[[], None] = lambda: None,
) -> int:
    """Serve one editor over standard input and output, or over a loopback port; returns the exit code.

    Args:
        tcp: The host and the port to listen on; None for standard input and output.
        settings: The settings before the client sends any.
        listening: Called once messages are read; from then on Ctrl+C ends the server in an orderly way.

    Raises:
        RequestError: the server cannot listen on the address.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with transport.stdio() if tcp is None else transport.listen(*tcp) as channel:
        code = asyncio.run(_converse(channel, settings, listening))
    _exit_if_torch_is_loaded(code)
    return code


def _exit_if_torch_is_loaded(code: int) -> None:
    """End the process at once, without the interpreter's shutdown, if torch was loaded.

    Nothing can stop a computation inside torch: a shutdown during one aborts the process, and even without one it takes
    more than a second, for which editors do not wait.
    """
    if "torch" in sys.modules:
        logging.shutdown()
        os._exit(code)


async def _converse(channel: Channel, settings: Settings | None, listening: Callable[[], None]) -> int:
    """Serve the client until it leaves; returns the exit code."""
    server = Server(lambda body: channel.write(transport.frame(body)), HANDLERS, settings)
    server.session.rates = AcceptanceRates.read(acceptance_file())

    def read_on_thread() -> None:
        try:
            for body in transport.frames(channel.source):
                server.from_thread(server.protocol.receive, body)
        except OSError as error:  # an editor that died resets the connection
            _log.warning("the client is gone: %s", error)
        finally:
            server.from_thread(server.leave)

    threading.Thread(target=read_on_thread, name="inscope-reader", daemon=True).start()
    listening()
    try:
        return await server.exit_code
    finally:
        server.stop_work()
        await asyncio.to_thread(server.wait_until_closed)
