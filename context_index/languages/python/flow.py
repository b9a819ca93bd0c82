"""The nodes that run in one scope of Python, and the branches and loops around each.

Knows the structure of statements, not what they bind. `return` and `raise` end a branch, unless it is inside a `try`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from context_index.scopes.flow import NOWHERE, Flow
from context_index.syntax import Node, Syntax, ancestors

_OTHER_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})
BLOCKS = frozenset({
    "block", "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement",
    "except_clause", "except_group_clause", "finally_clause", "with_statement", "match_statement", "case_clause",
})  # fmt: skip
"""Nodes whose statements run in the enclosing scope."""
_STATEMENTS = BLOCKS | {
    *("module", "with_clause", "with_item", "decorated_definition", "expression_statement", "assignment", "ERROR"),
}
_HANDLERS = frozenset({"except_clause", "except_group_clause"})
_BRANCHES = frozenset({"block", "elif_clause"})
_ONE_NAME = {"import_statement": 1, "import_from_statement": 2}
"""The number of children of an import that binds one name."""
_LEAVES = frozenset({"return_statement", "raise_statement"})
_FOR_GOOD = 1 << 40
NEVER = Flow(gone=((-_FOR_GOOD, _FOR_GOOD),))
"""The flow of a name that is declared without a value: `x: int`."""


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The branches and loops around a node, in bytes."""

    loop: tuple[int, int] = NOWHERE
    """The loop that repeats the node: `early` of `Flow`."""
    dead: tuple[tuple[int, int], ...] = ()
    gone: tuple[tuple[int, int], ...] = ()
    """As in `Flow`."""
    caught: bool = False
    """Whether a `try` is around it: what is raised there may be caught in the same scope."""
    handlers: tuple[int, int] = NOWHERE
    """For the block of a `try`, the stretch of its handlers."""

    def flow(self, syntax: Syntax) -> Flow | None:
        """The same in characters; None where the order of the text is enough."""
        if self.loop == NOWHERE and not self.dead and not self.gone:
            return None

        def in_characters(stretch: tuple[int, int]) -> tuple[int, int]:
            return syntax.offset(stretch[0]), syntax.offset(stretch[1])

        return Flow(
            in_characters(self.loop), tuple(map(in_characters, self.dead)), tuple(map(in_characters, self.gone))
        )


STRAIGHT = ControlFlow()
"""That of a statement with neither a branch nor a loop around it: it runs once, in the order of the text."""


def own_nodes(
    node: Node, *, expressions: bool, within: bool = True, around: ControlFlow = STRAIGHT
) -> Iterator[tuple[Node, ControlFlow]]:
    """The nodes below a node that run in its scope, each with the branches and loops around it.

    Args:
        expressions: Whether expressions are entered, too, as they must be where there may be a walrus.
        within: Whether the node's own scope is meant, if it has one, and not the scope around it.
        around: The branches and loops around the node itself.
    """
    pending = [(node, around)]
    while pending:
        inner, around = pending.pop()
        yield inner, around
        entered = within and inner is node
        if not entered and inner.type in _OTHER_SCOPES:
            if expressions:
                pending.extend((part, around) for part in _evaluated_around(inner))
        elif expressions or entered or inner.type in _STATEMENTS:
            children = inner.named_children
            if (shape := _SHAPES.get(inner.type)) is not None:
                pending.extend([(child, shape(inner, child, around)) for child in children][::-1])
            else:
                pending.extend([(child, around) for child in reversed(children)])


def own_statements(body: Node) -> Iterator[tuple[Node, ControlFlow]]:
    """The statements of a module or a block, each with the branches and loops around it."""
    shape = _SHAPES.get(body.type)
    for child in body.named_children:
        yield child, STRAIGHT if shape is None else shape(body, child, STRAIGHT)


def is_in_function(node: Node) -> bool:
    """Whether a function is around a node."""
    return any(around.type == "function_definition" for around in ancestors(node))


def _evaluated_around(definition: Node) -> Iterator[Node]:
    """The parts of a function, class or lambda that are evaluated around it."""
    for field in ("parameters", "superclasses", "return_type"):
        part = definition.child_by_field_name(field)
        if part is not None:
            yield part


def _loop(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """The iterable of a `for` is evaluated once, the condition of a `while` in each round."""
    if child.type != "block" or around.loop != NOWHERE:
        return around
    again = node if node.type == "while_statement" else child
    return replace(around, loop=(again.start_byte, child.end_byte))


def _if(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    if child.type not in _BRANCHES:
        return around
    return _left(child, replace(around, dead=(*around.dead, (child.end_byte, node.end_byte))))


def _clause(_node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    return _left(child, around) if child.type == "block" else around


def _block(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """The cases of a `match` are the children of its block; an import that ends a `try` has failed in its handlers."""
    if around.handlers != NOWHERE:
        fails = child.end_byte == node.end_byte and child.named_child_count == _ONE_NAME.get(child.type, 0)
        dead = (*around.dead, around.handlers) if fails else around.dead
        around = replace(around, handlers=NOWHERE, dead=dead)
    if child.type != "case_clause":
        return around
    return replace(around, dead=(*around.dead, (child.end_byte, node.end_byte)))


def _try(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    around = replace(around, caught=True)
    if child.type == "block":
        handlers = [clause for clause in node.named_children if clause.type in _HANDLERS]
        return replace(around, handlers=(handlers[0].start_byte, handlers[-1].end_byte)) if handlers else around
    if child.type not in _HANDLERS:
        return around
    last = node.named_children[-1]
    end = last.start_byte if last.type == "finally_clause" else node.end_byte
    return replace(around, dead=(*around.dead, (child.end_byte, end)))


def _handler(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """The exception's name is deleted at the end of its handler, so no loop carries it to code above."""
    if child.type == "block":
        return around
    return replace(around, gone=(*around.gone, (0, child.end_byte), (node.end_byte, _FOR_GOOD)))


def _left(branch: Node, around: ControlFlow) -> ControlFlow:
    """A name bound in a branch that ends by leaving the function has no value outside of it, nor in later rounds."""
    block = branch if branch.type == "block" else branch.child_by_field_name("consequence")
    if block is None or around.caught or not _always_leaves(block):
        return around
    return replace(around, gone=(*around.gone, (0, branch.start_byte), (branch.end_byte, _FOR_GOOD)))


def _always_leaves(block: Node) -> bool:
    """Whether the last statement leaves the function, or each branch of it does, if it is an `if`."""
    last = block.named_children[-1] if block.named_children else block
    if last.type == "return_statement":  # outside a function, the function's header has been deleted
        return is_in_function(last)
    if last.type == "with_statement":  # few context managers suppress exceptions
        body = last.child_by_field_name("body")
        return body is not None and _always_leaves(body)
    if last.type != "if_statement":
        return last.type in _LEAVES
    branches = last.children_by_field_name("alternative")
    if not branches or branches[-1].type != "else_clause":
        return False
    blocks = [one.child_by_field_name("consequence") or one.child_by_field_name("body") for one in (last, *branches)]
    return all(one is not None and _always_leaves(one) for one in blocks)


_SHAPES = {
    "for_statement": _loop,
    "while_statement": _loop,
    "if_statement": _if,
    "else_clause": _clause,
    "with_statement": _clause,
    "case_clause": _clause,
    "block": _block,
    "try_statement": _try,
    "except_clause": _handler,
    "except_group_clause": _handler,
}
