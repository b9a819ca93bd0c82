"""The tokens around an offset, nearly always before it, read by rules that hold in broken code too.

While code is typed, its tree is often no help: strings without an end, brackets without a partner and unfinished
imports are recognised by tokens alone. The tree only says where reading may begin, and what is JSX text. At most
`_LINES` lines are read, so that a keystroke costs the same in files of any length.

`cursor` classifies by the tokens. `unopened`, `scopes`, `typed_import` and `lsp_server` ask for the open brackets. A
language's part `tokens` may have rules of its own, but strings are always read by its record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache, lru_cache
from typing import NamedTuple

from context_index.languages.parts import part
from context_index.languages.record import Lexis, StringForm, quote_of
from context_index.symbols import CLOSES, Language
from context_index.syntax import Syntax, ancestors

_LINES = 40
"""The lines above the cursor's that are read. A longer argument list or literal is data; a cursor in it counts as that
of a plain name."""


class TokenKind(Enum):
    """What a token is.

    Text of JSX is read as code up to a quote or a slash in it, as only these would spoil what follows; from there on it
    is passed over.
    """

    NAME = auto()
    """An identifier or a keyword."""
    NUMBER = auto()
    STRING = auto()
    TEMPLATE = auto()
    r"""A piece of a string that may have expressions in it: `a ${b}`, f"{b}"."""
    REGEX = auto()
    COMMENT = auto()
    PUNCTUATION = auto()
    NEWLINE = auto()


LAYOUT = frozenset({TokenKind.COMMENT, TokenKind.NEWLINE})
"""Tokens that most rules pass over."""


class Token(NamedTuple):
    """One token, with its offsets in the document."""

    kind: TokenKind
    text: str
    start: int
    end: int
    open: bool = False
    """Whether the text that was read ends before the token does: in a string, a regular expression or a comment."""


@dataclass(slots=True)
class Tokens:
    """The tokens of a stretch of text, and how their brackets pair."""

    items: list[Token] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    """Indices of the brackets that nothing has closed yet, innermost last; also of those that open an expression in a
    string."""
    partner: dict[int, int] = field(default_factory=dict)
    """Index of a closing bracket -> index of its opening one. A closing bracket that nothing opened is missing."""


_CLOSERS = {opening: closing for closing, opening in CLOSES.items()}
_VALUE_KINDS = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING, TokenKind.TEMPLATE, TokenKind.REGEX})

_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]?|[^/\\\[\r\n])+(?:/[a-z]*)?")
"""A regular expression of JavaScript, which may lack its end."""
_HOLE = "$"
"""A token that opens an expression in a string has this sign and the bracket as its text, `${`, in every language. So
`closers` and the rules of `surroundings` know it from other brackets."""
_FORMAT_SPEC = re.compile(r"[^{}\r\n]*")
"""The format after such an expression: `.2f` in `{price:.2f}`."""


@cache
def rules_of(language: Language) -> re.Pattern[str]:
    """A pattern that matches one token of a language; of a string only its prefix and its quote.

    The last group that matched is named after the token's kind, or is `space`. The group `quote` has a string's quote.
    """
    lexis = language.record.lexis
    own_rules: re.Pattern[str] | None = getattr(part(language, "tokens"), "RULES", None)
    prefixes = "|".join(sorted(lexis.prefixes, key=len, reverse=True))
    prefix = rf"(?P<prefix>\b(?i:{prefixes}))?" if prefixes else ""
    string = rf"(?P<STRING>{prefix}(?P<quote>{'|'.join(map(re.escape, lexis.openings))}))"
    return re.compile(f"{string}|{_rules_from_record(lexis) if own_rules is None else own_rules.pattern}", re.VERBOSE)


def _rules_from_record(lexis: Lexis) -> str:
    """The rules of a language without a part `tokens`: its record has its comments and strings, the rest is as in C."""
    comment = rf"{re.escape(lexis.comment)}[^\r\n]*"
    comments = rf"{comment}|/\*(?s:.)*?(?:\*/|\Z)" if lexis.has_block_comments else comment
    return rf"""(?P<NEWLINE>[\r\n]+)|(?P<space>[^\S\r\n]+|\\\r?\n)|(?P<COMMENT>{comments})
    |(?P<NUMBER>(?:\d|\.\d)(?:[eEpP][+-]|['.\w])*)|(?P<NAME>\#?[^\W\d]\w*|\#)
    |(?P<PUNCTUATION>\.\.\.|->\*?|::|[=!<>]=|&&|\|\||<<|>>|\+\+|--|.)"""


@cache
def _rest_of(quote: str, form: StringForm) -> re.Pattern[str]:
    """A pattern for the rest of a string, after its quote or an expression in it, up to its end or the next expression.

    Group `close` is the closing quote; group `open` is what opens the next expression. Within are escapes, what opens
    an expression and is doubled (`{{`, see `StringForm`), and any other sign that begins neither.
    """
    hole, closing = re.escape(form.hole), re.escape(quote)
    others = (r"\\" if form.has_escapes else "") + ("" if form.has_lines else r"\n\r")
    within = [
        *([r"\\(?s:.)?"] if form.has_escapes else []),
        *([hole * 2] if len(form.hole) == 1 else []),
        (f"(?!{hole})" if hole else "") + f"(?!{closing})" + (f"[^{others}]" if others else "(?s:.)"),
    ]
    opening = f"|(?P<open>{hole})" if hole else ""
    return re.compile(f"(?:{'|'.join(within)})*(?:(?P<close>{closing}){opening})?")


def tokens_before(syntax: Syntax, offset: int) -> Tokens:
    """The tokens up to `offset`, without white space; reading begins some lines before it, see `_anchor`.

    The lines above are read once for all offsets in a line. Where JSX text may be, all is read each time, as the tree
    decides what is text.
    """
    text, anchor = syntax.document.text, _anchor(syntax, offset)
    line_start = syntax.document.lines[syntax.document.position(offset).line]
    if syntax.language.record.has_jsx and ("</" in text or "/>" in text):
        return _Lexer(syntax.language, anchor, text[anchor:offset], syntax).read()
    lines_above = _read_lines(syntax.language, anchor, text[anchor:line_start])
    return lines_above.extend(text[anchor:offset]).read()


def tokens_of(language: Language, text: str) -> list[Token]:
    """The tokens of a text that begins in no string and no comment, without white space; none is read as JSX text."""
    return _Lexer(language, 0, text).read().items


def tokens_from_closing(syntax: Syntax, offset: int, reach: int) -> Iterator[Token]:
    """The tokens from the bracket on that closes the innermost one around `offset`, which is in code.

    Without white space, line ends and comments; no tokens if the bracket is not among the next characters. A token is
    read when it is asked for.

    Args:
        reach: The most characters after `offset` that are read.
    """
    lexer = _Lexer(syntax.language, offset, syntax.document.text[offset : offset + reach])
    tokens, known, is_closed = lexer.tokens, 0, False
    while lexer.read_on():
        for index, token in enumerate(tokens.items[known:], known):
            is_bracket = token.kind is TokenKind.PUNCTUATION and token.text in CLOSES
            is_closed = is_closed or (is_bracket and index not in tokens.partner)
            if is_closed and token.kind not in LAYOUT:
                yield token
        known = len(tokens.items)


def open_brackets(syntax: Syntax, offset: int) -> list[Token]:
    """The brackets that are open before `offset`, innermost last."""
    tokens = tokens_before(syntax, offset)
    return [tokens.items[index] for index in tokens.open]


def closers(brackets: Iterable[Token]) -> str:
    """The text that closes brackets, given the innermost first; nothing closes an expression in a string."""
    return "".join(_CLOSERS.get(bracket.text, "") for bracket in brackets)


@lru_cache(maxsize=4)  # while a line is typed, those above it stay the same
def _read_lines(language: Language, start: int, text: str) -> _Lexer:
    """A lexer that has read whole lines. Callers share it, so they extend it and must not read on with it."""
    lexer = _Lexer(language, start, text)
    lexer.read()
    return lexer


def _anchor(syntax: Syntax, offset: int) -> int:
    """Where reading begins: `_LINES` lines back, or where the string, comment or JSX element around that place begins.

    The tree says what is around the place: from within a string, its text would be read as code.
    """
    text, line = syntax.document.text, syntax.document.position(offset).line
    start = syntax.document.lines[max(line - _LINES, 0)]
    node = syntax.node_at(start)
    for around in (node, *ancestors(node)):
        begin = syntax.start(around)
        if begin < start and (around.type in _ELEMENTS or _is_open(syntax.language, text[begin:start])):
            start = begin
    return start


_ELEMENTS = frozenset({"jsx_element", "jsx_self_closing_element"})


def _is_open(language: Language, text: str) -> bool:
    """Whether a text begins with a string or a comment that does not end in it."""
    first = rules_of(language).match(text)
    if first is None or first.lastgroup not in {"STRING", "COMMENT"}:
        return False
    return _Lexer(language, 0, text).ends_in_first_token()


class _Lexer:
    """One reading, from an anchor to the cursor.

    `read` takes one match of the language's rules after another; `_step` makes a token of each. Offsets in its methods
    count from the start of the text, those in its tokens from the start of the document.
    """

    def __init__(self, language: Language, start: int, text: str, jsx: Syntax | None = None) -> None:
        """Nothing is read yet.

        Args:
            start: Where the text begins in its document.
            jsx: The document's tree, if the text may be JSX.
        """
        self._language = language
        self._lexis = language.record.lexis
        self._rules = rules_of(language)
        self._start = start
        self._text = text
        self._end = len(text)
        self._at = 0
        """How far the text has been read."""
        self._jsx = jsx
        self.tokens = Tokens()
        """What has been read."""
        self._string_openings: dict[int, str] = {}
        """Index of the bracket that opens an expression in a string -> the string's mark and quote."""

    def extend(self, text: str) -> _Lexer:
        """A lexer for a longer text: it goes on where this one ended, or begins anew if this one ended in a token.

        It never reads JSX text; `tokens_before` makes another lexer for that.
        """
        longer = _Lexer(self._language, self._start, text)
        tokens = self.tokens
        if not (tokens.items and tokens.items[-1].open):
            longer._at = self._at
            longer.tokens = Tokens([*tokens.items], [*tokens.open], {**tokens.partner})
            longer._string_openings = {**self._string_openings}
        return longer

    def read(self) -> Tokens:
        """Read the text to its end."""
        while self.read_on():
            pass
        return self.tokens

    def read_on(self) -> bool:
        """Read one match of the rules; False at the end of the text."""
        match = self._rules.match(self._text, self._at) if self._at < self._end else None
        if match is None:
            return False
        self._at = self._step(match)
        return True

    def ends_in_first_token(self) -> bool:
        """Read the first token, of a string all pieces and expressions; returns whether the text ends before it."""
        while self.read_on() and self.tokens.open:
            pass
        return bool(self.tokens.open) or self.tokens.items[-1].open

    def _step(self, match: re.Match[str]) -> int:
        """Add the token that begins with a match of the rules; returns where the next one begins.

        A quote or a slash may be in the text of JSX, `<b>don't</b>`, which is passed over. A slash may also begin a
        regular expression; then its match, the sign alone, is not used.
        """
        kind, text, start = match.lastgroup or "", match[0], match.start()
        if kind == "space":
            return match.end()
        if self._jsx and text[0] in "'\"`/" and (jsx_end := self._jsx_text_end(start)) is not None:
            return jsx_end
        if kind == "STRING":
            prefix = match.groupdict().get("prefix")
            mark = self._lexis.prefixes[prefix.lower()] if prefix else ""
            return self._add_string_piece(mark + match["quote"], start, match.end())
        if text == "/" and self._lexis.has_regexes and not self._after_value() and (regex := self._regex(start)):
            return regex
        if kind == "COMMENT":
            return self._add(TokenKind.COMMENT, start, match.end(), open_=self._comment_goes_on(text, match.end()))
        if kind == "PUNCTUATION":
            return self._punctuation(start, match.end())
        return self._add(TokenKind[kind], start, match.end())

    def _comment_goes_on(self, text: str, end: int) -> bool:
        """Whether more text after a comment would belong to it."""
        closed = text.startswith("/*") and text.endswith("*/") and text != "/*/"
        return end == self._end and not closed

    def _add(self, kind: TokenKind, start: int, end: int, *, open_: bool = False) -> int:
        """Add a token of the text from `start` to `end`; returns `end`."""
        first = self._start
        self.tokens.items.append(Token(kind, self._text[start:end], first + start, first + end, open_))
        return end

    def _punctuation(self, start: int, end: int) -> int:
        """Add a sign; returns where the next token begins.

        After the bracket that closes an expression in a string, the next piece of the string is added with it. After
        the colon of a format, the format is passed over; if the text ends in it, it is an open piece of the string.
        """
        text = self._text[start:end]
        tokens = self.tokens
        index = len(tokens.items)
        self._add(TokenKind.PUNCTUATION, start, end)
        if text in {"(", "[", "{"}:
            tokens.open.append(index)
        elif text in CLOSES:
            return self._close(index, CLOSES[text], end)
        elif text == ":" and tokens.open and self._may_have_format(tokens.open[-1]):
            spec = _FORMAT_SPEC.match(self._text, end, self._end)
            if spec and spec.end() == self._end:
                return self._add(TokenKind.TEMPLATE, end, self._end, open_=True)
            return spec.end() if spec else end
        return end

    def _close(self, index: int, bracket: str, end: int) -> int:
        """Pair the closing bracket at an index with the innermost open one of its kind, if there is one.

        Open brackets inside that one count as closed, too. After an expression in a string, the string goes on.

        Args:
            bracket: The opening bracket of its kind.
            end: Where the closing bracket ends.

        Returns:
            Where the next token begins.
        """
        tokens = self.tokens
        for depth in range(len(tokens.open) - 1, -1, -1):
            partner = tokens.open[depth]
            if tokens.items[partner].text in {bracket, _HOLE + bracket}:
                del tokens.open[depth:]
                tokens.partner[index] = partner
                string_opening = self._string_openings.get(partner)
                return end if string_opening is None else self._add_string_piece(string_opening, end, end)
        return end

    def _may_have_format(self, bracket: int) -> bool:
        """Whether a bracket opens an expression in a string after which a format may come: `{price:.2f}`."""
        return bracket in self._string_openings and self._lexis.strings[self._string_openings[bracket]].has_formats

    def _add_string_piece(self, opening: str, start: int, body: int) -> int:
        """Add a piece of a string, up to its end or the next expression, and what opens that; returns where both end.

        Args:
            opening: The string's mark and quote, as in `Lexis.strings`.
            start: Where the piece begins: at the string's prefix, or after an expression in it.
            body: Where its text begins, after the quote.
        """
        form = self._lexis.strings[opening]
        kind = TokenKind.TEMPLATE if form.hole else TokenKind.STRING
        match = _rest_of(quote_of(opening), form).match(self._text, body, self._end)
        assert match is not None  # noqa: S101 - the empty text is one
        groups = match.groupdict()
        if not groups.get("open"):
            open_ = groups["close"] is None and match.end() == self._end
            return self._add(kind, start, match.end(), open_=open_)
        self._add(kind, start, match.start("open"))
        index, first = len(self.tokens.items), self._start
        self._string_openings[index] = opening
        self.tokens.open.append(index)
        hole_start = first + match.start("open")
        self.tokens.items.append(Token(TokenKind.PUNCTUATION, _HOLE + form.hole[-1], hole_start, first + match.end()))
        return match.end()

    def _after_value(self) -> bool:
        """Whether a `/` here divides, or is that of `</`; otherwise it begins a regular expression."""
        before = next((token for token in reversed(self.tokens.items) if token.kind not in LAYOUT), None)
        if before is None or before.text in self._lexis.before_operand:
            return False
        return before.kind in _VALUE_KINDS or before.text in {")", "]", "}", "<"}

    def _regex(self, start: int) -> int | None:
        """Add the regular expression at a place; returns where it ends, or None where nothing follows the slash."""
        match = _REGEX.match(self._text, start, self._end)
        if match is None:
            return None
        return self._add(TokenKind.REGEX, start, match.end(), open_=match.end() == self._end and match[0][-1] != "/")

    def _jsx_text_end(self, at: int) -> int | None:
        """The end of the JSX text that a place is in; None if it is in none."""
        assert self._jsx is not None  # noqa: S101 - asked only then
        node = self._jsx.node_at(self._start + at)
        if node.type != "jsx_text":
            return None
        return min(max(self._jsx.end(node) - self._start, at + 1), self._end)
