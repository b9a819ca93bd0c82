"""What a rename asks about the names in a text of JavaScript or TypeScript: forms, classes, and what others can reach.

`loaded_modules` answers about imports, `name_reads` about run time. The base class says what each question is for:
`context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.ecmascript.block_functions import functions_in_blocks
from context_index.languages.ecmascript.loaded_modules import SPECIFIERS, EcmascriptModules
from context_index.languages.ecmascript.name_reads import EcmascriptReads
from context_index.languages.ecmascript.parameters import arguments_for, name_of, parameter_at
from context_index.languages.ecmascript.patterns import pattern_names
from context_index.mentions import FunctionParameter, Hoisted, MentionForm
from context_index.syntax import Node, ancestors, parts_of
from context_index.text import Edit

_PATTERNS = frozenset({
    "array_pattern", "assignment_pattern", "object_assignment_pattern", "object_pattern", "pair_pattern",
})  # fmt: skip
_ASSIGNING = frozenset({"assignment_expression", "for_in_statement"})
"""What assigns to the pattern on its left; a loop with `const` or `let` declares."""
_TARGETED = _ASSIGNING | {"augmented_assignment_expression", "update_expression"}
_FIELDS = frozenset({"field_definition", "pair", "property_signature", "public_field_definition"})
_PROPERTIES = frozenset({
    "optional_parameter", "property_signature", "public_field_definition", "required_parameter",
})  # fmt: skip
_METHODS = frozenset({"abstract_method_signature", "method_definition", "method_signature"})
_DECORATOR = "decorator"
_ANYTHING, _NOTHING, _ANY = "unknown", "never", "any"
"""TypeScript's types that all values fit, and none; a value of the last one also fits all types."""


class EcmascriptMentions(EcmascriptModules, EcmascriptReads):
    """The questions about forms and classes; both bases answer the others."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_declaration", "abstract_class_declaration", "class"})
    TYPE_VARIABLES: ClassVar[frozenset[str]] = frozenset({"type_parameter"})
    LOCAL_SCOPES: ClassVar[frozenset[str]] = frozenset({
        "function_declaration", "function_expression", "arrow_function", "method_definition", "statement_block",
    })  # fmt: skip

    def plain_spelling(self, identifier: str) -> str:
        r"""The name without its escapes, four digits or digits in braces (ECMA-262, 12.7.1): `sum` of `\u0073um`."""
        plain, *escaped = identifier.split("\\u")
        try:
            for part in escaped:
                digits, rest = part[1:].split("}", 1) if part.startswith("{") else (part[:4], part[4:])
                plain += chr(int(digits, 16)) + rest
        except (ValueError, OverflowError):  # unfinished
            return identifier
        return plain

    def form(self, node: Node) -> MentionForm:
        """The form by the type of the node: `total` is a member in `cart.total`, a shorthand in `{ total }`."""
        match node.type:
            case "property_identifier" | "private_property_identifier":
                return MentionForm.MEMBER
            case "shorthand_property_identifier":
                return MentionForm.NAME if _is_exported_by_commonjs(node) else MentionForm.SHORTHAND
            case "shorthand_property_identifier_pattern":
                return MentionForm.SHORTHAND_PATTERN
            case "statement_identifier":
                return MentionForm.LABEL
        return MentionForm.NAME if _class_of_parameter(node) is None else MentionForm.MEMBER

    def is_key(self, offset: int) -> bool:
        """Whether it is the key of a pair in an object (`{name: 1}`)."""
        inner = self.node(offset)
        for around in ancestors(inner):
            if around.type == "pair":
                return around.child_by_field_name("key") == inner
            if "string" not in around.type:
                return False
            inner = around
        return False

    def is_assigned_key(self, offset: int) -> bool:
        """Whether it is a key on the left of an assignment or a loop: `total` of `({ total: sum } = cart)`."""
        inner = self.node(offset)
        parent = inner.parent
        if parent is None or (parent.type == "pair_pattern" and parent.child_by_field_name("key") != inner):
            return False
        for around in ancestors(inner):
            if around.type not in _PATTERNS:
                is_target = around.child_by_field_name("left") == inner
                return is_target and around.type in _ASSIGNING and around.child_by_field_name("kind") is None
            inner = around
        return False

    def may_be_member(self, offset: int) -> bool:
        """Whether it is in the body of a `with`, which finds names in an object first (ECMA-262, 14.11)."""
        inner = self.node(offset)
        for around in ancestors(inner):
            if around.type == "with_statement" and around.child_by_field_name("body") == inner:
                return True
            inner = around
        return False

    def _name_given(self, holder: Node) -> Node | None:
        return holder.child_by_field_name("name") if holder.type == "variable_declarator" else None

    def _is_receiver(self, node: Node) -> bool:
        access = node.parent
        is_access = access is not None and access.type == "member_expression"
        return is_access and access is not None and access.child_by_field_name("object") == node

    def enclosing_class(self, offset: int) -> Node | None:
        """The class whose body has the declaration: `Cart` for `total` of `class Cart { total = 1 }`.

        Also for a constructor's parameter that declares a member, as in `constructor(readonly total: number) {}`.
        """
        if (of_class := _class_of_parameter(self.node(offset))) is not None:
            return of_class
        declaration = self.node(offset).parent
        body = None if declaration is None else declaration.parent
        return body.parent if body is not None and body.type == "class_body" else None

    def class_of_private(self, offset: int) -> Node | None:
        """The innermost class around that declares the name (ECMA-262, 15.7.1): for `other.#sum`, that with `#sum`."""
        private = self.syntax.text(self.node(offset))
        for around in ancestors(self.node(offset)):
            members = around.named_children if around.type == "class_body" else ()
            names = (member.child_by_field_name("name") or member.child_by_field_name("property") for member in members)
            if any(name is not None and self.syntax.text(name) == private for name in names):
                return around
        return None

    def bases(self, of_class: Node) -> Iterator[int]:
        """Every name in the heritage: `shop` and `Cart` of `class Order extends shop.Cart`."""
        for heritage in of_class.named_children:
            if heritage.type in ("class_heritage", "extends_type_clause"):
                for name in identifiers(self.syntax, self.syntax.span(heritage)):
                    yield self.syntax.start(name)

    def fields(self, declaration: Node) -> Iterator[int]:
        """The names of fields of a class, an interface or an object: `total` of `interface Cart { total: number }`."""
        body = declaration.child_by_field_name("body") or declaration
        for member in body.named_children:
            name = next(filter(None, map(member.child_by_field_name, ("name", "property", "key"))), None)
            if name is not None and member.type in _FIELDS:
                yield self.syntax.start(name)

    def name_getters(self, offset: int) -> Iterator[int]:
        """Where the decorators of a member begin: `@logged` of `@logged total() {}`.

        Each gets the name, also in TypeScript's older form.
        """
        member = self.node(offset).parent
        if member is None or self.enclosing_class(offset) is None:
            return
        before, decorators = member.prev_named_sibling, [child for child in member.children if child.type == _DECORATOR]
        while before is not None and before.type == _DECORATOR:
            decorators.append(before)
            before = before.prev_named_sibling
        yield from map(self.syntax.start, decorators)

    def is_optional(self, offset: int) -> bool:
        """Whether a `?` follows the name: `total` of `interface Cart { total?: number }`."""
        node = self.node(offset).next_sibling
        return node is not None and node.type == "?"

    def fitting_nothing(self, offset: int) -> Iterator[Edit]:
        """An `unknown` value, or a method that needs a value of type `never`, which there is none of.

        JavaScript's methods stay, as only a comment before a value can say of which type that is.
        """
        name = self.node(offset)
        if name.type == "shorthand_property_identifier":  # its value is a variable's
            yield from () if self._is_typed else self._fitting_anything(_siblings(name))
            for given in self.values_of(name):
                yield from self._taken_for(given, _ANYTHING)
            return
        declaration = name.parent
        parameters = declaration and declaration.child_by_field_name("parameters")
        value = _value_given(name)
        is_of_literal = declaration is not None and declaration.type == "pair"
        if value is not None and (is_of_literal or not self._is_typed):
            yield from self._taken_for(value, _ANYTHING)
            if declaration is not None and is_of_literal and not self._is_typed:
                yield from self._fitting_anything(_siblings(declaration))
        elif declaration is None or not self._is_typed:
            return
        elif declaration.type in _PROPERTIES:
            yield self._retyped(name, declaration.child_by_field_name("type"), _ANYTHING)
        elif declaration.type in _METHODS and parameters is not None:
            kinds = {child.type for child in declaration.children}
            start = self.syntax.start(parameters) + 1
            if "get" in kinds:
                yield self._retyped(parameters, declaration.child_by_field_name("return_type"), _ANYTHING)
            elif "set" not in kinds:
                yield Edit(start, start, f"_: {_NOTHING}, " if parameters.named_child_count else f"_: {_NOTHING}")

    def fitted_by_nothing(self, offset: int) -> Iterator[Edit]:
        """A member of type `never`, if an interface, a literal type or a field declares it."""
        name = self.node(offset)
        declaration = name.parent
        if declaration is None or not self._is_typed:
            return
        if declaration.type in _PROPERTIES:
            yield self._retyped(name, declaration.child_by_field_name("type"), _NOTHING)
        elif declaration.type == "method_signature" and not self.syntax.text(declaration).startswith(("get ", "set ")):
            start = self._end_of_name(name)
            yield Edit(start, self.syntax.end(declaration), f": {_NOTHING}")

    def _fitting_anything(self, parts: Iterable[Node]) -> Iterator[Edit]:
        """The edits after which values of a literal's parts fit all types: what is refused of them hides the rest."""
        for part in parts:
            end, value = self.syntax.end(part), part.child_by_field_name("value")
            if part.type == "shorthand_property_identifier":
                yield Edit(end, end, f": /** @type {{{_ANY}}} */ ({self.syntax.text(part)})")
            elif value is not None:
                yield from self._taken_for(value, _ANY)

    def _taken_for(self, value: Node, of_type: str) -> Iterator[Edit]:
        """The edits after which the checker takes a value for one of a type."""
        start, end = self.syntax.span(value)
        before, after = ("(", f" as {of_type})") if self._is_typed else (f"/** @type {{{of_type}}} */ (", ")")
        yield from (Edit(start, start, before), Edit(end, end, after))

    @property
    def _is_typed(self) -> bool:
        return not self.syntax.language.record.is_checked_on_request

    def _retyped(self, after: Node, annotation: Node | None, of_type: str) -> Edit:
        """The edit that gives what a node ends the name or the parameters of another type."""
        start = self._end_of_name(after) if annotation is None else self.syntax.start(annotation)
        return Edit(start, start if annotation is None else self.syntax.end(annotation), f": {of_type}")

    def _end_of_name(self, name: Node) -> int:
        """The offset after a name and the `?` or `!` that follows it."""
        sign = name.next_sibling
        return self.syntax.end(sign if sign is not None and sign.type in ("?", "!") else name)

    def is_of_module(self, offset: int) -> bool:
        """Whether it is exported or in the braces of an import: `total` of `export const total = 1`."""
        node = self.node(offset)
        if node.parent is not None and (node.parent.type in SPECIFIERS or _is_exported_by_commonjs(node)):
            return True
        declaration = _declaration_of(node)
        holder = None if declaration is None else declaration.parent
        if holder is not None and holder.type == "ambient_declaration":
            holder = holder.parent
        return holder is not None and holder.type == "export_statement" and not _is_default(holder)

    def is_declared_at_top(self, offset: int) -> bool:
        """Whether the declaration is a statement of the file: `total` of `let {total} = row`, not in a block."""
        declaration = _declaration_of(self.node(offset))
        return declaration is not None and declaration.parent == self.syntax.root

    def hoisted(self, name: str) -> Iterator[Hoisted]:
        """`total` of `{ function total() {} }`; none in TypeScript, which makes its scripts strict."""
        yield from () if self._is_typed else functions_in_blocks(self.syntax, name)

    def parameter(self, offset: int) -> FunctionParameter | None:
        """`cart` of `function total(cart) {}`, or of a function that is the value of a `const`."""
        return parameter_at(self.syntax, self.node(offset))

    def arguments_for(self, call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
        """By its position; not what is spread."""
        return arguments_for(call, parameter)

    def parameters_of(self, function: Node) -> Sequence[Node]:
        """Those of its list, or the only one of an arrow function without a list."""
        given = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
        return [] if given is None else parts_of(given) if given.type == "formal_parameters" else [given]

    def arguments(self, call: Node) -> Sequence[Node]:
        """Those in the brackets."""
        given = call.child_by_field_name("arguments")
        return [] if given is None else parts_of(given)

    def name_of_generic(self, variable: Node) -> int | None:
        """That of the function, the class or the method around its declaration."""
        holder = next((node for node in ancestors(variable) if node.type in self.LOCAL_SCOPES | self.CLASSES), None)
        if holder is None:
            return None
        name = holder.child_by_field_name("name") if holder.type in self.CLASSES else name_of(holder)
        return None if name is None else self.syntax.start(name)

    def is_only_passed_on(self, offset: int) -> bool:
        """Whether it is in an import, in the braces of an export, or all that an export or a shorthand in one says."""
        node = self.node(offset)
        holder = node.parent
        if holder is None or _is_exported_by_commonjs(node):
            return holder is not None
        return holder.type in SPECIFIERS or holder.type in ("import_clause", "namespace_import", "export_statement")

    def is_target(self, node: Node) -> bool:
        """Whether it is on the left of `=`, `+=` or a loop, or `++` changes it; a default's value is no such one."""
        inner = node
        for around in ancestors(node):
            if around.type in _TARGETED and inner in map(around.child_by_field_name, ("left", "argument")):
                return True
            if around.type not in _PATTERNS:
                return False
            inner = around
        return False

    def is_type(self, offset: int) -> bool:
        """Whether it names a type, outside of a class's declaration: `Cart` of `let cart: Cart`."""
        node = self.node(offset)
        parent = node.parent
        return node.type == "type_identifier" and (parent is None or parent.type not in self.CLASSES)


RULES = EcmascriptMentions


def _class_of_parameter(name: Node) -> Node | None:
    """The class of which a constructor's parameter declares a member, as TypeScript's modifiers let it; else None."""
    parameter = name.parent
    if parameter is None or parameter.child_by_field_name("pattern") != name:
        return None
    if not any(child.type.endswith("modifier") or child.type == "readonly" for child in parameter.children):
        return None
    return next((around for around in ancestors(parameter) if around.type in EcmascriptMentions.CLASSES), None)


def _value_given(name: Node) -> Node | None:
    """The value that a literal, a field or an assignment gives the member with a name; None if it is no such name."""
    holder = name.parent
    if holder is None or name not in map(holder.child_by_field_name, ("key", "name", "property")):
        return None
    if holder.type == "member_expression":  # `this.total = 1`
        assignment = holder.parent
        is_target = assignment is not None and assignment.child_by_field_name("left") == holder
        return assignment.child_by_field_name("right") if is_target and assignment is not None else None
    return holder.child_by_field_name("value")


def _declaration_of(name: Node) -> Node | None:
    """What declares a name, for a variable its whole `let` or `const`; None if the name is not declared there."""
    declarator = next((around for around in ancestors(name) if around.type == "variable_declarator"), None)
    pattern = None if declarator is None else declarator.child_by_field_name("name")
    if declarator is not None and pattern is not None and name in pattern_names(pattern):
        return declarator.parent
    declaration = name.parent
    return declaration if declaration is not None and declaration.child_by_field_name("name") == name else None


def _is_default(export: Node) -> bool:
    """Whether others have what an export exports by the name `default` alone."""
    return any(child.type == "default" for child in export.children)


def _siblings(part: Node) -> list[Node]:
    """The other parts of the node that a node is a part of."""
    return [] if part.parent is None else [each for each in parts_of(part.parent) if each != part]


def _is_exported_by_commonjs(shorthand: Node) -> bool:
    """Whether a name is a shorthand in `module.exports = {name}`, which exports it as `export {name}` does."""
    if shorthand.type != "shorthand_property_identifier" or shorthand.parent is None:
        return False
    assignment = shorthand.parent.parent
    left = None if assignment is None else assignment.child_by_field_name("left")
    return left is not None and left.text == b"module.exports"
