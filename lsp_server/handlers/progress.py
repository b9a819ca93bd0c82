"""A progress bar in the client, or none where the client has none."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.rpc import RpcError

if TYPE_CHECKING:
    from lsp_server.server import Server

_tokens = count(1)


class Progress:
    """One bar. Belongs to the event loop."""

    def __init__(self, server: Server, token: str | None) -> None:
        self._server = server
        self._token = token
        self._percentage = 0

    @classmethod
    async def begin(cls, server: Server, title: str) -> Progress:
        """A bar that the client agreed to show."""
        if not server.session.client.progress:
            return cls(server, None)
        token = f"inscope-progress-{next(_tokens)}"
        try:
            await server.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token))
        except RpcError:  # the client would rather not
            return cls(server, None)
        bar = cls(server, token)
        bar._tell(types.WorkDoneProgressBegin(title, cancellable=False, percentage=0))
        return bar

    def report(self, done: int, total: int) -> None:
        """So much of so much; told when a percent is full."""
        percentage = 100 * done // total if total else 100
        if percentage > self._percentage:
            self._percentage = percentage
            self._tell(types.WorkDoneProgressReport(message=f"{done}/{total}", percentage=percentage))

    def end(self, message: str) -> None:
        """It is over."""
        self._tell(types.WorkDoneProgressEnd(message=message))

    def _tell(
        self,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        if self._token is not None:
            self._server.tell(types.PROGRESS, types.ProgressParams(self._token, value))
