r"""Converts indentation and line ends between a file and a model, in both directions.

A model reads every file in the form of its training data: lines end with "\n", and each level is indented by the number
of spaces that is usual for the language. Its output gets the white space of the lines around the cursor. Knows no
grammar: a line of the output has the level of a line above the cursor, or goes one level deeper.

`Site` makes an `Indentation` for its place. What the model reads goes through `to_model`, what it writes through
`to_file`. An example with tabs in the file and two spaces in the model's text: it reads `\n\tif (a) {` as
`\n  if (a) {` and goes on with `\n    f();`, and the file gets `\n\t\tf();`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Language

_WIDTH = 2
"""Spaces of a level in a text without a language. Each language has one number for all its files, so that no file that
a model has read suggests another one."""
_AROUND = 8_000
"""Characters before and after the cursor's line from which the indentation is measured."""
_OPENS = ("{", ":")
"""Ends of a line before a block: the next line is one level deeper, however many spaces the model writes."""
_INDENTATION = re.compile(r"(?<=\n)[ \t]+")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Indentation:
    """How the lines around a cursor are indented and ended."""

    unit: str
    """The white space of one level: a tab, or spaces."""
    width: int
    """The number of spaces that the model reads for one level."""
    newline: str
    """The line end of the nearest line above, else below."""
    levels: tuple[tuple[int, str], ...]
    """The levels of the blocks around the cursor, outermost first: the columns in the model's text, and the file's own
    white space, `(2, "\\t")` in the example above. The first is always `(0, "")`."""
    line: str
    """The text of the cursor's line up to the cursor, as in the file."""
    above: str
    """The last line above that is not blank."""

    @classmethod
    def at(cls, text: str, offset: int, *, language: Language | None) -> Indentation:
        """The indentation around an offset."""
        start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        line_end = _LINE_END.search(text, offset)
        below = len(text) if line_end is None else line_end.start()
        line = text[start:offset]
        around = text[max(0, start - _AROUND) : start], text[below : below + _AROUND]
        return replace(_measured(*around, _shape(line), language=language), line=line)

    def to_model(self, text: str) -> str:
        """A part of the file in the model's form."""
        text = _LINE_END.sub("\n", text) if "\r" in text else text
        if self.unit == " " * self.width:
            return text
        return _INDENTATION.sub(lambda space: " " * self._columns(space[0]), text)

    def to_file(self, text: str) -> str:
        """The model's output at the cursor, with the file's own white space.

        If the cursor's line is blank, white space at the beginning of the output is added to what is there. Later lines
        with nothing but white space become empty.
        """
        levels, previous, lines = list(self.levels), self.above, []
        for number, line in enumerate(text.split("\n")):
            words = line.lstrip(" \t")
            if not number and (self.line.strip() or not words):
                lines.append(line)
            elif words:
                space = self._space_in_file(levels, line[: -len(words)], number, previous)
                lines.append(space + words)
            else:
                lines.append("")
            previous = (line if number else self.line + line) if words else previous
        return self.newline.join(lines)

    def length_in_model(self, text: str, length: int) -> int:
        """The number of characters of the model's text that become the first `length` characters in the file."""
        return bisect_left(range(len(text)), length, key=lambda end: len(self.to_file(text[:end])))

    def _space_in_file(self, levels: list[tuple[int, str]], space: str, number: int, previous: str) -> str:
        """The white space that is written before a line of the model's output.

        Args:
            levels: The open levels at the line; changed in place.
            space: The model's white space before the line.
            number: The line's, from 0; line 0 goes on after the white space of the cursor's line.
            previous: The last line before it that is not blank.
        """
        if number:
            return self._level(levels, len(space.expandtabs(self.width)), previous)
        columns = self._columns(self.line) + len(space.expandtabs(self.width))
        whole = self._level(levels, columns, previous)
        return whole[len(self.line) :] if whole.startswith(self.line) else ""

    def _level(self, levels: list[tuple[int, str]], columns: int, previous: str) -> str:
        """The file's white space for a column of the model's text.

        Deeper levels are removed from `levels`. A line that ends some gets the level that is left; another line
        that is deeper than the last level opens a new one. After a line that opens a block this is deeper by one unit;
        otherwise, as for arguments on lines of their own, by as many units and spaces as the model wrote.

        Args:
            levels: The open levels; changed in place.
            previous: The last line before it that is not blank.
        """
        ends_levels = levels[-1][0] > columns
        while levels[-1][0] > columns:
            levels.pop()
        outer, space = levels[-1]
        if columns == outer or ends_levels:
            return space
        steps, rest = divmod(columns - outer, self.width)
        space += self.unit if previous.rstrip().endswith(_OPENS) else self.unit * steps + " " * rest
        levels.append((columns, space))
        return space

    def _columns(self, space: str) -> int:
        """The columns that the file's white space takes in the model's text."""
        if self.unit == "\t":
            return len(space.expandtabs(self.width))
        steps, rest = divmod(len(space.expandtabs(len(self.unit))), len(self.unit))
        return steps * self.width + rest


def whole_in_model(text: str, *, language: Language | None) -> str:
    """A whole file in the form that the model reads."""
    return Indentation.at(text, len(text) // 2, language=language).to_model(text)


@lru_cache(maxsize=4)  # while a line is typed, only its end changes
def _measured(before: str, after: str, line: str, *, language: Language | None) -> Indentation:
    """The indentation at the end of `line`.

    Args:
        before: The text above the line.
        after: The text below, from the line end of `line` on.
        line: The cursor's line up to the cursor, as `_shape` returns it.
    """
    *above, _ = _LINE_END.split(before)
    unit = _unit((*above, line, *_LINE_END.split(after)[1:]), len(above))
    width = _WIDTH if language is None else language.record.indentation
    newlines = _LINE_END.findall(before)[-1:] or _LINE_END.findall(after)[:1] or ["\n"]
    last_above = next(filter(str.strip, reversed(above)), "")
    measured = Indentation(unit or " " * width, width, newlines[0], (), line, last_above)
    levels: list[tuple[int, str]] = []
    for enclosing in filter(None, reversed((*above, line))):
        space = _leading_space(enclosing)
        columns = measured._columns(space)
        if not levels or columns < levels[-1][0]:
            levels.append((columns, space))
    return replace(measured, levels=((0, ""), *reversed(levels)))


def _shape(line: str) -> str:
    """A line with only what is measured of it: its white space, and whether it opens a block.

    `  total = a` becomes `  x`, so `_measured` need not be computed anew at each keystroke.
    """
    words = line.rstrip()
    return line if not words or words.endswith(_OPENS) else _leading_space(line) + "x"


def _unit(lines: Sequence[str], cursor: int) -> str:
    """The white space of one level: a tab if the nearest indented line begins with one, else the most frequent spaces.

    The spaces are those by which lines after an opened block are deeper. Empty where no line shows it.

    Args:
        cursor: The number of the cursor's line among `lines`. Lines above it are nearer than those below.
    """
    nearest = (*reversed(lines[: cursor + 1]), *lines[cursor + 1 :])
    first = next((line for line in nearest if line[:1] in ("\t", " ")), "")
    if first.startswith("\t"):
        return "\t"
    steps: Counter[int] = Counter()
    above = ""
    for line in filter(str.strip, lines):
        if above.rstrip().endswith(_OPENS):
            space, step = _leading_space(line), len(_leading_space(line)) - len(_leading_space(above))
            if step > 0 and "\t" not in space:
                steps[step] += 1
        above = line
    return " " * steps.most_common(1)[0][0] if steps else ""


def _leading_space(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
