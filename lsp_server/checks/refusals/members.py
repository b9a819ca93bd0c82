"""Members of classes, objects and enums: constructors, private names, abstract ones, modifiers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.refusals.rule import Rules, is_constructor, is_declared_only, nearest, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
_MODIFIERS = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
_MODIFYING: Final = frozenset(
    {"export", "declare", "abstract", "public", "private", "protected", "override", "async", "get", "set"}
)


def _is_no_constructor(syntax: Syntax, node: Node) -> bool:
    """A constructor that waits, yields, is got or set, or tells its type."""
    if not is_constructor(syntax, node):
        return False
    has_type = any(node.child_by_field_name(field) is not None for field in ("return_type", "type_parameters"))
    return has_type or bool(words(node) & {"async", "get", "set", "*"})


def _has_wrong_sign(_: Syntax, node: Node) -> bool:
    """A method that is `readonly`, and one of an object that may be missing."""
    parent = node.parent
    return "readonly" in words(node) or (parent is not None and parent.type == "object" and "?" in words(node))


def _gets_without_body(syntax: Syntax, node: Node) -> bool:
    """A getter or setter of a class that has no code."""
    is_member = node.parent is not None and node.parent.type == "class_body"
    return is_member and bool(words(node) & {"get", "set"}) and not is_declared_only(syntax, node)


def _is_abstract_elsewhere(_: Syntax, node: Node) -> bool:
    """An abstract member of a class that is not."""
    around = node.parent.parent if node.parent is not None else None
    is_abstract = node.type == "abstract_method_signature" or "abstract" in words(node)
    return is_abstract and around is not None and around.type in ("class", "class_declaration")


def _is_sure_of_nothing(_: Syntax, node: Node) -> bool:
    """`a!` without a type, or with a value."""
    has_value = node.child_by_field_name("value") is not None
    return "!" in words(node) and (has_value or node.child_by_field_name("type") is None)


def _modifies_next(syntax: Syntax, node: Node) -> bool:
    """A member that is but a word which modifies the member on the next line."""
    following = node.next_named_sibling
    is_ended = node.next_sibling is not None and node.next_sibling.type in (",", ";")
    name = node.child_by_field_name("name")
    word = "" if name is None or name.end_byte != node.end_byte else syntax.text(name)
    modifies = word in _MODIFYING or (word == "static" and node.type == "property_signature")
    return modifies and following is not None and not is_ended


def _has_comma(_: Syntax, node: Node) -> bool:
    return "," in words(node)


def _is_no_property(_: Syntax, node: Node) -> bool:
    """A parameter that is to be a property, and is a pattern or the rest."""
    pattern = node.child_by_field_name("pattern")
    is_property = any(child.type in _MODIFIERS for child in node.children)
    return is_property and pattern is not None and pattern.type in ("object_pattern", "array_pattern", "rest_pattern")


def _is_private_elsewhere(syntax: Syntax, node: Node) -> bool:
    """`this.#a` where no class around has it, and a second one."""
    name, own = syntax.text(node), node.parent
    bodies = [around for around in ancestors(node) if around.type in ("class_body", "ERROR")]
    if any(body.type == "ERROR" for body in bodies):
        return False
    if own is not None and own.parent is not None and own.parent.type == "class_body" and _declared(own) == node:
        found = [one for one in _members(own.parent) if syntax.text(one) == name]
        kinds = Counter(kind for one in found if one.parent is not None for kind in _kinds(one.parent))
        return any(count > 1 for count in kinds.values())
    return not any(syntax.text(one) == name for body in bodies for one in _members(body))


def _kinds(member: Node) -> frozenset[str]:
    """What a member takes of its name: a getter leaves the setter, a signature the body."""
    if member.type not in ("field_definition", "public_field_definition", "method_definition"):
        return frozenset()
    return words(member) & {"get", "set"} or frozenset({"get", "set"})


def _members(body: Node) -> Iterator[Node]:
    for member in body.named_children:
        if (name := _declared(member)) is not None:
            yield name


def _declared(member: Node) -> Node | None:
    return member.child_by_field_name("name") or member.child_by_field_name("property")


def _calls_nobody(_: Syntax, node: Node) -> bool:
    """`super()` in a class that extends none."""
    if node.parent is None or node.parent.type != "call_expression":
        return False
    found = nearest(node, _CLASSES)
    return found is not None and all(child.type != "class_heritage" for child in found.children)


RULES: Final[Rules] = {
    "method_definition": lambda syntax, node: _is_no_constructor(syntax, node) or _has_wrong_sign(syntax, node),
    "method_signature": lambda syntax, node: (
        _is_no_constructor(syntax, node) or _has_wrong_sign(syntax, node) or _gets_without_body(syntax, node)
    ),
    "abstract_method_signature": _is_abstract_elsewhere,
    "public_field_definition": lambda syntax, node: (
        _is_abstract_elsewhere(syntax, node) or _is_sure_of_nothing(syntax, node) or _modifies_next(syntax, node)
    ),
    "property_signature": _modifies_next,
    "class_body": _has_comma,
    "required_parameter": _is_no_property,
    "optional_parameter": _is_no_property,
    "extends_clause": _has_comma,
    "private_property_identifier": _is_private_elsewhere,
    "super": _calls_nobody,
}
