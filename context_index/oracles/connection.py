"""JSON-RPC with one language server, over the pipes of its process.

Two threads move the bytes, so that neither a server that does not read nor one that does not stop talking can block
whoever asks. Knows nothing of what is said.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from itertools import count
from typing import IO

from context_index.oracles.dialects import Json
from context_index.oracles.errors import DiedError, PutOffError, RefusedError, StalledError, StartError
from context_index.oracles.protocol import Program
from context_index.processes import start

_LARGEST_MESSAGE = 64 << 20
_LONGEST_HEADER = 4096
_MOST_HEADERS = 16
_PATIENCE_AT_END = 2.0

Answerer = Callable[[str, object], object]
"""Answers a request of the server: method and parameters to result."""


class Reply:
    """The answer to one request, once it is there."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._message: Json | None = None
        self._put_off = False

    def wait(self, timeout: float) -> object:
        """The result.

        Raises:
            StalledError: it is not there after `timeout` seconds.
            DiedError: it never will be.
            RefusedError: the server answered with an error.
            PutOffError: it is not waited for any longer.
        """
        if not self._done.wait(timeout):
            raise StalledError(f"no answer within {timeout:g} s")
        if self._put_off:
            raise PutOffError("put off")
        if self._message is None:
            raise DiedError("the process ended")
        if (error := self._message.get("error")) is not None:
            raise RefusedError(str(error.get("message", error) if isinstance(error, dict) else error))
        return self._message.get("result")

    def settle(self, message: Json | None) -> None:
        """Set the answer; None where there will be none."""
        self._message = message
        self._done.set()

    def put_off(self) -> None:
        """Let whoever waits go; nothing, if the answer is there."""
        if not self._done.is_set():
            self._put_off = True
            self._done.set()


class Connection:
    """One process and the talk with it."""

    def __init__(
        self,
        program: Program,
        answer: Answerer,
    ) -> None:
        """Start the process.

        Raises:
            StartError: there is no such program, or it may not be run.
        """
        try:
            self._process = start(program.command, outside_of=program.outside_of, variables=program.environment)
        except OSError as error:
            raise StartError(f"'{program.command[0]}' does not start: {error}") from error
        self._answer = answer
        self._dialect = program.dialect
        self._ids = count(1)
        self._replies: dict[object, Reply] = {}
        self._outbox: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ended = False
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"{program.name} {work.__name__}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether answers can still come."""
        return not self._ended

    def request(self, method: str, params: object) -> tuple[int, Reply]:
        """Ask, without waiting; the number is for `cancel`."""
        number, reply = next(self._ids), Reply()
        with self._lock:
            if self._ended:
                reply.settle(None)
                return number, reply
            self._replies[number] = reply
        self._send({"id": number, "method": method, "params": params})
        return number, reply

    def cancel(self, number: int) -> None:
        """Tell the server that an answer is no longer wanted."""
        with self._lock:
            self._replies.pop(number, None)
        self.notify("$/cancelRequest", {"id": number})

    def notify(self, method: str, params: object) -> None:
        """Tell the server something."""
        self._send({"method": method, "params": params})

    def close(self) -> None:
        """End the process, whatever it is doing, and every question that is still open."""
        self._end()
        self._process.kill()
        self._process.wait(_PATIENCE_AT_END)

    def _send(self, message: Json) -> None:
        self._outbox.put(message)

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101 -- opened as a pipe above
        try:
            while (message := self._outbox.get()) is not None:
                pipe.write(self._dialect.encode(message))
                pipe.flush()
            pipe.close()
        except OSError:  # the server is gone; the reader notices and tells everyone
            return

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101 -- opened as a pipe above
        try:
            while (message := _next_message(pipe)) is not None:
                self._receive(message)
        except (OSError, ValueError, RecursionError):  # no longer a protocol that we know
            self._process.kill()
        finally:
            self._end()
            pipe.close()

    def _receive(self, message: Json) -> None:
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if number is not None:
                self._send({"id": number, "result": self._answer(method, message.get("params"))})
            return
        with self._lock:
            reply = self._replies.pop(number, None)
        if reply is not None:
            reply.settle(message)

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            replies = list(self._replies.values())
            self._replies.clear()
        for reply in replies:
            reply.settle(None)
        self._outbox.put(None)


def _next_message(pipe: IO[bytes]) -> Json | None:
    """The next message, None at the end.

    Raises:
        ValueError: what comes is no message.
    """
    size = None
    for _ in range(_MOST_HEADERS):
        line = pipe.readline(_LONGEST_HEADER)
        if not line:
            return None
        if not line.strip():
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    if size is None or not 0 <= size <= _LARGEST_MESSAGE:
        raise ValueError(f"a message of {size} bytes")
    data = pipe.read(size)
    if len(data) < size:
        return None
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("a message that is no object")  # noqa: TRY004 -- bad data, not a bad argument
    return message
