"""A text in lexemes, and what stands at each: code or prose, a name, a member, a string that values are put into.

A string that Python formats with `%` or `.format` may be written as the f-string that it equals, one that JavaScript
joins to values with `+` as a template; who reads the text along with another that does so puts that in its place.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum, auto
from typing import Final

from context_index.symbols import Language
from decoder.constraint.keywords import keywords
from decoder.lexical import Lexical
from decoder.rewriting.formatted import LONGEST, formatted
from decoder.rewriting.joined import joined

WORD: Final = re.compile(r"[\w$]+")
LEXEME: Final = re.compile(r"[\w$]+|\s+|[^\w\s]")
"""A word, white space, or a single sign."""
_BEFORE_LABEL: Final = frozenset("({,")
_LABELLED: Final = {"(": "=", "object{": ":"}
"""Brackets in which words stand before these signs by which arguments or properties are called."""
_BEFORE_MEMBER: Final = frozenset(
    {*"{};,#*", "static", "async", "get", "set", "readonly", "public", "private", "protected", "abstract", "override"}
)
_BEHIND_MEMBER: Final = frozenset(":?!(=;<")
_GOES_ON: Final = frozenset("=+-*/%<>&|?:(,.[!~^@")
"""Signs behind which an expression goes on in the next line."""
_PREFIX: Final = "f"
_BACKTICK: Final = "`"
_BEFORE_JOINED: Final = frozenset({*"+-*/%.!~", "typeof", "new", "await", "void", "delete"})
"""What takes the first string for itself, or joins it to what stands before."""
_QUOTES: Final = frozenset("'\"")
_PUTS_IN: Final = frozenset("%{\\")
_JOINS: Final = frozenset({"+", "%", "format"})


class Place(Enum):
    """What stands where a word is due: it decides how probable it is that another one takes its place."""

    PROSE = auto()
    """A word of a string or a comment."""
    HEAD = auto()
    """The first word of a line, before which statements are added."""
    MEMBER = auto()
    """It belongs to what stands before the dot: another thing than a name that is spelled likewise."""
    NAME = auto()
    """Any other."""


class Original:
    """A text that is read along with another one.

    Args:
        text: May not parse.
        python: Whether it is Python; else JavaScript or TypeScript.
    """

    def __init__(self, text: str, *, python: bool) -> None:
        self.lexemes: list[str] = LEXEME.findall(text)
        self.in_code: list[bool] = []
        """Of each lexeme, whether it is neither in a string nor in a comment."""
        self.prefix = _PREFIX if python else _BACKTICK
        """Begins strings that values are put into: a word, or the quote itself."""
        self.keywords = keywords(Language.PYTHON if python else Language.TYPESCRIPT)
        self.is_python = python
        self._labels = set[int]()
        """Words by which an argument, a property or a member is called: other things than names spelled likewise."""
        place = Lexical(python)
        for number, lexeme in enumerate(self.lexemes):
            self.in_code.append(place.in_code)
            if self._is_called_so(number, place.innermost):
                self._labels.add(number)
            place = place.feed(lexeme)

    def __len__(self) -> int:
        return len(self.lexemes)

    def names(self) -> Counter[str]:
        """The names of the code but members, and how often each stands there."""
        places = (place for place in range(len(self)) if self.in_code[place] and not self.is_member(place))
        words = (self.lexemes[place] for place in places if self._is_word(place))
        return Counter(word for word in words if word not in self.keywords and not word[0].isdigit())

    def words(self) -> frozenset[str]:
        """All of the code: names, members, keywords."""
        return frozenset(self.lexemes[place] for place in range(len(self)) if self.in_code[place])

    def _is_word(self, place: int) -> bool:
        """Whether it is one; the prefix of a string is none."""
        is_prefix = self.is_python and not _QUOTES.isdisjoint(self.lexemes[place + 1 : place + 2])
        return WORD.fullmatch(self.lexemes[place]) is not None and not is_prefix

    def kind(self, place: int) -> Place:
        """Of the word there."""
        if not self.in_code[place]:
            return Place.PROSE
        before = self.lexemes[place - 1] if place else "\n"
        if "\n" in before:
            return Place.HEAD
        return Place.MEMBER if self.is_member(place) else Place.NAME

    def next_string(self, begins: int, first: int) -> tuple[tuple[str, ...], int | None]:
        """A string that opens at a sign, behind the white space before it or behind both: what it holds, and where.

        Args:
            begins: Where what is looked at begins.
            first: Its first lexeme but white space.

        Returns:
            Its words, if nothing is put into it or joined to it, one at least; characters before its quote, None where
            none opens.
        """
        opens = 0
        for place in range(begins, min(first + 2, len(self))):
            if self.lexemes[place] in _QUOTES and self.in_code[place]:
                return self._plain_string(place), opens
            opens += len(self.lexemes[place])
        return (), None

    def _plain_string(self, place: int) -> tuple[str, ...]:
        """What a string holds that opens at a place, is on one line, and neither formatted nor joined to another."""
        quote = self.lexemes[place] if place < len(self) else ""
        if quote not in _QUOTES or not self.in_code[place]:
            return ()
        end = next((at for at in range(place + 1, len(self)) if self.lexemes[at] == quote), place)
        held, around = self.lexemes[place + 1 : end], (self._sign_before(place), *self.lexemes[end + 1 : end + 3])
        is_changed = any("\n" in one or one in _PUTS_IN for one in held) or not _JOINS.isdisjoint(around)
        return () if is_changed else ("", *filter(WORD.fullmatch, held))

    def otherwise(self, place: int) -> tuple[int, str] | None:
        """What a string equals behind the prefix, if values are put into it: the place behind all of it, and that."""
        if self.lexemes[place] not in _QUOTES or not self.in_code[place]:
            return None
        if self.is_python and place and WORD.fullmatch(self.lexemes[place - 1]):
            return None
        if not self.is_python and self._sign_before(place) in _BEFORE_JOINED:
            return None
        read = formatted if self.is_python else joined
        found = read("".join(self.lexemes[place : place + LONGEST])[:LONGEST])
        if found is None or found.length >= LONGEST:  # cut off: it may go on
            return None
        end, length = place, 0
        while length < found.length:
            length += len(self.lexemes[end])
            end += 1
        return (end, found.text) if length == found.length else None

    def all_otherwise(self) -> str:
        """The text with each string written so that is equal to one."""
        written, place = list[str](), 0
        while place < len(self):
            instead = self.otherwise(place)
            written.append(self.lexemes[place] if instead is None else self.prefix + instead[1])
            place = place + 1 if instead is None else instead[0]
        return "".join(written)

    def write_otherwise(self, place: int) -> range:
        """Put into the place of a string what it equals, without an `f`; where that stands now, if there is any."""
        instead = self.otherwise(place)
        if instead is None:
            return range(0)
        end, text = instead
        at = Lexical(self.is_python)
        if self.is_python:
            at = at.feed(self.prefix)
        else:
            text = self.prefix + text
        lexemes: list[str] = LEXEME.findall(text)
        in_code = []
        for lexeme in lexemes:
            in_code.append(at.in_code)
            at = at.feed(lexeme)
        self.lexemes[place:end], self.in_code[place:end] = lexemes, in_code
        longer = len(lexemes) - (end - place)
        self._labels = {one + (longer if one >= end else 0) for one in self._labels if not place <= one < end}
        return range(place, place + len(lexemes))

    def _sign_before(self, place: int) -> str:
        before = (self.lexemes[at] for at in range(place - 1, -1, -1) if not self.lexemes[at].isspace())
        return next(before, "")

    def is_member(self, place: int) -> bool:
        """Whether a word belongs to what stands before a dot, or to what is called or made there."""
        dots = self.lexemes[max(0, place - 2) : place]
        return (dots[-1:] == ["."] and dots[:-1] != ["."]) or place in self._labels  # `...rest` is no member

    def _is_called_so(self, number: int, innermost: str) -> bool:
        """Whether a word within such a frame is what an argument, a property or a member is called."""
        if innermost == "class{":
            return self._is_declared_member(number)
        return innermost in _LABELLED and self._is_label(number, _LABELLED[innermost])

    def _is_label(self, place: int, sign: str) -> bool:
        before, after = self._sign_before(place), [one for one in self.lexemes[place + 1 : place + 4] if one.strip()]
        return before in _BEFORE_LABEL and after[:1] == [sign] and (sign == ":" or after[1:2] != ["="])

    def _is_declared_member(self, number: int) -> bool:
        """Whether a word directly in the body of a class or an interface is what a member of it is called."""
        if WORD.fullmatch(self.lexemes[number]) is None:
            return False
        before, after = self._sign_before(number), [one for one in self.lexemes[number + 1 : number + 3] if one.strip()]
        on_new_line = number > 0 and "\n" in self.lexemes[number - 1] and before not in _GOES_ON
        begins = before in _BEFORE_MEMBER or on_new_line
        return begins and after[:1] != [] and after[0] in _BEHIND_MEMBER
