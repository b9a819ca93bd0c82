"""The forms in which JavaScript and TypeScript say names, and how they reach them as a program runs."""

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
        """The key of a pair in an object (`{name: 1}`)."""
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
        parent = node.parent
        is_dotted = parent is not None and parent.type == "member_expression"
        return is_dotted and parent is not None and parent.child_by_field_name("object") == node

    def enclosing_class(self, offset: int) -> Node | None:
        """See `MentionRules`."""
        node = self.node(offset)
        around = next((one for one in ancestors(node) if one.type == "class_body"), None)
        is_member = around is not None and (node.parent is not None and node.parent.parent == around)
        return around.parent if around is not None and is_member else None

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
        if declaration.type == "variable_declarator":
            declaration = declaration.parent
        if (
            declaration is not None
            and declaration.parent is not None
            and declaration.parent.type == "ambient_declaration"
        ):
            declaration = declaration.parent
        return (
            declaration is not None and declaration.parent is not None and declaration.parent.type == "export_statement"
        )

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
        for call in nodes_of(self.syntax, "call_expression"):
            called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            target = None if given is None else given.named_child(0)
            if (
                called is not None
                and called.text == b"Object.assign"
                and target is not None
                and target.type != "object"
            ):
                return True
        for assigned in nodes_of(self.syntax, "subscript_expression"):
            holder, receiver = assigned.parent, assigned.child_by_field_name("object")
            index = assigned.child_by_field_name("index")
            is_left = holder is not None and holder.child_by_field_name("left") == assigned
            is_literal = index is None or index.type in ("string", "number")
            if is_left and not is_literal and receiver is not None and receiver.type == "this":
                return True
        return False

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The names that stand for all exports of a module, and the calls that import what is not a literal."""
        bound = set[str]()
        for clause in nodes_of(self.syntax, "namespace_import"):
            bound |= {self.syntax.text(one) for one in clause.named_children}
        for call in nodes_of(self.syntax, "call_expression"):
            called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if called is None or given is None or self.syntax.text(called) not in ("require", "import"):
                continue
            literal = given.named_child(0)
            if literal is None or literal.type != "string":
                yield call
            elif self.syntax.text(literal).strip("'\"`").rpartition("/")[2].partition(".")[0] in {*modules, ""}:
                holder = next((one for one in ancestors(call) if one.type != "await_expression"), None)
                name = None if holder is None else holder.child_by_field_name("name")
                if name is not None and name.type == "identifier":
                    bound.add(self.syntax.text(name))
        for node in identifiers(self.syntax):
            is_bound = node.parent is not None and (
                node.parent.type == "namespace_import" or node.parent.child_by_field_name("name") == node
            )
            if node.type == "identifier" and self.syntax.text(node) in bound and not is_bound:
                yield node

    def _asks_member(self, node: Node) -> bool:
        """The same where the member is said in brackets."""
        parent = node.parent
        if parent is not None and parent.type == "subscript_expression":
            index = parent.child_by_field_name("index")
            return index is not None and index.type == "string"
        return self._is_receiver(node)


RULES = EcmascriptMentions


def _is_exported_by_commonjs(shorthand: Node) -> bool:
    """Whether a shorthand is one of `module.exports = {name}`, which gives others the name as `export {name}` does."""
    is_shorthand = shorthand.type == "shorthand_property_identifier" and shorthand.parent is not None
    assigned = shorthand.parent.parent if is_shorthand and shorthand.parent is not None else None
    left = None if assigned is None else assigned.child_by_field_name("left")
    return left is not None and left.text == b"module.exports"
