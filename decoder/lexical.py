"""Where a text ends lexically: inside which brackets, string or comment, and after which token.

One immutable state, advanced character by character, for JavaScript, TypeScript and Python. It knows tokens, not
grammar: the token before it decides whether a slash begins a regular expression, and JSX text is read as code. That
is enough to count brackets and to find the ends of lines and statements.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from context_index.symbols import BEFORE_OPERAND, CLOSES, continues_identifier

_OPERATOR = frozenset("=<>!&|+-*/%^~?.:@")
_QUOTES = frozenset("'\"`")
_HEADS_OF_CLASS = frozenset({"class", "interface", "enum"})
_REMEMBERED = 32
"""Characters of the longest text that is remembered with the place after it: tokens are shorter."""
_STRING_PREFIX = re.compile(r"(?i:[rbuft]|rb|br|rf|fr|rt|tr)")
_PLAIN = {
    False: re.compile(r"[^\S\n]+|//[^\n]*(?=\n)|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|[\w$]+(?=[\s;,(){}\[\]])"),
    True: re.compile(r"[^\S\n]+|#[^\n]*(?=\n)|'(?:[^'\\\n]|\\.)+'|\"(?:[^\"\\\n]|\\.)+\"|\w+(?=[\s,(){}\[\]])"),
}
"""Stretches that begin and end in code and are taken in one go when a whole file is read."""


class Lexical(NamedTuple):
    """One place in a text."""

    python: bool
    frames: tuple[str, ...] = ()
    """Open brackets, strings and comments, innermost last.

    `(`; `[`; `{` of a block, `class{`, `object{` of a literal or a pattern, `${`, `f{`. A string by its quote, with `f`
    before it where braces are code; `//`, `/*`, `#`; `/` a regular expression, `/[` a class in it.
    """
    lexeme: str = ""
    """The identifier, number or operator that is being written."""
    last: str = ""
    """The last complete token: a word, an operator, a bracket; `""` alone stands for any string."""
    heading: str = ""
    """JavaScript: the `class`, `interface` or `enum` whose body has not begun."""
    recent: str = ""
    """Inside a string or comment: what was just read, as far as it decides what the next character means."""

    @property
    def in_code(self) -> bool:
        """Neither in a string nor in a comment nor in a regular expression."""
        return not self.frames or (self.frames[-1][-1] in "([{" and self.frames[-1] != "/[")

    @property
    def innermost(self) -> str:
        """The innermost frame; empty at the top level."""
        return self.frames[-1] if self.frames else ""

    @property
    def depth(self) -> int:
        """The number of open brackets, strings and comments."""
        return len(self.frames)

    def advance(self, text: str) -> Lexical:
        """The place after `text`."""
        return _remembered(self, text) if len(text) <= _REMEMBERED else _stepped(self, text)

    def step(self, character: str) -> Lexical:
        """The place after one more character."""
        if not self.in_code:
            return self._step_quoted(character)
        if self.writes_word and continues_identifier(character):  # most characters: no time for `replace`
            return Lexical(self.python, self.frames, self.lexeme + character, self.last, self.heading)
        if self.recent:
            return self._step_after_empty_string(character)
        if self._starts_regex(character):
            return self._replace(lexeme="", frames=(*self.frames, "/")).step(character)
        if character in _OPERATOR:
            return self._step_operator(character)
        if character in _QUOTES and not (self.python and character == "`"):
            return self._open_string(character)
        if continues_identifier(character):
            return (self if self.writes_word else self.finished())._replace(lexeme=self._word + character)
        return self.finished()._step_separator(character)

    def finished(self) -> Lexical:
        """The place if a token ended here."""
        return self._token(self.lexeme)._replace(lexeme="") if self.lexeme else self

    @property
    def writes_word(self) -> bool:
        """Whether the lexeme is an identifier, a keyword or a number."""
        return bool(self.lexeme) and self.lexeme[-1] not in _OPERATOR

    @property
    def _word(self) -> str:
        return self.lexeme if self.writes_word else ""

    def _token(self, token: str) -> Lexical:
        heading = token if token in _HEADS_OF_CLASS and not self.python else self.heading
        return self._replace(last=token, heading="" if token == ";" else heading)

    def _step_separator(self, character: str) -> Lexical:
        if character.isspace():
            return self
        if character == "#" and self.python and self.frames[-1:] != ("f{",):  # there it is a format, `{n:#x}`
            return self._replace(frames=(*self.frames, "#"))
        if character in "([{":
            opened = (*self.frames, self._frame(character))
            heading = "" if character == "{" else self.heading
            return self._token(character)._replace(frames=opened, heading=heading)
        if character in CLOSES and self.innermost[-1:] == CLOSES[character]:
            return self._token(character)._replace(frames=self.frames[:-1])
        return self._token(character)

    def _frame(self, bracket: str) -> str:
        """What a bracket opens, by the token before it."""
        if bracket != "{" or self.python:
            return bracket
        if self.heading:
            return "class{"
        is_block = self.last in (")", "=>", ">", ";", "{", "}", "", "else", "do", "try", "finally", "static")
        return bracket if is_block else "object{"

    def _step_operator(self, character: str) -> Lexical:
        if self.lexeme.endswith("/") and not self.python and character in "/*":
            code = self._replace(lexeme=self.lexeme[:-1]).finished()
            return code._replace(frames=(*code.frames, "/" + character))
        is_number = character == "." and self.lexeme.isdigit()
        if (self.writes_word and not is_number) or (character == "/" and self.lexeme not in ("<", "/")):
            return self.finished()._replace(lexeme=character)
        return self._replace(lexeme=self.lexeme + character + ("0" if self.writes_word else ""))

    def _starts_regex(self, character: str) -> bool:
        """Whether the slash just read began a regular expression, `character` being its first."""
        if self.python or self.lexeme != "/" or character in "/*":
            return False
        last = self.last
        ends_operand = last in (")", "]", "}", '"', "++", "--") or is_word(last)
        return not ends_operand or last in BEFORE_OPERAND

    def _open_string(self, quote: str) -> Lexical:
        prefix = self.lexeme if self.python and _STRING_PREFIX.fullmatch(self.lexeme) else ""
        code = self._replace(lexeme="") if prefix else self.finished()
        frame = ("f" if prefix and prefix.lower().strip("rb") in ("f", "t") else "") + quote
        return code._replace(frames=(*code.frames, frame), recent="")

    def _close(self) -> Lexical:
        """Leave the string, comment or regular expression."""
        frame = self.frames[-1]
        outside = self._replace(frames=self.frames[:-1], recent="")
        return outside if frame in ("//", "/*", "#", "/[") else outside._token('"')

    def _step_quoted(self, character: str) -> Lexical:
        frame = self.frames[-1]
        if frame in ("//", "#"):
            return self._close() if character == "\n" else self
        if frame == "/*":
            return self._close() if self.recent == "*" and character == "/" else self._replace(recent=character)
        if self.recent == "\\":
            return self._replace(recent="x")
        if frame in ("/", "/["):
            return self._step_regex(character)
        return self._step_string(frame, character)

    def _step_regex(self, character: str) -> Lexical:
        if character == "\n" or (character == "/" and self.frames[-1] == "/"):
            return self._close()
        if character == "[" and self.frames[-1] == "/":
            return self._replace(frames=(*self.frames, "/["), recent="")
        if character == "]" and self.frames[-1] == "/[":
            return self._close()
        return self._replace(recent=character)

    def _step_string(self, frame: str, character: str) -> Lexical:
        quote = frame.removeprefix("f")
        if character == quote[0]:
            return self._step_quote(quote)
        if frame[0] == "f" and self.recent == "{":
            if character == "{":
                return self._replace(recent="x")
            return self._replace(frames=(*self.frames, "f{"), recent="", last="f{").step(character)
        if quote == "`" and self.recent == "$" and character == "{":
            return self._replace(frames=(*self.frames, "${"), recent="", last="${")
        if character == "\n" and quote in ("'", '"'):
            return self._close()
        return self._replace(recent=character)

    def _step_quote(self, quote: str) -> Lexical:
        if len(quote) == 1:
            empty = self.python and not self.recent
            return self._close()._replace(recent=self.frames[-1]) if empty else self._close()
        run = self.recent + quote[0] if self.recent.endswith(quote[0]) else quote[0]
        return self._close() if run == quote else self._replace(recent=run)

    def _step_after_empty_string(self, character: str) -> Lexical:
        """Python: a third quote makes two quotes the opening of a triple-quoted string."""
        opened, closed = self.recent, self._replace(recent="")
        if character != opened[-1]:
            return closed.step(character)
        return closed._replace(frames=(*closed.frames, opened + character * 2), recent="x")


def _stepped(place: Lexical, text: str) -> Lexical:
    for character in text:
        place = place.step(character)
    return place


@lru_cache(maxsize=4096)  # several rules read each token, and a refused one is often offered again
def _remembered(place: Lexical, text: str) -> Lexical:
    return _stepped(place, text)


def scan(state: Lexical, text: str) -> tuple[Lexical, int]:
    """The place after `text`, and the least depth on the way: levels of `state` below it were never closed.

    Equals `state.advance(text)`, only faster. Stretches between blank lines are remembered, and of the last one its
    lines, so that after an edit only the edited one is read again.
    """
    lowest, place, last = state.depth, 0, text.rfind("\n\n") + 1
    while place < len(text):
        end = text.find("\n\n", place) + 2 if place < last else text.find("\n", place) + 1
        end = end if end > place else len(text)
        state, least = _scan_stretch(state, text[place:end])
        lowest, place = min(lowest, least), end
    return state, lowest


@lru_cache(maxsize=16384)
def _scan_stretch(state: Lexical, text: str) -> tuple[Lexical, int]:
    lowest, place, plain = state.depth, 0, _PLAIN[state.python]
    while place < len(text):
        if state.in_code and not state.lexeme and not state.recent and (match := plain.match(text, place)):
            stretch, place = match.group(), match.end()
            if stretch[0] in "'\"":
                state = state._token('"')
            elif stretch[0].isalnum() or stretch[0] in "_$":
                state = state._token(stretch)
        else:
            state = state.step(text[place])
            place += 1
            lowest = min(lowest, state.depth)
    return state, lowest


@lru_cache(maxsize=8)  # several rules ask for the same place
def at_cursor(prefix: str, *, python: bool) -> Lexical:
    """The place at the end of `prefix`."""
    start = prefix.rfind("\n") + 1
    return scan(_at_line(prefix[:start], python), prefix[start:])[0]


@lru_cache(maxsize=4)  # while a line is typed, those above it stay the same
def _at_line(above: str, python: bool) -> Lexical:  # noqa: FBT001 - a part of the key
    return scan(Lexical(python), above)[0]


def is_word(token: str) -> bool:
    """Whether a token is an identifier, a keyword or a number."""
    return token[-1:].isalnum() or token[-1:] in ("_", "$")
