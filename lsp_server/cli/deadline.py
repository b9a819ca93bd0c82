"""Answers at the deadline, even if the service is still reading the document.

The service checks a deadline while it writes. Before that, it reads the document, which takes seconds for a hundred
thousand lines and cannot be interrupted. So here each request with a deadline runs on a thread of its own, which may go
on after the deadline.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from decoder import Stop
from lsp_server.engine.answer import silent
from lsp_server.engine.clock import Clock
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from lsp_server.engine.clock import Clock
    from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest, Suggestion

GRACE_SECONDS = 0.2
"""How long the answer is awaited after the deadline: what was written by then must still be judged."""


class DeadlineRunner:
    """Runs one request of a service at a time, and returns at its deadline.

    A late result is not used, but the parsed document is kept. The next request waits for the late one to end before
    its own deadline starts.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._late: threading.Thread | None = None
        """The thread of a request that was answered at its deadline and still runs."""

    @property
    def is_reading(self) -> bool:
        """Whether a request that was answered at its deadline still runs."""
        return self._late is not None and self._late.is_alive()

    def wait(self) -> None:
        """Wait until the late request has ended, if there is one."""
        if self._late is not None:
            self._late.join()
            self._late = None

    def complete(self, request: CompletionRequest) -> Suggestion:
        """The service's answer, or an empty one at the deadline.

        Raises:
            RequestError: see `Service.complete`.
        """
        self.wait()
        if request.deadline_ms is None:
            return self._service.complete(request)
        answer: Future[Suggestion] = Future()
        clock = Clock()
        thread = threading.Thread(
            target=_ask, args=(self._service, request, answer), name="inscope-question", daemon=True
        )
        thread.start()
        try:
            return answer.result(request.deadline_ms / 1000 + GRACE_SECONDS)
        except TimeoutError:
            if answer.done():  # the service itself raised it, or the answer has just come
                return answer.result()
            self._late = thread
            request.cancel.set()  # so that the model writes nothing for it later
            return silent(Withheld.EMPTY, "The deadline passed before the file was read.", clock, Stop.DEADLINE)


def _ask(service: Service, request: CompletionRequest, answer: Future[Suggestion]) -> None:
    try:
        answer.set_result(service.complete(request))
    except BaseException as fault:  # noqa: BLE001 - raised again where the answer is awaited
        answer.set_exception(fault)
