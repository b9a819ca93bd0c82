"""A notebook as one program: the cells of a language, one after another, as a kernel would run them.

A kernel compiles them one by one, so what a cell leaves open ends with it: between two cells stands what the first
lacks, and one that nothing ends is left out. Only the cell that is asked about is read as it is. Magics (`%matplotlib`,
`!pip`, `x = !ls`, `print?`) are not Python; they are read as something else of the same length, so offsets stay the
same.
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
_OF_CELL = "%%"
"""Begins the magic that a whole cell is given to."""
_HELP = "?"
_SHELL = ("%", "!")
"""After `=`, the beginning of what no operator begins with."""
_BETWEEN = "\n\n"
_NAME = "inscope_follows"
_REMEMBERED = 1_000
"""Cells that are not read again while their text stays the same."""


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
    gap: str = _BETWEEN
    """The program's text between it and the next."""


def joined(
    notebook: Notebook, own: Parsing, current: Callable[[str], Document | None]
) -> tuple[Parsing, tuple[Cell, ...]]:
    """The program that a cell is a part of, and its parts."""
    cell = own.document
    documents = [one for one in filter(None, map(current, notebook.cells)) if one.language is cell.language]
    if all(one.uri != cell.uri for one in documents):  # the client opened the text before it announced the cell
        return own, (Cell(0, cell),)
    cells: list[Cell] = []
    text = ""
    for document in documents:
        read, ended = _read(document.text, document.language), ""
        if document.uri != cell.uri:
            read, ended = _ended(read, cell.language)
        gap = ended + _BETWEEN
        cells.append(Cell(len(text), document, gap))
        text += read + gap
    text = text.removesuffix(cells[-1].gap)
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
        written = given if read == document.text else _unread(document.text.split("\n"), read.split("\n"), given)
        yield document, "\n".join(written)
        lines = lines[count + cell.gap.count("\n") - 1 :]


def _unread(lines: Sequence[str], read: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """The lines of a cell after an edit, with its magics as they are written.

    Where the edit replaces what a magic was read as, the magic stays before what replaces it.

    Args:
        lines: The cell as it is written, such as `%matplotlib` and `a = 1`.
        read: The same as the program has it: `#matplotlib` and `a = 1`.
        given: `read` after the edit.
    """
    for tag, start, end, from_, to in SequenceMatcher(None, read, given, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from lines[start:end]
        else:
            yield from (line for line, other in zip(lines[start:end], read[start:end], strict=True) if line != other)
            yield from given[from_:to]


@lru_cache(maxsize=_REMEMBERED)
def _ended(text: str, language: Language) -> tuple[str, str]:
    """A cell, and what ends it where it is not finished; blanks in place of one that nothing ends."""
    own = ending(text, language=language)
    # Python: a cell may end with a header that lacks even its colon, `if x`
    header = f"{own}:\n{_margin(text)} pass" if language.record.is_indented else own
    ended = next((one for one in (own, header) if _is_ended(text + one, language)), None)
    return (_blank(text), "") if ended is None else (text, ended)


def _is_ended(text: str, language: Language) -> bool:
    """Whether a statement after a text is one of its own, and no part of what the text left open."""
    before, following = f"{text}{_BETWEEN}", language.record.binding.format(name=_NAME)
    end = len(before) + len(following)
    syntax = parse(Document("", language, before + following))
    *inner, _root = syntax.path(syntax.node_at(len(before), end))
    if not inner:  # no single node at the top level has all of the statement
        return False
    statement = inner[-1]
    # after `f(` the call would go on with it: then what is at the top level begins in the text
    if syntax.start(statement) != len(before) or statement.is_error:
        return False
    # a slip farther up in the text does no harm, as long as the statement binds its name at the top level
    return not syntax.errors or _NAME in names_at(syntax, end)


def _margin(text: str) -> str:
    """The indentation of the last line that is not blank."""
    line = text.rstrip().rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip())]


def _blank(text: str) -> str:
    return "".join(one if one.isspace() else " " for one in text)


@lru_cache(maxsize=_REMEMBERED)
def _read(text: str, language: Language) -> str:
    """A cell as the language has it: of equal length, with as many lines."""
    if not language.record.has_magics or not any(sign in text for sign in _MAGICS):
        return text
    first, _, rest = text.partition("\n")
    if first.startswith(_OF_CELL) and parse(Document("", language, rest)).errors:
        return _blank(text)  # another language
    read = ""
    for line in text.splitlines(keepends=True):
        read += _without_magic(line, read, language)
    return read


def _without_magic(line: str, above: str, language: Language) -> str:
    """A line of Python; what is a magic in it reads as a comment, or as a value."""
    code = line.lstrip(" \t")
    if not any(sign in code for sign in _MAGICS) or above.endswith("\\\n"):
        return line
    if at_cursor(above, language=language).frames:  # within brackets or a string that a line above opened
        return line
    indentation = line[: len(line) - len(code)]
    if code.startswith(_MAGICS) or (code.rstrip().endswith(_HELP) and _lexeme(above, line.rstrip(), language) == _HELP):
        return indentation + _commented("0" if indentation else "", code)
    signs = (at for at, sign in enumerate(line) if not sign.isspace())
    for start, end in pairwise(signs):
        if line[start] == "=" and line[end] in _SHELL and _lexeme(above, line[: start + 1], language) == "=":
            return line[:end] + _commented("[]", line[end:])
    return line


def _lexeme(above: str, line: str, language: Language) -> str:
    """The operator or word that a line of code ends with; empty in a string or a comment.

    Of an operator that ends with `?` only this sign: IPython's `print??` asks for help as `print?` does, and
    `at_cursor` reads `??` as one operator.
    """
    place = at_cursor(above + line, language=language)
    return place.lexeme[-1:] if place.lexeme.endswith(_HELP) else place.lexeme


def _commented(value: str, code: str) -> str:
    """A value and a comment in place of the rest of a line."""
    words = code.rstrip("\r\n")
    return f"{value}#"[: len(words)] + code[min(len(value) + 1, len(words)) :]
