"""What Linux can do with files and Python has no function for: swap two files, and see whether others write to one.

Other systems, and some file systems, cannot. Then `exchange` raises `UnableError`, `has_other_writers` returns False,
and `exclusive_lease` does nothing. `replacing` calls them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

if sys.platform == "linux":
    import fcntl

_WORKING_DIRECTORY = -100
"""AT_FDCWD; it does not matter for absolute paths."""
_EXCHANGE = 2
"""RENAME_EXCHANGE."""
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EBUSY}
"""The errors of a kernel or a file system that cannot swap files, and of a mounted file."""


class UnableError(OSError):
    """Two files cannot be swapped here."""


def _renameat2() -> Callable[..., int] | None:
    """The C library's `renameat2`, which returns 0 if it succeeds; None if it has none."""
    if sys.platform != "linux":
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return function


_RENAME = _renameat2()
CAN_EXCHANGE = _RENAME is not None
"""Whether this system can swap files; a file system may be unable all the same."""


def exchange(first: Path, second: Path) -> None:
    """Swap what is at two absolute paths of one file system, so that at no moment either is missing.

    Raises:
        UnableError: this system or this file system cannot.
        OSError: as for a rename.
    """
    if _RENAME is None:
        raise UnableError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if _RENAME(_WORKING_DIRECTORY, os.fsencode(first), _WORKING_DIRECTORY, os.fsencode(second), _EXCHANGE):
        number = ctypes.get_errno()
        raise (UnableError if number in _UNABLE else OSError)(number, os.strerror(number), str(second))


def has_other_writers(descriptor: int, folder: Path) -> bool:
    """Whether anybody has a file open for writing; False if that cannot be known.

    Args:
        descriptor: Opened for reading; this process must not have the file open for writing.
        folder: Where the file is.
    """
    if sys.platform != "linux":
        return False
    try:
        _lease(descriptor)
    except OSError as error:
        return error.errno == errno.EAGAIN and _grants_leases(folder)
    return False


def _lease(descriptor: int) -> None:
    """Take a read lease and give it back.

    Raises:
        OSError: with EAGAIN, somebody has the file open for writing; some file systems say so always.
    """
    if sys.platform == "linux":
        # the signal that tells of somebody who opens the file; the usual one, SIGIO, would end this process
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _grants_leases(folder: Path) -> bool:
    """Whether the file system gives a lease for a file that nobody has open; over a network it may not."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            reader = os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY)
        try:
            _lease(reader)
        finally:
            os.close(reader)
    except OSError:
        return False
    return True


@contextmanager
def exclusive_lease(descriptor: int) -> Iterator[None]:
    """A context in which others who open the file wait, if nobody has it open now and the file is this user's."""
    if sys.platform != "linux":
        yield
        return
    with suppress(OSError):
        # the signal that tells of somebody who waits; by default a process ignores it
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
