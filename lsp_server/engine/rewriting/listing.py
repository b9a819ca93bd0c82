"""Files and places as parts of sentences for people: one alone, all of them (`listed`), or a few (`abridged`).

A place is `cart.py:7` in lists, and `cart.py, line 7` where it is alone; for people lines count from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_index import Document, Workspace

_FEW = 8
"""The most names that `listed` writes one by one, and the most that `abridged` writes at all."""


def shown(workspace: Workspace, document: Document) -> str:
    """A document's name for people: its file's path below its root, or its URI if it has no file."""
    path = path_of(document.uri)
    return document.uri if path is None else workspace.shown(path)


def short_place(workspace: Workspace, document: Document, offset: int) -> str:
    """The file and the line of an offset in a document, such as `cart.py:7`."""
    return f"{shown(workspace, document)}:{document.position(offset).line + 1}"


def long_place(workspace: Workspace, document: Document, offset: int) -> str:
    """The file and the line of an offset in a document, such as `cart.py, line 7`."""
    return f"{shown(workspace, document)}, line {document.position(offset).line + 1}"


def listed(names: Iterable[str]) -> str:
    """All different names, joined by commas; many `file:line` are written by file, such as `cart.py:1,7`."""
    different = list(dict.fromkeys(names))
    if len(different) <= _FEW:
        return ", ".join(different)
    by_file: dict[str, list[str]] = {}
    for name in different:
        file, colon, line = name.rpartition(":")
        is_place = bool(colon) and line.isdigit()
        by_file.setdefault(f"{file}:" if is_place else name, []).append(line if is_place else "")
    return ", ".join(f"{file}{','.join(lines)}" for file, lines in by_file.items())


def abridged(names: Iterable[str]) -> str:
    """The first few different names, joined by commas, and how many more there are, which a note lists."""
    different = list(dict.fromkeys(names))
    rest = f" and {len(different) - _FEW} more" if len(different) > _FEW else ""
    return ", ".join(different[:_FEW]) + rest
