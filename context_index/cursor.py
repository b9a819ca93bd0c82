"""What is being completed at a place: a name, a member, an argument, an import, prose, or a fresh line.

Told from the tokens before the place, so that half-typed code is understood as well as finished code; the tree is asked
only for what lies behind the place. Knows nothing of which names exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from context_index.syntax import Syntax
from context_index.tokens import Token, TokenKind, Tokens, tokens_before


class CursorKind(StrEnum):
    """What may stand at a place."""

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
    """A place, and what is being completed there."""

    kind: CursorKind
    offset: int
    word: str = ""
    """The half-typed identifier before the cursor (a half-typed number, too: no name begins with it)."""
    receiver: str = ""
    """The expression before the dot of a member; "" for other kinds."""
    callee: str = ""
    """The function, or the JSX element, whose arguments the cursor is among."""
    module: str = ""
    """The module whose names are imported here, or as much of its path as stands before the cursor."""
    binding: bool = False
    """A new name is being introduced here, so any name may follow."""


def cursor_at(syntax: Syntax, offset: int) -> Cursor:
    """What is being completed at an offset."""
    return _Place(syntax, offset, tokens_before(syntax, offset)).cursor()


_NO_CALLEE = frozenset(
    [
        "if",
        "while",
        "for",
        "switch",
        "with",
        "catch",
        "function",
        "elif",
        "return",
        "and",
        "or",
        "not",
        "in",
        "is",
        "await",
        "yield",
        "case",
        "typeof",
        "import",
    ],
)
_DECLARES = {
    False: frozenset(["let", "const", "var", "function", "class", "interface", "enum", "namespace", "infer", "import"]),
    True: frozenset(["def", "class", "as", "for", "lambda"]),
}
_LIST_DECLARES = frozenset(["let", "const", "var"])
_BEFORE_OBJECT = frozenset(["return", "yield", "await", "default", "typeof", "in", "of", "case"])
_CLASS_LIKE = frozenset(["class", "interface", "enum"])
_MODIFIERS = frozenset(
    ["static", "async", "get", "set", "public", "private", "protected", "readonly", "abstract", "override", "declare"]
)
_OPENING = frozenset(["(", ",", "...", "*", "**"])
_LAYOUT = frozenset({TokenKind.COMMENT, TokenKind.NEWLINE})
_PROSE = {
    TokenKind.COMMENT: CursorKind.COMMENT,
    TokenKind.TEMPLATE: CursorKind.TEMPLATE,
    TokenKind.STRING: CursorKind.STRING,
    TokenKind.REGEX: CursorKind.STRING,
}
_FROM_BEHIND = re.compile(r"""[^{}'"`;]*\}\s*from\s*['"]([^'"\r\n]*)""")
_ARROW_BEHIND = re.compile(r"[^()]*\)\s*(?::[^={};]*)?=>")
_GENERICS = 30
"""Tokens that type arguments may have; more would be a comparison."""
_REACH = 400
"""Characters behind the cursor that may tell what it stands in."""


class _Brace(StrEnum):
    """What a `{` opens."""

    BLOCK = "block"
    CLASS = "class"
    OBJECT = "object"
    PATTERN = "pattern"
    TYPE = "type"
    CODE = "code"
    IMPORTS = "imports"


class _Place:
    """The tokens before a cursor, and questions about them. An index of -1 is no token."""

    def __init__(self, syntax: Syntax, offset: int, tokens: Tokens) -> None:
        self._syntax = syntax
        self._offset = offset
        self._python = syntax.language.is_python
        self._tokens = tokens
        self._items = items = tokens.items
        typed = bool(items) and items[-1].end == offset and items[-1].kind in {TokenKind.NAME, TokenKind.NUMBER}
        self._word = items[-1].text if typed else ""
        self._count = len(items) - typed
        self._last = self._before(self._count)
        self._inner = tokens.open[-1] if tokens.open else -1

    def cursor(self) -> Cursor:
        """The first rule that fits."""
        items = self._items
        if items and items[-1].open and (kind := _PROSE.get(items[-1].kind)):
            return self._prose(kind, items[-1])
        if not self._python and self._in_jsx_text():
            return Cursor(CursorKind.STRING, self._offset)
        found = self._python_import() if self._python else self._javascript_import()
        if found is not None:
            return found
        if self._text(self._last) in {".", "?."} and (receiver := self._receiver(self._before(self._last))):
            return self._here(CursorKind.MEMBER, receiver=receiver)
        return self._element() or self._name()

    def _here(self, kind: CursorKind, **fields: str | bool) -> Cursor:
        return Cursor(kind, self._offset, self._word, **fields)  # type: ignore[arg-type] # fields are named at the call

    def _text(self, index: int) -> str:
        return self._items[index].text if index >= 0 else ""

    def _before(self, index: int) -> int:
        """The token before another, comments and line ends left out."""
        index -= 1
        while index >= 0 and self._items[index].kind in _LAYOUT:
            index -= 1
        return index

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
        behind = node.parent if node.type in {"</", "<"} else node
        between_tags = behind is not None and behind.type in {"jsx_closing_element", "jsx_element"}
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
            if token.kind not in _LAYOUT:
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
        if self._inner < 0 or self._brace(self._inner) is not _Brace.IMPORTS:
            return None
        last = self._text(self._last)
        if last == "as":
            return self._here(CursorKind.NAME, binding=True)
        behind = _FROM_BEHIND.match(self._syntax.document.text, self._offset, self._offset + _REACH)
        exports = self._text(self._before(self._inner)) == "export" and behind is None
        if last not in {"{", ",", "type"} or exports:
            return self._here(CursorKind.NAME)
        return self._here(CursorKind.IMPORTED_NAME, module=behind[1] if behind else "")

    def _element(self) -> Cursor | None:
        """Inside of brackets: an argument, a key, a parameter."""
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
        if brace in {_Brace.OBJECT, _Brace.PATTERN, _Brace.TYPE} and (fresh or last == "..."):
            kind = CursorKind.OBJECT_KEY if fresh else CursorKind.NAME
            return self._here(kind, binding=brace is not _Brace.OBJECT)
        if brace is _Brace.PATTERN and last == ":":
            return self._here(CursorKind.NAME, binding=True)
        if brace is _Brace.CLASS and (fresh or last in _MODIFIERS or self._first_on_line()):
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
        arrow = _ARROW_BEHIND.match(self._syntax.document.text, self._offset, self._offset + _REACH)
        return self._here(CursorKind.NAME, binding=True) if opens and arrow and not self._python else None

    def _defines(self, head: int) -> bool:
        """Whether the parentheses behind `head` hold parameters."""
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
        if around < 0 or self._text(around) != "{" or name in _NO_CALLEE:
            return False
        brace = self._brace(around)
        starts = word in {"{", ",", "}", ";"} or word in _MODIFIERS
        return (brace is _Brace.CLASS and (starts or self._starts_line(head))) or (brace is _Brace.OBJECT and starts)

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
        while index >= 0 and index > self._inner:
            text = self._text(index)
            if text in _LIST_DECLARES or (self._python and text in {"for", "lambda"}):
                return True
            if text in {";", "{", "}", ":"} or (
                self._python and (text in {"in", "="} or self._items[index].kind is TokenKind.NEWLINE)
            ):
                return False
            index = self._tokens.partner.get(index, index) - 1
        return False

    def _brace(self, index: int) -> _Brace:
        """What the `{` at an index opens (JavaScript)."""
        if self._text(index) != "{":
            return _Brace.CODE
        before = self._before(index)
        text, token = self._text(before), self._items[before] if before >= 0 else None
        earlier = self._text(self._before(self._before(before)))
        if (
            text in {"import", "export"}
            or (text == "," and earlier == "import")
            or (text == "type" and self._text(self._before(before)) in {"import", "export"})
        ):
            return _Brace.IMPORTS
        if text in _LIST_DECLARES:
            return _Brace.PATTERN
        if token is None or text in {";", "{", "}", ")", "=>"}:
            return _Brace.BLOCK
        if text == ">" or (text == "=" and self._jsx_element(before)):
            return _Brace.CODE
        if text == ":":
            return self._after_colon(before)
        if token.kind is TokenKind.NAME and text not in _BEFORE_OBJECT:
            return self._after_name(before)
        if text == "(" and earlier == "function":
            return _Brace.PATTERN
        return _Brace.TYPE if text == "=" and earlier == "type" else _Brace.OBJECT

    def _after_colon(self, colon: int) -> _Brace:
        line = self._line_before(colon)
        if {"case", "default"} & set(line):
            return _Brace.BLOCK
        around = max((index for index in self._tokens.open if index < colon), default=-1)
        if self._text(around) == "{" and self._brace(around) in {_Brace.OBJECT, _Brace.PATTERN}:
            return self._brace(around)
        return _Brace.OBJECT if "?" in line or self._syntax.language == "javascript" else _Brace.TYPE

    def _after_name(self, name: int) -> _Brace:
        line = self._line_before(name + 1)
        return _Brace.CLASS if _CLASS_LIKE & set(line) else _Brace.BLOCK

    def _line_before(self, index: int) -> list[str]:
        """The tokens of a line before an index."""
        texts = []
        index -= 1
        while index >= 0 and self._items[index].kind is not TokenKind.NEWLINE:
            texts.append(self._text(index))
            index -= 1
        return texts

    def _jsx_element(self, index: int) -> str:
        """The name of the JSX element among whose attributes the token at an index stands, else ""."""
        while index > 0:
            text, token = self._text(index), self._items[index]
            if text == "<":
                before = self._before(index)
                value = before >= 0 and self._items[before].kind in {TokenKind.NAME, TokenKind.NUMBER}
                joined = value and self._text(before) not in _BEFORE_OBJECT
                name = self._items[index + 1] if index + 1 < len(self._items) else None
                return name.text if name and name.kind is TokenKind.NAME and not joined else ""
            if text in self._closing and index in self._tokens.partner:
                index = self._tokens.partner[index]
            elif not (token.kind in _ATTRIBUTE_PARTS or text in {"=", "-", ".", ":"}):
                return ""
            index = self._before(index)
        return self._text(1) if index == 0 and self._text(0) == "<" and len(self._items) > 1 else ""

    _closing = frozenset({"}", ")", "]"})

    def _receiver(self, last: int) -> str:
        """The expression before a dot; `new A().^` speaks of an A, `new a.^` of what `a` holds."""
        first = self._start_of(last)
        before = self._before(first)
        if first >= 0 and self._text(before) == "new" and self._text(last) == ")" and not self._python:
            first = before
        return self._source(first, last)

    def _expression(self, last: int) -> str:
        """The source of the expression that ends with the token at an index, as `a.b(c)[0]`; "" if none does."""
        return self._source(self._start_of(last), last)

    def _source(self, first: int, last: int) -> str:
        if first < 0:
            return ""
        return self._syntax.document.text[self._items[first].start : self._items[last].end]

    def _start_of(self, last: int) -> int:
        """The first token of the expression that ends with the token at an index, or -1."""
        index = last
        while index >= 0:
            token = self._items[index]
            if index in self._tokens.partner:
                index = self._tokens.partner[index]
                head = self._before(index)
                if self._text(index) == "${":
                    index = head
                    continue
                head = self._before_generics(head)
                if head >= 0 and self._continues(head):
                    index = head
                    continue
            elif token.kind is TokenKind.TEMPLATE:
                head = index - 1
                if not token.text.startswith("`") and head in self._tokens.partner:
                    index = head
                    continue
            elif token.text == "!" and not self._python:
                index = self._before(index)
                continue
            elif token.kind not in _VALUES:
                return -1
            before = self._before(index)
            if self._text(before) in {".", "?."} and before > 0:
                index = self._before(before)
                continue
            return index
        return -1

    def _before_generics(self, index: int) -> int:
        """The `f` of `f<T, U>(`: the token before type arguments that end at an index, else the index itself."""
        depth, first = 0, index
        while not self._python and first > max(index - _GENERICS, 0):
            text = self._text(first)
            depth += (text == ">") - (text == "<")
            if depth == 0:
                return self._before(first) if text == "<" else index
            first -= 1
        return index

    def _continues(self, head: int) -> bool:
        """Whether a bracket behind the token at an index calls or indexes it."""
        if head < 0:
            return False
        token = self._items[head]
        if token.kind is TokenKind.NAME:
            return token.text not in _NO_CALLEE or self._text(self._before(head)) in {".", "?."}
        return token.kind in {TokenKind.STRING, TokenKind.TEMPLATE} or token.text in {")", "]"}

    def _starts_line(self, index: int) -> bool:
        line = self._line_before(index)
        return all(text in _MODIFIERS or text in {"export", "declare"} for text in line)

    def _first_on_line(self) -> bool:
        return self._starts_line(self._count)

    def _blank(self) -> bool:
        """Whether nothing but white space shares the line."""
        document = self._syntax.document
        return not document.line_text(document.position(self._offset).line).strip()


_VALUES = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING, TokenKind.REGEX})
_ATTRIBUTE_PARTS = frozenset({TokenKind.NAME, TokenKind.STRING, TokenKind.NEWLINE, TokenKind.COMMENT})
