"""What a JavaScript or TypeScript expression is, as far as its file and those that it imports from tell.

Exact only in TypeScript, where nobody may add members, and only where every base and every member is known.
"""

from __future__ import annotations

import re

from context_index.oracles.builtin.script_bindings import bound, enclosing_class, exported, own_nodes
from context_index.oracles.builtin.script_shapes import (
    FIELDS,
    METHODS,
    bases_of,
    declared_names,
    enum_shape,
    members_of,
    module_of,
    object_shape,
    statics,
)
from context_index.oracles.builtin.shapes import DEEPEST, Files, Place, Shape, extended, joined
from context_index.oracles.builtin.standard import given, standard
from context_index.scopes import names_at
from context_index.symbols import Language, NameKind

_LITERALS = {
    "string": "String", "template_string": "String", "number": "Number", "array": "Array", "regex": "RegExp",
    "arrow_function": "Function", "function_expression": "Function", "true": "Boolean", "false": "Boolean",
}  # fmt: skip
_PREDEFINED = {"string": "String", "number": "Number", "boolean": "Boolean"}
_WRAPPERS = frozenset({"parenthesized_expression", "non_null_expression", "parenthesized_type", "type_annotation"})
_CLASSES = frozenset({"class_declaration", "class", "abstract_class_declaration"})
_IMPORTS = frozenset({"import_specifier", "import_clause"})
_JSDOC_TYPE = r"@(?:type|returns?)\s*\{\s*[!?]?([A-Za-z_$][\w$]*)(\[\])?\s*(?:\|\s*(?:null|undefined))?\}"
_JSDOC_PARAMETER = r"@param\s*\{{\s*[!?]?([A-Za-z_$][\w$]*)(\[\])?=?\s*\}}\s*\[?{}\b"


class ScriptTypes:
    """Infers from trees."""

    def __init__(self, files: Files) -> None:
        """`files` finds what imports name."""
        self._files = files

    def shape(self, place: Place | None, depth: int = 0) -> Shape | None:  # noqa: C901 -- a case for each kind
        """What an expression's value has; None where the trees do not tell."""
        if place is None or depth > DEEPEST:
            return None
        node, depth = place.node, depth + 1
        if node.type in _LITERALS:
            return standard(_LITERALS[node.type])
        if node.type in _WRAPPERS:
            return self.shape(place.only(), depth)
        match node.type:
            case "as_expression" | "satisfies_expression":
                return self._annotated(place.at(node.named_children[-1]), depth)
            case "object":
                return object_shape(place)
            case "this":
                owner = enclosing_class(place)
                return None if owner is None else self._instance(owner, depth, inside=True)
            case "identifier":
                found = self._followed(bound(place), place.text)
                if not found:
                    return None if _is_declared(place) else given(place.text)
                return joined([self._value(one, depth) for one in found])
            case "member_expression":
                return self._part(self._owned(place, depth), depth)
            case "new_expression":
                return self._made(place.child("constructor"), depth)
            case "call_expression":
                return self._called(place.child("function"), depth)
        return None

    def _value(self, one: Place, depth: int) -> Shape | None:
        """What a binding makes of a name."""
        node = one.node
        if node.type in _CLASSES:
            return statics(one)
        match node.type:
            case "variable_declarator" | "required_parameter" | "optional_parameter":
                annotation = one.child("type")
                if annotation is not None:
                    return self._annotated(annotation.only(), depth)
                return self._documented(one, depth) or self.shape(one.child("value"), depth)
            case "assignment_expression":
                return self.shape(one.child("right"), depth)
            case "enum_declaration":
                return enum_shape(one)
            case "function_declaration":
                return standard("Function")
            case "namespace_import":
                return self._namespace(one)
            case "identifier":
                return self._documented(one, depth)
        return None

    def _owned(self, access: Place, depth: int) -> Place | None:
        """What says of a member what it is."""
        owner, name = self.shape(access.child("object"), depth), access.child("property")
        return None if owner is None or name is None else owner.parts.get(name.text)

    def _part(self, part: Place | None, depth: int) -> Shape | None:
        """A field by its annotation or value, a getter by what it returns."""
        if part is None or part.node.type in METHODS:
            return None
        annotation = part.child("type")
        if annotation is not None:
            return self._annotated(annotation.only(), depth)
        return self.shape(part.child("value") or part.child("right"), depth)

    def _made(self, constructor: Place | None, depth: int) -> Shape | None:
        if constructor is None or constructor.node.type != "identifier":
            return None
        found = self._followed(bound(constructor), constructor.text)
        if not found:
            return None if _is_declared(constructor) else standard(constructor.text)
        return joined([self._instance(one, depth) if one.node.type in _CLASSES else None for one in found])

    def _called(self, callee: Place | None, depth: int) -> Shape | None:
        """What the functions return that may be meant; of several returns, any."""
        if callee is None:
            return None
        if callee.node.type == "member_expression":
            part = self._owned(callee, depth)
            return None if part is None else self._returned(part, depth)
        if callee.node.type != "identifier":
            return None
        return joined([self._returned(one, depth) for one in self._followed(bound(callee), callee.text)])

    def _returned(self, function: Place, depth: int) -> Shape | None:
        if function.node.type in {"variable_declarator", "pair", *FIELDS}:
            inner = function.child("value")
            return None if inner is None else self._returned(inner, depth)
        annotation = function.child("return_type")
        if annotation is not None:
            return self._annotated(annotation.only(), depth)
        if any(child.type in {"async", "*"} for child in function.node.children):
            return None
        body = function.child("body")
        if body is None or function.node.type not in {"function_declaration", "arrow_function", "method_definition"}:
            return None
        if body.node.type != "statement_block":
            return self.shape(body, depth)
        documented = self._documented(function, depth)
        if documented is not None:
            return documented
        returns = [Place(body.syntax, one) for one in own_nodes(body.node) if one.type == "return_statement"]
        values = [self.shape(one.only(), depth) for one in returns]
        return joined(values) if values else None

    def _annotated(self, annotation: Place | None, depth: int) -> Shape | None:
        """What values of a type have; null and undefined aside, which a program must rule out first."""
        if annotation is None or depth > DEEPEST:
            return None
        node, depth = annotation.node, depth + 1
        match node.type:
            case "predefined_type":
                return standard(_PREDEFINED.get(annotation.text, ""))
            case "array_type" | "readonly_type":
                return standard("Array")
            case "parenthesized_type":
                return self._annotated(annotation.only(), depth)
            case "object_type" | "interface_body":
                return members_of(annotation, exact=True)
            case "union_type":
                parts = [one for one in node.named_children if one.text not in (b"null", b"undefined")]
                return joined([self._annotated(annotation.at(one), depth) for one in parts])
            case "generic_type":
                return self._annotated(annotation.child("name"), depth)
            case "type_identifier" | "identifier":
                found = self._followed(bound(annotation), annotation.text)
                if not found:
                    return None if _is_declared(annotation) else standard(annotation.text)
                return self._typed(found, depth)
        return None

    def _typed(self, found: list[Place], depth: int) -> Shape | None:
        """An interface may be written in parts; anything else that has several declarations is left alone."""
        if len(found) == 1 and found[0].node.type == "type_alias_declaration":
            return self._annotated(found[0].child("value"), depth)
        if len(found) == 1 and found[0].node.type == "enum_declaration":
            return None
        shapes = [self._instance(one, depth) for one in found if one.node.type in {"interface_declaration", *_CLASSES}]
        return shapes[0] if len(shapes) == len(found) == 1 else joined(shapes) if shapes else None

    def _instance(self, owner: Place, depth: int, *, inside: bool = False) -> Shape | None:
        """What objects of a class or interface have; its private members only within it."""
        if depth > DEEPEST:
            return None
        body = owner.child("body")
        exact = owner.syntax.language is not Language.JAVASCRIPT
        own = None if body is None else members_of(body, exact=exact, inside=inside)
        if own is None:
            return None
        return extended(own, [self._annotated(base, depth + 1) for base in bases_of(owner)])

    def _documented(self, declared: Place, depth: int) -> Shape | None:
        """What JSDoc above a declaration says."""
        node = declared.node
        comment = None
        while node is not None and comment is None and node.type != "program":
            before = node.prev_named_sibling
            comment = before if before is not None and before.type == "comment" else None
            node = node.parent if node.type != "statement_block" else None  # type: ignore[assignment]  # the way up ends
        if comment is None:
            return None
        text = declared.syntax.text(comment)
        is_parameter = declared.node.type in {"identifier", "required_parameter", "optional_parameter"}
        pattern = _JSDOC_PARAMETER.format(re.escape(declared.text)) if is_parameter else _JSDOC_TYPE
        found = re.search(pattern, text)
        if found is None:
            return None
        if found[2] or found[1].lower() in _PREDEFINED:
            known = standard("Array" if found[2] else _PREDEFINED[found[1].lower()])
        else:
            top = Place(declared.syntax, declared.syntax.root)
            classes = [one for one in exported(top, found[1]) if one.node.type in _CLASSES]
            known = joined([self._instance(one, depth) for one in classes]) if classes else standard(found[1])
        return None if known is None else Shape(known.names, parts=known.parts)

    def _followed(self, found: list[Place], name: str) -> list[Place]:
        """Bindings with imports of the workspace's files put in their place."""
        followed: list[Place] = []
        for one in found:
            if one.node.type not in _IMPORTS:
                followed.append(one)
                continue
            source = one.child("name")
            module = module_of(one)
            target = None if one.path is None else self._files(one.path, module)
            wanted = "default" if one.node.type == "import_clause" else name if source is None else source.text
            followed.extend([one] if target is None else exported(Place(target, target.root), wanted))
        return followed

    def _namespace(self, one: Place) -> Shape | None:
        """All that a module of the workspace exports by name; its other exports are not followed."""
        target = None if one.path is None else self._files(one.path, module_of(one))
        if target is None:
            return None
        names: dict[str, NameKind] = {}
        for node in target.root.named_children:
            if node.type == "export_statement":
                for declared in node.named_children:
                    named = declared.child_by_field_name("name")
                    if named is not None:
                        kind = NameKind.FUNCTION if declared.type == "function_declaration" else NameKind.VARIABLE
                        names[target.text(named)] = kind
                    names.update(dict.fromkeys(declared_names(target, declared), NameKind.CONSTANT))
        return Shape(names) if names else None


def _is_declared(use: Place) -> bool:
    """Whether anything around declares a name, patterns and loops among it: then it is not the language's."""
    return use.text in names_at(use.syntax, use.syntax.start(use.node))
