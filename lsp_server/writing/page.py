"""Writes a page, such as a rewrite's HTML page or a configuration file, whole: readers see the old one or the new one.

It takes no journal and no lock: what another program writes meanwhile may be lost.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsp_server.writing.attributes import CAN_COPY, Attributes
from lsp_server.writing.replacing import give_attributes, name_beside

if TYPE_CHECKING:
    from pathlib import Path


def write_page(path: Path, text: str) -> None:
    """Replace a page; its attributes stay.

    A pipe, a terminal, a page with several hard links, and a page whose attributes cannot be kept are written directly.

    Raises:
        OSError: it cannot be written; a page that was to be replaced is as it was, or still missing.
    """
    data = text.encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():  # not resolved: where `/dev/stdout` leads to a pipe, that has no path
        path.write_bytes(data)
        return
    path = path.resolve()
    attributes = _attributes(path)
    staged = name_beside(path)
    try:
        with staged.open("xb") as file:
            file.write(data)
            file.flush()
            is_alike = attributes is None or (attributes.names == 1 and _make_alike(attributes, file.fileno(), staged))
            os.fsync(file.fileno())
        if is_alike:
            staged.replace(path)
        else:
            path.write_bytes(data)
    finally:  # an interrupt included: nothing half written is left
        staged.unlink(missing_ok=True)


def _attributes(path: Path) -> Attributes | None:
    """The attributes of a page; None if there is no page yet."""
    try:
        with path.open("rb") as file:
            return Attributes.of(file.fileno())
    except FileNotFoundError:
        return None


def _make_alike(attributes: Attributes, descriptor: int, staged: Path) -> bool:
    """Give a staged page some attributes, or only the mode if this system copies no others; whether it could be done.

    Args:
        descriptor: Of the staged page, open for writing.
    """
    if CAN_COPY:
        return give_attributes(attributes, descriptor)
    staged.chmod(attributes.mode)
    return True
