"""The tokens before an offset, read by rules that hold in broken code too.

While code is typed, its tree is often no help: strings without an end, brackets without a partner and unfinished
imports are recognised by tokens alone, for `cursor`. The tree only says where reading may begin, and what is JSX
text. At most `_LINES` lines are read, so that a keystroke costs the same in files of any length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from context_index.symbols import BEFORE_OPERAND, CLOSES
from context_index.syntax import Syntax, ancestors

_LINES = 40
"""Longer argument lists and literals than this are data; inside them the cursor is a plain name's."""


class TokenKind(Enum):
    """What a token is. Text of JSX is no token."""

    NAME = auto()
    NUMBER = auto()
    STRING = auto()
    TEMPLATE = auto()
    REGEX = auto()
    COMMENT = auto()
    PUNCTUATION = auto()
    NEWLINE = auto()


LAYOUT = frozenset({TokenKind.COMMENT, TokenKind.NEWLINE})


class Token(NamedTuple):
    """One token; `open` where the text ended before it did."""

    kind: TokenKind
    text: str
    start: int
    end: int
    open: bool = False


@dataclass(slots=True)
class Tokens:
    """The tokens of a stretch of text, and how their brackets pair."""

    items: list[Token] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    """Indices of the brackets that nothing has closed yet, innermost last."""
    partner: dict[int, int] = field(default_factory=dict)
    """Index of a closing bracket -> index of its opening one."""


_CLOSERS = {opening: closing for closing, opening in CLOSES.items()}
_AFTER_VALUE = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING, TokenKind.TEMPLATE, TokenKind.REGEX})

_NUMBER = r"0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[nj]?"
_OPERATOR = r"\?\.(?!\d)|\.\.\.|=>|->|:=|[=!<>]=+|\*\*|&&|\|\||\?\?|</"
_JAVASCRIPT = re.compile(
    rf"""(?P<NEWLINE>[\r\n]+)|(?P<space>[^\S\r\n]+)|(?P<COMMENT>//[^\r\n]*|/\*(?s:.)*?(?:\*/|\Z)|\A\#!.*)
    |(?P<NUMBER>{_NUMBER})|(?P<NAME>\#?[^\W\d][\w$]*|\#?\$[\w$]*|\#)
    |(?P<STRING>'(?:\\(?s:.)?|[^'\\\r\n])*'?|"(?:\\(?s:.)?|[^"\\\r\n])*"?)|(?P<PUNCTUATION>{_OPERATOR}|.)""",
    re.VERBOSE,
)
_PYTHON = re.compile(
    rf"""(?P<NEWLINE>[\r\n]+)|(?P<space>[^\S\r\n]+|\\\r?\n)|(?P<COMMENT>\#[^\r\n]*)|(?P<NUMBER>{_NUMBER})
    |(?P<STRING>(?P<prefix>\b[rRbBuUfFtT]{{1,2}})?(?P<quote>\"\"\"|'''|"|'))
    |(?P<NAME>[^\W\d]\w*)|(?P<PUNCTUATION>{_OPERATOR}|.)""",
    re.VERBOSE,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]?|[^/\\\[\r\n])+(?:/[a-z]*)?")
_TEMPLATE_PIECE = re.compile(r"(?:\\(?s:.)?|\$(?!\{)|[^\\`$])*(?:(?P<close>`)|(?P<open>\$\{))?")
_QUOTES = ("'", '"', "'''", '"""')
_STRING_BODIES = {
    quote: re.compile(
        rf"(?:\\(?s:.)?|(?!{quote})[^\\{'' if len(quote) > 1 else chr(10) + chr(13)}])*(?P<close>{quote})?"
    )
    for quote in _QUOTES
}
_FORMAT_PIECES = {
    quote: re.compile(
        rf"(?:\\(?s:.)?|{{{{|}}}}|(?!{quote})[^\\{{{'' if len(quote) > 1 else chr(10) + chr(13)}])*"
        rf"(?:(?P<close>{quote})|(?P<open>{{))?",
    )
    for quote in _QUOTES
}
_FORMAT_SPEC = re.compile(r"[^{}\r\n]*")


def tokens_before(syntax: Syntax, offset: int) -> Tokens:
    """The tokens from a safe place before `offset` up to it, white space left out."""
    text, anchor = syntax.document.text, _anchor(syntax, offset)
    line = syntax.document.lines[syntax.document.position(offset).line]
    if not syntax.language.is_python and ("</" in text or "/>" in text):  # JSX text is told by the tree
        return _Lexer(syntax.language.is_python, anchor, text[anchor:offset], syntax).read()
    lines = _read_lines(syntax.language.is_python, anchor, text[anchor:line])
    return lines.extended(text[anchor:offset]).read()


def open_brackets(syntax: Syntax, offset: int) -> list[Token]:
    """The brackets that are open before `offset`, innermost last."""
    tokens = tokens_before(syntax, offset)
    return [tokens.items[index] for index in tokens.open]


def closers(brackets: Iterable[Token]) -> str:
    """What closes brackets, given the innermost first; nothing for the expression of a template."""
    return "".join(_CLOSERS.get(one.text, "") for one in brackets)


@lru_cache(maxsize=4)  # while a line is typed, those above it stay the same
def _read_lines(python: bool, start: int, text: str) -> _Lexer:  # noqa: FBT001 - a part of the key
    """The reading of whole lines, which nothing changes any more."""
    lexer = _Lexer(python, start, text)
    lexer.read()
    return lexer


def _anchor(syntax: Syntax, offset: int) -> int:
    """The start of a line some way back that is in no token of several lines, according to the tree."""
    line = syntax.document.position(offset).line
    start = syntax.document.lines[max(line - _LINES, 0)]
    node = syntax.node_at(start)
    for around in (node, *ancestors(node)):
        if around.type in _SEVERAL_LINES:
            start = min(start, syntax.start(around))
    return start


_SEVERAL_LINES = frozenset({"string", "template_string", "comment", "jsx_element", "jsx_self_closing_element"})


class _Lexer:
    """One reading, from an anchor to the cursor.

    Args:
        start: Where the text begins in its document.
        jsx: The document's tree, if the text may be JSX.
    """

    def __init__(self, python: bool, start: int, text: str, jsx: Syntax | None = None) -> None:  # noqa: FBT001 - as above
        self._python = python
        self._rules = _PYTHON if python else _JAVASCRIPT
        self._start = start
        self._text = text
        self._end = len(text)
        self._at = 0
        self._jsx = jsx
        self._tokens = Tokens()
        self._quotes: dict[int, str] = {}

    def extended(self, text: str) -> _Lexer:
        """A reading of a longer text that goes on where this one has ended, or anew where it ended in a token."""
        other = _Lexer(self._python, self._start, text)
        tokens = self._tokens
        if not (tokens.items and tokens.items[-1].open):
            other._at = self._at
            other._tokens = Tokens([*tokens.items], [*tokens.open], {**tokens.partner})
            other._quotes = {**self._quotes}
        return other

    def read(self) -> Tokens:
        while self._at < self._end:
            match = self._rules.match(self._text, self._at)
            if match is None:
                break
            self._at = self._step(match)
        return self._tokens

    def _step(self, match: re.Match[str]) -> int:
        """Add the token of a match and say where the next one begins."""
        kind, text, start = match.lastgroup or "", match[0], match.start()
        if kind in {"quote", "prefix", "STRING"} and self._python:
            return self._python_string(match)
        if kind == "space":
            return match.end()
        if not self._python:
            if self._jsx and text[0] in "'\"`/" and (jsx_end := self._jsx_text_end(start)) is not None:
                return jsx_end
            if text == "`":
                return self._piece(_TEMPLATE_PIECE, start, start + 1, "`")
            if text == "/" and not self._after_value() and (regex := self._regex(start)):
                return regex
            if kind == "STRING":
                closed = len(text) > 1 and text[-1] == text[0] and not _escaped(text)
                return self._add(TokenKind.STRING, start, match.end(), open_=not closed and match.end() == self._end)
        if kind == "COMMENT":
            return self._add(TokenKind.COMMENT, start, match.end(), open_=self._comment_goes_on(text, match.end()))
        if kind == "PUNCTUATION":
            return self._punctuation(start, match.end())
        return self._add(TokenKind[kind], start, match.end())

    def _comment_goes_on(self, text: str, end: int) -> bool:
        closed = text.startswith("/*") and text.endswith("*/") and text != "/*/"
        return end == self._end and not closed

    def _add(self, kind: TokenKind, start: int, end: int, *, open_: bool = False) -> int:
        first = self._start
        self._tokens.items.append(Token(kind, self._text[start:end], first + start, first + end, open_))
        return end

    def _punctuation(self, start: int, end: int) -> int:
        text = self._text[start:end]
        tokens = self._tokens
        index = len(tokens.items)
        self._add(TokenKind.PUNCTUATION, start, end)
        if text in {"(", "[", "{"}:
            tokens.open.append(index)
        elif text in CLOSES:
            return self._close(index, CLOSES[text], end)
        elif text == ":" and tokens.open and tokens.open[-1] in self._quotes and self._python:
            spec = _FORMAT_SPEC.match(self._text, end, self._end)
            if spec and spec.end() == self._end:
                return self._add(TokenKind.TEMPLATE, end, self._end, open_=True)
            return spec.end() if spec else end
        return end

    def _close(self, index: int, opening: str, end: int) -> int:
        tokens = self._tokens
        for depth in range(len(tokens.open) - 1, -1, -1):
            opened = tokens.open[depth]
            if tokens.items[opened].text in {opening, "$" + opening}:
                del tokens.open[depth:]
                tokens.partner[index] = opened
                quote = self._quotes.get(opened)
                if quote is not None:
                    return self._piece(_TEMPLATE_PIECE if quote == "`" else _FORMAT_PIECES[quote], end, end, quote)
                return end
        return end

    def _piece(self, rule: re.Pattern[str], start: int, body: int, quote: str) -> int:
        """The text of a template up to its end or to the next expression in it."""
        match = rule.match(self._text, body, self._end)
        if match is None:
            return self._add(TokenKind.TEMPLATE, start, body, open_=body == self._end)
        if match["open"] is None:
            open_ = match["close"] is None and match.end() == self._end
            return self._add(TokenKind.TEMPLATE, start, match.end(), open_=open_)
        self._add(TokenKind.TEMPLATE, start, match.start("open"))
        index = len(self._tokens.items)
        self._quotes[index] = quote
        self._tokens.open.append(index)
        first = self._start
        self._tokens.items.append(Token(TokenKind.PUNCTUATION, "${", first + match.start("open"), first + match.end()))
        return match.end()

    def _python_string(self, match: re.Match[str]) -> int:
        quote, prefix = match["quote"], (match["prefix"] or "").lower()
        if "f" in prefix or "t" in prefix:
            return self._piece(_FORMAT_PIECES[quote], match.start(), match.end(), quote)
        body = _STRING_BODIES[quote].match(self._text, match.end(), self._end)
        end = body.end() if body else match.end()
        closed = body is not None and body["close"] is not None
        return self._add(TokenKind.STRING, match.start(), end, open_=not closed and end == self._end)

    def _after_value(self) -> bool:
        """Whether a `/` here divides; otherwise it begins a regular expression."""
        before = next((t for t in reversed(self._tokens.items) if t.kind not in LAYOUT), None)
        if before is None or before.text in BEFORE_OPERAND:
            return False
        return before.kind in _AFTER_VALUE or before.text in {")", "]", "}", "<"}

    def _regex(self, start: int) -> int | None:
        match = _REGEX.match(self._text, start, self._end)
        if match is None:
            return None
        return self._add(TokenKind.REGEX, start, match.end(), open_=match.end() == self._end and match[0][-1] != "/")

    def _jsx_text_end(self, at: int) -> int | None:
        """The end of the JSX text that an offset is in; None if it is in none."""
        assert self._jsx is not None  # noqa: S101 - asked only then
        node = self._jsx.node_at(self._start + at)
        if node.type != "jsx_text":
            return None
        return min(max(self._jsx.end(node) - self._start, at + 1), self._end)


def _escaped(text: str) -> bool:
    """Whether the last character of a string literal is escaped, so that the literal goes on."""
    body = text[1:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1
