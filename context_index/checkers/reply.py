"""The answer of a language server to one request, which may still be to come (`Reply`)."""

from __future__ import annotations

import threading

from context_index.checkers.errors import (
    CheckerCancelledError,
    CheckerDiedError,
    CheckerRefusedError,
    CheckerStalledError,
)

Message = dict[str, object]
"""A message of JSON-RPC: a request, a notification or an answer."""


class Reply:
    """The answer to one request, which the asking thread waits for."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._message: Message | None = None
        self._is_cancelled = False

    def wait(self, seconds: float) -> object:
        """The result.

        Raises:
            CheckerStalledError: it did not come within so many seconds.
            CheckerDiedError: the process ended.
            CheckerCancelledError: the request was cancelled.
            CheckerRefusedError: the server answered with an error.
        """
        if not self._done.wait(seconds):
            raise CheckerStalledError("no answer in time")
        if self._is_cancelled:
            raise CheckerCancelledError
        if self._message is None:
            raise CheckerDiedError("the process ended")
        if (error := self._message.get("error")) is not None:
            raise CheckerRefusedError(str(error.get("message", error) if isinstance(error, dict) else error))
        return self._message.get("result")

    def settle(self, message: Message | None) -> None:
        """Set the answer; None if there will be none, as the process ended."""
        self._message = message
        self._done.set()

    def cancel(self) -> None:
        """Cancel the request: `wait` raises at once."""
        self._is_cancelled = True
        self._done.set()
