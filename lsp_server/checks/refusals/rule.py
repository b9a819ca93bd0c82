"""What a rule is, and what most of them ask of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from context_index import Language, ancestors

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from context_index import Node, Syntax

Rule = Callable[["Syntax", "Node"], bool]
"""Whether a node is refused."""
Rules = Mapping[str, Rule]
"""By the type of the node."""
FUNCTIONS = frozenset(
    {
        *("function_declaration", "function_expression", "generator_function", "generator_function_declaration"),
        *("arrow_function", "method_definition", "ERROR"),
    }
)
"""What one may return from, and what may be a generator; what is broken may be one."""
RECEIVERS = {
    "call_expression": "function",
    "member_expression": "object",
    "subscript_expression": "object",
    "new_expression": "constructor",
}
"""What begins with an expression that it calls or takes something of, and in which field it has that."""
LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement", "with_statement"})
BODIES = LOOPS | {"if_statement", "else_clause", "labeled_statement"}
"""What may have a single statement for its body."""
PATTERNS = frozenset({"object_pattern", "array_pattern", "rest_pattern"})
_DECLARATION_FILES = (".d.ts", ".d.mts", ".d.cts")


def joined(*some: Rules) -> Rules:
    """All rules, those about one type of node one after the other."""
    by_type: dict[str, list[Rule]] = {}
    for rules in some:
        for kind, rule in rules.items():
            by_type.setdefault(kind, []).append(rule)
    return {kind: rules[0] if len(rules) == 1 else _any_of(rules) for kind, rules in by_type.items()}


def _any_of(rules: list[Rule]) -> Rule:
    return lambda syntax, node: any(rule(syntax, node) for rule in rules)


def is_typed(syntax: Syntax) -> bool:
    """Whether it is TypeScript, whose compiler refuses more."""
    return syntax.language is not Language.JAVASCRIPT


def words(node: Node) -> frozenset[str]:
    """The keywords and signs that a node has itself."""
    return frozenset(child.type for child in node.children if not child.is_named)


def named(node: Node) -> list[Node]:
    """Its parts, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def is_field(node: Node, *fields: str) -> bool:
    """Whether a node is what its parent has in one of some fields."""
    parent = node.parent
    return parent is not None and any(parent.child_by_field_name(field) == node for field in fields)


def is_body(_: Syntax, node: Node) -> bool:
    """Whether it is all that a condition, a loop or a label has."""
    parent = node.parent
    if parent is None or parent.type not in BODIES:
        return False
    return parent.type == "else_clause" or is_field(node, "body", "consequence")


def is_ambient(node: Node) -> bool:
    """Whether a node, itself no such declaration, declares only what is elsewhere."""
    return nearest(node, {"ambient_declaration"}) is not None


def is_declared_only(syntax: Syntax, node: Node) -> bool:
    """Whether a node stands where nothing has code: below such a declaration, or in a file of them."""
    return is_ambient(node) or syntax.document.uri.endswith(_DECLARATION_FILES)


def nearest(node: Node, kinds: AbstractSet[str]) -> Node | None:
    """The innermost node of some types around a node."""
    return next((around for around in ancestors(node) if around.type in kinds), None)


def own_function(node: Node, barriers: AbstractSet[str] = frozenset()) -> Node | None:
    """The innermost function that a node is code of, or such a barrier; a computed name is no code of its method."""
    below = node
    for around in ancestors(node):
        is_name = below.type == "computed_property_name"
        if around.type in barriers or (around.type in FUNCTIONS and not is_name):
            return around
        below = around
    return None


def is_optional(node: Node) -> bool:
    """Whether a call or a member may be left out, itself or one that it begins with: `a?.b.c`."""
    found: Node | None = node
    while found is not None and found.type in RECEIVERS:
        if found.child_by_field_name("optional_chain") is not None or "?." in words(found):
            return True
        found = found.child_by_field_name(RECEIVERS[found.type])
    return False


def is_module(syntax: Syntax) -> bool:
    """Whether a file is no script: TypeScript's are none."""
    return is_typed(syntax) or any(
        child.type in ("import_statement", "export_statement") for child in syntax.root.children
    )


def is_strict(syntax: Syntax, node: Node) -> bool:
    """Whether code there is strict: a module's, a class's, or behind the directive."""
    if is_module(syntax) or _begins_strictly(syntax, syntax.root):
        return True
    for around in ancestors(node):
        if around.type in ("class_body", "class_heritage"):
            return True
        body = around.child_by_field_name("body") if around.type in FUNCTIONS else None
        if body is not None and _begins_strictly(syntax, body):
            return True
    return False


def _begins_strictly(syntax: Syntax, block: Node) -> bool:
    for child in block.named_children:
        if child.type in ("comment", "hash_bang_line"):
            continue
        if child.type != "expression_statement" or not child.named_children or child.named_children[0].type != "string":
            return False
        if syntax.text(child.named_children[0])[1:-1] == "use strict":
            return True
    return False


def is_constructor(syntax: Syntax, node: Node) -> bool:
    """Whether a member of a class is its constructor."""
    name, parent = node.child_by_field_name("name"), node.parent
    of_class = parent is not None and parent.type == "class_body" and "static" not in words(node)
    return of_class and name is not None and syntax.text(name).strip("'\"") == "constructor"
