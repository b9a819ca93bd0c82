"""Byte streams to an editor: standard input and output, or one connection on a loopback port.

Knows nothing of what is said over them. A client that went away is no fault: what is written to it is dropped.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Channel:
    """Two directions; each is used by one thread only."""

    source: BinaryIO
    sink: BinaryIO
    gone: bool = False

    def write(self, data: bytes) -> None:
        """Send all of it now."""
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
    """The streams that the process was started with; whatever else prints to standard output goes to the log."""
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    yield Channel(source, sink)


@contextmanager
def listen(host: str, port: int) -> Iterator[Channel]:
    """The first connection to a port of this machine; port 0 takes a free one, which the log tells.

    Raises:
        RequestError: the address is not this machine's own, or cannot be had.
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
        print(f"listening on {host}:{listener.getsockname()[1]}", file=sys.stderr, flush=True)  # noqa: T201 - stderr tells people what stdout may not
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
