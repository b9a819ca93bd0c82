"""When a suggestion is long enough: at the end of a line, a statement or a block, or when it repeats itself.

`Ends` reads an output while `decoder.generation` writes it. It works on text, not on tokens: a token may run past the
end, so an `Ending` says where to cut.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from enum import StrEnum

from decoder.lexical import Lexical, is_word

_SHORTEST_ECHO = 4
"""The fewest characters of a line whose recurrence counts as repetition: `}` and `else` recur in good code."""
_LONGEST_PERIOD = 24
"""The most tokens after which a repetition is noticed."""
_CONTINUED = ("{", "(", "[", ",", "&&", "||", "?", ":", "=", "+", "=>", ".", "\\")
"""What the cursor's line up to the cursor may end with if its statement goes on, or a block begins."""
_OPENERS = ("{", "(", "[", ":")
"""The ends of tokens that open something, which the next lines hold."""
_STATEMENT_FRAMES = ("{", "class{")
"""Frames (`Lexical.frames`) that hold statements and members; the one of an object literal is `object{`."""
_LINE_COMMENTS = ("//", "#")
"""Frames of comments that end with their line."""
_COMPLETE_ALONE = frozenset({"return", "yield"})
"""Words of `Lexis.before_operand` after which an operand may come, but need not."""
_BEFORE_PRIVATE = "#"
"""The token before the name of a private member, as those of `Lexis.members` are before the names of others."""
_OPERATOR_ENDS = ("=", "=>", "?", ".", "\\", "&", "|", "^", "%", "<", "+", "-", "*")
"""The ends of operators after which an operand must come. Not `>`, which may end a tag of JSX."""
_AFTER_OPERAND = ("++", "--")
"""The ends of operators that come after their operand, too."""


class Stop(StrEnum):
    """Why decoding ended. The values are part of an answer (`docs/answers.md`)."""

    END = "end"
    """The model chose the end, or the text after the cursor continues with what the model wanted to write."""
    STATEMENT = "statement"
    LINE = "line"
    BLOCK = "block"
    LENGTH = "length"
    """The token budget is spent."""
    DEADLINE = "deadline"
    CANCELLED = "cancelled"
    REPETITION = "repetition"
    """The output began to repeat itself, the line above or the line below."""
    STUCK = "stuck"
    """No token was legal, or after a refused name none that is probable enough (`decoder.choice.HOPELESS`)."""
    UNSURE = "unsure"
    """The search gave it up: another text is more probable."""
    NONE = "none"
    """Nothing was generated."""


class Until(StrEnum):
    """How far a suggestion goes at most."""

    LINE = "line"
    """To the end of the line, even if the statement goes on."""
    STATEMENT = "statement"
    """To the end of the statement, or of the line on which all brackets that the suggestion opened are closed."""
    BLOCK = "block"
    """Until a line is less indented than the first, or a bracket closes that was open at the cursor."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where and why a text ends."""

    stop: Stop
    length: int
    """Characters of the output to keep."""


class Ends:
    """Reads one output as it grows, and decides where it ends. Each character is read once.

    Args:
        until: How far the output goes at most.
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
        """The number of brackets open at the cursor."""
        self._lowest_depth = place.depth
        """The fewest brackets open since: after `a) {` the brace counts as one that the output has opened."""
        self._indentation = indentation
        self._line_may_end = bool(line.strip()) and not line.rstrip().endswith(_CONTINUED)
        """Whether the cursor's line may end at the cursor."""
        self._rest = rest.strip()
        self._below = below.strip()
        self._has_body = bool(self._below) and len(below) - len(below.lstrip()) > indentation
        """Whether the lines below are already the block that the first line opens."""
        self._lines = [line.strip() or above.strip()]
        """The last line before the output that is not blank, and the output's lines so far."""
        self._text = ""
        self._line_start = 0
        """Where the output's current line starts, in characters."""
        self._before_last = ""
        """The token before the last complete one (`Lexical.last`); empty until a token of the output is complete."""
        self._comment_start = -1
        """Where the output's last comment that ends with its line starts, in characters; -1 for none."""
        self._whole_lines = 0
        """The end of the last line at which the output is whole (see `_note_line`), in characters; 0 for none."""
        self._whole_statements = 0
        """The same of the last of these lines that ends a statement."""
        self._closed_statements = 0
        """The same of the last of the latter after which nothing is open that the output has opened."""

    def restarted(self) -> Ends:
        """A copy that has read nothing."""
        fresh = copy(self)
        fresh._place, fresh._lines, fresh._text, fresh._line_start = self.start, self._lines[:1], "", 0
        fresh._lowest_depth, fresh._comment_start, fresh._before_last = self._depth, -1, ""
        fresh._whole_lines = fresh._whole_statements = fresh._closed_statements = 0
        return fresh

    @property
    def whole(self) -> int | None:
        """Where the last whole statement ends, in characters; else the last whole line; None where there is neither.

        If the budget ends within a block, the output is of use up to there. A statement in a block that the output
        leaves open counts only if no statement comes before that block: the file would lack a bracket.
        """
        return self._closed_statements or self._whole_statements or self._whole_lines or None

    def advance(self, text: str) -> Ending | None:
        """Read `text`, which follows what was read. The ending that it brings, or None where the output goes on."""
        if self._until is not Until.BLOCK and text.lstrip(" ").isalnum():  # most tokens: a word, which ends nothing
            self._text += text
            self._go_to(self._place.advance(text))
            return None
        for character in text:
            ending = self._ending_before(character)
            if ending:
                return ending
            self._text += character
            self._go_to(self._place.step(character))
            self._lowest_depth = min(self._lowest_depth, self._place.depth)
            ending = self._ending_after(character)
            if ending:
                return ending
        return None

    def _go_to(self, place: Lexical) -> None:
        """Take the place after a character or a word: at most one token ends with it."""
        if place.last != self._place.last:
            self._before_last = self._place.last
        if place.innermost in _LINE_COMMENTS and self._place.in_code:
            self._comment_start = len(self._text) - len(place.innermost)
        self._place = place

    @property
    def _line(self) -> str:
        return self._text[self._line_start :]

    @property
    def _has_comment(self) -> bool:
        """Whether a comment that ends with the current line begins on it."""
        return self._comment_start >= self._line_start

    def _ending_before(self, character: str) -> Ending | None:
        """The ending that leaves the character out, if there is one."""
        here = len(self._text)
        if character in "\r\n" and self._line.strip() and not self._line.endswith("\r"):
            return self._ending_at_line_end(here)
        if character in "\r\n" and self._until is Until.LINE and not self._line_start and self._line_may_end:
            return Ending(Stop.LINE, 0)
        if character == ";" and self._rest and self._ends_statement(character):  # none goes before the rest of the line
            return Ending(Stop.STATEMENT, here)
        if self._line_start and not self._line.strip() and not character.isspace() and self._until is Until.BLOCK:
            is_outside = len(self._line) < self._indentation and self._place.depth <= self._depth
            if is_outside and character not in ")]}":
                return Ending(Stop.BLOCK, self._line_start - 1)
        return None

    def _ending_at_line_end(self, here: int) -> Ending | None:
        """The ending at the end of a line that is not blank, if there is one.

        Args:
            here: The length of the output, in characters.
        """
        line = self._line.strip()
        if self._echoes(line):
            return Ending(Stop.REPETITION, max(self._line_start - 1, 0))
        self._lines.append(line)
        if self._until is Until.LINE:
            return Ending(Stop.LINE, here)
        if self._until is Until.STATEMENT and self._is_statement():
            return Ending(Stop.STATEMENT, here)
        return None

    def _is_statement(self) -> bool:
        """Whether a statement ends with the current line, which is not blank."""
        is_comment = self._has_comment and not self._text[self._line_start : self._comment_start].strip()
        if is_comment and (self._line_start or not self._line_may_end):
            return False  # a comment alone ends none
        place = self._place.step("\n") if self._has_comment else self._place  # the line's end closes the comment
        return place.depth <= self._lowest_depth and not self._continues(place)

    def _ending_after(self, character: str) -> Ending | None:
        """The ending that keeps the character, which is read already, if there is one."""
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
        """Note that the output is whole up to this line's end, if it opened no brackets but those of blocks."""
        if not self._line.strip() or not self._place.in_code:
            return
        end = len(self._text) - 1
        opened = self._place.frames[self._lowest_depth :]
        if not opened or all(frame in _STATEMENT_FRAMES for frame in opened):
            self._whole_lines = end
            if not self._place.last.endswith(_OPENERS) and not self._lacks_operand(self._place):
                self._whole_statements = end
                if not opened:
                    self._closed_statements = end

    def _ends_statement(self, character: str) -> bool:
        """Whether the character is a semicolon that ends the statement, and not one in the head of a `for`."""
        place = self._place
        if character != ";" or not place.lexis.has_blocks or self._until is Until.BLOCK:
            return False
        return place.in_code and place.depth <= self._lowest_depth and place.innermost[-1:] not in ("(", "[")

    def _continues(self, place: Lexical) -> bool:
        """Whether the statement must go on in the next line.

        Args:
            place: The place where the line ends, a comment at its end left out.
        """
        last = place.finished().last
        if not place.lexis.has_blocks:
            opens = last.endswith(":") and not (self._has_body and not self._line_start)
            return opens or last == "\\"
        if last == ",":  # in brackets, an object or a class it ends an element; elsewhere the list goes on
            return place.innermost in ("", "{")
        return last.endswith(_OPENERS) or self._lacks_operand(place)

    def _lacks_operand(self, place: Lexical) -> bool:
        """Whether the last token before the place needs an operand after it; see `_continues`."""
        last, before = (place.finished().last, place.last) if place.lexeme else (place.last, self._before_last)
        if is_word(last):
            is_member = before in place.lexis.members or before == _BEFORE_PRIVATE  # `a.in`, whatever `in` is elsewhere
            return last in place.lexis.before_operand and last not in _COMPLETE_ALONE and not is_member
        if (before, last) == ("import", "*"):  # of Python's `from a import *`
            return False
        return last.endswith(_OPERATOR_ENDS) and not last.endswith(_AFTER_OPERAND)

    def _echoes(self, line: str) -> bool:
        """Whether the line repeats the line below the cursor or the line before it."""
        if len(line) < _SHORTEST_ECHO or (not self._line_start and self._line_may_end):
            return False
        return line.rstrip(";") in (self._below.rstrip(";"), self._lines[-1].rstrip(";"))


def repeats_itself(tokens: list[int]) -> int:
    """The number of tokens at the end that repeat the tokens before them; 0 where nothing repeats itself.

    At least 4 tokens must come three times in a row, or fewer tokens six times: `0, 0, 0` is data, not a loop. All but
    the first time are counted.
    """
    for period in range(1, _LONGEST_PERIOD + 1):
        times = 3 if period >= 4 else 6  # noqa: PLR2004 - see above
        if len(tokens) < period * times:
            continue
        tail = tokens[-period:]
        if all(tokens[-period * (n + 1) : -period * n] == tail for n in range(1, times)):
            return period * (times - 1)
    return 0
