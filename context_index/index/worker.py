"""A process that reads files for another: paths come in, facts go out, until its standard input ends.

It keeps nothing and cannot outlive the process that started it, as its input ends with that. Started as `python -m
context_index.index.worker BYTES [STUBS]`: the largest file to read, and the Python that stubs are read for, such as
"3.11 linux".
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from context_index.index.extract import Extract, extract
from context_index.index.stubs import rewriting
from context_index.scan import Exclusion

_LENGTH = struct.Struct("<I")
_RESULT = struct.Struct("<B16sII")
_READ = 0
_REASONS = tuple(Exclusion)


def send_paths(stream: BinaryIO, paths: Sequence[str]) -> None:
    """Ask for some files."""
    data = json.dumps(paths).encode()
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_result(stream: BinaryIO) -> Extract | Exclusion:
    """The answer about one file; they come in the order of the paths.

    Raises:
        EOFError: the other process is gone.
    """
    status, key, outline, data = _RESULT.unpack(_exactly(stream, _RESULT.size))
    if status != _READ:
        why: Exclusion = _REASONS[status - 1]
        return why
    text = _exactly(stream, outline).decode("utf-8", "surrogatepass")
    return Extract(key, text, _exactly(stream, data))


def main() -> int:
    """Answer until the input ends."""
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    max_bytes = int(sys.argv[1])
    rewrite = rewriting(sys.argv[2]) if len(sys.argv) > 2 else None  # noqa: PLR2004 -- the second argument
    try:
        while True:
            (size,) = _LENGTH.unpack(_exactly(asked, _LENGTH.size))
            for path in json.loads(_exactly(asked, size)):
                _send_result(answers, extract(Path(path), max_bytes, rewrite))
            answers.flush()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return 0


def _send_result(stream: BinaryIO, result: Extract | Exclusion) -> None:
    if isinstance(result, Exclusion):
        stream.write(_RESULT.pack(_REASONS.index(result) + 1, b"", 0, 0))
        return
    outline = result.outline.encode("utf-8", "surrogatepass")
    stream.write(_RESULT.pack(_READ, result.key, len(outline), len(result.data)))
    stream.write(outline)
    stream.write(result.data)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


if __name__ == "__main__":
    sys.exit(main())
