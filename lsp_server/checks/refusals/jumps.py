"""`break`, `continue` and `await` where nothing is around that they leave, go on with or may wait in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.refusals.rule import FUNCTIONS, Rules, own_function, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_LOOPS: Final = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
_BARRIERS: Final = FUNCTIONS | {"class_body", "program"}


def _goes_nowhere(syntax: Syntax, node: Node) -> bool:
    label = node.child_by_field_name("label")
    around = []
    for found in ancestors(node):
        if found.type == "ERROR":
            return False
        if found.type in _BARRIERS:
            break
        around.append(found)
    if label is not None:
        name = syntax.text(label)
        targets = [one for one in around if one.type == "labeled_statement"]
        is_loop = node.type == "continue_statement"
        return not any(syntax.text(one.children[0]) == name and (not is_loop or _is_loop(one)) for one in targets)
    left = _LOOPS if node.type == "continue_statement" else _LOOPS | {"switch_statement"}
    return not any(one.type in left for one in around)


def _is_loop(labelled: Node) -> bool:
    body: Node | None = labelled
    while body is not None and body.type == "labeled_statement":
        body = body.child_by_field_name("body")
    return body is None or body.type in _LOOPS


def _is_labelled_twice(syntax: Syntax, node: Node) -> bool:
    """`a: a: b();`."""
    for found in ancestors(node):
        if found.type in _BARRIERS:
            return False
        if found.type == "labeled_statement" and syntax.text(found.children[0]) == syntax.text(node.children[0]):
            return True
    return False


def _awaits_nowhere(_: Syntax, node: Node) -> bool:
    """`await` in a function that is not `async`."""
    found = own_function(node, {"class_body"})
    if found is None or found.type in ("ERROR", "class_body"):
        return False
    return "async" not in words(found)


RULES: Final[Rules] = {
    "break_statement": _goes_nowhere,
    "continue_statement": _goes_nowhere,
    "labeled_statement": _is_labelled_twice,
    "await_expression": _awaits_nowhere,
}
