"""Keys of classes and of types: index signatures, mapped types, computed names, and `unique symbol`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.refusals.rule import Rules, named, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_KEYS: Final = frozenset({"string", "number", "symbol"})
"""Of the types that are words, those of which an index may be."""
_NO_KEYS: Final = frozenset(
    {
        *("bigint", "Date", "String", "Number", "Boolean", "Symbol", "Function", "Object", "RegExp", "Error"),
        *("Record", "Array", "Map", "Set", "Promise", "Partial", "Pick", "Omit"),
    }
)
"""Types that everybody has, and that are no names."""
_MAY_BE_KEYS: Final = frozenset(
    {
        *("predefined_type", "template_literal_type", "type_identifier", "nested_type_identifier", "generic_type"),
        *("union_type", "intersection_type", "lookup_type", "conditional_type", "ERROR"),
    }
)
_FINITE: Final = frozenset({"interface_declaration", "class_declaration", "enum_declaration"})
"""Declarations of types that are no keys, or only some of them."""
_BOUND: Final = frozenset({"identifier", "undefined", "this", "meta_property", "string", "number", "template_string"})
"""What a name in brackets may be so that its type tells which name it is."""
_SIGNS: Final = frozenset({"+", "-"})
"""Before `readonly` in a mapped type."""
_BIG: Final = re.compile(r"\d\w*n")
_OF_TYPES: Final = frozenset({"property_signature", "method_signature", "public_field_definition"})


def _has_no_key(syntax: Syntax, node: Node) -> bool:
    """`[a: 'b']: C`, `[a: string]?: B`, `-readonly [a: string]: B`; `[a in B]: C` elsewhere than in a type."""
    kind = node.child_by_field_name("index_type")
    if any(child.type == "mapped_type_clause" for child in node.children):
        return node.parent is not None and node.parent.type in ("class_body", "interface_body")
    annotation = node.child_by_field_name("type")
    is_optional = annotation is not None and annotation.type != "type_annotation"
    if is_optional or node.children[0].type in _SIGNS:
        return True
    return kind is not None and not _is_key(syntax, kind)


def _is_key(syntax: Syntax, kind: Node) -> bool:
    """Whether there may be endless many of a type, and each is a name."""
    if kind.type == "predefined_type":
        return syntax.text(kind) in _KEYS
    if kind.type in ("union_type", "parenthesized_type"):
        parts = named(kind)
        is_any = any(syntax.text(part) == "string" for part in parts)  # `string | 'a'` is no more than `string`
        return all(_is_key(syntax, part) or (is_any and _is_literal(part)) for part in parts)
    if kind.type == "intersection_type":
        return any(_is_key(syntax, part) for part in named(kind))
    if kind.type in ("type_identifier", "generic_type"):
        name = kind.child_by_field_name("name") or kind
        return syntax.text(name) not in _NO_KEYS and not _is_finite(syntax, name)
    return kind.type in _MAY_BE_KEYS


def _is_literal(kind: Node) -> bool:
    return kind.type == "literal_type" and kind.named_children[0].type == "string"


def _is_finite(syntax: Syntax, name: Node) -> bool:
    """Whether the name is that of a parameter around, or of an enum, a class or an interface of the file."""
    text = syntax.text(name)
    for around in ancestors(name):
        parameters = around.child_by_field_name("type_parameters")
        for parameter in [] if parameters is None else parameters.named_children:
            if (own := parameter.child_by_field_name("name")) is not None and syntax.text(own) == text:
                return True
        for statement in around.named_children if around.type in ("program", "statement_block") else ():
            declared = statement.child_by_field_name("declaration") or statement
            own = declared.child_by_field_name("name") if declared.type in _FINITE else None
            if own is not None and syntax.text(own) == text:
                return True
    return False


def _maps_among_members(_: Syntax, node: Node) -> bool:
    """A mapped type with a comma, or with members beside."""
    is_mapped = any(
        child.type == "index_signature" and any(part.type == "mapped_type_clause" for part in child.children)
        for child in node.children
    )
    return is_mapped and ("," in words(node) or len(named(node)) > 1)


def _is_computed(syntax: Syntax, node: Node) -> bool:
    """`[a()]: B` in a type, or in a class: a name must be known there."""
    parent, inner = node.parent, node.named_children[0] if node.named_children else node
    if parent is None or parent.type not in _OF_TYPES or words(parent) & {"get", "set"} or inner.has_error:
        return False
    if inner.type == "unary_expression":
        argument = inner.child_by_field_name("argument")
        return inner.children[0].type not in ("-", "+") or argument is None or argument.type != "number"
    while inner.type == "member_expression" and (receiver := inner.child_by_field_name("object")) is not None:
        inner = receiver
    is_put_together = any(child.type == "template_substitution" for child in inner.children)
    return inner.type not in _BOUND or is_put_together or _BIG.fullmatch(syntax.text(inner)) is not None


def _is_wrong_symbol(syntax: Syntax, node: Node) -> bool:
    """`let a: unique symbol`: only what never changes has such a type."""
    if not syntax.text(node).startswith("unique") or node.parent is None:
        return False
    around = node.parent
    owner = around.parent if around.type == "type_annotation" else None
    if around.type == "ERROR" or owner is None:
        return around.type != "ERROR"
    kinds = words(owner)
    if owner.type == "public_field_definition":
        return not {"static", "readonly"} <= kinds
    if owner.type == "property_signature":
        return "readonly" not in kinds
    if owner.type == "variable_declarator":
        name, declaration = owner.child_by_field_name("name"), owner.parent
        is_name = name is not None and name.type == "identifier"
        return declaration is not None and not (is_name and "const" in words(declaration))
    return owner.type != "ERROR"


RULES: Final[Rules] = {
    "index_signature": _has_no_key,
    "object_type": _maps_among_members,
    "computed_property_name": _is_computed,
    "predefined_type": _is_wrong_symbol,
}
