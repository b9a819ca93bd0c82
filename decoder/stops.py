"""When a suggestion is long enough: at the end of a line, a statement or a block, or when it repeats itself.

Works on text, not on tokens: a token may run past the end, so the answer includes where to cut.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from enum import StrEnum

from context_index.symbols import Language
from decoder.lexical import Lexical

_SHORTEST_ECHO = 4
"""Characters a line must have before its recurrence counts as repetition: `}` and `else` recur in good code."""
_LONGEST_PERIOD = 24
"""Tokens of a loop that is noticed."""
_GOES_ON = ("{", "(", "[", ",", "&&", "||", "?", ":", "=", "+", "=>", ".", "\\")
"""Ends of the cursor's line up to the cursor after which its statement goes on, or a block begins."""
_OPENS = ("{", "(", "[", ":")
"""Ends of a line after which what they open follows."""
_BLOCKS = ("{", "class{")
"""Brackets of statements and members."""
_BEFORE_OPERAND = frozenset[str]().union(*(one.record.lexis.before_operand for one in Language))
"""Words after which an operand comes in any language."""
_OPERATORS = "|".join(sorted(_BEFORE_OPERAND - {"return", "yield"}))
_LACKS = re.compile(rf"(?:[=?.\\&|^%<]|=>|(?<!\+)\+|(?<!-)-|(?<!import )\*|(?<![\w$.#])(?:{_OPERATORS}))\Z")
"""Ends of lines that need more text. `return` does not, and `>` may end a JSX tag."""


class Stop(StrEnum):
    """Why decoding ended. The values are part of an answer (`docs/answers.md`)."""

    END = "end"
    """The model said so."""
    STATEMENT = "statement"
    LINE = "line"
    BLOCK = "block"
    LENGTH = "length"
    """The token budget is spent."""
    DEADLINE = "deadline"
    CANCELLED = "cancelled"
    REPETITION = "repetition"
    """The output began to repeat itself, the line above or the text below."""
    STUCK = "stuck"
    """No token was legal, or after a refused name only such as the model does not mean."""
    UNSURE = "unsure"
    """The search gave it up: another text is more probable."""
    NONE = "none"
    """Nothing was generated."""


class Until(StrEnum):
    """How far a suggestion goes at most."""

    LINE = "line"
    """To the end of the line, come what may."""
    STATEMENT = "statement"
    """To the end of the line on which all brackets opened since the cursor are closed."""
    BLOCK = "block"
    """Until a line would be further left than the first, or a bracket open at the cursor be closed."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where and why a text ends."""

    stop: Stop
    length: int
    """Characters of the output to keep."""


class Ends:
    """Reads one output as it grows, character by character, each once.

    Args:
        place: The place of the cursor.
        indentation: Characters of white space before the first line of the suggestion; a tab is one, as files do not
            mix them with spaces.
        line: The cursor's line up to the cursor.
        rest: The cursor's line from the cursor on.
        above: The last line before the cursor's that is not blank.
        below: The first line after the cursor's that is not blank, with the white space before it.
    """

    def __init__(
        self,
        until: Until,
        place: Lexical,
        *,
        indentation: int,
        line: str = "",
        rest: str = "",
        above: str = "",
        below: str = "",
    ) -> None:
        self._until = until
        self.start = self._place = place
        """The place before anything was read."""
        self._depth = place.depth
        """Brackets open at the cursor."""
        self._floor = place.depth
        """The fewest that were open since: after `a) {` the brace is one that the output has opened."""
        self._indentation = indentation
        self._finished = bool(line.strip()) and not line.rstrip().endswith(_GOES_ON)
        """Whether the cursor's line may end at the cursor."""
        self._rest = rest.strip()
        self._below = below.strip()
        self._has_body = bool(self._below) and len(below) - len(below.lstrip()) > indentation
        """Whether a block that the first line opens is below already."""
        self._lines = [line.strip() or above.strip()]
        self._text = ""
        self._line_start = 0
        self._whole_lines = 0
        self._whole_statements = 0

    def restarted(self) -> Ends:
        """The same before anything was read."""
        fresh = copy(self)
        fresh._place, fresh._lines, fresh._text, fresh._line_start = self.start, self._lines[:1], "", 0
        fresh._floor = self._depth
        fresh._whole_lines = fresh._whole_statements = 0
        return fresh

    @property
    def whole(self) -> int | None:
        """Where the last whole statement ends, in characters; else the last whole line; None amid the first line.

        An output whose budget ends amid a block is of use up to there.
        """
        return self._whole_statements or self._whole_lines or None

    def advance(self, text: str) -> Ending | None:
        """The ending that `text` brings, or None to go on."""
        if self._until is not Until.BLOCK and text.replace(" ", "").isalnum():  # most tokens: words, that end nothing
            self._text += text
            self._place = self._place.advance(text)
            return None
        for character in text:
            ending = self._before(character)
            if ending:
                return ending
            self._text += character
            self._place = self._place.step(character)
            self._floor = min(self._floor, self._place.depth)
            ending = self._after(character)
            if ending:
                return ending
        return None

    @property
    def _line(self) -> str:
        return self._text[self._line_start :]

    def _before(self, character: str) -> Ending | None:
        """Endings that leave the character out."""
        here = len(self._text)
        if character in "\r\n" and self._line.strip():
            return self._at_line_end(here)
        if character in "\r\n" and self._until is Until.LINE and not self._line_start and self._finished:
            return Ending(Stop.LINE, 0)
        if character == ";" and self._rest and self._ends_statement(character):
            return Ending(Stop.STATEMENT, here)
        if self._line_start and not self._line.strip() and not character.isspace() and self._until is Until.BLOCK:
            outside = len(self._line) < self._indentation and self._place.depth <= self._depth
            if outside and character not in ")]}":
                return Ending(Stop.BLOCK, self._line_start - 1)
        return None

    def _at_line_end(self, here: int) -> Ending | None:
        line = self._line.strip()
        if self._echoes(line):
            return Ending(Stop.REPETITION, max(self._line_start - 1, 0))
        self._lines.append(line)
        if self._until is Until.LINE:
            return Ending(Stop.LINE, here)
        if self._until is Until.STATEMENT and self._place.depth <= self._floor and not self._continues(line):
            return Ending(Stop.STATEMENT, here)
        return None

    def _after(self, character: str) -> Ending | None:
        """Endings that keep the character."""
        if character == "\n":
            self._note_line()
            self._line_start = len(self._text)
        elif self._until is Until.BLOCK and character in ")]}" and self._place.depth < self._depth:
            return Ending(Stop.BLOCK, len(self._text))
        elif self._ends_statement(character):
            if self._echoes(self._line.strip()):
                return Ending(Stop.REPETITION, max(self._line_start - 1, 0))
            return Ending(Stop.STATEMENT, len(self._text))
        return None

    def _note_line(self) -> None:
        """Note how far the output is whole: at a line's end where no bracket but those of blocks is open."""
        line = self._line.strip()
        if not line or not self._place.in_code:
            return
        end = len(self._text) - 1
        opened = self._place.frames[self._floor :]
        if not opened or all(frame in _BLOCKS for frame in opened):
            self._whole_lines = end
            if not line.endswith(_OPENS) and _LACKS.search(line) is None:
                self._whole_statements = end

    def _ends_statement(self, character: str) -> bool:
        place = self._place
        if character != ";" or not place.lexis.has_blocks or self._until is Until.BLOCK:
            return False
        return place.in_code and place.depth <= self._floor and place.innermost[-1:] not in ("(", "[")

    def _continues(self, line: str) -> bool:
        """Whether the statement must go on in the next line."""
        if not self._place.lexis.has_blocks:
            opens = line.endswith(":") and not (self._has_body and not self._line_start)
            return opens or line.endswith("\\")
        if line.endswith(","):
            return self._place.innermost in ("", "{")
        return line.endswith(_OPENS) or _LACKS.search(line) is not None

    def _echoes(self, line: str) -> bool:
        """Whether the line says again what is below, or what the lines before it have said."""
        if len(line) < _SHORTEST_ECHO or (not self._line_start and self._finished):
            return False
        return line.rstrip(";") in (self._below.rstrip(";"), self._lines[-1].rstrip(";"))


def repeats_itself(tokens: list[int]) -> int:
    """Tokens at the end that say a third time what was said twice right before; 0 where nothing recurs.

    The period must span at least 4 tokens, or recur six times: `0, 0, 0` is data, not a loop.
    """
    for period in range(1, _LONGEST_PERIOD + 1):
        times = 3 if period >= 4 else 6  # noqa: PLR2004 - see above
        if len(tokens) < period * times:
            continue
        tail = tokens[-period:]
        if all(tokens[-period * (n + 1) : -period * n] == tail for n in range(1, times)):
            return period * (times - 1)
    return 0
