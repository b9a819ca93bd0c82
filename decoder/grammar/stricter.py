"""Rules that the real compilers have and tree-sitter's grammars do not, where they are cheap to keep.

Each is checked where the automaton reads or shifts a token, so a text is refused at the first character that no longer
has a continuation the compiler takes. `RULES` is the whole list: what is not in it is as lax as tree-sitter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.grammar.tables import START_STATE, Cell, Tables

if TYPE_CHECKING:
    from decoder.grammar.stack import Node

_JS: Final = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})
_PY: Final = frozenset({Language.PYTHON})
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
    StricterRule("break and continue stand in a loop", _PY, "break"),
    StricterRule("break and continue stand in a loop, a switch or a label", _JS, "break"),
    StricterRule("try has a catch or a finally", _JS, "try {} x"),
    StricterRule("a quoted string ends on its line", _JS, "x = 'a\n"),
)


@dataclass(frozen=True, slots=True)
class _Placement:
    """A token that stands only inside of something: one of `inside` must be open, and nearer than any of `border`."""

    inside: frozenset[str]
    border: frozenset[str]
    after: str | None = None
    """What must stand directly before the token in `inside` that was found."""


_LOOP: Final = _Placement(frozenset({"for", "while"}), frozenset({"def", "class", "lambda"}))
_FUNCTION: Final = _Placement(frozenset({"def"}), frozenset({"class", "lambda"}))
_PYTHON_PLACEMENTS: Final = {
    "return": _FUNCTION,
    "yield": _Placement(frozenset({"def", "lambda"}), frozenset({"class"})),
    "await": _Placement(frozenset({"def"}), frozenset({"class", "lambda"}), after="async"),
    "break": _LOOP,
    "continue": _LOOP,
}
_JUMP: Final = _Placement(
    frozenset({"for", "while", "do", "switch", ":"}),
    frozenset({"formal_parameters", "_call_signature", "=>", "static"}),
)
_JAVASCRIPT_PLACEMENTS: Final = {"break": _JUMP, "continue": _JUMP}


class Strictness:
    """The rules of one language, made ready for its tables. Edits the tables: they must not be in use yet."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._is_python = language.is_python
        placements = _PYTHON_PLACEMENTS if self._is_python else _JAVASCRIPT_PLACEMENTS
        tokens = enumerate(tables.names[: tables.token_count])
        self.placements = {token: placements[name] for token, name in tokens if name in placements}
        """By token; others may stand wherever the grammar has them."""
        self.not_keywords = frozenset({"print", "exec"}) if self._is_python else frozenset[str]()
        self.line_end = tables.names.index("_newline") if self._is_python else None
        tables.restrict(self._without_empty_block if self._is_python else self._without_bare_try)

    def may_shift(self, node: Node, token: int) -> bool:
        """Whether what is open under `node` has a place for `token`."""
        placement = self.placements.get(token)
        if placement is None:
            return True
        below: Node | None = node
        while below is not None:
            if below.also:
                return True  # stacks that differ below: not worth walking them all
            name = self._symbol_names[below.state]
            if name in placement.inside:
                before = below.below
                return placement.after in (None, before and self._symbol_names[before.state])
            if name in placement.border:
                return False
            below = below.below
        return False

    def line_fits(self, rest: str, saved: bytes) -> bool:
        """Whether the first line of code after the line end that begins `rest` is indented like an open block."""
        width = _indentation(rest)
        if not width:
            return True
        widths = saved[2 + saved[1] :] if saved else b""
        return any(int.from_bytes(widths[at : at + 2], "little") == width for at in range(0, len(widths), 2))

    def may_skip_lines(self, state: int) -> bool:
        """Whether line ends are white space before the next token: not within a quoted string."""
        return self._is_python or not self._is_in_string(state)

    def _is_in_string(self, state: int) -> bool:
        names = {self._tables.names[token] for token in self._tables.cells(state)}
        return "escape_sequence" in names and ('"' in names or "'" in names)

    @cached_property
    def _symbol_names(self) -> tuple[str, ...]:
        """By state, the symbol on top of the stack: there is one way into each."""
        tables = self._tables
        names = [""] * tables.state_count
        for state in range(START_STATE, tables.state_count):
            for symbol, target in tables.successors(state):
                names[target] = tables.names[symbol]
        return tuple(names)

    def _without_empty_block(self, token: int, cell: Cell) -> Cell:
        """Python: no line end where a block should be."""
        if token != self.line_end or cell.shift is None:
            return cell
        follows = [r for after in self._tables.cells(cell.shift).values() for r in after.reductions]
        is_block = bool(follows) and all(self._tables.alias(r.production, r.count - 1) == "block" for r in follows)
        return replace(cell, shift=None) if is_block else cell

    def _without_bare_try(self, token: int, cell: Cell) -> Cell:  # noqa: ARG002 - whatever follows
        """JavaScript: no statement of `try` and a block alone."""
        names = self._tables.names
        kept = tuple(r for r in cell.reductions if r.count != 2 or names[r.symbol] != "try_statement")  # noqa: PLR2004
        return cell if len(kept) == len(cell.reductions) else replace(cell, reductions=kept)


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
