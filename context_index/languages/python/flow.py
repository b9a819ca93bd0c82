"""Walks the nodes that run in one scope of Python, each with the branches and loops around it.

`bindings` makes a `scopes.flow.Flow` of them for each name that is bound: where the name has a value. This module knows
the structure of statements, not what they bind. `return` and `raise` end a branch, unless it is inside a `try`.
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
"""Nodes whose children may bind names; if the file has a walrus, those of expressions may as well."""
_HANDLERS = frozenset({"except_clause", "except_group_clause"})
_BRANCHES = frozenset({"block", "elif_clause"})
"""The children of an `if` that one run of it chooses from; `else` has a rule of its own."""
_CHILDREN_OF_SINGLE_IMPORT = {"import_statement": 1, "import_from_statement": 2}
"""The number of named children of an import that binds one name."""
_LEAVES = frozenset({"return_statement", "raise_statement"})
"""Statements after which no code of the same branch runs."""
_FAR = 1 << 40
"""An offset after every place."""
NEVER = Flow(gone=((-_FAR, _FAR),))
"""The flow of a name that is declared without a value: `x: int`."""


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """What the branches and loops around a node mean for a name that the node binds; stretches in bytes."""

    loop: tuple[int, int] = NOWHERE
    """The outermost loop that repeats the node: `early` of `Flow`."""
    dead: tuple[tuple[int, int], ...] = ()
    """As in `Flow`: the other branches."""
    gone: tuple[tuple[int, int], ...] = ()
    """As in `Flow`: where control does not come from the node, as its branch leaves the function."""
    caught: bool = False
    """Whether a `try` is around the node, so that what it raises may be caught in the same scope."""
    handlers: tuple[int, int] = NOWHERE
    """If the node is the block of a `try`, the stretch of its handlers."""

    def flow(self, syntax: Syntax) -> Flow | None:
        """The same as offsets in characters; None if the order of the text alone decides where the name has a value."""
        if self.loop == NOWHERE and not self.dead and not self.gone:
            return None

        def in_characters(stretch: tuple[int, int]) -> tuple[int, int]:
            return syntax.offset(stretch[0]), syntax.offset(stretch[1])

        return Flow(
            in_characters(self.loop), tuple(map(in_characters, self.dead)), tuple(map(in_characters, self.gone))
        )


STRAIGHT = ControlFlow()
"""The control flow of a statement without a branch or a loop around it: it runs once, in the order of the text."""


def own_nodes(
    node: Node, *, expressions: bool, within: bool = True, around: ControlFlow = STRAIGHT
) -> Iterator[tuple[Node, ControlFlow]]:
    """The node itself and the nodes below it that run in its scope, each with the branches and loops around it.

    Args:
        expressions: Whether expressions are entered as well; a walrus in them binds a name.
        within: Whether the scope of a function, class or lambda `node` is walked; if not, the scope around it.
        around: The branches and loops around `node`.
    """
    pending = [(node, around)]
    while pending:
        inner, around = pending.pop()
        yield inner, around
        is_scope_walked = within and inner is node
        if not is_scope_walked and inner.type in _OTHER_SCOPES:
            if expressions:
                pending.extend((part, around) for part in _evaluated_around(inner))
        elif expressions or is_scope_walked or inner.type in _STATEMENTS:
            children = inner.named_children
            if (rule := _RULES.get(inner.type)) is not None:
                pending.extend([(child, rule(inner, child, around)) for child in children][::-1])
            else:
                pending.extend([(child, around) for child in reversed(children)])


def own_statements(body: Node) -> Iterator[tuple[Node, ControlFlow]]:
    """The statements of a module or a block, each with the branches and loops around it."""
    rule = _RULES.get(body.type)
    for child in body.named_children:
        yield child, STRAIGHT if rule is None else rule(body, child, STRAIGHT)


def is_in_function(node: Node) -> bool:
    """Whether a function is around a node."""
    return any(around.type == "function_definition" for around in ancestors(node))


def _evaluated_around(definition: Node) -> Iterator[Node]:
    """The parts of a function, class or lambda that are evaluated in the scope around it."""
    for field in ("parameters", "superclasses", "return_type"):
        part = definition.child_by_field_name(field)
        if part is not None:
            yield part


# The rules: each takes a statement, a child of it and the control flow around the statement, and returns the control
# flow around the child.


def _in_loop(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In a loop: the iterable of a `for` is evaluated once, the condition of a `while` in each round."""
    if child.type != "block" or around.loop != NOWHERE:
        return around
    repeated = node if node.type == "while_statement" else child
    return replace(around, loop=(repeated.start_byte, child.end_byte))


def _in_if(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In an `if`: what a branch binds has no value in the branches after it."""
    if child.type not in _BRANCHES:
        return around
    return _in_branch(child, replace(around, dead=(*around.dead, (child.end_byte, node.end_byte))))


def _in_clause(_node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In an `else`, a `with` or a `case`."""
    return _in_branch(child, around) if child.type == "block" else around


def _in_block(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In a block: the block of a `match` has the cases as children, of which one runs.

    Handlers of a `try` that ends with an import of one name run if that import fails: there the name has no value.
    """
    if around.handlers != NOWHERE:
        children = _CHILDREN_OF_SINGLE_IMPORT.get(child.type, 0)
        is_last_import = child.end_byte == node.end_byte and child.named_child_count == children
        dead = (*around.dead, around.handlers) if is_last_import else around.dead
        around = replace(around, handlers=NOWHERE, dead=dead)
    if child.type != "case_clause":
        return around
    return replace(around, dead=(*around.dead, (child.end_byte, node.end_byte)))


def _in_try(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In a `try`: what a handler binds has no value in the handlers and the `else` after it."""
    around = replace(around, caught=True)
    if child.type == "block":
        handlers = [clause for clause in node.named_children if clause.type in _HANDLERS]
        return replace(around, handlers=(handlers[0].start_byte, handlers[-1].end_byte)) if handlers else around
    if child.type not in _HANDLERS:
        return around
    last = node.named_children[-1]
    end = last.start_byte if last.type == "finally_clause" else node.end_byte
    return replace(around, dead=(*around.dead, (child.end_byte, end)))


def _in_handler(node: Node, child: Node, around: ControlFlow) -> ControlFlow:
    """In an `except`: the exception's name is deleted at the end of the handler, so no loop takes it to code above."""
    if child.type == "block":
        return around
    return replace(around, gone=(*around.gone, (0, child.end_byte), (node.end_byte, _FAR)))


def _in_branch(branch: Node, around: ControlFlow) -> ControlFlow:
    """In a branch: if it always leaves the function, what it binds has no value outside of it, nor in later rounds."""
    block = branch if branch.type == "block" else branch.child_by_field_name("consequence")
    if block is None or around.caught or not _always_leaves(block):
        return around
    return replace(around, gone=(*around.gone, (0, branch.start_byte), (branch.end_byte, _FAR)))


def _always_leaves(block: Node) -> bool:
    """Whether the last statement of a block leaves the function; of an `if`, each branch must, and `else` be there."""
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
    clauses = (last, *branches)
    blocks = [clause.child_by_field_name("consequence") or clause.child_by_field_name("body") for clause in clauses]
    return all(inner is not None and _always_leaves(inner) for inner in blocks)


_RULES = {
    "for_statement": _in_loop,
    "while_statement": _in_loop,
    "if_statement": _in_if,
    "else_clause": _in_clause,
    "with_statement": _in_clause,
    "case_clause": _in_clause,
    "block": _in_block,
    "try_statement": _in_try,
    "except_clause": _in_handler,
    "except_group_clause": _in_handler,
}
