"""A notebook as one program: the cells of a language, one after another, as a kernel would run them.

Magics at the beginning of a line (`%matplotlib`, `!pip`) are not Python; they are read as comments of the same length,
so offsets stay the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from context_index import Document, Language
from lsp_server.documents.parsing import Parsing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAGIC = re.compile(r"^[%!?]", re.MULTILINE)
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook's cells, without their texts."""

    uri: str
    cells: tuple[str, ...]
    """Their URIs, in order."""

    def changed(self, start: int, deleted: int, cells: Sequence[str]) -> Notebook:
        """The notebook with `deleted` cells from `start` on replaced by `cells`."""
        return replace(self, cells=(*self.cells[:start], *cells, *self.cells[start + deleted :]))


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a program, and where it begins in it."""

    start: int
    document: Document


def joined(
    notebook: Notebook, own: Parsing, current: Callable[[str], Document | None]
) -> tuple[Parsing, tuple[Cell, ...]]:
    """The program that a cell is a part of, and its parts."""
    cell = own.document
    cells: list[Cell] = []
    start = 0
    for document in filter(None, map(current, notebook.cells)):
        if document.language is cell.language:
            cells.append(Cell(start, document))
            start += len(document.text) + len(_BETWEEN)
    if all(one.document.uri != cell.uri for one in cells):  # the client opened the text before it announced the cell
        return own, (Cell(0, cell),)
    text = _BETWEEN.join(_program(one.document) for one in cells)
    return Parsing(Document(notebook.uri, cell.language, text, cell.revision)), tuple(cells)


def parted(cells: Sequence[Cell], own: str, before: str, after: str) -> Iterator[tuple[Document, str]]:
    """The documents of a program, each with its text in another text of the program; magics stay as they are.

    Args:
        own: The URI of the only document that may have another number of lines.
    """
    lines = after.split("\n")
    added = len(lines) - before.count("\n") - 1
    for cell in cells:
        document, read = cell.document, before[cell.start : cell.start + len(cell.document.text)]
        count = read.count("\n") + 1 + (added if document.uri == own else 0)
        given = lines[:count]
        kept = given if read == document.text else _kept(document.text.split("\n"), read.split("\n"), given)
        yield document, "\n".join(kept)
        lines = lines[count + len(_BETWEEN) - 1 :]


def _kept(lines: Sequence[str], read: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """New lines with all those that were read as others, each before what replaces it."""
    for tag, start, end, from_, to in SequenceMatcher(None, read, given, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from lines[start:end]
        else:
            yield from (line for line, other in zip(lines[start:end], read[start:end], strict=True) if line != other)
            yield from given[from_:to]


def _program(document: Document) -> str:
    return _MAGIC.sub("#", document.text) if document.language is Language.PYTHON else document.text
