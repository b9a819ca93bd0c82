"""Where a text ends lexically: inside which brackets, string or comment, and after which token.

One immutable state, advanced character by character, by the lexis of the language. It knows tokens, not
grammar: the token before it decides whether a slash begins a regular expression, and JSX text is read as code. That
is enough to count brackets and to find the ends of lines and statements.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from context_index.languages.record import Lexis, StringForm, quote_of
from context_index.symbols import CLOSES, Language, continues_identifier

_OPERATOR = frozenset("=<>!&|+-*/%^~?.:@")
_REMEMBERED = 32
"""Characters of the longest text that is remembered with the place after it: tokens are shorter."""


class Lexical(NamedTuple):
    """One place in a text."""

    lexis: Lexis
    frames: tuple[str, ...] = ()
    """Open brackets, strings and comments, innermost last.

    `(`; `[`; `{` of a block, `class{`, `object{` of a literal or a pattern. A string as in `Lexis.strings`: by its
    quote with its mark; an expression in it by the mark and what opens it, such as `${` and `f{`. `//`, `/*`, `#`; `/`
    a regular expression, `/[` a class in it.
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
    def string(self) -> StringForm | None:
        """How the string is read that the place is in; None elsewhere."""
        return self.lexis.strings.get(self.innermost)

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
            return Lexical(self.lexis, self.frames, self.lexeme + character, self.last, self.heading)
        if self.recent:
            return self._step_after_empty_string(character)
        if self._starts_regex(character):
            return self._replace(lexeme="", frames=(*self.frames, "/")).step(character)
        if character in _OPERATOR:
            return self._step_operator(character)
        if character in self.lexis.quotes:
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
        heading = token if token in self.lexis.heads_of_class else self.heading
        return self._replace(last=token, heading="" if token == ";" else heading)

    def _step_separator(self, character: str) -> Lexical:
        if character.isspace():
            return self
        if character == self.lexis.comment and not self._may_be_format:
            return self._replace(frames=(*self.frames, "#"))
        if character in "([{":
            opened = (*self.frames, self._frame(character))
            heading = "" if character == "{" else self.heading
            return self._token(character)._replace(frames=opened, heading=heading)
        if character in CLOSES and self.innermost[-1:] == CLOSES[character]:
            return self._token(character)._replace(frames=self.frames[:-1])
        return self._token(character)

    @property
    def _may_be_format(self) -> bool:
        """Whether what is written in a string may be the format of an expression, such as `{n:#x}`."""
        form = self.lexis.strings.get(self.frames[-2]) if len(self.frames) > 1 else None
        return form is not None and form.has_formats

    def _frame(self, bracket: str) -> str:
        """What a bracket opens, by the token before it."""
        if bracket != "{" or not self.lexis.has_blocks:
            return bracket
        if self.heading:
            return "class{"
        is_block = self.last in (")", "=>", ">", ";", "{", "}", "", "else", "do", "try", "finally", "static")
        is_header = self.lexis.has_bare_headers and (is_word(self.last) or self.last in ("]", '"'))
        return bracket if is_block or is_header else "object{"

    def _step_operator(self, character: str) -> Lexical:
        if self.lexeme.endswith("/") and self.lexis.has_block_comments and character in "/*":
            code = self._replace(lexeme=self.lexeme[:-1]).finished()
            return code._replace(frames=(*code.frames, "/" + character))
        is_number = character == "." and self.lexeme.isdigit()
        if (self.writes_word and not is_number) or (character == "/" and self.lexeme not in ("<", "/")):
            return self.finished()._replace(lexeme=character)
        return self._replace(lexeme=self.lexeme + character + ("0" if self.writes_word else ""))

    def _starts_regex(self, character: str) -> bool:
        """Whether the slash just read began a regular expression, `character` being its first."""
        if not self.lexis.has_regexes or self.lexeme != "/" or character in "/*":
            return False
        last = self.last
        ends_operand = last in (")", "]", "}", '"', "++", "--") or is_word(last)
        return not ends_operand or last in self.lexis.before_operand

    def _open_string(self, quote: str) -> Lexical:
        mark = self.lexis.prefixes.get(self.lexeme.lower())
        code = self.finished() if mark is None else self._replace(lexeme="")
        return code._replace(frames=(*code.frames, (mark or "") + quote), recent="")

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
        form = self.lexis.strings[frame]
        if character == frame[-1]:
            return self._step_quote(quote_of(frame))
        if form.hole and self.recent == form.hole[0]:
            opened = frame.rstrip(frame[-1]) + form.hole
            if len(form.hole) == 1:
                is_text = character == form.hole
                return self._replace(recent="x") if is_text else self._open_hole(opened).step(character)
            if character == form.hole[1]:
                return self._open_hole(opened)
        if character == "\n" and not form.has_lines:
            return self._close()
        return self._replace(recent="x" if character == "\\" and not form.has_escapes else character)

    def _open_hole(self, opened: str) -> Lexical:
        return self._replace(frames=(*self.frames, opened), recent="", last=opened)

    def _step_quote(self, quote: str) -> Lexical:
        if len(quote) == 1:
            may_go_on = not self.recent and self.frames[-1] + quote * 2 in self.lexis.strings
            return self._close()._replace(recent=self.frames[-1]) if may_go_on else self._close()
        run = self.recent + quote[0] if self.recent.endswith(quote[0]) else quote[0]
        return self._close() if run == quote else self._replace(recent=run)

    def _step_after_empty_string(self, character: str) -> Lexical:
        """A third quote makes two quotes the opening of a string between three."""
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
    lowest, place, plain = state.depth, 0, state.lexis.plain
    while place < len(text):
        if state.in_code and not state.lexeme and not state.recent and (match := plain.match(text, place)):
            stretch, place = match.group(), match.end()
            if stretch[0] in state.lexis.quotes:
                state = state._token('"')
            elif stretch[0].isalnum() or stretch[0] in "_$":
                state = state._token(stretch)
        else:
            state = state.step(text[place])
            place += 1
            lowest = min(lowest, state.depth)
    return state, lowest


@lru_cache(maxsize=8)  # several rules ask for the same place
def at_cursor(prefix: str, *, language: Language) -> Lexical:
    """The place at the end of `prefix`."""
    start = prefix.rfind("\n") + 1
    return scan(_at_line(prefix[:start], language), prefix[start:])[0]


@lru_cache(maxsize=4)  # while a line is typed, those above it stay the same
def _at_line(above: str, language: Language) -> Lexical:
    return scan(Lexical(language.record.lexis), above)[0]


def is_word(token: str) -> bool:
    """Whether a token is an identifier, a keyword or a number."""
    return token[-1:].isalnum() or token[-1:] in ("_", "$")
