"""A process that reads files for another: paths come in, facts go out, until its standard input ends.

It keeps nothing and cannot outlive the process that started it, as its input ends with that. `pool` starts it as
`python -m context_index.index.worker BYTES [STUBS]`: the size of the largest file to read, and the Python that stubs
are read for, such as "3.11 linux".

A request is a length and a list of paths as JSON. There is one answer for each path, in their order: a head `_RESULT`,
then the outline and the encoded facts.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from context_index.index.extract import Extract, extract
from context_index.index.stubs import pruner
from context_index.scan import Exclusion

_LENGTH = struct.Struct("<I")
_RESULT = struct.Struct("<B16sII")
"""The head of an answer: a status, the content's hash, and the lengths of the outline and of the facts."""
_READ = 0
"""The status of a file that was read; others are the index of the reason in `_REASONS`, plus 1."""
_REASONS = tuple(Exclusion)


def send_paths(stream: BinaryIO, paths: Sequence[str]) -> None:
    """Ask a worker to read some files."""
    data = json.dumps(paths).encode()
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_result(stream: BinaryIO) -> Extract | Exclusion:
    """A worker's next answer; answers come in the order of the paths.

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
    """Answer requests until the input ends; returns the exit code."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    max_bytes = int(sys.argv[1])
    rewrite = pruner(sys.argv[2]) if len(sys.argv) > 2 else None  # noqa: PLR2004 -- the second argument
    try:
        while True:
            (size,) = _LENGTH.unpack(_exactly(requests, _LENGTH.size))
            for path in json.loads(_exactly(requests, size)):
                _send_result(answers, extract(Path(path), max_bytes, rewrite))
            answers.flush()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return 0


def _send_result(stream: BinaryIO, result: Extract | Exclusion) -> None:
    """Answer about one file, as `receive_result` reads it."""
    if isinstance(result, Exclusion):
        stream.write(_RESULT.pack(_REASONS.index(result) + 1, b"", 0, 0))
        return
    outline = result.outline.encode("utf-8", "surrogatepass")
    stream.write(_RESULT.pack(_READ, result.key, len(outline), len(result.data)))
    stream.write(outline)
    stream.write(result.data)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    """The next `size` bytes of a stream; raises `EOFError` if it ends before."""
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


if __name__ == "__main__":
    sys.exit(main())
