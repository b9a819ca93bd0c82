"""Rules that the real compilers have and tree-sitter's grammars do not, where they are cheap to keep.

Each is checked where the automaton reads or shifts a token, so a text is refused at the first character that no longer
has a continuation the compiler takes. `RULES` is the whole list: what is not in it is as lax as tree-sitter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.grammar.strict_javascript import HARD_WORDS, JavaScriptRules
from decoder.grammar.strict_python import PythonRules

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from decoder.grammar.tables import Tables

_JS: Final = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})
_TS: Final = frozenset({Language.TYPESCRIPT, Language.TSX})
_PY: Final = frozenset({Language.PYTHON})
_BEHIND_PATTERN: Final = frozenset({"/", "comment", "html_comment"})
"""What tree-sitter takes behind the pattern of a regular expression."""
_TAB: Final = 8
"""Columns that the Python scanner counts for a tab."""


@dataclass(frozen=True, slots=True)
class StricterRule:
    """One rule, for people."""

    name: str
    languages: frozenset[Language]
    refused: str
    """The shortest text that tree-sitter takes and this rule does not."""


RULES: Final = (
    StricterRule("print and exec are names", _PY, "print 'x'"),
    StricterRule("a line is indented like an open block", _PY, "if x:\n    y\n  z\n"),
    StricterRule("a block has a statement", _PY, "if x:\ny\n"),
    StricterRule("return and yield stand in a function", _PY, "return"),
    StricterRule("await stands in an async function", _PY, "def f():\n    await x"),
    StricterRule("async for and async with stand in an async function", _PY, "async with a: pass"),
    StricterRule("yield from stands in no async function", _PY, "async def f(): yield from x"),
    StricterRule("break and continue stand in a loop", _PY, "break"),
    StricterRule("no positional argument after one with a keyword", _PY, "f(a=1, b)"),
    StricterRule("no two parameters of one name", _PY, "def f(a, *, a): pass"),
    StricterRule("no brackets around parameters", _PY, "def f((a, b)): pass"),
    StricterRule("one target is changed or annotated at a time", _PY, "(a, b) += 1"),
    StricterRule("a starred target stands among others", _PY, "*a = 1"),
    StricterRule("the target of as and del can be assigned to", _PY, "with a as f(): pass"),
    StricterRule("async is no name", _PY, "async = 1"),
    StricterRule("as stands in with, except, case and imports", _PY, "x = (a as b)"),
    StricterRule("nothing is computed behind as", _PY, "with (a as b + c, d): pass"),
    StricterRule("imports and with end with a comma between brackets only", _PY, "from a import b,\n"),
    StricterRule("a type has a bound between brackets", _PY, "x: a: b"),
    StricterRule("break stands in a loop, a switch or a label", _JS, "break"),
    StricterRule("continue stands in a loop or a label", _JS, "switch (x) { case 1: continue }"),
    StricterRule("await stands in an async function or a module", _JS, "function f() { await x }"),
    StricterRule("yield stands in a generator", _JS, "function f() { yield x }"),
    StricterRule("return does not stand in a static block", _JS, "class A { static { return } }"),
    StricterRule("what is assigned to can be assigned to", _JS, "(a + b) = 1"),
    StricterRule("what is counted up or down can be assigned to", _JS, "1++"),
    StricterRule("a parameter is a name or a pattern", _JS, "function f(a.b) {}"),
    StricterRule("a parameter behind ... is a name or a pattern", _JS, "function f(...a.b) {}"),
    StricterRule("an optional chain is not assigned to", _JS, "a?.b = 1"),
    StricterRule("no two parameters of one name in an arrow function or a method", _JS, "(a, a) => 1"),
    StricterRule("a reserved word is no shorthand", _JS, "({if})"),
    StricterRule("a reserved word is no expression", _TS, "x = if"),
    StricterRule("try has a catch or a finally", _JS, "try {} x"),
    StricterRule("const has a value, or a type where it may be declared only", _JS, "const a;"),
    StricterRule("an object type has plain braces", _TS, "type A = {|a: 1|}"),
    StricterRule("a quoted string ends on its line", _JS, "x = 'a\n"),
    StricterRule("a regular expression ends on its line", _JS, "x = /a\n/*b*//"),
)


class Strictness:
    """The rules of one language, made ready for its tables. Edits the tables: they must not be in use yet."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._is_python = language.is_python
        rules = PythonRules(tables) if self._is_python else JavaScriptRules(tables)
        self.not_keywords = frozenset({"print", "exec"}) if self._is_python else frozenset[str]()
        self.line_end = tables.names.index("_newline") if self._is_python else None
        self.misplaced = rules.misplaced
        self._escapes, self._quotes = self._named({"escape_sequence"}), self._named({'"', "'"})
        self._behind_pattern = self._named(_BEHIND_PATTERN)
        tables.restrict(rules.restrict, rules.spelled)

    def line_fits(self, rest: str, saved: bytes) -> bool:
        """Whether the first line of code after the line end that begins `rest` is indented like an open block."""
        width = _indentation(rest)
        if not width:
            return True
        widths = saved[2 + saved[1] :] if saved else b""
        return any(int.from_bytes(widths[at : at + 2], "little") == width for at in range(0, len(widths), 2))

    @property
    def words(self) -> frozenset[str]:
        """Words that a rule refuses for their spelling, be they keywords or not."""
        return frozenset() if self._is_python else HARD_WORDS

    def within_line(self, saved: bytes) -> bytes:
        """What Python's scanner knows of open strings, without the widths of the open blocks."""
        return saved[: 2 + saved[1]] if self._is_python and saved else saved

    def may_skip_lines(self, state: int) -> bool:
        """Whether line ends are white space before the next token: not within a string or a regular expression."""
        if self._is_python:
            return True
        valid = self._tables.valid_tokens(state)
        is_in_string = valid & self._escapes and valid & self._quotes
        return not is_in_string and bool(valid & ~self._behind_pattern)

    def _named(self, names: AbstractSet[str]) -> int:
        """The tokens of some names, as a bit set."""
        tokens = self._tables.names[: self._tables.token_count]
        return sum(1 << token for token, name in enumerate(tokens) if name in names)


def _indentation(text: str) -> int | None:
    """How far the first line of code after the first line end is indented; None if that cannot be seen yet."""
    width: int | None = None
    in_comment = False
    for character in text:
        if character == "\n":
            width, in_comment = 0, False
        elif in_comment or (character in "\r\f" and width is None):
            continue
        elif character == "#":
            in_comment = True
        elif character == "\\":
            return None
        elif character in "\r\f":
            width = 0
        elif character in " \t":
            width = None if width is None else width + (1 if character == " " else _TAB)
        else:
            return width
    return None
