"""What a rename asks about the names in a text of JavaScript or TypeScript: forms, classes, exports, modules as values.

`MentionRules` documents each question; the docstrings here say only what these languages add.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.mentions import MentionForm, MentionRules
from context_index.syntax import Node, ancestors, nodes_of

_SPECIFIERS = frozenset({"export_specifier", "import_specifier"})


class EcmascriptMentions(MentionRules):
    """See `MentionRules`."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_declaration", "abstract_class_declaration", "class"})
    FUNCTIONS: ClassVar[frozenset[str]] = frozenset({
        "function_declaration", "function_expression", "arrow_function", "method_definition", "statement_block",
    })  # fmt: skip
    REFLECTION: ClassVar[frozenset[str]] = frozenset({"eval"})
    """ECMA-262, 19.2.1.1."""

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

    def copies_members(self) -> bool:
        """See `MentionRules`."""
        calls = nodes_of(self.syntax, "call_expression")
        items = nodes_of(self.syntax, "subscript_expression")
        return any(map(_is_assign_call, calls)) or any(map(_is_computed_member_of_this, items))

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """See `MentionRules`: names that are bound to all of a module, and imports whose specifier is computed."""
        bound = set[str]()
        for clause in nodes_of(self.syntax, "namespace_import"):
            bound |= {self.syntax.text(name) for name in clause.named_children}
        for call in nodes_of(self.syntax, "call_expression"):
            function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if function is None or arguments is None or self.syntax.text(function) not in ("require", "import"):
                continue
            specifier = next(iter(arguments.named_children), None)
            if specifier is None or specifier.type != "string":
                yield call
            elif self.syntax.text(specifier).strip("'\"`").rpartition("/")[2].partition(".")[0] in {*modules, ""}:
                holder = next((around for around in ancestors(call) if around.type != "await_expression"), None)
                name = None if holder is None else holder.child_by_field_name("name")
                if name is not None and name.type == "identifier":
                    bound.add(self.syntax.text(name))
        for node in identifiers(self.syntax):
            is_declared_here = node.parent is not None and (
                node.parent.type == "namespace_import" or node.parent.child_by_field_name("name") == node
            )
            if node.type == "identifier" and self.syntax.text(node) in bound and not is_declared_here:
                yield node

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


def _is_assign_call(call: Node) -> bool:
    """Whether a call gives an existing object members: `Object.assign(target, ...)`, without a literal as target."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    target = next(iter(arguments.named_children), None) if arguments is not None else None
    is_assign = function is not None and function.text == b"Object.assign"
    return is_assign and target is not None and target.type != "object"


def _is_computed_member_of_this(item: Node) -> bool:
    """Whether an item is assigned as `this[key] = ...` with a key that is no literal."""
    holder, index, receiver = item.parent, item.child_by_field_name("index"), item.child_by_field_name("object")
    if holder is None or holder.child_by_field_name("left") != item or index is None:
        return False
    return index.type not in ("string", "number") and receiver is not None and receiver.type == "this"
