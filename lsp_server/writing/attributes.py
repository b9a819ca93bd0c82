"""What belongs to a file besides its content: owner, group, mode, extended attributes with its ACL, and flags.

A file that takes another's place gets the other's attributes (`replacing`, `page`).
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

if sys.platform == "linux":
    import fcntl

_GET_FLAGS, _SET_FLAGS = 0x80086601, 0x40086602
"""FS_IOC_GETFLAGS and FS_IOC_SETFLAGS, as most processors with 64 bits number them (`linux/fs.h`)."""
_CHOSEN_FLAGS = 0x0080C0CC
"""The flags that people choose by chattr and that do not forbid writing: c, S, d, A, j, t, C."""
_HAS_EXTENDED = hasattr(os, "listxattr")
"""Whether this system has extended attributes."""
CAN_COPY = _HAS_EXTENDED and hasattr(os, "fchown")
"""Whether one file can be given all attributes of another on this system."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes of one file."""

    mode: int
    """The permission bits."""
    owner: int
    group: int
    names: int
    """How many hard links lead to it."""
    extended: Mapping[str, bytes]
    """The extended attributes, by name."""
    flags: int
    """Its flags as of `chattr`, but only those of `_CHOSEN_FLAGS`."""

    @classmethod
    def of(cls, descriptor: int) -> Attributes:
        """The attributes of an open file."""
        status = os.fstat(descriptor)
        return cls(
            stat.S_IMODE(status.st_mode),
            status.st_uid,
            status.st_gid,
            status.st_nlink,
            _extended(descriptor),
            _flags(descriptor) & _CHOSEN_FLAGS,
        )

    def give(self, descriptor: int) -> None:
        """Give them to another open file, all but the hard links.

        Raises:
            OSError: this user may not, or the file system cannot keep them.
        """
        present = Attributes.of(descriptor)
        if (present.owner, present.group) != (self.owner, self.group):
            os.fchown(descriptor, self.owner, self.group)
        if _HAS_EXTENDED:
            for name in present.extended.keys() - self.extended.keys():  # a folder's default ACL gives such
                os.removexattr(descriptor, name)
            for name, value in self.extended.items():
                if present.extended.get(name) != value:
                    os.setxattr(descriptor, name, value)
        if present.flags != self.flags:
            _set_flags(descriptor, _flags(descriptor) & ~_CHOSEN_FLAGS | self.flags)
        os.fchmod(descriptor, self.mode)  # last, as the system drops permission bits when the owner changes


def _extended(descriptor: int) -> dict[str, bytes]:
    """The extended attributes of an open file; none if this system or the file system has none."""
    if not _HAS_EXTENDED:
        return {}
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno in {errno.ENOTSUP, errno.ENOSYS}:
            return {}
        raise


def _flags(descriptor: int) -> int:
    """All flags of an open file; 0 if this system or the file system has none."""
    if sys.platform == "linux":
        try:
            return int(struct.unpack("i", fcntl.ioctl(descriptor, _GET_FLAGS, bytes(4)))[0])
        except OSError:
            pass
    return 0


def _set_flags(descriptor: int, flags: int) -> None:
    if sys.platform == "linux":
        fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("i", flags))
