"""Where a text ends lexically: inside which brackets, string or comment, and after which token.

`Lexical` is an immutable state that is advanced character by character. `at_cursor` is the state at the end of a
prefix. The language's `Lexis` has what differs between languages. Tokens are known, not grammar: the token before a
slash decides whether it begins a regular expression, and JSX text is read as code. That is enough to count brackets and
to find the ends of lines and statements; the rules `Balance` and `Opening`, `stops` and `closing` need no more.

Some states in JavaScript:

    after                frames        lexeme  last
    f(a                  (             a       (
    class A { m() { x    class{  {     x       {
    x = {a: "b           object{  "            :
    x = /[a              /  /[                 =
    `a ${b               `  ${         b       ${
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from context_index.languages.record import Lexis, StringForm, quote_of
from context_index.symbols import CLOSES, Language, continues_identifier

_OPERATOR_SIGNS = frozenset("=<>!&|+-*/%^~?.:@")
_LONGEST_CACHED = 32
"""The longest text, in characters, whose end state is cached: tokens are shorter."""


class Lexical(NamedTuple):
    """One place in a text.

    `step` looks what kind of character comes and what it comes in; the methods `_step_...` read the kinds.
    """

    lexis: Lexis
    frames: tuple[str, ...] = ()
    """Open brackets, strings and comments, innermost last. Each is spelled as one of these:

    - `(`, `[`, or `{` of a block; `class{` of a class's body; `object{` of an object literal or a pattern
    - a key of `Lexis.strings`: a string, by the mark of its kind and its quote
    - the mark of a string and what opens an expression in it, such as `${` and `f{`: that expression
    - `//`, `/*` or `#`: a comment
    - `/`: a regular expression; `/[`: a character class in it
    """
    lexeme: str = ""
    """The identifier, number or operator that is being written; empty between tokens and in strings and comments."""
    last: str = ""
    """The last complete token: a word, an operator, a bracket, or what opened an expression in a string (`${`).

    `"` stands for any string and any regular expression. A comment is no token.
    """
    heading: str = ""
    """JavaScript: the `class`, `interface` or `enum` whose body has not begun; else empty."""
    recent: str = ""
    """What was just read, as far as it decides what the next character means.

    In a string, comment or regular expression these are its last characters. In code it is the frame of an empty string
    that was just closed: a third quote makes it the opening of a string between three quotes.
    """

    @property
    def in_code(self) -> bool:
        """Whether the place is neither in a string nor in a comment nor in a regular expression."""
        return not self.frames or (self.frames[-1][-1] in "([{" and self.frames[-1] != "/[")

    @property
    def string(self) -> StringForm | None:
        """The form of the string that the place is in; None outside of strings."""
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
        return _advance_cached(self, text) if len(text) <= _LONGEST_CACHED else _advance(self, text)

    def step(self, character: str) -> Lexical:
        """The place after one more character."""
        if not self.in_code:
            return self._step_quoted(character)
        if self.writes_word and continues_identifier(character):  # most characters; `_replace` would be slower
            return Lexical(self.lexis, self.frames, self.lexeme + character, self.last, self.heading)
        if self.recent:
            return self._step_after_empty_string(character)
        if self._starts_regex(character):  # the slash was read as an operator, which is taken back
            return self._replace(lexeme="", frames=(*self.frames, "/")).step(character)
        if character in _OPERATOR_SIGNS:
            return self._step_operator(character)
        if character in self.lexis.quotes:
            return self._open_string(character)
        if continues_identifier(character):
            return (self if self.writes_word else self.finished())._replace(lexeme=self._word + character)
        return self.finished()._step_separator(character)

    def finished(self) -> Lexical:
        """The place if a token ended here."""
        return self._after_token(self.lexeme)._replace(lexeme="") if self.lexeme else self

    @property
    def writes_word(self) -> bool:
        """Whether the lexeme is an identifier, a keyword or a number."""
        return bool(self.lexeme) and self.lexeme[-1] not in _OPERATOR_SIGNS

    @property
    def _word(self) -> str:
        return self.lexeme if self.writes_word else ""

    def _after_token(self, token: str) -> Lexical:
        """The place with `token` as its last complete token."""
        heading = token if token in self.lexis.heads_of_class else self.heading
        return self._replace(last=token, heading="" if token == ";" else heading)

    def _step_separator(self, character: str) -> Lexical:
        """Read a character that is part of no word and no operator, such as white space, a bracket or a comma."""
        if character.isspace():
            return self
        if character == self.lexis.comment and not self._may_be_format:
            return self._replace(frames=(*self.frames, "#"))
        if character in "([{":
            opened = (*self.frames, self._frame_of(character))
            heading = "" if character == "{" else self.heading
            return self._after_token(character)._replace(frames=opened, heading=heading)
        if character in CLOSES and self.innermost[-1:] == CLOSES[character]:
            return self._after_token(character)._replace(frames=self.frames[:-1])
        return self._after_token(character)

    @property
    def _may_be_format(self) -> bool:
        """Whether the place is in an expression in a string that may have a format, such as `{n:#x}`."""
        form = self.lexis.strings.get(self.frames[-2]) if len(self.frames) > 1 else None
        return form is not None and form.has_formats

    def _frame_of(self, bracket: str) -> str:
        """The frame that a bracket opens; the token before it decides whether `{` begins a block or an object."""
        if bracket != "{" or not self.lexis.has_blocks:
            return bracket
        if self.heading:
            return "class{"
        is_block = self.last in (")", "=>", ">", ";", "{", "}", "", "else", "do", "try", "finally", "static")
        is_header = self.lexis.has_bare_headers and (is_word(self.last) or self.last in ("]", '"'))
        return bracket if is_block or is_header else "object{"

    def _step_operator(self, character: str) -> Lexical:
        """Read a sign of an operator: it opens a comment, or joins or follows the lexeme.

        A slash joins only `<` and `/` (`</`, Python's `//`): after other operators it may begin a regular expression.
        """
        if self.lexeme.endswith("/") and self.lexis.has_block_comments and character in "/*":
            before_comment = self._replace(lexeme=self.lexeme[:-1]).finished()
            return before_comment._replace(frames=(*before_comment.frames, "/" + character))
        is_decimal_point = character == "." and self.lexeme.isdigit()
        if (self.writes_word and not is_decimal_point) or (character == "/" and self.lexeme not in ("<", "/")):
            return self.finished()._replace(lexeme=character)
        # `0` is put after `1.`, as a lexeme that ends with a sign would be an operator
        return self._replace(lexeme=self.lexeme + character + ("0" if self.writes_word else ""))

    def _starts_regex(self, character: str) -> bool:
        """Whether the slash just read began a regular expression of which `character` is the first character."""
        if not self.lexis.has_regexes or self.lexeme != "/" or character in "/*":
            return False
        last = self.last
        ends_operand = last in (")", "]", "}", '"', "++", "--") or is_word(last)
        return not ends_operand or last in self.lexis.before_operand

    def _open_string(self, quote: str) -> Lexical:
        """Read a quote in code; a prefix before it, such as `f` or `rb`, is part of the string and no word."""
        mark = self.lexis.prefixes.get(self.lexeme.lower())
        before_string = self.finished() if mark is None else self._replace(lexeme="")
        return before_string._replace(frames=(*before_string.frames, (mark or "") + quote), recent="")

    def _close(self) -> Lexical:
        """Leave the string, comment, regular expression or character class."""
        frame = self.frames[-1]
        outside = self._replace(frames=self.frames[:-1], recent="")
        return outside if frame in ("//", "/*", "#", "/[") else outside._after_token('"')

    def _step_quoted(self, character: str) -> Lexical:
        """Read a character in a string, comment or regular expression, of which `recent` has what was just read."""
        frame = self.frames[-1]
        if frame in ("//", "#"):
            return self._close() if character == "\n" else self
        if frame == "/*":
            return self._close() if self.recent == "*" and character == "/" else self._replace(recent=character)
        if self.recent == "\\":
            return self._replace(recent="x")  # any character without a meaning: the backslash took this one's
        if frame in ("/", "/["):
            return self._step_regex(character)
        return self._step_string(frame, character)

    def _step_regex(self, character: str) -> Lexical:
        """Read a character of a regular expression, which ends with its line at the latest."""
        if character == "\n" or (character == "/" and self.frames[-1] == "/"):
            return self._close()
        if character == "[" and self.frames[-1] == "/":
            return self._replace(frames=(*self.frames, "/["), recent="")
        if character == "]" and self.frames[-1] == "/[":
            return self._close()
        return self._replace(recent=character)

    def _step_string(self, frame: str, character: str) -> Lexical:
        """Read a character of the string with this frame.

        A hole is an expression in it. It opens with two signs (`${`), or with one that is text if it comes twice (`{`
        and `{{`). Whether it is one sign or two is known only at the character after it.
        """
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
        """Enter an expression in the string, with `opened` as its frame."""
        return self._replace(frames=(*self.frames, opened), recent="", last=opened)

    def _step_quote(self, quote: str) -> Lexical:
        """Read a quote of the string's own kind.

        Args:
            quote: What closes the string: one quote or three.
        """
        if len(quote) == 1:  # two quotes are an empty string, unless a third follows
            may_open_three = not self.recent and self.frames[-1] + quote * 2 in self.lexis.strings
            return self._close()._replace(recent=self.frames[-1]) if may_open_three else self._close()
        run = self.recent + quote[0] if self.recent.endswith(quote[0]) else quote[0]
        return self._close() if run == quote else self._replace(recent=run)

    def _step_after_empty_string(self, character: str) -> Lexical:
        """Read the character after an empty string: a third quote opens a string between three quotes instead."""
        frame, after_string = self.recent, self._replace(recent="")
        if character != frame[-1]:
            return after_string.step(character)
        return after_string._replace(frames=(*after_string.frames, frame + character * 2), recent="x")


def _advance(place: Lexical, text: str) -> Lexical:
    for character in text:
        place = place.step(character)
    return place


@lru_cache(maxsize=4096)  # several rules read each token, and a refused one is often offered again
def _advance_cached(place: Lexical, text: str) -> Lexical:
    return _advance(place, text)


def scan(state: Lexical, text: str) -> tuple[Lexical, int]:
    """The place after `text`, and the least depth on the way: that many frames of `state` were never closed.

    The place equals `state.advance(text)`; this is faster for long texts. Blocks between blank lines are cached, and so
    are the lines of the last block. After an edit only the edited block or line is read again.
    """
    least_depth, offset, last_block = state.depth, 0, text.rfind("\n\n") + 1
    while offset < len(text):
        end = text.find("\n\n", offset) + 2 if offset < last_block else text.find("\n", offset) + 1
        end = end if end > offset else len(text)
        state, least_in_block = _scan_block(state, text[offset:end])
        least_depth, offset = min(least_depth, least_in_block), end
    return state, least_depth


@lru_cache(maxsize=16384)
def _scan_block(state: Lexical, text: str) -> tuple[Lexical, int]:
    """`scan` of one block; whole words, strings, comments and blanks are read at once (`Lexis.plain`)."""
    least_depth, offset, plain = state.depth, 0, state.lexis.plain
    while offset < len(text):
        if state.in_code and not state.lexeme and not state.recent and (match := plain.match(text, offset)):
            token, offset = match.group(), match.end()
            if token[0] in state.lexis.quotes:
                state = state._after_token('"')
            elif token[0].isalnum() or token[0] in "_$":
                state = state._after_token(token)
        else:
            state = state.step(text[offset])
            offset += 1
            least_depth = min(least_depth, state.depth)
    return state, least_depth


@lru_cache(maxsize=8)  # several rules ask for the same place
def at_cursor(prefix: str, *, language: Language) -> Lexical:
    """The place at the end of `prefix`."""
    line_start = prefix.rfind("\n") + 1
    return scan(_at_line_start(prefix[:line_start], language), prefix[line_start:])[0]


@lru_cache(maxsize=4)  # while a line is typed, those above it stay the same
def _at_line_start(above: str, language: Language) -> Lexical:
    """The place after whole lines."""
    return scan(Lexical(language.record.lexis), above)[0]


def is_word(token: str) -> bool:
    """Whether a token is an identifier, a keyword or a number."""
    return token[-1:].isalnum() or token[-1:] in ("_", "$")
