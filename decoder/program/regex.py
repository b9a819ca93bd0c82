"""Regular expressions as patterns: the common part of JavaScript's and Python's syntax. For `gen(regex=...)`.

An expression matches a text as a whole. Look-around, back references and flags are refused with an error that names
them, since they cannot be followed character by character. So is what the two languages read differently.
"""

from __future__ import annotations

from decoder.errors import ProgramError
from decoder.program.pattern import Alt, Cat, Chars, Pattern, Repeat

_Ranges = tuple[tuple[str, str], ...]
"""The first and the last character of each range, as in `Chars.ranges`."""

_DIGITS = (("0", "9"),)
_WORDS = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_SPACES = (("\t", "\r"), (" ", " "))
_OTHER_SPACES = (
    ("\x1c", "\x1f"), ("\x85", "\x85"), ("\xa0", "\xa0"), ("\u1680", "\u1680"), ("\u2000", "\u200a"),
    ("\u2028", "\u2029"), ("\u202f", "\u202f"), ("\u205f", "\u205f"), ("\u3000", "\u3000"), ("\ufeff", "\ufeff"),
)  # fmt: skip
"""Characters that are spaces in only one of the languages: they are written neither for `\\s` nor for `\\S`."""
_LINE_ENDS = (("\n", "\n"), ("\r", "\r"), ("\u2028", "\u2029"))
"""What JavaScript's dot does not match; Python's dot excludes only the first."""
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES, "D": _DIGITS, "W": _WORDS, "S": (*_SPACES, *_OTHER_SPACES)}
"""By letter of an escape, its ranges. A capital letter stands for all other characters."""
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_Bounds = tuple[int, int | None]
"""The least and the most times of a repetition; None for no upper bound."""
_TIMES: dict[str, _Bounds] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MOST_TIMES = 1000
"""The largest bound of a repetition: each time is a state of its own when the pattern is read."""
_DEEPEST = 64
"""The most groups within groups; nobody writes more by hand."""


def parse(source: str) -> Pattern:
    """The pattern that writes what the expression matches.

    Raises:
        ProgramError: the text is no regular expression, or one that cannot be followed character by character.
    """
    reader = _Reader(source)
    pattern = reader.choice()
    if reader.place < len(source):
        raise reader.wrong("a bracket is closed that was not opened")
    return pattern


class _Reader:
    """A recursive-descent parser: each method reads what it is named for, or raises the error that `wrong` makes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.place = 0
        """The index of the next character."""
        self._depth = 0
        """How many groups are open."""

    def choice(self) -> Pattern:
        """Read sequences with `|` between them, up to a closing bracket or the end."""
        options = [self._sequence()]
        while self._takes("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def wrong(self, why: str) -> ProgramError:
        """The error for what is read."""
        return ProgramError(f"the regular expression /{self.source}/ cannot be used: {why}")

    def _sequence(self) -> Pattern:
        parts: list[Pattern] = []
        while self._next() not in ("", "|", ")"):
            atom = self._atom()
            if atom is not None:
                parts.append(self._repeated(atom))
        return parts[0] if len(parts) == 1 else Cat(tuple(parts))

    def _repeated(self, atom: Pattern) -> Pattern:
        """Read the repetition after an atom, if there is one."""
        if (bounds := self._repetition()) is None:
            return atom
        self._takes("?")  # lazy or greedy, the same texts match
        if self._repetition() is not None:
            raise self.wrong("what is repeated is repeated again")
        return Repeat(atom, *bounds)

    def _repetition(self) -> _Bounds | None:
        """Read a sign of repetition or bounds in braces; None for anything else, which is not read."""
        sign = self._next()
        if sign in _TIMES:
            self.place += 1
            return _TIMES[sign]
        return self._bounds() if sign == "{" else None

    def _bounds(self) -> _Bounds | None:
        """Read `{2}`, `{2,}` or `{2,3}`; None for other braces, which stand for themselves."""
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
        """Read what may be repeated; None for `^` and `$`, which write nothing."""
        if self._repetition() is not None:
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
        """Read a group after its opening bracket."""
        if self._takes("?"):
            self._skip_kind()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.wrong(f"its groups are nested more than {_DEEPEST} deep")
        pattern = self.choice()
        self._depth -= 1
        if not self._takes(")"):
            raise self.wrong("a bracket is not closed")
        return pattern

    def _skip_kind(self) -> None:
        """Skip the name of a group, or the `:` of one without a name: texts are matched, not captured."""
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
        """Read a character class after its opening bracket."""
        negated = self._takes("^")
        if self._next() == "]":
            raise self.wrong("the languages read a ']' that comes first in brackets differently; write '\\]'")
        ranges: list[tuple[str, str]] = []
        while not self._takes("]"):
            low = self._class_member()
            if isinstance(low, tuple):
                ranges.extend(low)
            elif self._next() == "-" and self.source[self.place + 1 : self.place + 2] not in ("", "]"):
                self.place += 1
                high = self._class_member()
                if isinstance(high, tuple):
                    raise self.wrong("a range in brackets ends in a class")
                if high < low:
                    raise self.wrong("a range in brackets runs backwards")
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        return Chars(tuple(ranges), negated)

    def _class_member(self) -> str | _Ranges:
        """Read a character of a class, or an escape that stands for several."""
        character = self._take()
        if character != "\\":
            return character
        ranges, negated = self._escape()
        if negated:
            raise self.wrong("a negated class stands in brackets")
        return ranges[0][0] if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else ranges

    def _escape(self) -> tuple[_Ranges, bool]:
        """Read an escape after its backslash: the ranges of its characters, and whether all others are meant."""
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character], character.isupper()
        if character in ("x", "u"):
            character = self._code_point(2 if character == "x" else 4)
        elif character.isdecimal() and (character != "0" or self._next().isdecimal()):
            raise self.wrong("it refers back to a group, or to a character by an octal number")
        elif character in _CONTROLS:
            character = _CONTROLS[character]
        elif character.isalpha():
            raise self.wrong(f"'\\{character}' is not known")
        return ((character, character),), False

    def _code_point(self, digits: int) -> str:
        """Read the hexadecimal number of a character: so many digits, or any number of them in braces."""
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
        """Read the text before a closing sign, and the sign."""
        text, sign, _ = self.source[self.place :].partition(end)
        if not sign:
            raise self.wrong(f"'{end}' is missing")
        self.place += len(text) + len(end)
        return text

    def _next(self) -> str:
        """The next character, which is not read; empty at the end."""
        return self.source[self.place : self.place + 1]

    def _take(self) -> str:
        """Read one character."""
        if self.place >= len(self.source):
            raise self.wrong("it ends too early")
        self.place += 1
        return self.source[self.place - 1]

    def _takes(self, character: str) -> bool:
        """Read a character if it comes next; returns whether it did."""
        comes_next = self._next() == character
        self.place += comes_next
        return comes_next
