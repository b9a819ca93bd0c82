"""What engines refuse and tree-sitter's grammars of JavaScript and TypeScript do not, as changes of their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoder.grammar.misplaced import Misplaced, Misplacements
from decoder.grammar.stack import DEAD
from decoder.grammar.strict_places import JavaScriptPlaces, Place
from decoder.grammar.strict_shapes import Shapes, dead_unless, down, with_check, with_reduce_check, with_spelled_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.grammar.actions import Cell
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_NO_TARGET: Final = "no target"
"""Mark of an expression that nothing can be assigned to."""
_RESERVED: Final = "reserved"
"""Mark of a word that is no name."""
_CONST: Final = "const"
"""Mark of the word."""
_TWICE: Final = "twice"
"""Mark of parameters of which two have the same name."""
_ASSIGNING: Final = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "^=", "|=", "&&="}
) | {
    "||=",
    "??=",
}
_STEPPING: Final = frozenset({"++", "--"})
_POSTFIX: Final = ("update_expression", 2)
"""What the state behind an operator makes of it if the operand stands before."""
_OPERATORS: Final = frozenset(
    {"+", "-", "*", "/", "%", "**", "<<", ">>", ">>>", "&", "|", "^", "&&", "||", "??", "==", "===", "!=", "!=="}
    | {"<", "<=", ">", ">=", "in", "instanceof", "!", "~", "typeof", "void", "delete", "await"}
)
_UNARY: Final = frozenset({"!", "~", "+", "-", "++", "--", "typeof", "void", "delete"})
_TERMINALS: Final = frozenset({"number", "this", "null", "true", "false", "super"})
_NO_TARGETS: Final = frozenset(
    {"binary_expression", "unary_expression", "update_expression", "ternary_expression", "assignment_expression"}
    | {"augmented_assignment_expression", "await_expression", "yield_expression", "arrow_function", "class", "string"}
    | {"function_expression", "generator_function", "template_string", "array", "object", "regex", "new_expression"}
    | {"sequence_expression", "meta_property", "jsx_element", "jsx_self_closing_element"}
)
_THROUGH: Final = frozenset({"expression", "primary_expression", "_expressions", "_augmented_assignment_lhs"})
_ACCESSES: Final = frozenset({"member_expression", "subscript_expression"})
_PARAMETERS: Final = frozenset({"pattern", "_parameter_name", "required_parameter", "assignment_pattern"})
HARD_WORDS: Final = frozenset(
    {"break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum"}
    | {"export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null"}
    | {"return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with"}
)
_WATCHED: Final = (
    _ASSIGNING
    | _STEPPING
    | _NO_TARGETS
    | _THROUGH
    | _TERMINALS
    | _PARAMETERS
    | {"parenthesized_expression", "member_expression", "subscript_expression", "formal_parameters"}
    | {"formal_parameters_repeat1", "try_statement", "await", "yield", "return", "break", "continue", "let"}
    | {"rest_pattern", "identifier", ",", "}", "const", "variable_declarator", "{|", "|}"}
)


class JavaScriptRules:
    """Decides what each state does with each token."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._shapes = shapes = Shapes(tables)
        self._places = JavaScriptPlaces(shapes)
        self._keys = shapes.before("pair") | shapes.before("pair_pattern")
        self._after_key = {shapes.shift(s, tables.word) for s in self._keys}
        self._parameters = (shapes.before("assignment_pattern") | shapes.before("required_parameter")) - self._keys
        self._keys_or_patterns = shapes.before("object_assignment_pattern") - shapes.before("statement")
        """States in which no block may begin: behind an arrow, `{` may open a block or an object."""
        self.misplaced = Misplacements(tables, [*self._members_as_parameters()])
        self._is_plain = "type_annotation" not in tables.names
        """TypeScript has declarations without values, and only their surroundings tell them."""
        self.spelled = frozenset(self._keys | self._parameters)
        """States in which the rules must know the text of a token."""
        if not any(tables.reserved):
            words = frozenset(shapes.token[word] for word in HARD_WORDS if word in shapes.token)
            tables.reserve(words, shapes.token["delete"])

    def _members_as_parameters(self) -> Iterator[Misplaced]:
        """What can be assigned to is no parameter for that, behind `...` neither."""
        tables, shapes = self._tables, self._shapes
        pattern, closing = shapes.made("pattern"), shapes.token[")"]
        places = {s for s in shapes.before("pattern") if tables.valid_tokens(tables.goto(s, pattern)) >> closing & 1}
        accesses = [s for s in range(1, tables.state_count) if shapes.entered_by(s) & _ACCESSES]
        for made, cells in (("pattern", 1), ("rest_pattern", 2)):
            made_in = frozenset(s for s in accesses if (made, cells) in shapes.reductions(s))
            yield Misplaced(shapes.made(made), cells, made_in, frozenset(places))

    def restrict(self, state: int, token: int, cell: Cell) -> Cell:
        """What `state` does with `token`."""
        name, names = self._tables.names[token], self._tables.names
        entered = self._shapes.entered_by(state)
        if cell.is_extra and entered == {"regex_pattern"}:  # only `/` stands there
            return replace(cell, shift=None, is_extra=False)
        is_placed = entered in ({"await"}, {"yield"})
        if name == "{" and state in self._keys_or_patterns:  # `{{a} = b}` is no pattern
            return replace(cell, shift=None)
        if name in _UNARY and entered and entered <= _STEPPING:  # only what can be assigned to is counted
            return replace(cell, shift=None)
        if not (is_placed or name in _WATCHED or any(names[r.symbol] in _WATCHED for r in cell.reductions)):
            return cell
        # no statement of `try` and a block alone, whatever follows
        kept = tuple(r for r in cell.reductions if r.count != 2 or names[r.symbol] != "try_statement")  # noqa: PLR2004 - `try` and its block, and nothing to catch
        if len(kept) != len(cell.reductions):
            cell = replace(cell, reductions=kept)
        cell = self._placed(name, state, cell)
        cell = self._words(name, state, token, cell)
        cell = self._names(name, state, token, cell)
        if name in ("{|", "|}"):
            return with_check(cell, lambda _: DEAD)
        return self._targets(name, self._with_value(name, cell))

    def _with_value(self, name: str, cell: Cell) -> Cell:
        """`const a;` declares what never has a value; `for (const a of b)` has no declarator.

        In TypeScript one that has a type may be of a declaration file.
        """
        if name == "const" and cell.shift is not None:
            return with_check(cell, lambda _: _CONST)  # `let` leads into the same state
        return with_reduce_check(
            cell,
            lambda made, count: made == "variable_declarator" and count == 1,
            lambda below, _: DEAD if below.mark == _CONST and not self._is_ambient(below) else None,
            self._tables.names,
        )

    def _is_ambient(self, node: Node) -> bool:
        """Whether what is put on `node` may be declared only, its value being elsewhere."""
        if self._is_plain:
            return False
        last = node
        for last in down(node):
            if "declare" in self._shapes.top(last):
                return True
        return bool(last.also)

    def _placed(self, name: str, state: int, cell: Cell) -> Cell:
        """Words that stand only inside of something."""
        places = self._places
        entered = self._shapes.entered_by(state)
        if entered == {"for"} and name == "await":
            return with_check(cell, lambda word: dead_unless(self._around(word) in _AWAITING))
        if entered == {"await"} and name not in _AFTER_NAMES:
            return with_check(cell, lambda word: dead_unless(self._around(word) in _AWAITING))
        if entered == {"yield"} and name not in _AFTER_NAMES:
            return with_check(cell, lambda word: dead_unless(self._around(word) in _YIELDING))
        if name == "return":
            return with_check(cell, lambda node: dead_unless(places.function(node) is not Place.STATIC))
        if name in ("break", "continue"):
            is_loop = name == "continue"
            return with_check(cell, lambda node: dead_unless(places.has_target(node, is_loop=is_loop)))
        return cell

    def _around(self, word: Node) -> Place:
        return Place.UNKNOWN if word.below is None else self._places.function(word.below)

    def _words(self, name: str, state: int, token: int, cell: Cell) -> Cell:
        """No reserved word is a name: `{if}`, `let let`."""
        if name == "let" and "const" in self._shapes.entered_by(state):
            return with_check(cell, lambda _: DEAD)
        if token == self._tables.word and state in self._keys:
            return with_spelled_check(cell, lambda _, text: _RESERVED if text in HARD_WORDS else None)
        if name in ("}", ",", "=") and state in self._after_key:
            cell = with_reduce_check(cell, lambda _, count: count > 0, _last_is_a_name, self._tables.names)
            return with_check(cell, lambda node: DEAD if node.mark == _RESERVED else None)
        return cell

    def _names(self, name: str, state: int, token: int, cell: Cell) -> Cell:
        """No name twice among the parameters of an arrow function or a method."""
        names = self._tables.names
        if token == self._tables.word and state in self._parameters:
            return with_spelled_check(cell, lambda _, text: frozenset({text}))
        cell = self.misplaced.restrict(state, cell)
        cell = with_reduce_check(cell, lambda made, _: made in _PARAMETERS, _name_of_first, names)
        cell = with_reduce_check(cell, lambda made, _: made == "formal_parameters_repeat1", _union_of_names, names)
        if name in ("=>", "{"):
            check = self._parameters_of_method if name == "{" else _parameters_of_arrow
            cell = with_reduce_check(cell, lambda made, _: made == "formal_parameters", check, names)
        return cell

    def _parameters_of_method(self, below: Node, cells: tuple[Node, ...]) -> object:
        """A plain function may repeat a name."""
        top, under = self._shapes.top(below), below.below
        if top & {"function", "*"} or (under is not None and self._shapes.top(under) & {"function", "*"}):
            return None
        return _parameters_of_arrow(below, cells)

    def _targets(self, name: str, cell: Cell) -> Cell:
        """What is assigned to can be assigned to."""
        names = self._tables.names
        if name in _TERMINALS and cell.shift is not None:
            cell = with_check(cell, lambda _: _NO_TARGET)
        if name in _STEPPING or name == ")":
            cell = with_reduce_check(cell, lambda made, _: made in _NO_TARGETS, lambda _, __: _NO_TARGET, names)
        cell = with_reduce_check(cell, lambda made, count: made in _THROUGH and count == 1, _mark_of_first, names)
        cell = with_reduce_check(cell, lambda made, _: made == "parenthesized_expression", _mark_of_second, names)
        cell = with_reduce_check(cell, lambda made, _: made == "update_expression", _steps_a_target, names)
        return self._operators(name, cell)

    def _operators(self, name: str, cell: Cell) -> Cell:
        """Where an operator shows that what stands before it is assigned to."""
        names, shapes = self._tables.names, self._shapes
        if name in _STEPPING | _ASSIGNING:
            cell = with_reduce_check(cell, lambda made, _: made in _ACCESSES, self._not_optional, names)
        if name in _STEPPING and cell.shift is not None and _POSTFIX in shapes.reductions(cell.shift):
            cell = with_check(cell, self._may_be_stepped)
        if name in _ASSIGNING and cell.shift is not None and self._assigns(cell.shift):
            cell = with_check(cell, self._may_be_assigned)
        return cell

    def _assigns(self, state: int) -> bool:
        """Whether what follows an operator that leads to `state` is assigned."""
        return any(self._shapes.leads_to(state, f"{kind}assignment_expression", 3) for kind in ("", "augmented_"))

    def _may_be_stepped(self, node: Node) -> object:
        return DEAD if node.mark == _NO_TARGET else None

    def _may_be_assigned(self, node: Node) -> object:
        below, shapes = node.below, self._shapes
        if node.mark == _NO_TARGET:
            return DEAD
        if below is None or not shapes.is_one_of(below, _OPERATORS):
            return None
        yields = below.below is not None and "yield" in shapes.top(below.below)  # `yield* a = b` is no product
        return None if yields else DEAD

    def _not_optional(self, _: Node, cells: tuple[Node, ...]) -> object:
        """`a?.b` names no place."""
        return DEAD if any(self._shapes.top(cell) & {"?.", "optional_chain"} for cell in cells) else None


_AFTER_NAMES: Final = frozenset(
    {"(", "[", "`", "+", "-", "++", "--", "*", "/", "<", ",", ")", "]", "}", ";", ":", ".", "?.", "=", "=>"}
    | {"automatic_semicolon", "_automatic_semicolon"}
)
"""What may follow a name: outside of modules and of such functions, `await` and `yield` are names."""
_AWAITING: Final = frozenset({Place.TOP, Place.ASYNC, Place.ASYNC_GENERATOR, Place.UNKNOWN})
_YIELDING: Final = frozenset({Place.GENERATOR, Place.ASYNC_GENERATOR, Place.UNKNOWN})


def _last_is_a_name(_: Node, cells: tuple[Node, ...]) -> object:
    return DEAD if cells[-1].mark == _RESERVED else None


def _steps_a_target(_: Node, cells: tuple[Node, ...]) -> object:
    return DEAD if cells[-1].mark == _NO_TARGET else _NO_TARGET


def _mark_of_first(_: Node, cells: tuple[Node, ...]) -> object:
    return cells[0].mark if cells[0].mark == _NO_TARGET else None


def _mark_of_second(_: Node, cells: tuple[Node, ...]) -> object:
    return cells[1].mark if cells[1].mark == _NO_TARGET else None


def _name_of_first(_: Node, cells: tuple[Node, ...]) -> object:
    return cells[0].mark if isinstance(cells[0].mark, frozenset) else None


def _union_of_names(_: Node, cells: tuple[Node, ...]) -> object:
    """All names, or that one of them occurs twice."""
    found: frozenset[str] = frozenset()
    for cell in cells:
        if cell.mark == _TWICE:
            return _TWICE
        if isinstance(cell.mark, frozenset):
            if found & cell.mark:
                return _TWICE
            found |= cell.mark
    return found or None


def _parameters_of_arrow(below: Node, cells: tuple[Node, ...]) -> object:
    return DEAD if _union_of_names(below, cells) == _TWICE else None
