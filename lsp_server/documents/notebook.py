"""A notebook as one program: the cells of a language, one after another, as a kernel would run them.

Line magics (`%matplotlib`, `!pip`) are no Python; they are read as comments of the same length, so offsets stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index import Document, Language
from lsp_server.documents.parsing import Parsing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MAGIC = re.compile(r"^[%!?]", re.MULTILINE)
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Notebook:
    """Which cells there are, in order."""

    uri: str
    cells: tuple[str, ...]

    def changed(self, start: int, deleted: int, cells: Sequence[str]) -> Notebook:
        """`deleted` cells from `start` on give way to `cells`."""
        return replace(self, cells=(*self.cells[:start], *cells, *self.cells[start + deleted :]))


def joined(notebook: Notebook, own: Parsing, current: Callable[[str], Document | None]) -> tuple[Parsing, int]:
    """The program that a cell is a part of, and where the cell begins in it."""
    cell = own.document
    texts: list[str] = []
    shift = None
    for uri in notebook.cells:
        document = current(uri)
        if document is None or document.language is not cell.language:
            continue
        if uri == cell.uri:
            shift = sum(len(text) + len(_BETWEEN) for text in texts)
        texts.append(_program(document))
    if shift is None:  # the client opened the text before it told of the cell
        return own, 0
    return Parsing(Document(notebook.uri, cell.language, _BETWEEN.join(texts), cell.revision)), shift


def _program(document: Document) -> str:
    return _MAGIC.sub("#", document.text) if document.language is Language.PYTHON else document.text
