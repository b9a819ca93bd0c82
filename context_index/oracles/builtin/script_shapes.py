"""The members that declarations and literals of JavaScript and TypeScript write down."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.oracles.builtin.script_bindings import own_nodes
from context_index.oracles.builtin.shapes import Place, Shape
from context_index.oracles.builtin.standard import standard
from context_index.symbols import Language, NameKind
from context_index.syntax import Node, Syntax

METHODS = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})


def declared_names(syntax: Syntax, declaration: Node) -> Iterator[str]:
    """The names that a declaration of variables gives to values."""
    for one in declaration.named_children:
        name = one.child_by_field_name("name") if one.type == "variable_declarator" else None
        if name is not None:
            yield syntax.text(name)


def module_of(specifier: Place) -> str:
    """The module that a specifier's statement names."""
    path = specifier.syntax.path(specifier.node)
    statement = next((node for node in path if node.type in {"import_statement", "export_statement"}), None)
    source = None if statement is None else statement.child_by_field_name("source")
    return "" if source is None else specifier.syntax.text(source)[1:-1]


def object_shape(literal: Place) -> Shape:
    """The keys of an object literal; exact in TypeScript where all are told."""
    parts: dict[str, Place] = {}
    names: dict[str, NameKind] = {}
    told = True
    for node in literal.node.named_children:
        key = node if node.type == "shorthand_property_identifier" else node.child_by_field_name("key")
        key = key or node.child_by_field_name("name")
        if key is None or key.type == "computed_property_name":
            told = told and node.type == "comment"
            continue
        name = literal.syntax.text(key).strip("'\"")
        value = node.child_by_field_name("value") or node
        is_method = value.type in {"method_definition", "arrow_function", "function_expression"}
        names[name] = NameKind.METHOD if is_method else NameKind.PROPERTY
        parts[name] = Place(literal.syntax, node)
    return _with_objects(Shape(names, told and literal.syntax.language is not Language.JAVASCRIPT, parts))


def members_of(body: Place, *, exact: bool, inside: bool = True) -> Shape:
    """What a class, an interface or an object type declares; assignments to `this` are members in JavaScript."""
    parts: dict[str, Place] = {}
    names: dict[str, NameKind] = {}
    for node in body.node.named_children:
        place = Place(body.syntax, node)
        words = {child.type: body.syntax.text(child) for child in node.children}
        if node.type in {"index_signature", "call_signature", "construct_signature", "class_static_block"}:
            exact = exact and node.type == "class_static_block"
            continue
        if "static" in words or (words.get("accessibility_modifier", "public") != "public" and not inside):
            continue
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if node.type in METHODS | FIELDS and name is not None:
            if name.type in {"computed_property_name", "private_property_identifier"} and not inside:
                exact = exact and name.type == "private_property_identifier"
                continue
            text = body.syntax.text(name).strip("'\"")
            is_method = node.type in METHODS and not {"get", "set"} & set(words)
            names[text] = NameKind.METHOD if is_method else NameKind.PROPERTY
            parts[text] = place
        for inner in own_nodes(node) if node.type == "method_definition" else ():
            text, part = _set_on_this(body, inner)
            if text:
                names.setdefault(text, NameKind.PROPERTY)
                parts.setdefault(text, part)
        if name is not None and body.syntax.text(name) == "constructor":
            for text, part in _parameter_properties(place, inside=inside):
                names[text] = NameKind.PROPERTY
                parts[text] = part
    return _with_objects(Shape(names, exact, parts))


def _parameter_properties(constructor: Place, *, inside: bool) -> Iterator[tuple[str, Place]]:
    """Parameters of a constructor that are members by their modifier."""
    parameters = constructor.child("parameters")
    for one in parameters.node.named_children if parameters is not None else ():
        access = next((child for child in one.children if child.type == "accessibility_modifier"), None)
        pattern = one.child_by_field_name("pattern")
        if access is not None and pattern is not None and (inside or access.text == b"public"):
            yield constructor.syntax.text(pattern), Place(constructor.syntax, one)


def _set_on_this(body: Place, node: Node) -> tuple[str, Place]:
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    target = left.child_by_field_name("object") if left is not None and left.type == "member_expression" else None
    named = left.child_by_field_name("property") if left is not None and target is not None else None
    is_own = target is not None and target.type == "this" and named is not None
    return (body.syntax.text(named) if is_own and named is not None else ""), Place(body.syntax, node)


def _with_objects(shape: Shape) -> Shape:
    """Every object has these."""
    objects = standard("Object")
    return shape if objects is None else Shape({**objects.names, **shape.names}, shape.exact, shape.parts)


def statics(owner: Place) -> Shape:
    """A class itself."""
    body = owner.child("body")
    names: dict[str, NameKind] = {}
    for node in body.node.named_children if body is not None else ():
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if name is not None and any(child.type == "static" for child in node.children):
            names[owner.syntax.text(name)] = NameKind.METHOD if node.type in METHODS else NameKind.PROPERTY
    functions = standard("Function")
    return Shape({**(functions.names if functions is not None else {}), **names})


def enum_shape(owner: Place) -> Shape:
    """An enum's members, which nobody adds to but another declaration of the same name."""
    body = owner.child("body")
    names = [node.child_by_field_name("name") or node for node in (body.node.named_children if body else ())]
    return Shape({owner.syntax.text(one).strip("'\""): NameKind.ENUM_MEMBER for one in names if one.type != "comment"})


def bases_of(owner: Place) -> Iterator[Place]:
    """What a class or interface extends."""
    for clause in owner.node.children:
        if clause.type == "extends_type_clause":
            yield from (Place(owner.syntax, one) for one in clause.named_children)
        if clause.type == "class_heritage":
            extends = [one for one in clause.children if one.type == "extends_clause"]
            for inner in extends or clause.named_children[:1]:
                value = inner.child_by_field_name("value") or inner
                yield Place(owner.syntax, value)
