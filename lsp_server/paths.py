"""Checks what is at a path that a person or a request named; an error says why it cannot be read."""

from __future__ import annotations

import argparse
import stat
from pathlib import Path

from lsp_server.errors import ErrorCode, RequestError


def mode_of(path: Path, shown: str) -> int:
    """The mode bits of what is at a path, for `stat.S_ISDIR` and the like; 0 if there is nothing.

    `Path.is_dir` and `Path.is_file` raise an `OSError` for a name that is too long, and ignore a loop of links.

    Args:
        shown: The path as it was written.

    Raises:
        RequestError: the path cannot be examined.
    """
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except (OSError, ValueError) as error:
        raise unreadable(shown, error) from error


def check_file(path: Path, shown: str, what: str = "file") -> None:
    """Check that a path names a regular file.

    Args:
        shown: The path as it was written.
        what: The kind of file, for messages.

    Raises:
        RequestError: there is nothing or something else, or the path cannot be examined.
    """
    mode = mode_of(path, shown)
    if not mode:
        link = f"'{shown}' is a link to a {what} that does not exist"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, link if path.is_symlink() else f"there is no {what} '{shown}'")
    if stat.S_ISDIR(mode):
        raise RequestError(ErrorCode.IS_DIRECTORY, f"'{shown}' is a directory; name a {what} in it")
    if not stat.S_ISREG(mode):
        raise RequestError(ErrorCode.BINARY, f"'{shown}' is a device or a pipe, not a {what}")


def unreadable(shown: str, error: OSError | ValueError) -> RequestError:
    """The error for a file that cannot be read."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot read '{shown}': {why}")


def existing(text: str) -> Path:
    """A path at which there is something; an argparse type.

    Raises:
        ArgumentTypeError: there is nothing.
    """
    try:
        if text and Path(text).exists():
            return Path(text)
    except OSError:  # a name that is too long, links in a circle
        pass
    raise argparse.ArgumentTypeError(f"there is nothing at '{text}'")
