"""What a rename asks about the names in a text of JavaScript or TypeScript: forms, classes, exports, modules as values.

`MentionRules` documents each question; the docstrings here say only what these languages add.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.mentions import MentionForm, MentionRules, Read, ReadForm
from context_index.syntax import Node, ancestors, nodes_of

_IMPORTING = ("require", "import")
"""The functions that take a module's name, as TypeScript reads them."""
_SPECIFIERS = frozenset({"export_specifier", "import_specifier"})
_PATTERNS = frozenset({
    "array_pattern", "assignment_pattern", "object_assignment_pattern", "object_pattern", "pair_pattern",
})  # fmt: skip
_ASSIGNING = frozenset({"assignment_expression", "for_in_statement"})
"""What assigns to the pattern on its left; a loop with `const` or `let` declares."""


_READERS = {
    path: form
    for form, paths in {
        ReadForm.MEMBERS: ("JSON.stringify",),
        ReadForm.LISTED: ("Object.keys", "Object.entries", "Object.getOwnPropertyNames", "Reflect.ownKeys"),
        ReadForm.KEYS: (
            "Object.hasOwn", "Reflect.get", "Reflect.set", "Reflect.has", "Object.prototype.hasOwnProperty",
        ),
        ReadForm.CODE: ("eval",),
    }.items()
    for path in paths
}  # fmt: skip
"""See `MentionRules.READERS` (ECMA-262, 19, 20, 25, 28)."""
_OF_VALUES = ".prototype."
"""In the path of a function: it is a member of values."""
_LITERAL_KEYS = frozenset({"string", "number", "private_property_identifier"})
_LAST_PARTS = {
    "arguments": "", "as_expression": "", "await_expression": "", "call_expression": "function",
    "member_expression": "property", "new_expression": "constructor", "non_null_expression": "",
    "parenthesized_expression": "", "satisfies_expression": "",
}  # fmt: skip
"""The field of a value with the name that is said last; empty for the first child."""
_FIELDS = frozenset({"field_definition", "pair", "property_signature", "public_field_definition"})
_DECORATOR = "decorator"
_READING = ("subscript_expression", "for_in_statement", "member_expression", "binary_expression")


class EcmascriptMentions(MentionRules):
    """See `MentionRules`."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_declaration", "abstract_class_declaration", "class"})
    FUNCTIONS: ClassVar[frozenset[str]] = frozenset({
        "function_declaration", "function_expression", "arrow_function", "method_definition", "statement_block",
    })  # fmt: skip
    READERS: ClassVar[Mapping[str, ReadForm]] = MappingProxyType(_READERS)
    COPIERS: ClassVar[frozenset[str]] = frozenset({"Object.assign", "Object.defineProperties"})
    """ECMA-262, 20.1.2."""

    def form(self, node: Node) -> MentionForm:
        """See `MentionRules`."""
        match node.type:
            case "property_identifier" | "private_property_identifier":
                return MentionForm.MEMBER
            case "shorthand_property_identifier":
                return MentionForm.NAME if _is_exported_by_commonjs(node) else MentionForm.SHORTHAND
            case "shorthand_property_identifier_pattern":
                return MentionForm.SHORTHAND_PATTERN
            case "statement_identifier":
                return MentionForm.LABEL
        return MentionForm.NAME

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
        """See `MentionRules`."""
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

    def _name_given(self, holder: Node) -> Node | None:
        return holder.child_by_field_name("name") if holder.type == "variable_declarator" else None

    def _is_receiver(self, node: Node) -> bool:
        access = node.parent
        is_access = access is not None and access.type == "member_expression"
        return is_access and access is not None and access.child_by_field_name("object") == node

    def enclosing_class(self, offset: int) -> Node | None:
        """See `MentionRules`."""
        declaration = self.node(offset).parent
        body = None if declaration is None else declaration.parent
        return body.parent if body is not None and body.type == "class_body" else None

    def class_of_private(self, offset: int) -> Node | None:
        """See `MentionRules` (ECMA-262, 15.7.1: the innermost class around that declares the name)."""
        private = self.syntax.text(self.node(offset))
        for around in ancestors(self.node(offset)):
            members = around.named_children if around.type == "class_body" else ()
            names = (member.child_by_field_name("name") or member.child_by_field_name("property") for member in members)
            if any(name is not None and self.syntax.text(name) == private for name in names):
                return around
        return None

    def bases(self, of_class: Node) -> Iterator[int]:
        """See `MentionRules`."""
        for heritage in of_class.named_children:
            if heritage.type in ("class_heritage", "extends_type_clause"):
                for name in identifiers(self.syntax, self.syntax.span(heritage)):
                    yield self.syntax.start(name)

    def fields(self, declaration: Node) -> Iterator[int]:
        """See `MentionRules`."""
        body = declaration.child_by_field_name("body") or declaration
        for member in body.named_children:
            name = next(filter(None, map(member.child_by_field_name, ("name", "property", "key"))), None)
            if name is not None and member.type in _FIELDS:
                yield self.syntax.start(name)

    def name_getters(self, offset: int) -> Iterator[int]:
        """See `MentionRules`; each decorator of a member gets its name, in TypeScript's older form as well."""
        member = self.node(offset).parent
        if member is None or self.enclosing_class(offset) is None:
            return
        before, decorators = member.prev_named_sibling, [child for child in member.children if child.type == _DECORATOR]
        while before is not None and before.type == _DECORATOR:
            decorators.append(before)
            before = before.prev_named_sibling
        yield from map(self.syntax.start, decorators)

    def is_optional(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset).next_sibling
        return node is not None and node.type == "?"

    def is_of_module(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        declaration = node.parent
        if declaration is not None and (declaration.type in _SPECIFIERS or _is_exported_by_commonjs(node)):
            return True
        if declaration is None or declaration.child_by_field_name("name") != node:
            return False
        holder = declaration.parent
        if declaration.type == "variable_declarator":  # in a `const` or `let`
            holder = None if holder is None else holder.parent
        if holder is not None and holder.type == "ambient_declaration":
            holder = holder.parent
        return holder is not None and holder.type == "export_statement"

    def module_of_import(self, offset: int) -> int | None:
        """See `MentionRules`."""
        node = self.node(offset)
        specifier = node.parent
        if specifier is None or specifier.type not in _SPECIFIERS or specifier.child_by_field_name("name") != node:
            return None
        statement = next((around for around in ancestors(specifier) if around.type.endswith("_statement")), None)
        source = None if statement is None else statement.child_by_field_name("source")
        if source is None or self.syntax.text(source)[1:2] == ".":
            return None
        return self.syntax.start(source) + 1

    def star_exports(self) -> Iterator[str]:
        """See `MentionRules`."""
        for statement in nodes_of(self.syntax, "export_statement"):
            source = statement.child_by_field_name("source")
            if source is not None and any(child.type == "*" for child in statement.children):
                yield self.syntax.text(source).strip("'\"")

    def is_declared_at_top(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        declaration = node.parent
        if declaration is None or declaration.child_by_field_name("name") != node:
            return False
        if declaration.type == "variable_declarator":
            declaration = declaration.parent
        return declaration is not None and declaration.parent == self.syntax.root

    def is_type(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        parent = node.parent
        return node.type == "type_identifier" and (parent is None or parent.type not in self.CLASSES)

    def copies_members(self, library: Mapping[int, str]) -> bool:
        """See `MentionRules`; what is handed on counts as well, and what gets its members in a literal does not."""
        calls = (self.called.get(offset) for offset, path in library.items() if path in self.COPIERS)
        items = nodes_of(self.syntax, "subscript_expression")
        return any(call is None or not _is_to_literal(call) for call in calls) or any(
            map(_is_computed_member_of_this, items)
        )

    def library_probe(self, path: str) -> tuple[str, str]:
        """See `MentionRules`; what a file calls `JSON` is not the global one."""
        receiver, dot, name = path.rpartition(".")
        return f";globalThis.{receiver}{dot}", name

    def _spelled_path(self, node: Node, path: str) -> str | None:
        """See `MentionRules`; a function of values has its name after any value."""
        return path if _OF_VALUES in path or self.syntax.text(self._access(node)) == path else ""

    @cached_property
    def called(self) -> Mapping[int, Node]:
        """See `MentionRules`."""
        calls = ((call, call.child_by_field_name("function")) for call in nodes_of(self.syntax, "call_expression"))
        functions = ((call, function) for call, function in calls if function is not None)
        named = ((call, function.child_by_field_name("property") or function) for call, function in functions)
        return {self.syntax.start(name): call for call, name in named if name.type.endswith("identifier")}

    def _access(self, name: Node) -> Node:
        """The expression whose last name a node is: `cart.total` for `total`; else the node."""
        holder = name.parent
        return name if holder is None or holder.child_by_field_name("property") != name else holder

    def reads(self, library: Mapping[int, str]) -> Iterator[Read]:
        """See `MentionRules`."""
        for node in nodes_of(self.syntax, *_READING):
            value, form = _read_by(node)
            if value is not None:
                yield self._read(node, form, value)
        for offset, path in library.items():
            if path in self.COPIERS:
                continue
            call = self.called.get(offset)
            if call is None:
                getter = self.getter_of(self._access(self.node(offset)))
                read = None if getter is None else self._read(getter, ReadForm.MEMBERS, getter)
            else:
                read = self._read_by_call(call, path)
            if read is not None:
                yield read

    def _read_by_call(self, call: Node, path: str) -> Read | None:
        """What a call of one of `READERS` reads of names; None if it reads none."""
        form = _READERS[path]
        if form is ReadForm.CODE:
            return Read(self.syntax.start(call), form)
        function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or given is None:
            return None
        value = function.child_by_field_name("object") if _OF_VALUES in path else given
        key = next(iter(given.named_children[_OF_VALUES not in path :]), None)
        is_written = form is ReadForm.KEYS and key is not None and key.type in _LITERAL_KEYS
        return None if value is None or is_written else self._read(call, form, value)

    def _read(self, at: Node, form: ReadForm, value: Node) -> Read:
        start = self.syntax.start(at)
        if form in (ReadForm.KEYS, ReadForm.LISTED):
            last = _last_name(value)
            return Read(start, form, () if last is None else (self.syntax.start(last),))
        nodes = [*identifiers(self.syntax, self.syntax.span(value)), *nodes_of(self.syntax, "this", within=value)]
        metas = nodes_of(self.syntax, "meta_property", within=value)
        names = (*map(self.syntax.start, nodes), *(self.syntax.end(node) - len("target") for node in metas))
        if form is ReadForm.NAME:
            return Read(start, form, names, member=self.syntax.end(at) - len("name"))
        given = value.named_children[0] if value.named_child_count else None
        is_name = given is not None and given.type == "identifier"
        return Read(start, form, names, untyped=self.syntax.start(given) if given is not None and is_name else None)

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """See `MentionRules`: names that are bound to all of a module, and imports whose specifier is computed."""
        bound = {
            self.syntax.text(name)
            for clause in nodes_of(self.syntax, "namespace_import")
            for name in clause.named_children
        }
        for call, specifier in self._imports():
            if specifier is None or specifier.type != "string":
                yield call
            elif self._is_path_of(specifier, {*modules, ""}):
                name = _bound_to(call)
                if name is None:
                    yield call
                elif name.type == "identifier":
                    bound.add(self.syntax.text(name))
        yield from self._paths_for_others(modules)
        for node in identifiers(self.syntax):
            is_declared_here = node.parent is not None and (
                node.parent.type == "namespace_import" or node.parent.child_by_field_name("name") == node
            )
            if node.type == "identifier" and self.syntax.text(node) in bound and not is_declared_here:
                yield node

    def _imports(self) -> Iterator[tuple[Node, Node | None]]:
        """The calls that import a module as TypeScript reads them, each with what says which one."""
        for call in nodes_of(self.syntax, "call_expression"):
            function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if function is not None and arguments is not None and self.syntax.text(function) in _IMPORTING:
                yield call, next(iter(arguments.named_children), None)

    def _paths_for_others(self, modules: Collection[str]) -> Iterator[Node]:
        """The strings with a path of one of some modules that are for other functions: one of them may import it."""
        specifiers = [specifier for _, specifier in self._imports()]
        for string in nodes_of(self.syntax, "string"):
            is_source = string.parent is not None and string.parent.child_by_field_name("source") == string
            is_path = "/" in self.syntax.text(string) and self._is_path_of(string, modules)
            if is_path and not is_source and string not in specifiers:
                yield string

    def _is_path_of(self, specifier: Node, modules: Collection[str]) -> bool:
        """Whether the last part of a string's path is one of some modules, with or without a suffix."""
        return self.syntax.text(specifier).strip("'\"`").rpartition("/")[2].partition(".")[0] in modules

    def _asks_member(self, node: Node) -> bool:
        """See `MentionRules`; a member may also be a string in brackets, `cart["total"]`."""
        parent = node.parent
        if parent is not None and parent.type == "subscript_expression":
            index = parent.child_by_field_name("index")
            return index is not None and index.type == "string"
        return self._is_receiver(node)


RULES = EcmascriptMentions


def _is_exported_by_commonjs(shorthand: Node) -> bool:
    """Whether a name is a shorthand in `module.exports = {name}`, which exports it as `export {name}` does."""
    if shorthand.type != "shorthand_property_identifier" or shorthand.parent is None:
        return False
    assignment = shorthand.parent.parent
    left = None if assignment is None else assignment.child_by_field_name("left")
    return left is not None and left.text == b"module.exports"


def _read_by(node: Node) -> tuple[Node | None, ReadForm]:
    """The value of which an expression or a loop reads names by other means than calls, and what; None if it does not.

    `name` is a function's own name (ECMA-262, 10.2.9).
    """
    value = node.child_by_field_name("right" if node.type == "for_in_statement" else "object")
    operator, key, member = map(node.child_by_field_name, ("operator", "index", "property"))
    match node.type:
        case "for_in_statement" if operator is not None and operator.type == "in":
            return value, ReadForm.LISTED
        case "subscript_expression" if key is not None and key.type not in _LITERAL_KEYS:
            return value, ReadForm.KEYS
        case "binary_expression" if operator is not None and operator.type == "in":
            left = node.child_by_field_name("left")
            is_written = left is None or left.type in _LITERAL_KEYS
            return (None if is_written else node.child_by_field_name("right")), ReadForm.KEYS
        case "member_expression" if member is not None and member.text == b"name":
            return value, ReadForm.NAME
    return None, ReadForm.NAME


def _last_name(value: Node) -> Node | None:
    """The name by which a checker can be asked for the type of a value: `cart` of `shop.cart`; None without a name."""
    node: Node | None = value
    while node is not None and node.type in _LAST_PARTS:
        field = _LAST_PARTS[node.type]
        node = node.child_by_field_name(field) if field else next(iter(node.named_children), None)
    is_name = node is not None and (node.type == "this" or node.type.endswith("identifier"))
    return node if is_name else None


def _bound_to(call: Node) -> Node | None:
    """What gets the module that a call imports: a declared name or pattern, the member after its dot, or a statement.

    None if it is any other expression, which may hand the module on.
    """
    function = call.child_by_field_name("function")
    value, is_promise = call, function is not None and function.type == "import"
    for around in ancestors(call):
        if around.type not in ("await_expression", "parenthesized_expression"):
            break
        value, is_promise = around, is_promise and around.type != "await_expression"
    holder = value.parent
    if holder is None or holder.type == "expression_statement":
        return holder
    if holder.type == "member_expression":
        return _parameter_of_callback(holder) if is_promise else holder.child_by_field_name("property")
    return holder.child_by_field_name("name") if holder.type == "variable_declarator" else None


def _parameter_of_callback(method: Node) -> Node | None:
    """The first parameter of the function that is the first argument of a call: of `then((cart) => ...)`."""
    arguments = None if method.parent is None else method.parent.child_by_field_name("arguments")
    function = None if arguments is None else next(iter(arguments.named_children), None)
    parameters = None if function is None else function.child_by_field_name("parameters")
    if parameters is None:
        return None if function is None else function.child_by_field_name("parameter")
    first = next(iter(parameters.named_children), None)
    return first if first is None else first.child_by_field_name("pattern") or first


def _is_to_literal(call: Node) -> bool:
    """Whether the first argument of a call is a literal: `Object.assign({}, cart)` changes no object that there was."""
    arguments = call.child_by_field_name("arguments")
    target = None if arguments is None else next(iter(arguments.named_children), None)
    return target is not None and target.type == "object"


def _is_computed_member_of_this(item: Node) -> bool:
    """Whether an item is assigned as `this[key] = ...` with a key that is no literal."""
    holder, index, receiver = item.parent, item.child_by_field_name("index"), item.child_by_field_name("object")
    if holder is None or holder.child_by_field_name("left") != item or index is None:
        return False
    return index.type not in ("string", "number") and receiver is not None and receiver.type == "this"
