r"""Documents as immutable values: positions, edits, and the three units in which editors count columns.

Inside, lines and columns are 0-based and columns count code points; a client's UTF-8 or UTF-16 columns exist only in
the `client` methods. Lines end as LSP defines it: at "\n", "\r\n" and a lone "\r". Knows nothing of syntax. A lone
surrogate (half of a pair, which JSON can contain) counts as one character.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from pathlib import PurePath

from context_index.languages.record import LanguageRecord
from context_index.symbols import Language

_LINE_END = re.compile(r"\r\n|\n|\r")
EQUAL_WIDTH = re.compile("[\x00-\x7f]+|[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")
"""Stretches of characters that take equally many bytes in UTF-8, and equally many units in UTF-16."""

_INSTALLED = [language for language in Language if language.record.is_installed]
_BY_SUFFIX = {suffix: language for language in _INSTALLED for suffix in language.record.suffixes}
SOURCE_SUFFIXES = tuple(_BY_SUFFIX)
"""The suffixes of the files that Inscope completes."""
_BY_ID = {file_type: language for language in _INSTALLED for file_type in language.record.file_types}
_BY_CONTAINER = {suffix: language for language in Language for suffix in language.record.containers}


def record_of(path: PurePath) -> LanguageRecord | None:
    """The record of the language of a file, or of what it contains if it is a notebook; None for others."""
    language = _BY_SUFFIX.get(path.suffix) or _BY_CONTAINER.get(path.suffix)
    return None if language is None else language.record


def language_of(path_or_uri: str, language_id: str | None = None) -> Language | None:
    """The language that the editor reports, else that of the suffix; None if Inscope supports neither."""
    if language_id is not None and (language := _BY_ID.get(language_id)):
        return language
    path = re.split(r"[?#]", path_or_uri, maxsplit=1)[0] if "://" in path_or_uri else path_or_uri
    return _BY_SUFFIX.get(f".{path.rpartition('.')[2].lower()}") if "." in path else None


class PositionError(Exception):
    """A position or an offset that the text does not have."""


class EditError(Exception):
    """An edit of characters that the text does not have."""


class Encoding(StrEnum):
    """The unit of a client's columns."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters: 0-based line, and code points before it in that line."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from `start` to `end` are replaced by `text`; offsets are of the text before the edit."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Document:
    """One version of a text in an editor or on disk."""

    uri: str
    language: Language
    text: str
    revision: int = 0

    @cached_property
    def lines(self) -> Sequence[int]:
        """The offset at which each line begins; a text always has at least one."""
        return line_starts(self.text)

    @property
    def newline(self) -> str:
        r"""The line end for new lines: "\r\n" if any line has it, else "\n"."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def line_text(self, line: int) -> str:
        """The characters of a line, without its end."""
        start, end = self._line_range(line)
        return self.text[start:end]

    def offset(self, position: Position) -> int:
        """The offset of a position.

        Raises:
            PositionError: the text has no such position.
        """
        line = position.line
        if not 0 <= line < len(self.lines):
            raise PositionError(f"no line {line + 1}; it has lines 1 to {len(self.lines)}")
        start, end = self._line_range(line)
        if not 0 <= position.column <= end - start:
            raise PositionError(
                f"no column {position.column + 1} in line {line + 1}; it has columns 1 to {end - start + 1}",
            )
        return start + position.column

    def position(self, offset: int) -> Position:
        r"""The position of an offset; between "\r" and "\n" there is none, so it is the end of the line.

        Raises:
            PositionError: the text has no such offset.
        """
        if not 0 <= offset <= len(self.text):
            raise PositionError(f"no character {offset} in a text of {len(self.text)} characters")
        line = bisect_right(self.lines, offset) - 1
        start, end = self._line_range(line)
        return Position(line, min(offset, end) - start)

    def offset_from_client(self, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a client's position.

        A position inside a character becomes the place before the character. A position outside the text becomes the
        nearest one inside, as LSP requires for columns.
        """
        start, end = self._line_range(min(max(line, 0), len(self.lines) - 1))
        return start + _code_points(self.text[start:end], character, encoding)

    def client_position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """The line and the column of an offset, the column in a client's units."""
        position = self.position(offset)
        start = self.lines[position.line]
        return position.line, client_columns(self.text[start : start + position.column], encoding)

    def edited(self, edits: Sequence[Edit], revision: int) -> Document:
        """The document after the edits, applied in order, each to the result of the one before.

        Raises:
            EditError: an edit is outside the text that it applies to.
        """
        text = self.text
        lines: Sequence[int] | None = self.__dict__.get("lines")
        for edit in edits:
            if not 0 <= edit.start <= edit.end <= len(text):
                raise EditError(
                    f"no characters {edit.start} to {edit.end} in a text of {len(text)} characters; "
                    "send the whole text again",
                )
            text = text[: edit.start] + edit.text + text[edit.end :]
            if lines is not None:
                lines = _edited_lines(lines, edit, text)
        document = Document(self.uri, self.language, text, revision)
        if lines is not None:
            document.__dict__["lines"] = lines  # the cached property, without reading the whole text again
        return document

    def _line_range(self, line: int) -> tuple[int, int]:
        """The offsets of a line, without its line end."""
        start = self.lines[line]
        if line + 1 == len(self.lines):
            return start, len(self.text)
        end = self.lines[line + 1] - 1
        if end > start and self.text[end] == "\n" and self.text[end - 1] == "\r":
            end -= 1
        return start, end


def difference(before: str, after: str) -> Edit:
    """The smallest single edit from `before` to `after`; an empty one if they are equal."""
    old, new = len(before), len(after)
    shorter = min(old, new)
    prefix = _common_length(shorter, lambda low, high: before[low:high] == after[low:high])
    suffix = _common_length(
        shorter - prefix, lambda low, high: before[old - high : old - low] == after[new - high : new - low]
    )
    return Edit(prefix, old - suffix, after[prefix : new - suffix])


def _common_length(most: int, are_equal: Callable[[int, int], bool]) -> int:
    """The length of the beginning, or of the end, that two texts share; by bisection, as comparing slices is fast.

    Args:
        most: The greatest length that is possible.
        are_equal: Whether the texts have the same characters between two distances from their start, or their end.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if are_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def line_starts(text: str) -> Sequence[int]:
    """The offset at which each line of a text begins; a text always has at least one."""
    if "\r" in text:
        return [0, *(end.end() for end in _LINE_END.finditer(text))]
    widths = [len(line) + 1 for line in text.split("\n")]
    return [0, *accumulate(widths[:-1])]


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends, numbered as in a `Document`.

    `str.splitlines` ends lines at form feeds too, which Python's own library is full of, and at separators in strings.
    """
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _edited_lines(lines: Sequence[int], edit: Edit, text: str) -> Sequence[int]:
    r"""The line starts of `text`, the result of `edit`, from those before it; only changed lines are read.

    Line starts before the edit stay, and those after it are shifted. A line start at the edit's own start may vanish:
    "\r" can become "\r\n".
    """
    head = lines[: max(bisect_left(lines, edit.start), 1)]
    shift = len(edit.text) - (edit.end - edit.start)
    tail = [start + shift for start in lines[bisect_right(lines, edit.end) :]]
    touched = _LINE_END.finditer(text, head[-1], tail[0] if tail else len(text))
    return [*head, *(end.end() for end in touched), *tail[1:]]


def client_columns(text: str, encoding: Encoding) -> int:
    """The length of a text in a client's columns."""
    if encoding is Encoding.UTF32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _code_points(text: str, units: int, encoding: Encoding) -> int:
    """The number of whole characters in the first `units` columns of a client; all if there are fewer."""
    if encoding is Encoding.UTF32 or text.isascii():
        return min(max(units, 0), len(text))
    units = max(units, 0)
    for run in EQUAL_WIDTH.finditer(text):
        width = client_columns(run[0][0], encoding)  # of each of the run's characters
        if units < width * len(run[0]):
            return run.start() + units // width
        units -= width * len(run[0])
    return len(text)
