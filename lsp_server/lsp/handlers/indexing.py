"""Reads the workspace's files, with a progress bar. A newer reading replaces one that is still running."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from lsp_server.engine.garbage_collection import freeze_objects
from lsp_server.lsp.protocol.progress import ProgressBar
from lsp_server.lsp.schedule import SupersededError
from lsp_server.wording import counted

if TYPE_CHECKING:
    from threading import Event

    from context_index import IndexReport
    from lsp_server.lsp.server import Server

_log = logging.getLogger(__name__)


async def index(server: Server) -> None:
    """Read the files of all roots."""
    server.schedule.supersede(index)  # stop an older reading at once: the client may take long to make the bar
    bar = await ProgressBar.begin(server, server.session, "Inscope: reading the workspace")
    engine, outcome = server.engine, "failed"  # the engine may have been replaced while the client made the bar

    def progress(done: int, total: int) -> None:
        server.from_thread(bar.report, done, total)

    def read(give_up: Event) -> IndexReport:
        report = engine.read(progress, give_up)
        freeze_objects()
        return report

    try:
        report = await server.schedule.run(index, partial(server.schedule.blocking, read))
        outcome = counted(report.files, "file")
        _log.info("indexed %d files, %d names in %.2f s", report.files, report.symbols, report.seconds)
    except SupersededError:
        outcome = "read again"
    finally:
        bar.end(outcome)
