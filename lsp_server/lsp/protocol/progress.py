"""A progress bar in the client; it does nothing if the client shows none."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import Callable

    from pygls.lsp.server import LanguageServer

    from lsp_server.lsp.session import Session

_tokens = count(1)


class ProgressBar:
    """A progress bar, made by `begin`. Belongs to the event loop."""

    def __init__(self, client: LanguageServer, session: Session, token: str | int | None) -> None:
        self._client = client
        self._session = session
        self._token = token
        self._percentage = 0

    @classmethod
    async def begin(
        cls,
        client: LanguageServer,
        session: Session,
        title: str,
        *,
        token: str | int | None = None,
        cancel: Callable[[], object] | None = None,
        measured: bool = True,
    ) -> ProgressBar:
        """Ask the client to show a bar; if it refuses, the bar does nothing.

        Args:
            token: The token that the client sent with its request, if any: the client has made the bar then.
            cancel: Called when the person cancels; None if the work cannot be cancelled.
            measured: Whether the bar has a percentage and `report` is called; otherwise only `step` is.
        """
        if token is None:
            if not session.client.progress:
                return cls(client, session, None)
            token = f"inscope-progress-{next(_tokens)}"
            try:
                await client.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
            except JsonRpcException:  # the client refuses
                return cls(client, session, None)
        bar = cls(client, session, token)
        if cancel is not None:
            session.cancels[token] = cancel
        bar._send(
            types.WorkDoneProgressBegin(title, cancellable=cancel is not None, percentage=0 if measured else None)
        )
        return bar

    def report(self, done: int, total: int, message: str = "") -> None:
        """Report progress, at most once for each percent."""
        percentage = 100 * done // total if total else 100
        if percentage > self._percentage:
            self._percentage = percentage
            self._send(types.WorkDoneProgressReport(message=message or f"{done}/{total}", percentage=percentage))

    def step(self, message: str) -> None:
        """Report what is being done, without a percentage."""
        self._send(types.WorkDoneProgressReport(message=message))

    def end(self, message: str) -> None:
        """Close the bar; later reports, of work that was given up, are not sent."""
        if self._token is not None:
            self._session.cancels.pop(self._token, None)
        self._send(types.WorkDoneProgressEnd(message=message))
        self._token = None

    def _send(
        self,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        if self._token is not None:
            self._client.progress(types.ProgressParams(self._token, value))
