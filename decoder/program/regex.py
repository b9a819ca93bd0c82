"""Regular expressions as patterns: the common part of JavaScript's and Python's syntax, matched as a whole.

Look-around, back references and flags are refused with a sentence: they are more than sequences of characters. So is
what the two languages read differently.
"""

from __future__ import annotations

from decoder.errors import ProgramError
from decoder.program.pattern import Alt, Cat, Chars, Pattern, Repeat

_DIGITS = (("0", "9"),)
_WORDS = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_SPACES = (("\t", "\r"), (" ", " "))
_OTHER_SPACES = (
    ("\x1c", "\x1f"), ("\x85", "\x85"), ("\xa0", "\xa0"), ("\u1680", "\u1680"), ("\u2000", "\u200a"),
    ("\u2028", "\u2029"), ("\u202f", "\u202f"), ("\u205f", "\u205f"), ("\u3000", "\u3000"), ("\ufeff", "\ufeff"),
)  # fmt: skip
"""Spaces in one of the languages only: they are written neither for `\\s` nor for `\\S`."""
_LINE_ENDS = (("\n", "\n"), ("\r", "\r"), ("\u2028", "\u2029"))
"""Those of JavaScript; Python's dot matches all but the first."""
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES, "D": _DIGITS, "W": _WORDS, "S": (*_SPACES, *_OTHER_SPACES)}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_TIMES: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MOST_TIMES = 1000
"""The largest bound of a repetition: its states are counted one by one."""
_DEEPEST = 64
"""Groups within groups; nobody writes more by hand."""


def parse(source: str) -> Pattern:
    """The pattern that writes what the expression matches.

    Raises:
        ProgramError: the text is no regular expression, or one that cannot be followed character by character.
    """
    reader = _Reader(source)
    item = reader.choice()
    if reader.place < len(source):
        raise reader.wrong("a bracket is closed that was not opened")
    return item


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.place = 0
        self._depth = 0

    def choice(self) -> Pattern:
        options = [self._sequence()]
        while self._takes("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def wrong(self, why: str) -> ProgramError:
        return ProgramError(f"the regular expression /{self.source}/ cannot be used: {why}")

    def _sequence(self) -> Pattern:
        parts: list[Pattern] = []
        while self._next() not in ("", "|", ")"):
            atom = self._atom()
            if atom is not None:
                parts.append(self._repeated(atom))
        return parts[0] if len(parts) == 1 else Cat(tuple(parts))

    def _repeated(self, atom: Pattern) -> Pattern:
        if (times := self._times()) is None:
            return atom
        self._takes("?")  # lazy or greedy, the same texts match
        if self._times() is not None:
            raise self.wrong("what is repeated is repeated again")
        return Repeat(atom, *times)

    def _times(self) -> tuple[int, int | None] | None:
        sign = self._next()
        if sign in _TIMES:
            self.place += 1
            return _TIMES[sign]
        return self._bounds() if sign == "{" else None

    def _bounds(self) -> tuple[int, int | None] | None:
        end = self.source.find("}", self.place)
        low, comma, high = self.source[self.place + 1 : end].partition(",")
        if end >= 0 and not low and comma and high.isdecimal():
            raise self.wrong(f"the languages read {{,{high}}} differently; write {{0,{high}}}")
        if end < 0 or not low.isdecimal() or not (high == "" or high.isdecimal()):
            return None
        self.place = end + 1
        least = int(low)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > _MOST_TIMES:
            raise self.wrong(f"a repetition may count from 0 to {_MOST_TIMES}")
        if most is not None and most < least:
            raise self.wrong(f"the bounds {{{least},{most}}} run backwards")
        return least, most

    def _atom(self) -> Pattern | None:
        if self._times() is not None:
            raise self.wrong("a repetition repeats nothing")
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        if character == ".":
            return Chars(_LINE_ENDS, negated=True)
        if character in "^$":
            if (character == "^" and self.place == 1) or (character == "$" and self.place == len(self.source)):
                return None  # the whole text is matched anyway
            raise self.wrong(f"'{character}' may stand at its {'beginning' if character == '^' else 'end'} only")
        if character == "\\":
            ranges, negated = self._escape()
            return Chars(ranges, negated)
        return character

    def _group(self) -> Pattern:
        if self._takes("?"):
            self._skip_kind()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.wrong(f"its groups are nested more than {_DEEPEST} deep")
        item = self.choice()
        self._depth -= 1
        if not self._takes(")"):
            raise self.wrong("a bracket is not closed")
        return item

    def _skip_kind(self) -> None:
        """Skip the name of a group, or the sign that it has none: texts are matched, not captured."""
        is_pythons = self._takes("P")
        if is_pythons and self._takes("="):
            raise self.wrong("it refers back to a group")
        if self._next() in ("=", "!") or self.source[self.place : self.place + 2] in ("<=", "<!"):
            raise self.wrong("it looks ahead or behind")
        if self._takes("<"):
            self._until(">")
        elif is_pythons or not self._takes(":"):
            raise self.wrong("a group has a kind that is not known")

    def _class(self) -> Chars:
        negated = self._takes("^")
        if self._next() == "]":
            raise self.wrong("the languages read a ']' that comes first in brackets differently; write '\\]'")
        ranges: list[tuple[str, str]] = []
        while not self._takes("]"):
            low = self._member()
            if isinstance(low, tuple):
                ranges.extend(low)
            elif self._next() == "-" and self.source[self.place + 1 : self.place + 2] not in ("", "]"):
                self.place += 1
                high = self._member()
                if isinstance(high, tuple):
                    raise self.wrong("a range in brackets ends in a class")
                if high < low:
                    raise self.wrong("a range in brackets runs backwards")
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        return Chars(tuple(ranges), negated)

    def _member(self) -> str | tuple[tuple[str, str], ...]:
        character = self._take()
        if character != "\\":
            return character
        ranges, negated = self._escape()
        if negated:
            raise self.wrong("a negated class stands in brackets")
        return ranges[0][0] if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else ranges

    def _escape(self) -> tuple[tuple[tuple[str, str], ...], bool]:
        """The characters of an escape, and whether all others are meant."""
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character], character.isupper()
        if character in ("x", "u"):
            character = self._code(2 if character == "x" else 4)
        elif character.isdecimal() and (character != "0" or self._next().isdecimal()):
            raise self.wrong("it refers back to a group, or to a character by an octal number")
        elif character in _CONTROLS:
            character = _CONTROLS[character]
        elif character.isalpha():
            raise self.wrong(f"'\\{character}' is not known")
        return ((character, character),), False

    def _code(self, digits: int) -> str:
        if self._takes("{"):
            number = self._until("}")
        else:
            number = self.source[self.place : self.place + digits]
            self.place += digits
        try:
            return chr(int(number, 16))
        except (ValueError, OverflowError) as error:
            raise self.wrong("an escape names no character") from error

    def _until(self, end: str) -> str:
        """The text before a closing sign, which is taken, too."""
        text, found, _ = self.source[self.place :].partition(end)
        if not found:
            raise self.wrong(f"'{end}' is missing")
        self.place += len(text) + len(end)
        return text

    def _next(self) -> str:
        return self.source[self.place : self.place + 1]

    def _take(self) -> str:
        if self.place >= len(self.source):
            raise self.wrong("it ends too early")
        self.place += 1
        return self.source[self.place - 1]

    def _takes(self, character: str) -> bool:
        found = self._next() == character
        self.place += found
        return found
