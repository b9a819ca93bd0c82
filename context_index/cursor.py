"""What is being completed at an offset: a name, a member, an argument, an import, prose, or a new line.

The tokens before the offset decide, so that half-typed code is classified as well as finished code; the tree is used
only for the text after the offset. Knows nothing of which names exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from context_index.surroundings import LIST_DECLARES, MODIFIERS, NO_CALLEE, Brace, Surroundings
from context_index.symbols import word_end, word_start
from context_index.syntax import Syntax
from context_index.tokens import LAYOUT, Token, TokenKind, tokens_before


class CursorKind(StrEnum):
    """What may be completed at an offset."""

    NAME = "name"
    MEMBER = "member"
    ARGUMENT = "argument"
    IMPORT_PATH = "import path"
    IMPORTED_NAME = "imported name"
    OBJECT_KEY = "object key"
    STRING = "string"
    TEMPLATE = "template"
    COMMENT = "comment"
    BLANK_LINE = "blank line"


@dataclass(frozen=True, slots=True)
class Cursor:
    """An offset, and what is being completed there."""

    kind: CursorKind
    offset: int
    word: str = ""
    """The half-typed identifier before the cursor, or a half-typed number, with which no name begins."""
    callee: str = ""
    """The function, or the JSX element, whose arguments the cursor is among."""
    module: str = ""
    """The module whose names are imported here, or the part of its path before the cursor."""
    binding: bool = False
    """Whether a new name is being introduced here, so that any name may follow."""


def cursor_at(syntax: Syntax, offset: int) -> Cursor:
    """What is being completed at an offset."""
    return _Place(syntax, offset, tokens_before(syntax, offset)).cursor()


def rest_of_word(text: str, offset: int) -> str:
    """The part of a word after an offset inside it; empty before a word, and within a number."""
    start = word_start(text, offset)
    return "" if start == offset or text[start].isdigit() else text[offset : word_end(text, offset)]


_DECLARES = {
    False: frozenset(["let", "const", "var", "function", "class", "interface", "enum", "namespace", "infer", "import"]),
    True: frozenset(["def", "class", "as", "for", "lambda"]),
}
"""Keywords after which a new name is written: of JavaScript (False) and of Python (True)."""
_OPENING = frozenset(["(", ",", "...", "*", "**"])
_PROSE = {
    TokenKind.COMMENT: CursorKind.COMMENT,
    TokenKind.TEMPLATE: CursorKind.TEMPLATE,
    TokenKind.STRING: CursorKind.STRING,
    TokenKind.REGEX: CursorKind.STRING,
}
_FROM_AFTER = re.compile(r"""[^{}'"`;]*\}\s*from\s*['"]([^'"\r\n]*)""")
_ARROW_AFTER = re.compile(r"[^()]*\)\s*(?::[^={};]*)?=>")
_REACH = 400
"""Characters after the cursor that are read to classify it."""


class _Place(Surroundings):
    """The rules that classify a cursor."""

    def cursor(self) -> Cursor:
        """What the first rule that fits says."""
        items = self._items
        if items and items[-1].open and (kind := _PROSE.get(items[-1].kind)):
            return self._prose(kind, items[-1])
        if not self._python and self._in_jsx_text():
            return Cursor(CursorKind.STRING, self._offset)
        found = self._python_import() if self._python else self._javascript_import()
        if found is not None:
            return found
        if self._text(self._last) in {".", "?."} and self._start_of(self._before(self._last)) >= 0:
            return self._here(CursorKind.MEMBER)
        return self._element() or self._name()

    def _here(self, kind: CursorKind, **fields: str | bool) -> Cursor:
        return Cursor(kind, self._offset, self._word, **fields)  # type: ignore[arg-type] # fields are named at the call

    def _prose(self, kind: CursorKind, token: Token) -> Cursor:
        before = self._before(len(self._items) - 1)
        called = self._text(before) == "(" and self._text(self._before(before)) in {"require", "import"}
        if not self._python and kind is CursorKind.STRING and (called or self._text(before) in {"from", "import"}):
            path = token.text[1:]
            return Cursor(CursorKind.IMPORT_PATH, self._offset, re.split(r"[^\w$-]", path)[-1], module=path)
        return Cursor(kind, self._offset)

    def _in_jsx_text(self) -> bool:
        node = self._syntax.node_at(self._offset)
        if node.type == "jsx_text":
            return True
        after = node.parent if node.type in {"</", "<"} else node
        between_tags = after is not None and after.type in {"jsx_closing_element", "jsx_element"}
        return between_tags and self._text(self._last) == ">" and not self._word

    def _statement(self) -> list[int]:
        """The tokens of the logical line so far (Python)."""
        found: list[int] = []
        index = self._count - 1
        outer = self._tokens.open[0] if self._tokens.open else self._count
        while index >= 0:
            token = self._items[index]
            if (token.kind is TokenKind.NEWLINE and index < outer) or token.text == ";":
                break
            if token.kind not in LAYOUT:
                found.append(index)
            index -= 1
        return found[::-1]

    def _python_import(self) -> Cursor | None:
        words = [self._text(index) for index in self._statement()]
        while words and words[0] != "from" and ":" in words:
            words = words[words.index(":") + 1 :]
        if not words or words[0] not in {"from", "import"}:
            return None
        last = words[-1]
        if last == "as":
            return self._here(CursorKind.NAME, binding=True)
        if words[0] == "from" and "import" in words:
            if last not in {"import", ",", "("}:
                return self._here(CursorKind.NAME)
            return self._here(CursorKind.IMPORTED_NAME, module="".join(words[1 : words.index("import")]))
        if last not in {"from", "import", ",", ".", "..."}:
            return self._here(CursorKind.NAME)
        path = words[1:]
        while "," in path:
            path = path[path.index(",") + 1 :]
        return self._here(CursorKind.IMPORT_PATH, module="".join(path) + self._word)

    def _javascript_import(self) -> Cursor | None:
        if self._inner < 0 or self._brace(self._inner) is not Brace.IMPORTS:
            return None
        last = self._text(self._last)
        if last == "as":
            return self._here(CursorKind.NAME, binding=True)
        after = _FROM_AFTER.match(self._syntax.document.text, self._offset, self._offset + _REACH)
        exports = self._text(self._before(self._inner)) == "export" and after is None
        if last not in {"{", ",", "type"} or exports:
            return self._here(CursorKind.NAME)
        return self._here(CursorKind.IMPORTED_NAME, module=after[1] if after else "")

    def _element(self) -> Cursor | None:
        """A cursor inside brackets: at an argument, a key or a parameter."""
        if self._inner < 0:
            return None
        opening, last = self._text(self._inner), self._text(self._last)
        if opening == "(":
            return self._in_parentheses(last)
        if opening != "{":
            return None
        if self._python:
            return self._here(CursorKind.OBJECT_KEY) if last in {"{", ","} else None
        brace = self._brace(self._inner)
        fresh = last in {"{", ",", ";", "}"}
        if brace in {Brace.OBJECT, Brace.PATTERN, Brace.TYPE} and (fresh or last == "..."):
            kind = CursorKind.OBJECT_KEY if fresh else CursorKind.NAME
            return self._here(kind, binding=brace is not Brace.OBJECT)
        if brace is Brace.PATTERN and last == ":":
            return self._here(CursorKind.NAME, binding=True)
        if brace is Brace.CLASS and (fresh or last in MODIFIERS or self._first_on_line()):
            return self._here(CursorKind.BLANK_LINE if self._blank() else CursorKind.NAME, binding=True)
        return None

    def _in_parentheses(self, last: str) -> Cursor | None:
        head = self._before(self._inner)
        opens = last in _OPENING
        if self._defines(head):
            return self._here(CursorKind.NAME, binding=opens)
        head = self._before_generics(head)
        callee = self._expression(head) if self._continues(head) else ""
        if callee:
            named = self._python and last == "=" and self._text(self._before(self._before(self._last))) in {"(", ","}
            kind = CursorKind.ARGUMENT if opens or named else CursorKind.NAME
            return self._here(kind, callee=callee)
        arrow = _ARROW_AFTER.match(self._syntax.document.text, self._offset, self._offset + _REACH)
        return self._here(CursorKind.NAME, binding=True) if opens and arrow and not self._python else None

    def _defines(self, head: int) -> bool:
        """Whether the parentheses after `head` hold parameters."""
        name, before = self._text(head), self._before(head)
        if self._python:
            return self._text(before) == "def"
        if self._text(before) == "*":
            before = self._before(before)
        word = self._text(before)
        if word in {".", "?."}:
            return False
        if name in {"function", "catch"} or word == "function":
            return True
        depth = self._tokens.open.index(self._inner)
        around = self._tokens.open[depth - 1] if depth else -1
        if around < 0 or self._text(around) != "{" or name in NO_CALLEE:
            return False
        brace = self._brace(around)
        starts = word in {"{", ",", "}", ";"} or word in MODIFIERS
        return (brace is Brace.CLASS and (starts or self._starts_line(head))) or (brace is Brace.OBJECT and starts)

    def _name(self) -> Cursor:
        if self._blank() and (self._inner < 0 or self._text(self._inner) == "{"):
            return self._here(CursorKind.BLANK_LINE)
        element = self._jsx_element(self._last) if not self._python and self._text(self._last) != "=" else ""
        if element and self._text(self._last) != "<":
            return self._here(CursorKind.OBJECT_KEY, callee=element)
        return self._here(CursorKind.NAME, binding=self._binds())

    def _binds(self) -> bool:
        """Whether a keyword before the cursor, or the list that it began, introduces a name."""
        last = self._text(self._last)
        if last in _DECLARES[self._python] or (last == "*" and self._text(self._before(self._last)) == "function"):
            return True
        if last == "as" and self._text(self._before(self._last)) == "*":
            return True
        if last == "type" and self._starts_line(self._last):
            return True
        if last != ",":
            return False
        index = self._last
        while index > self._inner:
            text = self._text(index)
            if text in LIST_DECLARES or (self._python and text in {"for", "lambda"}):
                return True
            if text in {";", "{", "}", ":"} or (
                self._python and (text in {"in", "="} or self._items[index].kind is TokenKind.NEWLINE)
            ):
                return False
            index = self._tokens.partner.get(index, index) - 1
        return False
