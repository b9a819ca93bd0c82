"""JSON-RPC with one language server over the pipes of its process.

Two threads move the bytes, so that neither a server that does not read nor one that does not stop writing can block
the thread that asks. Knows nothing of the messages' meaning.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import IO

from context_index.checkers.errors import (
    CheckerCancelledError,
    CheckerDiedError,
    CheckerRefusedError,
    CheckerStalledError,
    CheckerStartError,
)
from context_index.processes import exit_code_within, start
from context_index.symbols import encodable

Json = dict[str, object]
Answerer = Callable[[str, object], object]
"""Answers a request of the server: method and parameters to result."""
_LARGEST_MESSAGE = 64 << 20
"""Bytes. Completions of a large project have some megabytes."""
_LONGEST_HEADER = 4096
_MOST_HEADERS = 16
_SECONDS_TO_END = 2.0


class Reply:
    """The answer to one request, once it is there."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._message: Json | None = None
        self._is_cancelled = False

    def wait(self, seconds: float) -> object:
        """The result.

        Raises:
            CheckerStalledError: it is not there after so many seconds.
            CheckerDiedError: it never will be.
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

    def settle(self, message: Json | None) -> None:
        """Set the answer; None where there will be none."""
        self._message = message
        self._done.set()

    def cancel(self) -> None:
        """The request was cancelled: `wait` returns at once."""
        self._is_cancelled = True
        self._done.set()


class Connection:
    """One process and the messages to and from it."""

    def __init__(
        self,
        command: Sequence[str | Path],
        answer: Answerer,
        *,
        outside_of: Sequence[Path],
        variables: Mapping[str, str],
    ) -> None:
        """Start the process.

        Raises:
            CheckerStartError: there is no such program, or it may not be started.
        """
        try:
            self._process = start(command, outside_of=outside_of, variables=variables)
        except OSError as error:
            raise CheckerStartError(f"'{command[0]}' does not start: {error}") from error
        self._answer = answer
        self._ids = count(1)
        self._replies: dict[object, Reply] = {}
        self._outbox: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ended = False
        self._published: dict[str, tuple[int, Json]] = {}
        """By document: the version of what was published last, and that."""
        self._unsettled: dict[str, tuple[int, Json]] = {}
        """The same, as long as the server may publish that version once more."""
        self._awaited: dict[tuple[str, int], Reply] = {}
        """By document and version: who waits for it to be published."""
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"{Path(command[0]).name} {work.__name__}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether answers can still come."""
        return not self._ended and self._process.poll() is None

    def request(self, method: str, params: object) -> Reply:
        """Ask, without waiting for the answer."""
        number, reply = next(self._ids), Reply()
        with self._lock:
            if self._ended:
                reply.settle(None)
                return reply
            self._replies[number] = reply
        self._outbox.put({"id": number, "method": method, "params": params})
        return reply

    def notify(self, method: str, params: object) -> None:
        """Send a message that has no answer."""
        self._outbox.put({"method": method, "params": params})

    def published(self, uri: str, version: int) -> Reply:
        """What the server publishes by itself of a version of a document, or of a later one."""
        reply = Reply()
        with self._lock:
            known = self._published.get(uri)
            if self._ended:
                reply.settle(None)
            elif known is not None and known[0] >= version:
                reply.settle(known[1])
            else:
                reply = self._awaited.setdefault((uri, version), reply)
        return reply

    def cancel_requests(self) -> None:
        """Cancel all open requests; the server is told, too."""
        with self._lock:
            replies, self._replies = self._replies, {}
            awaited, self._awaited = self._awaited, {}
        for reply in awaited.values():
            reply.cancel()
        for number, reply in replies.items():
            self.notify("$/cancelRequest", {"id": number})
            reply.cancel()

    def close(self) -> None:
        """End the process, whatever it is doing, and every question that is still open."""
        self._end()
        self._process.kill()
        exit_code_within(self._process, _SECONDS_TO_END)

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101 -- opened as a pipe above
        try:
            while (message := self._outbox.get()) is not None:
                data = _encoded({"jsonrpc": "2.0", **message})
                pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
                if self._outbox.empty():  # a change and the question about it are one write
                    pipe.flush()
            pipe.close()
        except OSError:  # the server is gone; the reading thread settles every question
            return

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101 -- opened as a pipe above
        try:
            while (message := _next_message(pipe)) is not None:
                self._receive(message)
        except (OSError, ValueError, RecursionError):  # not the protocol that we know
            self._process.kill()
        finally:
            self._end()
            pipe.close()

    def _receive(self, message: Json) -> None:
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if number is not None:  # a server waits for the answer to each of its requests
                self._outbox.put({"id": number, "result": self._answer(method, message.get("params"))})
            elif method == "textDocument/publishDiagnostics":
                self._receive_published(message.get("params"))
            elif method == "textDocument/clangd.fileStatus":
                self._receive_status(message.get("params"))
            return
        with self._lock:
            reply = self._replies.pop(number, None)
        if reply is not None:
            reply.settle(message)

    def _receive_published(self, params: object) -> None:
        match params:
            case {"uri": str(uri), "version": int(version), "diagnostics": list(found)}:
                with self._lock:
                    self._unsettled[uri] = version, {"result": found}

    def _receive_status(self, params: object) -> None:
        """What was published of a document is the last of its version once the server rests from the document."""
        match params:
            case {"uri": str(uri), "state": "idle"} if uri in self._unsettled:
                with self._lock:
                    version, answer = self._published[uri] = self._unsettled.pop(uri)
                    due = [key for key in self._awaited if key[0] == uri and key[1] <= version]
                    replies = [self._awaited.pop(key) for key in due]
                for reply in replies:
                    reply.settle(answer)

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            replies = [*self._replies.values(), *self._awaited.values()]
            self._replies.clear()
            self._awaited.clear()
        for reply in replies:
            reply.settle(None)
        self._outbox.put(None)


def _encoded(message: Json) -> bytes:
    """A message as UTF-8; half of a surrogate pair would end ty."""
    return encodable(json.dumps(message, ensure_ascii=False)).encode()


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
