"""What is around a cursor: the bracket that it is in, the expression before it, the JSX element that it belongs to.

Only the tokens before the cursor are read. `cursor` extends `Surroundings` by rules that decide from the answers what
is completed there.
"""

from __future__ import annotations

from enum import StrEnum

from context_index.syntax import Syntax
from context_index.tokens import LAYOUT, TokenKind, Tokens

NO_CALLEE = frozenset({
    "if", "while", "for", "switch", "with", "catch", "function", "elif", "return", "and", "or", "not", "in", "is",
    "await", "yield", "case", "typeof", "import",
})  # fmt: skip
"""Words before a parenthesis that are not called."""
LIST_DECLARES = frozenset(["let", "const", "var"])
"""Keywords before a list of new names."""
_BEFORE_OBJECT = frozenset(["return", "yield", "await", "default", "typeof", "in", "of", "case"])
"""Words after which an expression begins, so that a `{` opens an object."""
_CLASS_LIKE = frozenset(["class", "interface", "enum"])
MODIFIERS = frozenset(
    ["static", "async", "get", "set", "public", "private", "protected", "readonly", "abstract", "override", "declare"]
)
"""Words before the name of a member of a class."""
_MOST_GENERICS = 30
"""The most tokens between the `<` and `>` of type arguments; with more, `<` and `>` are taken to compare. It bounds the
search at every `>`."""
_CLOSING = frozenset({"}", ")", "]"})
_VALUES = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING, TokenKind.REGEX})
_ATTRIBUTE_PARTS = frozenset({TokenKind.NAME, TokenKind.STRING, TokenKind.NEWLINE, TokenKind.COMMENT})
"""Tokens that attributes of a JSX element consist of, besides signs and what is in braces."""


class Brace(StrEnum):
    """What a `{` opens."""

    BLOCK = "block"
    CLASS = "class"
    OBJECT = "object"
    PATTERN = "pattern"
    TYPE = "type"
    CODE = "code"
    """An expression in JSX; also the answer for a bracket that is no `{`."""
    IMPORTS = "imports"


class Surroundings:
    """The tokens before a cursor, and questions about them.

    A token is given and returned as its index in `Tokens.items`; -1 is no token. All methods take -1 as well.
    """

    def __init__(self, syntax: Syntax, offset: int, tokens: Tokens) -> None:
        self._syntax = syntax
        self._offset = offset
        self._record = record = syntax.language.record
        self._lexis = record.lexis
        self._has_jsx = record.has_jsx
        self._tokens = tokens
        self._items = items = tokens.items
        has_word = bool(items) and items[-1].end == offset and items[-1].kind in {TokenKind.NAME, TokenKind.NUMBER}
        self._word = items[-1].text if has_word else ""
        """The half-typed name or number that ends at the cursor."""
        self._count = len(items) - has_word
        """The number of tokens without that word."""
        self._last = self._before(self._count)
        """The last token before the word, comments and line ends left out; -1 if there is none."""
        self._inner = tokens.open[-1] if tokens.open else -1
        """The innermost open bracket; -1 if none is open."""

    def _text(self, index: int) -> str:
        """The text of a token; "" for no token."""
        return self._items[index].text if index >= 0 else ""

    def _before(self, index: int) -> int:
        """The token before another, comments and line ends left out."""
        index -= 1
        while index >= 0 and self._items[index].kind in LAYOUT:
            index -= 1
        return index

    def _brace(self, index: int) -> Brace:
        """What the `{` at an index opens (JavaScript), by the one to three tokens before it."""
        if self._text(index) != "{":
            return Brace.CODE
        before = self._before(index)
        text, token = self._text(before), self._items[before] if before >= 0 else None
        earlier = self._text(self._before(self._before(before)))  # the token two before `text`
        if (
            text in {"import", "export"}
            or (text == "," and earlier == "import")  # `import Cart, {`
            or (text == "type" and self._text(self._before(before)) in {"import", "export"})
        ):
            return Brace.IMPORTS
        if text in LIST_DECLARES:  # `const {`
            return Brace.PATTERN
        if text == "{" and self._has_jsx and self._brace(before) is Brace.CODE:
            return Brace.OBJECT  # as in `style={{color: 'red'}}`
        if token is None or text in {";", "{", "}", ")", "=>"}:
            return Brace.BLOCK
        if text == ">" or (text == "=" and self._jsx_element(before)):  # `<b>{`, `<Cart items={`
            return Brace.CODE
        if text == ":":
            return self._after_colon(before)
        if token.kind is TokenKind.NAME and text not in _BEFORE_OBJECT:
            return self._after_name(before)
        if text == "(" and earlier == "function":  # `function total({`
            return Brace.PATTERN
        return Brace.TYPE if text == "=" and earlier == "type" else Brace.OBJECT  # `type Cart = {`

    def _after_colon(self, colon: int) -> Brace:
        """What a `{` opens after a colon: of a case, a key, a conditional expression or a type.

        After a key it is the same as what the key is in: in `{a: {` an object, in `const {a: {` a pattern.
        """
        line = self._line_before(colon)
        if {"case", "default"} & set(line):
            return Brace.BLOCK
        around = max((index for index in self._tokens.open if index < colon), default=-1)
        if self._text(around) == "{" and self._brace(around) in {Brace.OBJECT, Brace.PATTERN}:
            return self._brace(around)
        return Brace.OBJECT if "?" in line or not self._record.has_types else Brace.TYPE

    def _after_name(self, name: int) -> Brace:
        """What a `{` opens after a name: the body of a class, or a block."""
        line = self._line_before(name + 1)
        return Brace.CLASS if _CLASS_LIKE & set(line) else Brace.BLOCK

    def _line_before(self, index: int) -> list[str]:
        """The texts of the tokens between the start of a line and an index, last first."""
        texts = []
        index -= 1
        while index >= 0 and self._items[index].kind is not TokenKind.NEWLINE:
            texts.append(self._text(index))
            index -= 1
        return texts

    def _jsx_element(self, index: int) -> str:
        """The name of the JSX element to whose attributes the token at an index belongs; "" if there is none.

        The tokens are read backwards as long as attributes may consist of them, up to the `<` of the element.
        """
        while index >= 0:
            text, token = self._text(index), self._items[index]
            if text == "<":
                name = self._items[index + 1] if index + 1 < len(self._items) else None
                is_name = name is not None and name.kind is TokenKind.NAME
                return name.text if name and is_name and self._begins_element(index) else ""
            if text in _CLOSING and index in self._tokens.partner:
                index = self._tokens.partner[index]
            elif text == ">" and self._text(self._before(self._before_generics(index))) in {"<", "."}:
                index = self._before_generics(index)  # the element's name, before its type arguments
            elif not (token.kind in _ATTRIBUTE_PARTS or text in {"=", "-", ".", ":"}):
                return ""
            index = self._before(index)
        return ""

    def _begins_element(self, sign: int) -> bool:
        """Whether the `<` at an index begins a JSX element, rather than comparing what is before it."""
        before = self._before(sign)
        return not self._ends_value(before) or self._text(before) in _BEFORE_OBJECT

    def _ends_value(self, index: int) -> bool:
        """Whether an expression may end with the token at an index, so that an operator follows (JavaScript)."""
        if index < 0:
            return False
        token = self._items[index]
        if token.kind is TokenKind.NAME:
            return token.text not in self._lexis.before_operand
        return token.kind in _VALUES or token.kind is TokenKind.TEMPLATE or token.text in {")", "]"}

    def _expression(self, last: int) -> str:
        """The source of the expression that ends with the token at an index, such as `a.b(c)[0]`; "" if none does."""
        first = self._start_of(last)
        if first < 0:
            return ""
        return self._syntax.document.text[self._items[first].start : self._items[last].end]

    def _start_of(self, last: int) -> int:
        """The first token of the expression that ends with the token at an index, or -1.

        Each round goes back over one operand: a name or a value, closed brackets after what they call or index, or a
        piece of a template. A dot before the operand leads to the next round.
        """
        index = last
        while index >= 0:
            token = self._items[index]
            if index in self._tokens.partner:  # a closing bracket
                index = self._tokens.partner[index]
                head = self._before(index)
                if self._text(index) == "${":  # go on with the piece of the template before this expression
                    index = head
                    continue
                head = self._before_generics(head)
                if head >= 0 and self._continues(head):
                    index = head
                    continue
            elif token.kind is TokenKind.TEMPLATE:
                head = index - 1
                if not token.text.startswith("`") and head in self._tokens.partner:  # the end of an expression in it
                    index = head
                    continue
            elif token.text == "!" and self._lexis.has_blocks:  # TypeScript's `name!`
                index = self._before(index)
                continue
            elif token.kind not in _VALUES:
                return -1
            before = self._before(index)
            if self._text(before) in self._lexis.members and before > 0:  # `a.b`, but not a dot that is the first token
                index = self._before(before)
                continue
            return index
        return -1

    def _before_generics(self, index: int) -> int:
        """The `f` of `f<T, U>(`: the token before type arguments that end at an index, else the index itself.

        Python has no type arguments in such signs.
        """
        depth, first = 0, index
        while self._lexis.has_blocks and first > max(index - _MOST_GENERICS, 0):
            text = self._text(first)
            depth += (text == ">") - (text == "<")
            if depth == 0:
                return self._before(first) if text == "<" else index
            first -= 1
        return index

    def _continues(self, head: int) -> bool:
        """Whether a bracket after the token at an index calls or indexes it."""
        if head < 0:
            return False
        token = self._items[head]
        if token.kind is TokenKind.NAME:
            return token.text not in NO_CALLEE or self._text(self._before(head)) in self._lexis.members
        return token.kind in {TokenKind.STRING, TokenKind.TEMPLATE} or token.text in {")", "]"}

    def _starts_line(self, index: int) -> bool:
        """Whether the token at an index is the first of its line, apart from modifiers and `export`."""
        line = self._line_before(index)
        return all(text in MODIFIERS or text in {"export", "declare"} for text in line)

    def _first_on_line(self) -> bool:
        """The same for the token that comes next: the half-typed word, or what will be typed."""
        return self._starts_line(self._count)

    def _blank(self) -> bool:
        """Whether the cursor's line has only white space."""
        document = self._syntax.document
        return not document.line_text(document.position(self._offset).line).strip()
