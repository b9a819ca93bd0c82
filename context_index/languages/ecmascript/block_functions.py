"""Finds the functions declared in blocks that code that is not strict declares in the function around, too.

There `{ function total() {} }` also makes a variable `total` of the function or the script around the block, which gets
the function when the block is reached (ECMA-262, B.3.2 and B.3.3). Checkers see a name of the block alone. Knows one
text only; whether a whole file is strict, as a module is, others know.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.languages.ecmascript.declarations import FUNCTIONS
from context_index.mentions import Hoisted
from context_index.syntax import Node, Syntax, ancestors, nodes_of

_STRICT = "use strict"
_BLOCKS = frozenset({"else_clause", "if_statement", "statement_block", "switch_body"})


def functions_in_blocks(syntax: Syntax, name: str) -> Iterator[Hoisted]:
    """The functions of a name in blocks, outside of strict code; none that are async or generators."""
    for node in nodes_of(syntax, "function_declaration"):
        own_name = node.child_by_field_name("name")
        is_async = any(child.type == "async" for child in node.children)
        if own_name is None or syntax.text(own_name) != name or is_async or _is_strict(syntax, node):
            continue
        path = list(ancestors(node))
        around = next((at for at, outer in enumerate(path) if outer.type in FUNCTIONS), len(path) - 1)
        is_function = path[around].type in FUNCTIONS  # its body, the node before it, is no block
        block = next((outer for outer in path[: around - is_function] if outer.type in _BLOCKS), None)
        if block is not None:
            body = path[around].child_by_field_name("body") or path[around]
            yield Hoisted(syntax.start(own_name), syntax.span(block), syntax.span(body))


def _is_strict(syntax: Syntax, node: Node) -> bool:
    """Whether a directive of the text or of a function makes the code of a node strict, or it is in a class."""
    for around in ancestors(node):
        if around.type == "class_body":
            return True
        holder = around.parent
        is_body = around.type == "program" or (holder is not None and holder.type in FUNCTIONS)
        for statement in around.named_children if is_body else ():
            directive = next(iter(statement.named_children), None)
            if statement.type == "comment":
                continue
            if statement.type != "expression_statement" or directive is None or directive.type != "string":
                break
            if syntax.text(directive)[1:-1] == _STRICT:
                return True
    return False
