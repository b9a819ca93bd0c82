r"""LSP's base protocol: byte strings framed by headers, read from any binary stream.

Knows nothing of JSON. A stream that lost its frames (no length, a wrong one, noise between messages) is read on
from the next `Content-Length` header; what was lost is told as one `Lost`, and messages behind it arrive as if
nothing had been. That is safe: no JSON text holds such a header, as its strings cannot hold a raw line end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_BODY = 64 * 1024 * 1024
_LONGEST_LINE = 64 * 1024

_LENGTH = re.compile(rb"(?<![A-Za-z0-9-])content-length:[ \t]*([^\r\n]*?)[ \t]*\r?\n\Z", re.IGNORECASE)
_OTHER_HEADER = re.compile(rb"[A-Za-z0-9-]+:[^\r\n]*\r?\n\Z")


@dataclass(frozen=True, slots=True)
class Lost:
    """Bytes that are no message. `why` is one sentence."""

    why: str


def frame(body: bytes) -> bytes:
    """A body with the header that LSP wants."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def frames(stream: BinaryIO) -> Iterator[bytes | Lost]:
    """The bodies that arrive, until the stream ends; blocks for each."""
    length: int | None = None
    lost = False
    headed = False
    while line := stream.readline(_LONGEST_LINE):
        why = ""
        if found := _LENGTH.search(line):
            if found.start() > 0:
                why = "there is something between two messages"
            length, problem = _length(found[1])
            headed, why = True, problem or why
        elif not line.strip(b"\r\n"):
            if length is not None:
                body = stream.read(length)
                if len(body) < length:
                    yield Lost(f"the stream ended after {len(body)} of {length} bytes of a message")
                    return
                yield body
                lost = False
            elif headed:
                why = "a message has no Content-Length header"
            length, headed = None, False
        elif length is not None or _OTHER_HEADER.match(line):
            headed = True
        else:
            why = "there is something between two messages"
        if why and not lost:
            lost = True
            yield Lost(f"{why}; send `Content-Length: <bytes>`, an empty line and the body")


def _length(figure: bytes) -> tuple[int | None, str]:
    """The length that a header tells, or what is wrong with it."""
    if not figure.isdigit():
        return None, f"{figure.decode('ascii', 'replace')!r} is no length for a message"
    if len(figure) > len(str(LONGEST_BODY)) or int(figure) > LONGEST_BODY:
        return None, f"a message of {figure.decode()} bytes is longer than the {LONGEST_BODY} that are read"
    return int(figure), ""
