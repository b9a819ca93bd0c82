"""A notebook as one program: the cells of a language, one after another, as a kernel would run them.

A kernel compiles each cell by itself, so nothing that a cell leaves open may reach into the next cell. What it leaves
open is ended in the gap after it. A cell that cannot be ended is replaced by blanks. Only the cell that a request is
about stays as it is. Magics (`%matplotlib`, `!pip`, `x = !ls`, `print?`) are not Python: a comment or a value of the
same length stands in for each, so that offsets stay the same. `joined` makes the program, and `parted` takes it apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from context_index import Document, Language, names_at, parse
from decoder import at_cursor, ending
from lsp_server.lsp.documents.parsing import Parsing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAGICS = ("%", "!", "?")
"""The signs without which a cell has no magic."""
_CELL_MAGIC = "%%"
"""Begins a magic that gets the rest of the cell as its text."""
_HELP = "?"
"""Ends a line that asks IPython for help."""
_ASSIGNED_MAGIC = ("%", "!")
"""Begin a magic after `=`: no value of Python begins with these signs."""
_BETWEEN = "\n\n"
_NAME = "inscope_follows"
"""The name that the statement of `_is_ended` binds."""
_REMEMBERED = 1_000
"""Cells whose reading is kept while their text stays the same."""


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
    """A part of a program: one document, or one cell of a notebook."""

    start: int
    """The offset in the program at which it begins."""
    document: Document
    gap: str = _BETWEEN
    """The program's text between this part and the next."""


def joined(
    notebook: Notebook, own: Parsing, current: Callable[[str], Document | None]
) -> tuple[Parsing, tuple[Cell, ...]]:
    """The program of a notebook's cells in the language of one of them, and its parts in order.

    Args:
        own: The cell that a request is about; it is not ended.
        current: The document of a cell by its URI; None where it is not open.
    """
    cell = own.document
    opened = filter(None, map(current, notebook.cells))
    documents = [document for document in opened if document.language is cell.language]
    if all(document.uri != cell.uri for document in documents):  # the client opened the text before it named the cell
        return own, (Cell(0, cell),)
    cells: list[Cell] = []
    program = ""
    for document in documents:
        text, end = _without_magics(document.text, document.language), ""
        if document.uri != cell.uri:
            text, end = _ended(text, cell.language)
        gap = end + _BETWEEN
        cells.append(Cell(len(program), document, gap))
        program += text + gap
    program = program.removesuffix(cells[-1].gap)
    return Parsing(Document(notebook.uri, cell.language, program, cell.revision)), tuple(cells)


def parted(cells: Sequence[Cell], own: str, before: str, after: str) -> Iterator[tuple[Document, str]]:
    """Each document of a program with its new text after the program was edited; its magics stay as they are.

    Args:
        own: The URI of the document that was edited: no other may have another number of lines.
        before: The program's text before the edit.
        after: The program's text after the edit.
    """
    lines = after.split("\n")
    added = len(lines) - before.count("\n") - 1
    for cell in cells:
        document, old = cell.document, before[cell.start : cell.start + len(cell.document.text)]
        count = old.count("\n") + 1 + (added if document.uri == own else 0)
        new = lines[:count]
        written = new if old == document.text else _with_magics(document.text.split("\n"), old.split("\n"), new)
        yield document, "\n".join(written)
        lines = lines[count + cell.gap.count("\n") - 1 :]


def _with_magics(written: Sequence[str], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of a cell after an edit, with its magics as they are written.

    If the edit replaces the stand-in of a magic, the magic stays above the new lines.

    Args:
        written: The cell's lines, such as `%matplotlib` and `a = 1`.
        old: The same lines in the program, with stand-ins for magics: `#matplotlib` and `a = 1`.
        new: `old` after the edit.
    """
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from written[start:end]
        else:
            lines = zip(written[start:end], old[start:end], strict=True)
            yield from (line for line, stand_in in lines if line != stand_in)
            yield from new[new_start:new_end]


@lru_cache(maxsize=_REMEMBERED)
def _ended(text: str, language: Language) -> tuple[str, str]:
    """A cell's text, and what ends it if it is not finished; blanks as the text if nothing can end it."""
    usual = ending(text, language=language)
    # Python: a cell may end with a header that lacks even its colon, `if x`
    of_header = f"{usual}:\n{_margin(text)} pass" if language.record.is_indented else usual
    end = next((end for end in (usual, of_header) if _is_ended(text + end, language)), None)
    return (_blank(text), "") if end is None else (text, end)


def _is_ended(text: str, language: Language) -> bool:
    """Whether a statement after a text stands by itself, and is no part of what the text left open."""
    before, following = f"{text}{_BETWEEN}", language.record.binding.format(name=_NAME)
    end = len(before) + len(following)
    syntax = parse(Document("", language, before + following))
    *inner, _root = syntax.path(syntax.node_at(len(before), end))
    if not inner:  # no single node at the top level has all of the statement
        return False
    statement = inner[-1]
    # after an open `f(` the statement belongs to the call, so the node at the top level begins before it
    if syntax.start(statement) != len(before) or statement.is_error:
        return False
    # an error farther up in the text does no harm, as long as the statement binds its name at the top level
    return not syntax.errors or _NAME in names_at(syntax, end)


def _margin(text: str) -> str:
    """The indentation of the last line that is not blank."""
    line = text.rstrip().rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip())]


def _blank(text: str) -> str:
    """Blanks in place of all that is no white space."""
    return "".join(character if character.isspace() else " " for character in text)


@lru_cache(maxsize=_REMEMBERED)
def _without_magics(text: str, language: Language) -> str:
    """A cell with stand-ins for its magics; as long, with as many lines. Blanks if it is in another language."""
    if not language.record.has_magics or not any(sign in text for sign in _MAGICS):
        return text
    first, _, rest = text.partition("\n")
    if first.startswith(_CELL_MAGIC) and parse(Document("", language, rest)).errors:
        return _blank(text)  # another language
    python = ""
    for line in text.splitlines(keepends=True):
        python += _without_magic(line, python, language)
    return python


def _without_magic(line: str, above: str, language: Language) -> str:
    """A line of Python with a comment or a value in place of a magic.

    Args:
        above: The lines above it, without magics.
    """
    code = line.lstrip(" \t")
    if not any(sign in code for sign in _MAGICS) or above.endswith("\\\n"):
        return line
    if at_cursor(above, language=language).frames:  # within brackets or a string that a line above opened
        return line
    indentation = line[: len(line) - len(code)]
    if code.startswith(_MAGICS) or (code.rstrip().endswith(_HELP) and _lexeme(above, line.rstrip(), language) == _HELP):
        return indentation + _commented("0" if indentation else "", code)
    offsets = (offset for offset, character in enumerate(line) if not character.isspace())
    for sign, value in pairwise(offsets):
        is_magic = line[sign] == "=" and line[value] in _ASSIGNED_MAGIC
        if is_magic and _lexeme(above, line[: sign + 1], language) == "=":
            return line[:value] + _commented("[]", line[value:])
    return line


def _lexeme(above: str, line: str, language: Language) -> str:
    """The operator or word that a line of code ends with; empty in a string or a comment.

    An operator that ends with `?` counts as `?`: IPython's `print??` asks for help as `print?` does, and `at_cursor`
    reads `??` as one operator.
    """
    place = at_cursor(above + line, language=language)
    return place.lexeme[-1:] if place.lexeme.endswith(_HELP) else place.lexeme


def _commented(value: str, code: str) -> str:
    """A value and a comment in place of the rest of a line; as long as that."""
    words = code.rstrip("\r\n")
    return f"{value}#"[: len(words)] + code[min(len(value) + 1, len(words)) :]
