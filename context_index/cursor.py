"""What is being completed at an offset: a name, a member, an argument, an import, prose, or a new line.

The tokens before the offset decide, so that half-typed code is classified as well as finished code. The text after it
is read for what only comes there, such as the module of an import, and the tree for the text of JSX. Knows nothing of
which names exist.

`Site` of `lsp_server` calls `cursor_at` for each completion; the menu, the prompt and the checker act by its kind. The
rules are below in `_CursorRules`; `surroundings` has the questions about tokens that they ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

from context_index.surroundings import LIST_DECLARES, MODIFIERS, NO_CALLEE, Brace, Surroundings
from context_index.symbols import word_end, word_start
from context_index.syntax import Syntax, ancestors
from context_index.tokens import LAYOUT, Token, TokenKind, tokens_before, tokens_from_closing


class CursorKind(StrEnum):
    """What may be completed at an offset."""

    NAME = "name"
    """A name in an expression or a declaration; also every place that no other kind fits."""
    MEMBER = "member"
    ARGUMENT = "argument"
    IMPORT_PATH = "import path"
    IMPORTED_NAME = "imported name"
    OBJECT_KEY = "object key"
    """A key in an object, a pattern, an object type or a dictionary; also the name of an attribute of JSX."""
    SUBSCRIPT = "subscript"
    """An index or a key in Python, not in quotes."""
    TAG = "tag"
    """The name of a JSX element that begins."""
    CLOSING_TAG = "closing tag"
    ELEMENT_TEXT = "element text"
    """The text of a JSX element, which is no code."""
    STRING = "string"
    """A string without expressions, or a regular expression."""
    TEMPLATE = "template"
    COMMENT = "comment"
    BLANK_LINE = "blank line"
    """A line with nothing but white space, at a statement or a member of a class."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """An offset, and what is being completed there."""

    kind: CursorKind
    offset: int
    word: str = ""
    """The half-typed identifier or number before the cursor; no name begins with a number."""
    callee: str = ""
    """The function, or the JSX element, whose arguments the cursor is among."""
    module: str = ""
    """At an imported name, its module; at an import path, the part of the path before the cursor."""
    binding: bool = False
    """Whether a new name is being introduced here, so that any name may follow."""
    receiver: Token | None = field(default=None, compare=False)
    """At a member, the name with which the expression before it begins; None where it begins with something else."""


def cursor_at(syntax: Syntax, offset: int) -> Cursor:
    """What is being completed at an offset."""
    return _CursorRules(syntax, offset, tokens_before(syntax, offset)).cursor()


def rest_of_word(text: str, offset: int) -> str:
    """The part of a word after an offset inside it; empty before a word, and within a number."""
    start = word_start(text, offset)
    return "" if start == offset or text[start].isdigit() else text[offset : word_end(text, offset)]


_BEFORE_ARGUMENT = frozenset(["(", ","])
"""Signs after which an argument or a parameter begins."""
_UNPACKING = frozenset(["...", "*", "**"])
"""Signs that an argument or a parameter may begin with, as in `f(*rows)`; elsewhere they are operators: `f(a * b)`."""
_PROSE = {
    TokenKind.COMMENT: CursorKind.COMMENT,
    TokenKind.TEMPLATE: CursorKind.TEMPLATE,
    TokenKind.STRING: CursorKind.STRING,
    TokenKind.REGEX: CursorKind.STRING,
}
_JSX_TEXT, _JSX_ELEMENT = "jsx_text", "jsx_element"
_REACH = 400
"""The most characters after the cursor that are read for what closes its brackets: a long file costs no more."""


class _CursorRules(Surroundings):
    """The rules that classify a cursor; each returns None where it does not fit.

    They ask the base class for tokens: `_last`, before the half-typed word, `_inner`, the bracket around, and `_count`,
    how many come before the word.
    """

    def cursor(self) -> Cursor:
        """The cursor as the first rule that fits classifies it.

        The order matters: text in strings and comments has no code, and text of JSX may look like code. `_member` is
        before `_in_brackets`, as in `f(a.^)` it is the dot that decides. `_name` always fits.
        """
        items = self._items
        if items and items[-1].open and (kind := _PROSE.get(items[-1].kind)):
            return self._prose(kind, items[-1])
        if self._has_jsx and (jsx := self._jsx()) is not None:
            return jsx
        return self._import() or self._member() or self._in_brackets() or self._name()

    def _here(self, kind: CursorKind, **fields: str | bool | Token | None) -> Cursor:
        """A cursor of this place, with its half-typed word."""
        return Cursor(kind, self._offset, self._word, **fields)  # type: ignore[arg-type] # fields are named at the call

    def _prose(self, kind: CursorKind, token: Token) -> Cursor:
        """A cursor in a comment or a string; in JavaScript, a string may be the path of an import.

        It is one after `from` or `import`, and in `require(` and `import(`. Its half-typed word is its last part, `ca`
        of `"./shop/ca`. A comment and any other string have no half-typed word.
        """
        before = self._before(len(self._items) - 1)
        is_called = self._text(before) == "(" and self._text(self._before(before)) in {"require", "import"}
        begins_path = is_called or self._text(before) in {"from", "import"}
        if begins_path and kind is CursorKind.STRING and self._has_imports and self._lexis.has_blocks:
            path = token.text[1:]
            return Cursor(CursorKind.IMPORT_PATH, self._offset, re.split(r"[^\w$-]", path)[-1], module=path)
        return Cursor(kind, self._offset)

    def _jsx(self) -> Cursor | None:
        """A cursor in the name of a tag, or in the text of an element; None in other code."""
        sign = self._last  # of `</shop.Ca^` the `</`: back over the names and dots before the half-typed word
        while self._text(sign) == "." and self._items[self._before(sign)].kind is TokenKind.NAME:
            sign = self._before(self._before(sign))
        match self._text(sign):
            case "</":
                end = self._items[sign].end
                return Cursor(CursorKind.CLOSING_TAG, self._offset, self._syntax.document.text[end : self._offset])
            case "<" if sign == self._last and self._begins_element(sign):
                return self._here(CursorKind.TAG)
            case "<":
                return None
        return Cursor(CursorKind.ELEMENT_TEXT, self._offset) if self._in_element_text() else None

    def _in_element_text(self) -> bool:
        """Whether the tree has the cursor in the text of a JSX element.

        Text that is still empty has no node: in `<b>^</b>` the innermost node around the cursor is the element.
        """
        node = self._syntax.node_at(self._offset, self._offset)
        before = self._syntax.node_at(max(0, self._offset - 1), self._offset)
        if _JSX_TEXT in (node.type, before.type):
            return True
        start, end = self._syntax.start, self._syntax.end
        around = (outer for outer in (node, *ancestors(node)) if start(outer) < self._offset < end(outer))
        innermost = next(around, None)
        return innermost is not None and innermost.type == _JSX_ELEMENT

    @property
    def _has_imports(self) -> bool:
        """Whether the language has imports whose modules and names we complete."""
        return self._record.specifiers_are_paths or self._record.exports_imports

    def _member(self) -> Cursor | None:
        """A cursor after the dot of a member; None also after a dot with nothing before it that has members: `= .`."""
        if self._text(self._last) not in self._lexis.members:
            return None
        first = self._start_of(self._before(self._last))
        if first < 0 and not self._begins_designator():
            return None
        token = self._items[first] if first >= 0 else None
        receiver = token if token is not None and token.kind is TokenKind.NAME else None
        return self._here(CursorKind.MEMBER, receiver=receiver)

    def _begins_designator(self) -> bool:
        """Whether the dot before the cursor begins a designator of C: `.x` in `{.x = 1}`."""
        return self._record.has_designators and self._text(self._before(self._last)) in {"{", ",", "(", "]"}

    def _import(self) -> Cursor | None:
        """A cursor in an import, other than in a string."""
        if not self._has_imports:
            return None
        return self._import_in_braces() if self._lexis.has_blocks else self._import_statement()

    def _line_so_far(self) -> list[int]:
        """The indices of the tokens of the logical line before the cursor (Python), without the half-typed word.

        Inside brackets a line goes on over line ends; a `;` ends it anywhere.
        """
        indices: list[int] = []
        index = self._count - 1
        outer = self._tokens.open[0] if self._tokens.open else self._count  # the outermost open bracket
        while index >= 0:
            token = self._items[index]
            if (token.kind is TokenKind.NEWLINE and index < outer) or token.text == ";":
                break
            if token.kind not in LAYOUT:
                indices.append(index)
            index -= 1
        return indices[::-1]

    def _import_statement(self) -> Cursor | None:
        """A cursor in an import of Python: at a module's path, at an imported name or at a new name after `as`.

        Anywhere else in the import, as after `import os` and a space, it is a plain name.
        """
        words = [self._text(index) for index in self._line_so_far()]
        while words and words[0] != "from" and ":" in words:  # `if debug: import x`
            words = words[words.index(":") + 1 :]
        if not words or words[0] not in {"from", "import"}:
            return None
        last = words[-1]
        if last == "as":
            return self._here(CursorKind.NAME, binding=True)
        if words[0] == "from" and "import" in words:
            if last not in {"import", ",", "("}:  # `from os import path ^`
                return self._here(CursorKind.NAME)
            return self._here(CursorKind.IMPORTED_NAME, module="".join(words[1 : words.index("import")]))
        if last not in {"from", "import", ",", ".", "..."}:
            return self._here(CursorKind.NAME)
        path = words[1:]
        while "," in path:  # `import os, os.^`: the last module's
            path = path[path.index(",") + 1 :]
        return self._here(CursorKind.IMPORT_PATH, module="".join(path) + self._word)

    def _import_in_braces(self) -> Cursor | None:
        """A cursor between the braces of an import or an export of JavaScript.

        In `export {^}` without a `from` after it, names of the file itself are completed.
        """
        if self._inner < 0 or self._brace(self._inner) is not Brace.IMPORTS:
            return None
        last = self._text(self._last)
        if last == "as":
            return self._here(CursorKind.NAME, binding=True)
        module = self._module_after()
        is_export = self._text(self._before(self._inner)) == "export" and module is None
        if last not in {"{", ",", "type"} or is_export:
            return self._here(CursorKind.NAME)
        return self._here(CursorKind.IMPORTED_NAME, module=module or "")

    def _module_after(self) -> str | None:
        """The module after the braces around the cursor, `./m` of `^ } from './m'`; None where there is none nearby."""
        match list(islice(tokens_from_closing(self._syntax, self._offset, _REACH), 3)):
            case [brace, word, path] if (brace.text, word.text, path.kind) == ("}", "from", TokenKind.STRING):
                quote = path.text[0]
                return path.text.removeprefix(quote).removesuffix(quote)
        return None

    def _in_brackets(self) -> Cursor | None:
        """A cursor inside brackets, at an argument, a key or a parameter."""
        match self._text(self._inner):
            case "(":
                return self._in_parentheses(self._text(self._last))
            case "{":
                return self._in_braces(self._text(self._last))
            case "[" if self._record.keys_are_values and self._last == self._inner:
                is_subscript = self._continues(self._before(self._inner))
                return self._here(CursorKind.SUBSCRIPT) if is_subscript else None
        return None

    def _in_braces(self, last: str) -> Cursor | None:
        """A cursor between braces, after a token with the text `last`: at a key, a new name or a member of a class."""
        if not self._lexis.has_blocks:  # a dictionary of Python
            return self._here(CursorKind.OBJECT_KEY) if last in {"{", ","} else None
        if not self._lexis.has_object_literals:
            return None
        brace = self._brace(self._inner)
        # after the value of an object's key a new line may have begun the next entry, its comma forgotten
        begins_entry = last in {"{", ",", ";", "}"} or (brace is Brace.OBJECT and self._ends_value(self._last))
        if brace in {Brace.OBJECT, Brace.PATTERN, Brace.TYPE} and (begins_entry or last == "..."):
            kind = CursorKind.OBJECT_KEY if begins_entry else CursorKind.NAME
            return self._here(kind, binding=brace is not Brace.OBJECT)
        if brace is Brace.PATTERN and last == ":":  # `const {key: `
            return self._here(CursorKind.NAME, binding=True)
        if brace is Brace.CLASS and (begins_entry or last in MODIFIERS or self._first_on_line()):
            return self._here(CursorKind.BLANK_LINE if self._blank() else CursorKind.NAME, binding=True)
        return None

    def _in_parentheses(self, last: str) -> Cursor | None:
        """A cursor between parentheses, after a token with the text `last`: at an argument or a parameter.

        The parameters of an arrow function look like any parentheses; only the `=>` after them tells. None if no rule
        here fits.
        """
        head = self._before(self._inner)
        sign = self._text(self._before(self._last)) if last in _UNPACKING else last
        begins_argument = sign in _BEFORE_ARGUMENT
        if self._has_parameters(self._before_type_parameters(head)):
            return self._here(CursorKind.NAME, binding=begins_argument)
        head = self._before_generics(head)
        callee = self._expression(head) if self._continues(head) else ""
        if callee:
            is_keyword_value = (  # `f(name=^`
                self._record.has_keyword_arguments
                and last == "="
                and self._text(self._before(self._before(self._last))) in {"(", ","}
            )
            kind = CursorKind.ARGUMENT if begins_argument or is_keyword_value else CursorKind.NAME
            return self._here(kind, callee=callee)
        if not (begins_argument and self._lexis.has_object_literals and self._comes_before_arrow()):
            return None
        return self._here(CursorKind.NAME, binding=True)

    def _comes_before_arrow(self) -> bool:
        """Whether an arrow comes after the parentheses around the cursor, with a type before it or not: `(^): T =>`."""
        after = tokens_from_closing(self._syntax, self._offset, _REACH)
        match [token.text for token in islice(after, 2)]:
            case [")", "=>"]:
                return True
            case [")", ":"]:
                signs = (token.text for token in after if token.kind is TokenKind.PUNCTUATION)
                return next((sign for sign in signs if "=" in sign or sign in {"{", "}", ";"}), "") == "=>"
        return False

    def _before_type_parameters(self, index: int) -> int:
        """The `f` of `function f<T>(` or `def f[T](`: the token before type parameters that end at an index.

        Without type parameters, it is the index itself.
        """
        if not self._lexis.has_blocks and self._text(index) == "]":
            return self._before(self._tokens.partner.get(index, index))
        return self._before_generics(index)

    def _has_parameters(self, head: int) -> bool:
        """Whether parentheses hold the parameters of a definition; `head` is the token before them and its generics.

        The definition is a `def` of Python, or in JavaScript a function, a `catch`, or a method of a class, an object
        or a type. A method is told by its place: its name, after modifiers at most, begins an entry.
        """
        name, before = self._text(head), self._before(head)
        if not self._lexis.has_blocks:
            return self._text(before) == "def"
        if not self._lexis.has_object_literals:
            return False
        if self._text(before) == "*":  # `function* name(`
            before = self._before(before)
        word = self._text(before)
        if word in self._lexis.members:
            return False
        if name in {"function", "catch"} or word == "function":
            return True
        depth = self._tokens.open.index(self._inner)
        around = self._tokens.open[depth - 1] if depth else -1
        if around < 0 or self._text(around) != "{" or name in NO_CALLEE:
            return False
        brace = self._brace(around)  # a method of a class, an object or a type
        begins_entry = word in {"{", ",", "}", ";"} or word in MODIFIERS
        if brace is Brace.CLASS:
            return begins_entry or self._starts_line(head)
        return brace in {Brace.OBJECT, Brace.TYPE} and begins_entry

    def _name(self) -> Cursor:
        """A cursor at an attribute of a JSX element, on a blank line, or else at a plain name."""
        element = self._jsx_element(self._last) if self._has_jsx and self._text(self._last) != "=" else ""
        if element and self._text(self._last) != "<":
            return self._here(CursorKind.OBJECT_KEY, callee=element)
        if self._blank() and (self._inner < 0 or self._text(self._inner) == "{"):
            return self._here(CursorKind.BLANK_LINE)
        return self._here(CursorKind.NAME, binding=self._binds())

    def _binds(self) -> bool:
        """Whether a keyword before the cursor, or the list that it began, introduces a name.

        After a comma the tokens are read backwards, past closed brackets, to what began the list: `let a = f(x), ^`.
        In Python `for` and `lambda` begin one, and `=`, `in` or a line end before that mean that the list is of values.
        """
        last = self._text(self._last)
        if last in self._lexis.declares or (last == "*" and self._text(self._before(self._last)) == "function"):
            return True
        if last == "as" and self._text(self._before(self._last)) == "*":
            return True
        if last == "type" and self._starts_line(self._last):
            return True
        if last != ",":
            return False
        index = self._last  # back to what began the list: `let a = 1, `, `for key, `
        while index > self._inner:
            text = self._text(index)
            if text in LIST_DECLARES or (not self._lexis.has_blocks and text in {"for", "lambda"}):
                return True
            if text in {";", "{", "}", ":"} or (
                not self._lexis.has_blocks and (text in {"in", "="} or self._items[index].kind is TokenKind.NEWLINE)
            ):
                return False
            index = self._tokens.partner.get(index, index) - 1
        return False
