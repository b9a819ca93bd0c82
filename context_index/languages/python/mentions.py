"""The forms in which Python says names, and how it reaches them as a program runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from context_index.declarations import all_strings, identifiers
from context_index.languages.python import PYTHON
from context_index.mentions import MentionForm, MentionRules, mentions
from context_index.syntax import Node, ancestors, nodes_of

_FUNCTIONS = frozenset({"function_definition", "lambda"})
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_SCOPES = _FUNCTIONS | _COMPREHENSIONS | {"class_definition"}
_EXPORTS = "__all__"
_LAZY = "__getattr__"
_MODULE_REFLECTION = PYTHON.module_words - {_LAZY}
"""How Python finds modules, and their names, as the program runs (Python Library Reference)."""


class PythonMentions(MentionRules):
    """See `MentionRules`."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_definition"})
    NESTS_CLASSES: ClassVar[bool] = True
    FUNCTIONS: ClassVar[frozenset[str]] = _FUNCTIONS
    REFLECTION: ClassVar[frozenset[str]] = frozenset({"locals", "vars", "dir", "eval", "exec"})
    """Python Library Reference, Built-in Functions."""

    def form(self, node: Node) -> MentionForm:
        """See `MentionRules`."""
        parent = node.parent
        if parent is None:
            return MentionForm.NAME
        match parent.type:
            case "attribute" if parent.child_by_field_name("attribute") == node:
                return MentionForm.MEMBER
            case "keyword_argument" if parent.child_by_field_name("name") == node:
                return MentionForm.KEYWORD
            case "keyword_pattern" if parent.named_child(0) == node:
                return MentionForm.PATTERN
        scope = _scope(node)
        is_declared = scope is not None and scope.type == "class_definition" and _is_declared(node)
        return MentionForm.MEMBER if is_declared else MentionForm.NAME

    def is_exported(self, content: Node) -> bool:
        """Whether a string is one of those that its module's `__all__` is put together of."""
        inner = content
        for around in ancestors(content):
            match around.type:
                case "assignment" | "augmented_assignment":
                    left = around.child_by_field_name("left")
                    return left is not None and left != inner and self.syntax.text(left) == _EXPORTS
                case "call":
                    called = around.child_by_field_name("function")
                    receiver = None if called is None else called.child_by_field_name("object")
                    if receiver is not None and self.syntax.text(receiver) == _EXPORTS:
                        return True
                case (
                    "function_definition" | "class_definition" | "subscript" | "comparison_operator" | "lambda" | "pair"
                ):
                    return False
            inner = around
        return False

    def is_key(self, offset: int) -> bool:
        """The key of a pair in a dictionary (`{"name": 1}`), or of an item that is assigned (`options["name"] = 1`)."""
        inner = self.node(offset)
        for around in ancestors(inner):
            if around.type == "pair":
                return around.child_by_field_name("key") == inner
            if around.type == "subscript":
                holder = around.parent
                return holder is not None and holder.child_by_field_name("left") == around
            if "string" not in around.type:
                return False
            inner = around
        return False

    def _name_given(self, holder: Node) -> Node | None:
        return holder.child_by_field_name("left") if holder.type == "assignment" else None

    def _is_receiver(self, node: Node) -> bool:
        parent = node.parent
        return parent is not None and parent.type == "attribute" and parent.child_by_field_name("object") == node

    def enclosing_class(self, offset: int) -> Node | None:
        """See `MentionRules`; an attribute that a method assigns is declared in the method's class."""
        node = self.node(offset)
        parent = node.parent
        if parent is not None and parent.type == "attribute":
            return next((one for one in ancestors(parent) if one.type == "class_definition"), None)
        scope = _scope(node)
        is_declared = scope is not None and scope.type == "class_definition" and _is_declared(node)
        return scope if is_declared else None

    def is_field(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        is_assigned = node.parent is not None and node.parent.type == "assignment"
        return is_assigned and self.enclosing_class(offset) is not None

    def is_protocol(self, of_class: Node) -> bool:
        """See `MentionRules` (PEP 544)."""
        bases = of_class.child_by_field_name("superclasses")
        said = () if bases is None else identifiers(self.syntax, self.syntax.span(bases))
        return any(self.syntax.text(one) == "Protocol" for one in said)

    def is_mangled(self, name: str) -> bool:
        """See `MentionRules` (Language Reference, 6.2.1)."""
        return name.startswith("__") and not name.endswith("__")

    def mangled(self, of_class: str) -> Iterator[tuple[int, str]]:
        """See `MentionRules`."""
        stem = of_class.lstrip("_")
        if not stem:
            return
        for node in (*identifiers(self.syntax), *all_strings(self.syntax)):
            said = self.syntax.text(node).rpartition(".")[2]
            if said.startswith(f"_{stem}__") and self.is_mangled(said[1 + len(stem) :]):
                yield self.syntax.end(node) - len(said) + 1, said[1 + len(stem) :]

    def assigned_name(self, offset: int) -> int:
        """See `MentionRules`."""
        around = ancestors(self.node(offset))
        attribute = next((one for one in around if one.type == "attribute" and self.syntax.start(one) == offset), None)
        name = None if attribute is None else attribute.child_by_field_name("attribute")
        return offset if name is None else self.syntax.start(name)

    def pattern_class(self, offset: int) -> str:
        """See `MentionRules`."""
        around = ancestors(self.node(offset))
        pattern = next((one for one in around if one.type == "class_pattern"), None)
        named = None if pattern is None else pattern.named_child(0)
        return "" if named is None else self.syntax.text(named)

    def is_of_module(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        return self.form(node) is MentionForm.NAME and _scope(node) is None

    def imported_from(self, name: str, offset: int) -> Iterator[int]:
        """See `MentionRules`."""
        statements = list(nodes_of(self.syntax, "import_from_statement"))
        around = [one for one in statements if self.syntax.start(one) <= offset < self.syntax.end(one)]
        for statement in around or statements:
            module = statement.child_by_field_name("module_name")
            for imported in statement.children_by_field_name("name"):
                said = [imported.child_by_field_name("alias"), imported.child_by_field_name("name"), imported]
                if module is not None and any(one is not None and self.syntax.text(one) == name for one in said):
                    yield (
                        self.syntax.end(module) - 1
                    )  # in the last part of `shop.cart`: a place before it is in the package

    def parameter_function(self, offset: int) -> tuple[int, str] | None:
        """See `MentionRules`."""
        node = self.node(offset)
        inner = node
        for around in ancestors(node):
            if around.type in ("parameters", "lambda_parameters"):
                function = around.parent
                name = None if function is None else function.child_by_field_name("name")
                return (
                    (self.syntax.start(node), "") if name is None else (self.syntax.start(name), self.syntax.text(name))
                )
            if around.child_by_field_name("type") == inner or around.child_by_field_name("value") == inner:
                return None
            inner = around
        return None

    def parameters_named(self, function: int, name: str) -> Iterator[int]:
        """See `MentionRules`."""
        definition = self.node(function).parent
        parameters = None if definition is None else definition.child_by_field_name("parameters")
        if parameters is None:
            return
        for mention in mentions(self.syntax, name):
            is_within = self.syntax.start(parameters) <= mention.start < self.syntax.end(parameters)
            if is_within and (declared := self.parameter_function(mention.start)) and declared[0] == function:
                yield mention.start

    def calls_with_mapping(self, function: str) -> Iterator[int]:
        """See `MentionRules`."""
        for node in nodes_of(self.syntax, "dictionary_splat"):
            call = None if node.parent is None or node.parent.type != "argument_list" else node.parent.parent
            called = _called(call)
            if called is not None and self.syntax.text(called) == function:
                yield self.syntax.start(node)

    def is_passed_on(self, function: str) -> bool:
        """See `MentionRules`."""
        for node in identifiers(self.syntax):
            if self.syntax.text(node) != function:
                continue
            said, parent = node, node.parent
            if parent is not None and parent.type == "attribute":
                if parent.child_by_field_name("attribute") != node:
                    return True  # `total.apply`: a decorator's members may call it
                said, parent = parent, parent.parent  # `shop.total` is what may be called or handed on
            is_named = parent is not None and said in (
                parent.child_by_field_name("function"),
                parent.child_by_field_name("name"),
            )
            is_imported = any("import" in one.type for one in ancestors(node))
            if not is_named and not is_imported:
                return True
        return False

    def keyword_call(self, offset: int) -> tuple[int, frozenset[str]] | None:
        """See `MentionRules`."""
        call = next((one for one in ancestors(self.node(offset)) if one.type == "call"), None)
        called = _called(call)
        arguments = None if call is None else call.child_by_field_name("arguments")
        if called is None or arguments is None:
            return None
        return self.syntax.start(called), frozenset(
            map(self.syntax.text, identifiers(self.syntax, self.syntax.span(arguments)))
        )

    def _finds_modules(self) -> bool:
        names = (self.syntax.text(node) for node in identifiers(self.syntax))
        defined = (
            one.child_by_field_name("name") for one in self.syntax.top_level if one.type == "function_definition"
        )
        lazily = any(name is not None and self.syntax.text(name) == _LAZY for name in defined)
        return lazily or any(name in _MODULE_REFLECTION for name in names)

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The places, outside of imports, of names that imports bind to modules, and of the modules' own as `a.b`."""
        bound, dotted = set[str](), set[str]()
        for kind in ("import_statement", "import_from_statement"):
            for statement in nodes_of(self.syntax, kind):
                for name in statement.children_by_field_name("name"):
                    alias = name.child_by_field_name("alias")
                    parts = self.syntax.text(name.child_by_field_name("name") or name).split(".")
                    if parts[-1] not in modules:
                        continue
                    if alias is not None:
                        bound.add(self.syntax.text(alias))
                    elif len(parts) > 1:
                        dotted.add(parts[-1])  # `import shop.cart` binds `shop`, and says `shop.cart`
                    else:
                        bound.add(parts[-1])
        for node in identifiers(self.syntax):
            is_imported = any("import" in one.type for one in ancestors(node))
            is_member = node.parent is not None and node.parent.child_by_field_name("attribute") == node
            if not is_imported and self.syntax.text(node) in (dotted if is_member else bound):
                yield node

    def _asks_member(self, node: Node) -> bool:
        """The same for the dotted name that it ends."""
        parent = node.parent
        is_last = parent is not None and parent.type == "attribute" and parent.child_by_field_name("attribute") == node
        return self._is_receiver(parent if is_last and parent is not None else node)


RULES = PythonMentions


def _scope(node: Node) -> Node | None:
    """The function, class or comprehension to whose names a name belongs; None for the module."""
    inner = node
    for around in ancestors(node):
        is_own_name = around.child_by_field_name("name") == inner
        if around.type in _SCOPES and not is_own_name:
            is_head = around.type == "class_definition" and around.child_by_field_name("body") != inner
            is_returned = around.type == "function_definition" and inner.type == "type"
            if not is_head and not is_returned:  # bases and the returned type are names of the scope outside
                return around
        inner = around
    return None


def _is_declared(node: Node) -> bool:
    """Whether a name is one that its statement defines or assigns."""
    inner = node
    for around in ancestors(node):
        if around.type in ("function_definition", "class_definition"):
            return around.child_by_field_name("name") == inner
        if around.type == "assignment":
            return around.child_by_field_name("left") == inner
        if around.type not in ("pattern_list", "tuple_pattern", "list_pattern"):
            return False
        inner = around
    return False


def _called(call: Node | None) -> Node | None:
    """The last name of what a Python call calls."""
    called = None if call is None or call.type != "call" else call.child_by_field_name("function")
    if called is not None and called.type == "attribute":
        called = called.child_by_field_name("attribute")
    return called if called is not None and called.type == "identifier" else None
