"""Constants of JavaScript and TypeScript that are assigned all the same.

Such a program parses, and fails where it runs (ECMA-262, 9.1.1.1.5, SetMutableBinding: a TypeError).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from context_index.scopes import names_at
from context_index.scopes.javascript_patterns import pattern_names
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax

_CONST = "const"
_ASSIGNED = {
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "update_expression": "argument",
    "for_in_statement": "left",
}


@dataclass(frozen=True, slots=True)
class AssignedConstant:
    """One assignment, and the declaration that forbids it."""

    name: str
    declared_at: int
    """Offset of the word `const`."""
    assigned_at: int
    """Offset of the name that is assigned."""


def assigned_constants(syntax: Syntax) -> tuple[AssignedConstant, ...]:
    """All assignments to constants that the text declares itself, in the order of their places."""
    if syntax.language.is_python or _CONST not in syntax.document.text:
        return ()
    constants: set[str] = set()
    assigning: list[Node] = []
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        for word, pattern in _declared(node):
            constants.update(map(syntax.text, pattern_names(pattern)) if word.type == _CONST else ())
        assigning += [node] if node.type in _ASSIGNED else []
        pending += node.named_children
    found = (
        one
        for node in assigning
        if any(syntax.text(target) in constants for target in _targets(node))  # most are none, and cheaply told
        for one in assigned_by(syntax, node)
    )
    return tuple(sorted(found, key=lambda one: one.assigned_at))


def assigned_by(syntax: Syntax, node: Node) -> Iterator[AssignedConstant]:
    """The constants that a node itself assigns; most nodes assign nothing."""
    for name in _targets(node):
        word = _constant(syntax, name)
        if word is not None:
            yield AssignedConstant(syntax.text(name), syntax.start(word), syntax.start(name))


def _targets(node: Node) -> Iterator[Node]:
    """The names that a node assigns; none for what declares its own, and for members and elements."""
    if node.type not in _ASSIGNED or (node.type == "for_in_statement" and node.child_by_field_name("kind")):
        return
    target = node.child_by_field_name(_ASSIGNED[node.type])
    if target is not None:
        yield from pattern_names(target)


def _constant(syntax: Syntax, used: Node) -> Node | None:
    """The word `const` of the declaration that a name refers to; None where something else declares it."""
    text = syntax.text(used)
    name = names_at(syntax, syntax.start(used)).get(text)
    if name is None or name.line is None or name.kind is NameKind.PARAMETER:
        return None
    words = {
        word.id: word
        for node in _on_row(syntax.root, name.line)
        for word, pattern in _declared(node)
        for one in pattern_names(pattern)
        if one.start_point.row == name.line and syntax.text(one) == text
    }
    word = next(iter(words.values()), None)
    return word if word is not None and len(words) == 1 and word.type == _CONST else None  # else the line has several


def _on_row(root: Node, row: int) -> Iterator[Node]:
    """All nodes that a line has a part of."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in node.named_children if child.start_point.row <= row <= child.end_point.row]


def _declared(node: Node) -> Iterator[tuple[Node, Node]]:
    """What a statement or a loop declares: with which word, and the name or the pattern."""
    if node.type in ("lexical_declaration", "variable_declaration"):
        for declarator in node.named_children:
            if (name := declarator.child_by_field_name("name")) is not None:
                yield node.children[0], name
    elif node.type == "for_in_statement":
        word, left = node.child_by_field_name("kind"), node.child_by_field_name("left")
        if word is not None and left is not None:
            yield word, left
