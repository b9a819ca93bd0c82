"""Byte streams to an editor, standard input and output or one connection on a loopback port, and LSP's frames on them.

Knows nothing of JSON. A client that has gone is not an error: what is written to it is dropped. After a broken frame
(no length, a wrong one, noise between messages) reading goes on at the next `Content-Length` header, and one
`LostBytes` reports what was lost. That is safe: no JSON text contains such a header, as its strings contain no raw line
end. pygls' own reader recovers from 3 of the 14 streams of `tests/lsp_server/lsp/test_transport.py`.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import socket
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)

LONGEST_BODY = 64 * 1024 * 1024
"""The most bytes of a message."""
_LONGEST_LINE = 64 * 1024
"""The most bytes that are read as one line of a header."""

_LENGTH = re.compile(rb"(?<![A-Za-z0-9-])content-length:[ \t]*([^\r\n]*?)[ \t]*\r?\n\Z", re.IGNORECASE)
_OTHER_HEADER = re.compile(rb"[A-Za-z0-9-]+:[^\r\n]*\r?\n\Z")


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Bytes that are no message."""

    why: str
    """What is wrong with them, in a sentence."""


@dataclass(slots=True)
class Channel:
    """Both directions of a connection; each is used by one thread only."""

    source: BinaryIO
    """What the client sends."""
    sink: BinaryIO
    """What is sent to the client."""
    gone: bool = False
    """Whether the client has gone; nothing more is sent then."""

    def write(self, data: bytes) -> None:
        """Send all of the data now, unless the client has gone."""
        if self.gone:
            return
        try:
            self.sink.write(data)
            self.sink.flush()
        except OSError as error:
            self.gone = True
            _log.warning("the client is gone: %s", error)


@contextmanager
def stdio() -> Iterator[Channel]:
    """The process's standard input and output; from now on whatever else is printed goes to standard error."""
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    yield Channel(source, sink)


@contextmanager
def listen(host: str, port: int) -> Iterator[Channel]:
    """Wait for the first connection to a port of this machine; 0 takes a free port. It is printed to standard error.

    Raises:
        RequestError: the address is not this machine's own, or the port cannot be listened on.
    """
    if not _is_loopback(host):
        why = f"will not listen on {host}: whoever connects can read your code. Use 127.0.0.1"
        raise RequestError(ErrorCode.MALFORMED_REQUEST, why)
    try:
        listener = socket.create_server((host, port), family=_family(host), backlog=1)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)  # its own sentence names the address once more
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"cannot listen on {host}:{port}: {why}") from error
    with listener:
        print(f"listening on {host}:{listener.getsockname()[1]}", file=sys.stderr, flush=True)  # noqa: T201 - for people; standard output is the protocol's
        connection, _ = listener.accept()
    with connection, connection.makefile("rb") as source, connection.makefile("wb") as sink:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            yield Channel(source, sink)
        finally:
            with suppress(OSError):  # the client closed it first
                connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads, so that `source` can close


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def frame(body: bytes) -> bytes:
    """A body with the header that LSP demands."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def frames(stream: BinaryIO) -> Iterator[bytes | LostBytes]:
    """The bodies that arrive until the stream ends, and one `LostBytes` for each stretch without a message. Blocks."""
    length: int | None = None  # of the body, from the header that is being read
    is_lost = False  # whether the present stretch without a message was reported
    in_header = False
    while line := stream.readline(_LONGEST_LINE):
        why = ""
        if header := _LENGTH.search(line):
            if header.start() > 0:
                why = "there are unexpected bytes between two messages"
            length, problem = _length(header[1])
            in_header, why = True, problem or why
        elif not line.strip(b"\r\n"):
            if length is not None:
                body = stream.read(length)
                if len(body) < length:
                    yield LostBytes(f"the stream ended after {len(body)} of {length} bytes of a message")
                    return
                yield body
                is_lost = False
            elif in_header:
                why = "a message has no Content-Length header"
            length, in_header = None, False
        elif length is not None or _OTHER_HEADER.match(line):
            in_header = True
        else:
            why = "there are unexpected bytes between two messages"
        if why and not is_lost:
            is_lost = True
            yield LostBytes(f"{why}; send `Content-Length: <bytes>`, an empty line and the body")


def _length(figure: bytes) -> tuple[int | None, str]:
    """The length in a header, and what is wrong with it: one of the two is None or empty."""
    if not figure.isdigit():
        return None, f"{figure.decode('ascii', 'replace')!r} is not a valid Content-Length"
    if len(figure) > len(str(LONGEST_BODY)) or int(figure) > LONGEST_BODY:
        return None, f"a message of {figure.decode()} bytes is longer than the {LONGEST_BODY} that are read"
    return int(figure), ""
