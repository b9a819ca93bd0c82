"""Finds the names that the statements, parameters and patterns of Python bind.

`scopes` beside this module calls it, and knows where the names are visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from context_index.languages.python.flow import NEVER, STRAIGHT, ControlFlow, is_in_function, own_nodes, own_statements
from context_index.scopes.binding import Binding, Scope, one_line
from context_index.scopes.flow import Flow
from context_index.scopes.statement_cache import declare_cached
from context_index.symbols import NameKind, Origin
from context_index.syntax import Node, Syntax, without_errors

_STAR_CAVEAT = "`from {} import *` may bring more names"
TARGET_GROUPS = frozenset({
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "parenthesized_expression",
    "expression_list", "list_splat", "as_pattern_target", "ERROR",
})  # fmt: skip
"""Nodes whose children are assignment targets, as in `(a, *b) = ...`; after `as` the grammar has `tuple` and `list`."""
_STATEMENT_LISTS = frozenset({"module", "block"})


class BindingWalk:
    """Declares in scopes the names that nodes bind.

    `scopes._Reader` extends the class. It calls `_bind` for a body, and `_parameters`, `_generics` and `_targets` for
    the parts of a header; `_binding` and `_name` make one binding and read one name.

    Where a name has a value is said in two parts: `ready` is the offset after which it has one, as far as the order of
    the text decides that, and 0 if it always has one; `_flow` is what branches and loops change about it. `detail` is
    what an editor shows beside the name: a signature, a type, a module.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._may_have_walrus = ":=" in syntax.document.text
        """Whether expressions are walked as well: that takes long, and few files have a walrus.

        It is asked once of the whole document, as that is quicker than asking it of each statement.
        """
        self._flow: Flow | None = None
        """Of the node that is being read; None if no branch or loop is around it."""

    def _bind(self, body: Node, scope: Scope) -> None:
        """Declare all names that the statements below a node bind in its scope."""
        if body.type not in _STATEMENT_LISTS:
            self._bind_nodes(own_nodes(body, expressions=self._may_have_walrus), scope)
            return
        # all that the names depend on, besides the statement's text: whether a `def` makes a method, whether a `return`
        # leaves a function, and whether expressions are walked
        key = f"{scope.is_class} {is_in_function(body)} {self._may_have_walrus}"
        for statement, around in own_statements(body):
            if around is STRAIGHT:  # otherwise the names depend on the branches and loops around it, too
                declare_cached(self._syntax, statement, scope, key, self._bind_statement)
            else:
                self._bind_statement(statement, scope, around)

    def _bind_statement(self, statement: Node, scope: Scope, around: ControlFlow = STRAIGHT) -> None:
        nodes = own_nodes(statement, expressions=self._may_have_walrus, within=False, around=around)
        self._bind_nodes(nodes, scope)

    def _bind_nodes(self, nodes: Iterable[tuple[Node, ControlFlow]], scope: Scope) -> None:
        for node, around in nodes:
            rule = _RULES.get(node.type)
            if rule is not None:
                self._flow = around.flow(self._syntax)
                rule(self, node, scope)
        self._flow = None

    # Rules for the types of nodes in `_RULES`

    def _function(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        detail = one_line(self._syntax, node.child_by_field_name("parameters"))
        returns = one_line(self._syntax, node.child_by_field_name("return_type"))
        if name is not None and not name.is_missing:
            kind = NameKind.METHOD if scope.is_class else NameKind.FUNCTION
            detail = f"{detail} -> {returns}" if returns else detail
            scope.declare(self._binding(name, kind, ready=self._end_of_header(node), detail=detail))

    def _class(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        if name is not None and not name.is_missing:
            detail = one_line(self._syntax, node.child_by_field_name("superclasses"))
            scope.declare(self._binding(name, NameKind.CLASS, ready=self._syntax.end(node), detail=detail))

    def _assignment(self, node: Node, scope: Scope) -> None:
        value, annotation = node.child_by_field_name("right"), node.child_by_field_name("type")
        detail = one_line(self._syntax, annotation)
        if value is None and annotation is not None:
            self._flow = NEVER
        is_function = value is not None and value.type == "lambda"
        kind = NameKind.FUNCTION if is_function else None
        self._targets(node.child_by_field_name("left"), scope, ready=self._syntax.end(node), kind=kind, detail=detail)

    def _for(self, node: Node, scope: Scope) -> None:
        right = node.child_by_field_name("right")
        ready = self._syntax.end(right) if right is not None else self._syntax.end(node)
        self._targets(node.child_by_field_name("left"), scope, ready=ready, kind=NameKind.VARIABLE)

    def _as(self, node: Node, scope: Scope) -> None:
        """The name after `as` in a `with`, an `except` or a `case`."""
        alias = node.child_by_field_name("alias") or node.named_children[-1]
        if alias.type == "as_pattern_target" and alias.named_children:
            alias = alias.named_children[0]
        self._targets(alias, scope, ready=self._syntax.end(node), kind=NameKind.VARIABLE)

    def _except(self, node: Node, scope: Scope) -> None:
        """The name of `except E as e`, in grammars that have it as a field of the clause."""
        alias = node.child_by_field_name("alias")
        if alias is not None:
            self._targets(alias, scope, ready=self._syntax.end(alias), kind=NameKind.VARIABLE)

    def _walrus(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._targets(name, scope, ready=self._syntax.end(node), kind=NameKind.VARIABLE)

    def _delete(self, node: Node, scope: Scope) -> None:
        """`del x` makes `x` a name of its scope, as an assignment does (language reference, "Naming and binding")."""
        for target in node.named_children:
            self._targets(target, scope, ready=self._syntax.end(node))

    def _captures(self, node: Node, scope: Scope) -> None:
        """The names that the patterns of a `case` bind."""
        patterns = [child for child in node.named_children if child.type == "case_pattern"]
        for name in captured_names(node):
            scope.declare(self._binding(name, NameKind.VARIABLE, ready=self._syntax.end((patterns or [node])[-1])))

    def _type_alias(self, node: Node, scope: Scope) -> None:
        name = _first_inside(node.child_by_field_name("left") or node.named_children[0])
        detail = one_line(self._syntax, node.child_by_field_name("right"))
        scope.declare(self._binding(name, NameKind.TYPE, detail=detail))

    def _import(self, node: Node, scope: Scope) -> None:
        source = node.child_by_field_name("module_name")
        module = self._syntax.text(source) if source is not None else ""
        if node.type == "future_import_statement":
            module = "__future__"
        for child in node.named_children:
            if child == source:
                continue
            if child.type == "wildcard_import":
                scope.caveats = (*scope.caveats, _STAR_CAVEAT.format(module))
            elif child.type in {"dotted_name", "aliased_import"}:
                self._imported(child, module, scope, ready=self._syntax.end(node))

    def _imported(self, child: Node, module: str, scope: Scope, *, ready: int) -> None:
        """One name of an import; `module` is empty for `import x`, which binds a module."""
        target = child.child_by_field_name("alias") if child.type == "aliased_import" else child.named_children[0]
        if target is None or target.is_missing:
            return
        kind = NameKind.VARIABLE if module else NameKind.MODULE
        path = self._syntax.text(child.child_by_field_name("name") or child)
        binding = self._binding(target, kind, ready=ready, detail=module or path)
        scope.declare(replace(binding, origin=Origin.IMPORT))

    def _unfinished(self, node: Node, scope: Scope) -> None:
        """The names of unfinished headers in an error, `def f(` and `class A(`."""
        before = ""
        for child in node.children:
            if child.type == "identifier" and before in {"def", "class"}:
                kind = NameKind.FUNCTION if before == "def" else NameKind.CLASS
                scope.declare(self._binding(child, kind))
            before = child.type

    # Parts of nodes

    def _end_of_header(self, node: Node) -> int:
        """Where the body of a function begins, before which the function has no value."""
        body = node.child_by_field_name("body")
        return self._syntax.start(body) if body is not None else self._syntax.end(node)

    def _targets(
        self, target: Node | None, scope: Scope, *, ready: int = 0, kind: NameKind | None = None, detail: str = ""
    ) -> None:
        """Declare the identifiers of an assignment target; attributes and subscripts bind no name.

        Args:
            kind: The names' kind. None for a constant if the name is in capitals, else a variable.
        """
        if target is None or target.is_missing:
            return
        if target.type == "identifier":
            text = self._syntax.text(target)
            is_constant = text.isupper() and len(text) > 1
            kind = kind or (NameKind.CONSTANT if is_constant else NameKind.VARIABLE)
            scope.declare(self._binding(target, kind, ready=ready, detail=detail))
        elif target.type in TARGET_GROUPS:
            for inner in target.named_children:
                self._targets(inner, scope, ready=ready, kind=kind)

    def _parameters(self, parameters: Node, scope: Scope) -> None:
        for parameter in parameters.named_children:
            name = parameter.child_by_field_name("name") or parameter
            detail = one_line(self._syntax, parameter.child_by_field_name("type"))
            self._targets(_first_inside(name), scope, kind=NameKind.PARAMETER, detail=detail)

    def _generics(self, generics: Node | None, scope: Scope) -> None:
        """Declare the type parameters of a function or a class, or those in the `Name[T]` of a type alias.

        Each is the first name after the bracket or a comma. What follows is its bound, or its default, which the
        grammar does not know: in `[T = str]` the tree has an error with `T =`, and then a type.
        """
        if generics is None:
            return
        if generics.type == "type":
            generics = next(iter(generics.named_children), generics)
        if generics.type == "generic_type":
            generics = next((child for child in generics.named_children if child.type == "type_parameter"), generics)
        if generics.type != "type_parameter":
            return
        is_first = True
        for child, _ in without_errors(generics):
            if child.type == ",":
                is_first = True
            elif is_first and (name := _first_inside(child)).type == "identifier":
                scope.declare(self._binding(name, NameKind.TYPE_PARAMETER))
                is_first = False

    def _binding(self, name: Node, kind: NameKind, *, ready: int = 0, detail: str = "") -> Binding:
        return Binding(self._name(name), kind, self._syntax.line(name), ready, detail, flow=self._flow)

    def _name(self, node: Node) -> str:
        """The name that an identifier spells."""
        return self._syntax.language.record.name_of(self._syntax.text(node))


_RULES = {
    "function_definition": BindingWalk._function,
    "class_definition": BindingWalk._class,
    "assignment": BindingWalk._assignment,
    "augmented_assignment": BindingWalk._assignment,
    "for_statement": BindingWalk._for,
    "as_pattern": BindingWalk._as,
    "except_clause": BindingWalk._except,
    "except_group_clause": BindingWalk._except,
    "named_expression": BindingWalk._walrus,
    "delete_statement": BindingWalk._delete,
    "case_clause": BindingWalk._captures,
    "type_alias_statement": BindingWalk._type_alias,
    "ERROR": BindingWalk._unfinished,
    "import_statement": BindingWalk._import,
    "import_from_statement": BindingWalk._import,
    "future_import_statement": BindingWalk._import,
}


def _first_inside(node: Node) -> Node:
    """The first node inside another, or itself, that is an identifier, a tuple of targets, or has no named children."""
    while node.type not in {"identifier", "tuple_pattern"} and node.named_children:
        node = node.named_children[0]
    return node


def captured_names(case: Node) -> Iterator[Node]:
    """The identifiers that the patterns of a `case` bind; `_` binds nothing."""
    pending = [child for child in case.named_children if child.type in {"case_pattern", "ERROR"}]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind == "dotted_name":
            names = node.named_children
            if len(names) == 1 and names[0].text != b"_":
                yield names[0]
        elif kind == "splat_pattern":
            yield from (child for child in node.named_children if child.type == "identifier" and child.text != b"_")
        elif kind in {"class_pattern", "keyword_pattern"}:
            pending.extend(node.named_children[1:])
        elif kind == "as_pattern":
            pending.append(node.named_children[0])
            yield from (child for child in node.named_children[1:] if child.type == "identifier")
        elif kind not in {"string", "integer"}:
            pending.extend(node.named_children)
