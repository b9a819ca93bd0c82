"""Writes a page whole: readers see the old one or the new, never a part of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsp_server.writing.attributes import CAN_COPY, Attributes
from lsp_server.writing.replacing import give_attributes, name_beside

if TYPE_CHECKING:
    from pathlib import Path


def write_page(path: Path, text: str) -> None:
    """Replace a page; its attributes stay.

    Written to directly are a pipe, a terminal, a page with several hard links and one whose attributes cannot be kept.

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
    """Those of a page; None where there is none yet."""
    try:
        with path.open("rb") as file:
            return Attributes.of(file.fileno())
    except FileNotFoundError:
        return None


def _make_alike(attributes: Attributes, descriptor: int, staged: Path) -> bool:
    """Give a page the attributes of another; only the mode where this system copies no others."""
    if CAN_COPY:
        return give_attributes(attributes, descriptor)
    staged.chmod(attributes.mode)
    return True
