"""What CPython refuses and tree-sitter's grammar of Python does not, as changes of its tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from decoder.grammar.by_state import ByState
from decoder.grammar.misplaced import Misplaced, Misplacements
from decoder.grammar.stack import DEAD
from decoder.grammar.strict_python_marks import (
    ARGUMENTS,
    LITERAL,
    MARKS_SEVERAL,
    NAMES_OF_PARAMETERS,
    SPLAT,
    is_no_literal,
    is_several,
    marked_literal,
)
from decoder.grammar.strict_python_names import (
    AFTER_TARGETS,
    AUGMENTED,
    BINARY,
    ENDED_WITHOUT_COMMA,
    GROUPS,
    LITERALS,
    NAMES_AS_ARGUMENTS,
    NO_TARGETS,
    UNARY,
    WATCHED,
)
from decoder.grammar.strict_python_words import PlacedWords
from decoder.grammar.strict_shapes import (
    Shapes,
    dead_unless,
    down,
    with_check,
    with_checks_of,
    with_reduce_check,
    with_spelled_check,
    without,
)

if TYPE_CHECKING:
    from decoder.grammar.actions import Cell
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables


class PythonRules:
    """Decides what each state does with each token."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._shapes = shapes = Shapes(tables)
        self._words = PlacedWords(tables, shapes)
        states = range(1, tables.state_count)
        self._argument_states = {s for s in shapes.before("keyword_argument") if shapes.is_after(s, ",")}
        self._parameter_states = shapes.before("default_parameter")
        self._are_arguments = ByState(self._argument_states.__contains__)
        self._are_parameters = ByState(self._parameter_states.__contains__)
        self._splats = {
            s
            for s in states
            if (shapes.is_after(s, "*") or shapes.is_after(s, "**"))
            and (after := shapes.shift(s, tables.word))
            and shapes.reductions(after) & {("list_splat_pattern", 2), ("dictionary_splat_pattern", 2)}
        }
        self._behind_as = {target for s in states if shapes.is_after(s, "as") for _, target in tables.successors(s)}
        self._bodies = shapes.before("type") & shapes.before("_simple_statements")
        """Behind `def f() -> a:`, where tree-sitter expects a bound of the type, too; no body follows one."""
        of_types = frozenset(s for s in states if ("type", 1) in shapes.reductions(s))
        bounds = Misplaced(shapes.made("type"), 1, of_types, frozenset(self._bodies))
        self.misplaced = Misplacements(tables, [bounds])
        self._target_checks = {words: partial(self._ends_target, words) for words in set(AFTER_TARGETS.values())}
        self.spelled = frozenset(self._parameter_states | self._splats)
        """States in which the rules must know the text of a token."""

    def restrict(self, state: int, token: int, cell: Cell) -> Cell:
        """What `state` does with `token`."""
        name = self._tables.names[token]
        cell = self._without_last_comma(name, state, self._named_as(name, state, cell))
        is_argument = state in self._argument_states
        if not (
            is_argument or name in WATCHED or any(self._tables.names[r.symbol] in WATCHED for r in cell.reductions)
        ):
            return cell
        if name == "_newline" and self._ends_nothing(cell):
            return replace(cell, shift=None)
        cell = self._words.restrict(name, state, cell)
        cell = self._bounds(name, state, cell)
        cell = self._arguments(name, state, cell)
        cell = self._parameters(state, token, cell)
        return self._targets(name, state, cell)

    def _named_as(self, name: str, state: int, cell: Cell) -> Cell:
        """What stands around `as`."""
        if cell.shift is None:
            return cell
        if name == "as" and self._shapes.leads_to(cell.shift, "as_pattern", 3):
            return with_check(cell, self._words.may_be_named)
        if name in UNARY and (self._shapes.is_after(state, "as") or self._shapes.is_after(state, "del")):
            return replace(cell, shift=None)
        if name in BINARY and state in self._behind_as:
            return with_check(cell, self._is_no_target)
        return cell

    def _is_no_target(self, node: Node) -> object:
        return DEAD if node.below is not None and self._shapes.is_one_of(node.below, _AS) else None

    def _without_last_comma(self, name: str, state: int, cell: Cell) -> Cell:
        """Imports and the items of `with` end with a comma within brackets only."""
        if name == ")" or not self._shapes.is_after(state, ","):
            return cell
        kept = tuple(r for r in cell.reductions if self._tables.names[r.symbol] not in ENDED_WITHOUT_COMMA)
        return cell if len(kept) == len(cell.reductions) else replace(cell, reductions=kept)

    def _ends_nothing(self, cell: Cell) -> bool:
        """Whether a line end is the whole of a block."""
        if cell.shift is None:
            return False
        follows = [r for after in self._tables.unrestricted(cell.shift).values() for r in after.reductions]
        return bool(follows) and all(self._tables.alias(r.production, r.count - 1) == "block" for r in follows)

    def _bounds(self, name: str, state: int, cell: Cell) -> Cell:
        """Types have bounds between brackets only: `def f[T: a]`."""
        cell = self.misplaced.restrict(state, cell)
        if name == ":" and self._shapes.is_after(state, "type") and cell.shift not in self._bodies:
            return with_check(cell, self._may_be_bounded)
        return cell

    def _may_be_bounded(self, node: Node) -> object:
        last = node
        for last in down(node):
            names = self._shapes.top(last)
            if not names <= _BOUNDS:
                return dead_unless(names <= _IN_BRACKETS)
        return dead_unless(bool(last.also))

    def _arguments(self, name: str, state: int, cell: Cell) -> Cell:
        """After a keyword argument none without a keyword; after `**x` not even `*x`."""
        names = self._tables.names
        cell = with_checks_of(cell, ARGUMENTS, names)
        entered = self._shapes.entered_by(state)
        if state in self._argument_states and not cell.is_extra:
            if name == "*":
                return with_check(cell, self._follows_no_splat)
            if name not in NAMES_AS_ARGUMENTS and name not in ("**", ")"):
                return with_check(cell, self._follows_no_keyword)
        elif entered and entered <= NAMES_AS_ARGUMENTS:
            return with_reduce_check(
                cell, lambda made, count: count == 1 and made != "keyword_identifier", self._is_positional, names
            )
        return cell

    def _arguments_before(self, comma: Node) -> int:
        """The marks of the arguments before a comma."""
        union = 0
        for below in down(comma):
            if isinstance(below.mark, int):
                union |= below.mark
            if self._shapes.is_one_of(below, _BRACKET):
                break
        return union

    def _follows_no_splat(self, comma: Node) -> object:
        return DEAD if self._arguments_before(comma) & SPLAT else None

    def _follows_no_keyword(self, comma: Node) -> object:
        return DEAD if self._arguments_before(comma) else None

    def _is_positional(self, below: Node, _: tuple[Node, ...]) -> object:
        return DEAD if below.told(self._are_arguments) and self._arguments_before(below) else None

    def _parameters(self, state: int, token: int, cell: Cell) -> Cell:
        """No name twice among the parameters, and no parameters in parentheses."""
        names = self._tables.names
        if token == self._tables.word and state in self._parameter_states:
            return with_spelled_check(cell, self._named)
        if token == self._tables.word and state in self._splats:
            return with_spelled_check(cell, self._named_after_splat)
        if state in self._parameter_states and names[token] == "(":
            return replace(cell, shift=None)
        return with_checks_of(cell, NAMES_OF_PARAMETERS, names)

    def _named(self, node: Node, text: str) -> object:
        for below in down(node):
            if isinstance(below.mark, frozenset) and text in below.mark:
                return DEAD
            if self._shapes.is_one_of(below, _BEFORE_PARAMETERS):
                break
        return frozenset({text})

    def _named_after_splat(self, node: Node, text: str) -> object:
        below = node.below
        return self._named(below, text) if below is not None and below.told(self._are_parameters) else None

    def _targets(self, name: str, state: int, cell: Cell) -> Cell:
        """What is assigned to can be assigned to."""
        names = self._tables.names
        if name == ")":
            cell = with_reduce_check(cell, lambda made, count: made == "_patterns" and count > 1, MARKS_SEVERAL, names)
        if name in AUGMENTED or name == ":":
            cell = without(cell, GROUPS, names)
            cell = with_reduce_check(cell, lambda made, _: made == "tuple_pattern", is_several, names)
        if name in AUGMENTED:
            return without(cell, {"list_splat_pattern"}, names)
        if name in ("=", "in"):
            cell = with_reduce_check(cell, lambda made, _: made == "list_splat_pattern", self._is_lonely_splat, names)
        words = AFTER_TARGETS.get(name)
        if words is not None:
            literal = bool(self._shapes.entered_by(state) & LITERALS)
            check = self._target_checks[words]
            cell = with_reduce_check(
                cell, lambda made, count: (made in NO_TARGETS and count > 1) or (literal and count == 1), check, names
            )
            if literal:
                cell = with_check(cell, is_no_literal)
        if name in LITERALS and (self._shapes.is_after(state, "as") or self._shapes.is_after(state, "del")):
            cell = with_check(cell, marked_literal)
        return cell

    def _ends_target(self, words: frozenset[str], below: Node, cells: tuple[Node, ...]) -> object:
        """No target stands after one of these words."""
        if len(cells) == 1 and cells[0].mark != LITERAL:
            return None
        return DEAD if self._shapes.is_one_of(below, words) else None

    def _is_lonely_splat(self, below: Node, _: tuple[Node, ...]) -> object:
        return None if self._shapes.is_one_of(below, _COMMA) else DEAD


_AS: Final = frozenset({"as"})
_COMMA: Final = frozenset({","})
_BRACKET: Final = frozenset({"("})
_BOUNDS: Final = frozenset({"type", ":"})
_IN_BRACKETS: Final = frozenset({"[", ","})
_BEFORE_PARAMETERS: Final = frozenset({"(", "lambda"})
