"""Rows of JSON in a file, one a line, for benchmarks that go on where an earlier run ended."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO


def append(path: Path, row: Mapping[str, object]) -> None:
    """Add a row to a file, after its last whole line."""
    with path.open("a+b") as file:
        _drop_torn_line(file)
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, without a line at which a run was ended; none if there is no file."""
    if path.is_file():
        yield from map(json.loads, path.read_bytes().split(b"\n")[:-1])


def _drop_torn_line(file: BinaryIO) -> None:
    """Cut off a last line without a line end, at which a run was ended; else the next row would become part of it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 1))
    if file.read() in {b"", b"\n"}:
        return
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
