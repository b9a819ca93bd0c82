"""An answer that a completion server streams (`AnswerStream`); `client` puts its parts into a queue."""

from __future__ import annotations

import queue
import time
from concurrent.futures import Future
from typing import Any

from decoder.errors import ModelServerError
from decoder.models.waiting import GaveUpError, is_given_up

CHECK_SECONDS = 0.01
"""How often a waiting thread checks whether its request was given up (`is_given_up`)."""
ANSWER_END = None
"""In the queue of a stream: the answer is complete."""


class AnswerStream:
    """A streamed answer; closing it closes the connection, and the server stops.

    Args:
        parts: The parts that have come: JSON, `ANSWER_END` or a `ModelServerError`.
        task: Puts them there.
        timeout: The seconds that each part may take.
        late: Raised once a part takes longer.
    """

    def __init__(
        self, parts: queue.SimpleQueue[Any], task: Future[None], timeout: float, late: ModelServerError
    ) -> None:
        self._parts, self._task, self._timeout, self._late = parts, task, timeout, late

    def next(self) -> Any:  # noqa: ANN401 - JSON
        """The JSON of the next part; None at the end.

        Raises:
            ModelServerError: the answer has an error, ended early, or is too late.
            GaveUpError: the request is over (`is_given_up`).
        """
        until = time.monotonic() + self._timeout
        while True:
            try:
                part = self._parts.get(timeout=CHECK_SECONDS)
            except queue.Empty:
                if is_given_up():
                    self.close()
                    raise GaveUpError from None
                if time.monotonic() >= until:
                    self.close()
                    raise self._late from None
                if self._task.done() and self._parts.empty() and (fault := self._task.exception()) is not None:
                    raise fault from None
                continue
            if isinstance(part, ModelServerError):
                raise part
            return part

    def close(self) -> None:
        """End the answer; parts that have not come are lost."""
        self._task.cancel()
