"""Frames, in which a controller's worker and its host send each other bytes (`send`, `receive`).

A frame is the length of its body, the number of its question, a kind and the body. Nothing in a frame is trusted.
"""

from __future__ import annotations

import math
import select
import socket
import struct
import time

ANSWERED, FAILED = b"K", b"E"
"""The kinds of a worker's frames: the answer, or why there is none, in UTF-8."""
_FRAME = struct.Struct("<IIc")
"""The head of a frame: the bytes of its body, its number, its kind."""
FRAME_BYTES = _FRAME.size
"""The size of a frame without its body."""
_PORTION_BYTES = 1 << 16
"""The most bytes that are received at once."""


def set_timeout(line: socket.socket, seconds: float) -> None:
    """Make each call on the socket raise `BlockingIOError` after so long.

    The system measures the time; `socket.settimeout` would need a second system call for each.
    """
    whole, microseconds = divmod(max(1, int(seconds * 1e6)), 1_000_000)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        line.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", whole, microseconds))


def send(line: socket.socket, kind: bytes, number: int, body: bytes = b"") -> None:
    """Send one frame."""
    line.sendall(_FRAME.pack(len(body), number, kind) + body)


def receive(line: socket.socket, most: int = 1 << 30, until: float = math.inf) -> tuple[bytes, int, bytes]:
    """The next frame: kind, number, body. The other side sends nothing more before it is answered.

    Args:
        most: The most bytes of the body.
        until: When the whole frame must have arrived, by `time.monotonic`. The first portion of it must arrive within
            the socket's own timeout.

    Raises:
        EOFError: the other side is gone.
        ValueError: the body has more than `most` bytes, or more bytes were sent than the frame has.
        TimeoutError: the frame is late.
    """
    data, wanted = b"", FRAME_BYTES
    while len(data) < wanted:
        if data and until < math.inf and not select.select([line], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError
        try:
            portion = line.recv(_PORTION_BYTES)
        except BlockingIOError:
            raise TimeoutError from None
        if not portion:
            raise EOFError
        data = data + portion if data else portion
        if wanted == FRAME_BYTES <= len(data):
            length, number, kind = _FRAME.unpack_from(data)
            wanted += length
            if length > most or len(data) > wanted:
                raise ValueError(length)
    return kind, number, data[FRAME_BYTES:]
