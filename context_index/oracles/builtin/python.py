"""What a Python expression is, as far as its file and those that it imports from tell.

Exact only for literals of builtin types, which nobody can add members to. Objects of classes are never exact: any code
may set an attribute from outside.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Iterator
from functools import cache

from context_index.oracles.builtin.shapes import DEEPEST, Files, Place, Shape, extended, joined, reaching
from context_index.symbols import NameKind
from context_index.syntax import Node

_LITERALS = {
    "string": "str", "concatenated_string": "str", "integer": "int", "float": "float", "true": "bool",
    "false": "bool", "not_operator": "bool", "list": "list", "list_comprehension": "list", "tuple": "tuple",
    "dictionary": "dict", "dictionary_comprehension": "dict", "set": "set", "set_comprehension": "set",
}  # fmt: skip
_TYPES = frozenset(
    {"str", "bytes", "bytearray", "int", "float", "complex", "bool", "list", "tuple", "dict", "set", "frozenset"}
)
_BLOCKS = frozenset({"block", "module"})
_LOOPS = frozenset({"for_statement", "while_statement"})
_SCOPES = frozenset({"function_definition", "lambda", "module"})
_OWN_SCOPE = frozenset({"function_definition", "class_definition", "lambda"})
_UNKNOWN_BINDERS = frozenset(
    {"for_statement", "as_pattern", "named_expression", "for_in_clause", "augmented_assignment"},
)


class PythonTypes:
    """Infers from trees."""

    def __init__(self, files: Files) -> None:
        """`files` finds what imports name."""
        self._files = files

    def shape(self, place: Place | None, depth: int = 0) -> Shape | None:
        """What an expression's value has; None where the trees do not tell."""
        if place is None or depth > DEEPEST:
            return None
        node, depth = place.node, depth + 1
        if node.type in _LITERALS:
            prefix = place.text[:3].lower().partition('"')[0].partition("'")[0]
            return _of_builtin("bytes" if node.type == "string" and "b" in prefix else _LITERALS[node.type])
        match node.type:
            case "parenthesized_expression":
                return self.shape(place.only(), depth)
            case "conditional_expression":
                return joined([self.shape(place.at(node.named_children[index]), depth) for index in (0, 2)])
            case "identifier":
                return self._name(place, depth)
            case "attribute":
                return self._member(place, depth)
            case "call":
                return self._called(place.child("function"), depth)
        return None

    def _name(self, place: Place, depth: int) -> Shape | None:
        if place.text == "self" and (owner := _enclosing_class(place)) is not None:
            return self._instance(owner, depth)
        found = _bound(place)
        return joined([self._value(one, place, depth) for one in found]) if found else None

    def _value(self, bound: Place, use: Place, depth: int) -> Shape | None:
        """What a binding makes of a name."""
        node = bound.node
        match node.type:
            case "assignment" | "typed_default_parameter" | "typed_parameter":
                annotation = bound.child("type")
                if annotation is not None:
                    return self._annotated(annotation, depth)
                return self.shape(bound.child("right"), depth)
            case "default_parameter":
                return None
            case "class_definition":
                own = self._instance(bound, depth)
                return None if own is None else Shape({**_dunders("type"), **own.names}, parts=own.parts)
            case "import_from_statement":
                return self._imported(bound, use.text, depth)
        return None

    def _member(self, place: Place, depth: int) -> Shape | None:
        owner, name = self.shape(place.child("object"), depth), place.child("attribute")
        part = None if owner is None or name is None else owner.parts.get(name.text)
        if part is None or part.node.type == "function_definition":
            return None
        return self._value(part, part, depth)

    def _called(self, callee: Place | None, depth: int) -> Shape | None:
        """What a call of a class or function gives."""
        if callee is None or depth > DEEPEST:
            return None
        if callee.node.type == "attribute":
            owner, name = self.shape(callee.child("object"), depth), callee.child("attribute")
            part = None if owner is None or name is None else owner.parts.get(name.text)
            return None if part is None else self._made_by(part, depth)
        if callee.node.type != "identifier":
            return None
        found = _bound(callee)
        if not found:
            return _of_builtin(callee.text) if callee.text in _TYPES else None
        return joined([self._made_by(one, depth, callee.text) for one in found])

    def _made_by(self, bound: Place, depth: int, name: str = "") -> Shape | None:
        if bound.node.type == "import_from_statement":
            target = self._target(bound, name)
            return None if target is None else self._made_by(target, depth + 1, "")
        if bound.node.type == "class_definition":
            return self._instance(bound, depth)
        if bound.node.type != "function_definition" or bound.node.children[0].type == "async":
            return None
        annotation = bound.child("return_type")
        if annotation is not None:
            return self._annotated(annotation, depth)
        returned = [bound.at(node) for node in _own_nodes(bound.node, "return_statement")]
        values = [self.shape(one.only(), depth) for one in returned if one is not None]
        return joined(values) if values else None

    def _annotated(self, annotation: Place, depth: int) -> Shape | None:
        """What values of a type have; of `X | None` what X has."""
        node = annotation.node
        match node.type:
            case "type":
                inner = annotation.only()
                return None if inner is None else self._annotated(inner, depth)
            case "union_type" | "binary_operator":
                parts = [one for one in node.named_children if one.text != b"None"]
                shapes = [self._annotated(Place(annotation.syntax, one), depth) for one in parts]
                found = joined(shapes)
                return None if found is None else Shape(found.names, parts=found.parts)
            case "generic_type":
                name = annotation.only()
                return None if name is None else self._annotated(name, depth)
            case "identifier":
                bound = _bound(annotation)
                if not bound and annotation.text in _TYPES:
                    return _of_builtin(annotation.text)
                classes = [self._class(one, annotation.text) for one in bound]
                return joined([None if one is None else self._instance(one, depth + 1) for one in classes])
        return None

    def _class(self, bound: Place, name: str) -> Place | None:
        if bound.node.type == "import_from_statement":
            target = self._target(bound, name)
            return target if target is not None and target.node.type == "class_definition" else None
        return bound if bound.node.type == "class_definition" else None

    def _instance(self, owner: Place, depth: int) -> Shape | None:
        """What objects of a class have: its own names, those set on `self`, and its bases'."""
        if depth > DEEPEST:
            return None
        parts: dict[str, Place] = {}
        body = owner.node.child_by_field_name("body")
        for node in _own_nodes(owner.node, "assignment") if body is not None else ():
            left = node.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                parts[owner.syntax.text(left)] = Place(owner.syntax, node)
        for method in _own_nodes(owner.node, "function_definition"):
            parts[owner.syntax.text(method.child_by_field_name("name") or method)] = Place(owner.syntax, method)
            for node in _own_nodes(method, "assignment"):
                left = node.child_by_field_name("left")
                if left is not None and left.type == "attribute" and owner.syntax.text(left).startswith("self."):
                    parts.setdefault(owner.syntax.text(left)[5:], Place(owner.syntax, node))
        methods = {name: part.node.type == "function_definition" for name, part in parts.items()}
        names = {name: NameKind.METHOD if is_method else NameKind.PROPERTY for name, is_method in methods.items()}
        bases = owner.child("superclasses")
        known = [self._base(Place(owner.syntax, one), depth) for one in bases.node.named_children] if bases else []
        found = extended(Shape({**_dunders("object"), **names}, parts=parts), known)
        return Shape(found.names, parts=found.parts)

    def _base(self, base: Place, depth: int) -> Shape | None:
        if base.node.type != "identifier":
            return None
        classes = [self._class(one, base.text) for one in _bound(base)]
        return joined([self._instance(one, depth + 1) for one in classes if one is not None]) if classes else None

    def _imported(self, statement: Place, name: str, depth: int) -> Shape | None:
        target = self._target(statement, name)
        return None if target is None else self._value(target, target, depth + 1)

    def _target(self, statement: Place, name: str) -> Place | None:
        """What an imported name is in the file that it comes from."""
        module, importer = statement.child("module_name"), statement.path
        found = self._files(importer, module.text) if module is not None and importer is not None else None
        if found is None:
            return None
        for node in statement.node.children_by_field_name("name"):
            alias = node.child_by_field_name("alias")
            source = node.child_by_field_name("name") or node
            if statement.syntax.text(alias or source) == name:
                bound = [one for one in _bindings(Place(found, found.root)) if one[0] == statement.syntax.text(source)]
                return bound[-1][1] if bound else None
        return None


def _bound(use: Place) -> list[Place]:
    """The bindings of the name that may be meant; those of one scope, the nearest that has any."""
    path = use.syntax.path(use.node)[1:]
    nearest = True
    for node in path:
        if node.type not in _SCOPES:
            continue
        found = [place for name, place in _bindings(Place(use.syntax, node)) if name == use.text]
        if found:
            return reaching(found, use, _BLOCKS, _LOOPS) if nearest else found
        nearest = False
    return []


def _bindings(scope: Place) -> Iterator[tuple[str, Place]]:
    """The names that a function or module binds, and the nodes that do."""
    text = scope.syntax.text
    parameters = scope.node.child_by_field_name("parameters")
    for node in parameters.named_children if parameters is not None else ():
        name = node if node.type == "identifier" else node.child_by_field_name("name") or node.named_children[0]
        yield text(name), Place(scope.syntax, node)
    for node in _own_nodes(scope.node):
        place = Place(scope.syntax, node)
        if node.type in _OWN_SCOPE or node.type == "assignment":
            target = node.child_by_field_name("name") or node.child_by_field_name("left")
            for one in _identifiers(target):
                yield text(one), place if one == target else Place(scope.syntax, one)
        elif node.type == "import_from_statement":
            for name in node.children_by_field_name("name"):
                yield text(name.child_by_field_name("alias") or name.named_children[-1]), place
        elif node.type in _UNKNOWN_BINDERS:
            bound = node.child_by_field_name("left") or node.child_by_field_name("alias")
            for one in _identifiers(bound or node.child_by_field_name("name")):
                yield text(one), Place(scope.syntax, one)


def _identifiers(target: Node | None) -> Iterator[Node]:
    """The names that a target binds; those within a subscript or an attribute are only read."""
    if target is None or target.type in {"attribute", "subscript"}:
        return
    if target.type == "identifier":
        yield target
    for child in target.named_children:
        yield from _identifiers(child)


def _own_nodes(scope: Node, kind: str | None = None) -> Iterator[Node]:
    """Nodes of a scope in order, not those of functions and classes within it."""
    body = scope.child_by_field_name("body") or scope
    pending = list(reversed(body.named_children))
    while pending:
        node = pending.pop()
        if kind is None or node.type == kind:
            yield node
        if node.type not in _OWN_SCOPE:
            pending.extend(reversed(node.named_children))


def _enclosing_class(place: Place) -> Place | None:
    """The class whose method a place is in."""
    path = place.syntax.path(place.node)
    inner = next((index for index, node in enumerate(path) if node.type == "function_definition"), None)
    owner = None if inner is None else next((node for node in path[inner + 1 :] if node.type in _OWN_SCOPE), None)
    return Place(place.syntax, owner) if owner is not None and owner.type == "class_definition" else None


@cache
def _of_builtin(name: str) -> Shape:
    return Shape(_dunders(name), exact=True)


@cache
def _dunders(name: str) -> dict[str, NameKind]:
    """What objects of a builtin type have."""
    kind = getattr(builtins, name)
    callables = (types.MethodDescriptorType, types.WrapperDescriptorType, types.BuiltinMethodType)
    return {
        one: NameKind.METHOD if isinstance(getattr(kind, one, None), callables) else NameKind.PROPERTY
        for one in dir(kind)
    }
