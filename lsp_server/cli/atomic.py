"""Writes a file atomically: readers see the old content or the new, never a part of it."""

from __future__ import annotations

import codecs
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def is_write_protected(mode: int) -> bool:
    """Whether a file's mode lets nobody write to it; replacing it would not fail."""
    return not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)


def replace_texts(changes: Iterable[tuple[Path, str, str]]) -> None:
    """Write each file's new text if the file still has the old one; byte order marks and permissions stay.

    All files are checked before the first is written.

    Raises:
        RequestError: a file has been changed, or cannot be written; it is as it was, and so are those after it.
    """
    written: list[str] = []
    for path, data, mode in [_checked(*change) for change in changes]:
        try:
            _write(path, data, mode)
        except OSError as error:
            raise _unwritable(path, error, written) from error
        written.append(f"'{path}'")


def _checked(path: Path, before: str, after: str) -> tuple[Path, bytes, int]:
    """The file, its new content and its permissions."""
    path = path.resolve()
    try:
        mode, data = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise _unwritable(path, error) from error
    if is_write_protected(mode):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"'{path}' is write-protected; nothing was written")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if data[len(mark) :] != before.encode("utf-8"):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{path}' was changed meanwhile; nothing was written")
    return path, mark + after.encode("utf-8"), mode & 0o7777


def _unwritable(path: Path, error: OSError, written: Sequence[str] = ()) -> RequestError:
    others = f"; written before it: {', '.join(written)}" if written else ""
    return RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{path}': {error.strerror or error}{others}")


def write_text(path: Path, text: str) -> None:
    """Replace a file; to a pipe or a terminal the text is written directly.

    Raises:
        OSError: it cannot be written; a file is as it was, or still missing.
    """
    data = text.encode("utf-8", "backslashreplace")
    if path.is_file():
        _write(path.resolve(), data, path.stat().st_mode & 0o7777)
    elif path.exists():  # not resolved: where `/dev/stdout` leads to a pipe, that has no path
        path.write_bytes(data)
    else:
        _write(path.resolve(), data, 0o666 & ~_mask())


def _mask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(path: Path, data: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:  # an interrupt included: nothing half written is left
        Path(name).unlink(missing_ok=True)
        raise
