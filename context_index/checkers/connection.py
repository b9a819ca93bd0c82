"""JSON-RPC with one language server, over the pipes of its process.

Two threads move the bytes, so that the thread that asks is blocked neither by a server that does not read nor by one
that does not stop writing. Of a server's messages it knows the diagnostics, and clangd's status of a file,
which says that no more diagnostics of it come.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import IO

from context_index.checkers.errors import CheckerStartError
from context_index.checkers.reply import Message, Reply
from context_index.processes import exit_code_within, start
from context_index.symbols import encodable

Answerer = Callable[[str, object], object]
"""Answers a request of the server: takes the method and the parameters, and returns the result."""
_LARGEST_MESSAGE = 64 << 20
"""Bytes of one message. Completions of a large project have some megabytes."""
_LONGEST_HEADER = 4096
"""Bytes of one header line. Real ones have some 30."""
_MOST_HEADERS = 16
"""Header lines before one message. LSP has two."""
_SECONDS_TO_END = 2.0
"""How long `close` waits for the killed process."""


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

        Args:
            command: The program's absolute path and its arguments.
            answer: Answers the server's own requests, on the reading thread.
            outside_of: The workspaces that the program may not come from.
            variables: Environment variables that are set for it.

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
        """The open requests, by their numbers."""
        self._outbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        """The messages that are to be written; None ends the writing thread."""
        self._lock = threading.Lock()
        self._ended = False
        self._published: dict[str, tuple[int, Message]] = {}
        """By a document's URI: the last version whose diagnostics are complete, and a message with these."""
        self._unsettled: dict[str, tuple[int, Message]] = {}
        """The same for diagnostics of which the server may publish more, for the same version."""
        self._awaited: dict[tuple[str, int], Reply] = {}
        """By a document's URI and version: the reply that waits until its diagnostics are published."""
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"{Path(command[0]).name} {work.__name__}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the server's process."""
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

    def diagnostics_of(self, uri: str, version: int) -> Reply:
        """The reply with the diagnostics that the server publishes of a version of a document, or of a later one."""
        reply = Reply()
        with self._lock:
            published_version, message = self._published.get(uri, (-1, None))
            if self._ended:
                reply.settle(None)
            elif message is not None and published_version >= version:
                reply.settle(message)
            else:
                reply = self._awaited.setdefault((uri, version), reply)
        return reply

    def cancel_requests(self) -> None:
        """Cancel all open requests, also at the server."""
        with self._lock:
            replies, self._replies = self._replies, {}
            awaited, self._awaited = self._awaited, {}
        for reply in awaited.values():
            reply.cancel()
        for number, reply in replies.items():
            self.notify("$/cancelRequest", {"id": number})
            reply.cancel()

    def close(self) -> None:
        """Kill the process and end all open requests."""
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
        except OSError:  # the process ended; the reading thread settles all replies
            return

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101 -- opened as a pipe above
        try:
            while (message := _next_message(pipe)) is not None:
                self._receive(message)
        except (OSError, TypeError, ValueError, RecursionError):  # it does not speak the protocol
            self._process.kill()
        finally:
            self._end()
            pipe.close()

    def _receive(self, message: Message) -> None:
        """Handle a message of the server: its own request, diagnostics that it publishes, or an answer."""
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
            case {"uri": str(uri), "version": int(version), "diagnostics": list(diagnostics)}:
                with self._lock:
                    self._unsettled[uri] = version, {"result": diagnostics}

    def _receive_status(self, params: object) -> None:
        """Settle the replies that wait for a document: once clangd is idle, it publishes no more of this version."""
        match params:
            case {"uri": str(uri), "state": "idle"} if uri in self._unsettled:
                with self._lock:
                    version, answer = self._published[uri] = self._unsettled.pop(uri)
                    due = [key for key in self._awaited if key[0] == uri and key[1] <= version]
                    replies = [self._awaited.pop(key) for key in due]
                for reply in replies:
                    reply.settle(answer)

    def _end(self) -> None:
        """Settle all replies without an answer, and end the writing thread."""
        with self._lock:
            self._ended = True
            replies = [*self._replies.values(), *self._awaited.values()]
            self._replies.clear()
            self._awaited.clear()
        for reply in replies:
            reply.settle(None)
        self._outbox.put(None)


def _encoded(message: Message) -> bytes:
    """A message as UTF-8, without lone surrogates, at which ty would end."""
    return encodable(json.dumps(message, ensure_ascii=False)).encode()


def _next_message(pipe: IO[bytes]) -> Message | None:
    """The next message of the server; None at the end of the pipe.

    Raises:
        ValueError: what comes is not a message of the protocol.
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
