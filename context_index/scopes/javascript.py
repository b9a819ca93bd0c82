"""Scopes of JavaScript and TypeScript, by ECMA-262 §8.2 (scope analysis) and §14 to §16 (declarations).

Modules are strict, so a function in a block stays in it. `this` and `super` are no names. A namespace in several
parts is read part by part: what one exports is not seen in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from context_index.scopes.binding import Binding, Scope, last_character, one_line, without_errors
from context_index.symbols import NameKind, Origin
from context_index.syntax import Node, Syntax

_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "generator_function", "generator_function_declaration",
    "arrow_function", "method_definition",
})  # fmt: skip
_SIGNATURES = frozenset({
    "function_signature", "method_signature", "abstract_method_signature", "call_signature", "construct_signature",
    "function_type", "constructor_type",
})  # fmt: skip
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_MEMBERS = frozenset({"method_definition", "public_field_definition", "field_definition"})
_ALIASES = frozenset({"interface_declaration", "type_alias_declaration"})
_HOLDS_VAR = frozenset({
    "statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement",
    "do_statement", "try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body",
    "switch_case", "switch_default", "labeled_statement", "with_statement", "export_statement", "ERROR",
})  # fmt: skip
_TRANSPARENT = frozenset({"export_statement", "labeled_statement"})
_NAMED = {
    "function_declaration": NameKind.FUNCTION,
    "generator_function_declaration": NameKind.FUNCTION,
    "function_signature": NameKind.FUNCTION,
    "class_declaration": NameKind.CLASS,
    "abstract_class_declaration": NameKind.CLASS,
    "interface_declaration": NameKind.INTERFACE,
    "enum_declaration": NameKind.ENUM,
}
_NAMESPACES = frozenset({"internal_module", "module"})
_VALUE_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_DECLARING_WORDS = {
    "const": NameKind.CONSTANT,
    "let": NameKind.VARIABLE,
    "var": NameKind.VARIABLE,
    "function": NameKind.FUNCTION,
    "class": NameKind.CLASS,
}


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first."""
    last = last_character(syntax, offset)
    path = syntax.path(syntax.node_at(last, last + 1) if last >= 0 else syntax.root)
    reader = _Reader(syntax)
    scopes: list[Scope] = []
    static = False
    for node, parent in zip(path, [*path[1:], None], strict=True):
        if node.has_error and (parent is None or not node.is_error):
            scopes += reader.left_open(node, offset)
        if parent is None or _contains(syntax, node, offset):
            found = reader.scopes_of(node, parent, offset)
            scopes += [reader.own_name(node)] if static and found and node.type in _CLASSES else found
            static = (static and node.type not in _CLASSES) or (node.type in _MEMBERS and _is_static(node))
    return scopes


def _is_static(member: Node) -> bool:
    return any(child.type == "static" for child in member.children)


def _contains(syntax: Syntax, node: Node, offset: int) -> bool:
    """Whether what is typed at the offset would belong to the node."""
    if offset <= syntax.start(node):
        return False
    end = syntax.end(node)
    if offset < end:
        return True
    leaf = node
    while leaf.child_count:
        leaf = leaf.children[-1]
    if leaf.is_missing and leaf.type == "}":
        return True
    return offset == end and syntax.document.text[end - 1] not in "};"


@dataclass(slots=True)
class _Open:
    """A scope that the tokens of an error began."""

    start: int
    parameters: Node | None = None
    brace: bool = False
    items: list[Node] = field(default_factory=list)
    end: int | None = None


class _Reader:
    """Reads the declarations of single scopes, each once per tree."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._known = syntax.memo

    def left_open(self, node: Node, offset: int) -> list[Scope]:
        """Scopes that errors among the children of a node began and that hold the offset."""
        scopes = []
        for opened in self._level(node)[1]:
            if opened.start < offset and (opened.end is None or offset < opened.end):
                scope = Scope(runs_later=opened.parameters is not None)
                if opened.parameters is not None:
                    self._parameters(opened.parameters, scope)
                self._declarations(opened.items, scope)
                self._vars(opened.items, scope)
                scopes.append(scope)
        return scopes[::-1]

    def scopes_of(self, node: Node, parent: Node | None, offset: int) -> list[Scope]:
        """The scopes of one node that hold the offset, innermost first."""
        kind = node.type
        if kind in _FUNCTIONS or kind in _SIGNATURES:
            return self._function(node, offset)
        if kind == "statement_block":
            return self._block(node, parent)
        if kind in {"program", "switch_body"} or parent is None:
            return [self._once(node, self._whole)]
        if kind in _CLASSES or kind in _ALIASES:
            return self._generic(node, offset)
        if kind in {"for_statement", "for_in_statement"}:
            return [self._once(node, self._loop)]
        if kind == "catch_clause":
            parameter = node.child_by_field_name("parameter")
            behind = parameter is not None and offset >= self._syntax.start(parameter)
            return [self._once(node, self._catch)] if behind else []
        if kind == "enum_declaration":
            body = node.child_by_field_name("body")
            behind = body is not None and offset > self._syntax.start(body)
            return [self._once(node, self._members)] if behind else []
        if kind == "with_statement":
            return [Scope(caveats=("a `with` statement adds the properties of an object",))]
        if kind == "call_expression":
            return self._called_arrow(node, offset)
        return self._type_scope(node, offset)

    def _called_arrow(self, node: Node, offset: int) -> list[Scope]:
        """The grammar reads `(a) => sql<T>`...`` as a call of the arrow function; what is called is its body."""
        scopes: list[Scope] = []
        callee = node.child_by_field_name("function")
        while callee is not None and callee.type == "arrow_function" and offset > self._syntax.end(callee):
            scopes = self._function(callee, offset) + scopes
            callee = callee.child_by_field_name("body")
        return scopes

    def _once(self, node: Node, read: object, key: str = "") -> Scope:
        known = self._known.get((node.id, key))
        if not isinstance(known, Scope):
            known = read(node)  # type: ignore[operator] # a method that takes a node
            self._known[node.id, key] = known
        return known

    def _level(self, node: Node) -> tuple[list[Node], list[_Open]]:
        """The children of a node that are its own, and the scopes that errors among them began, outermost first."""
        own: list[Node] = []
        if not node.has_error:
            return node.children, []
        opened: list[_Open] = []
        stack: list[_Open] = []
        for child, loose in without_errors(node):
            if loose and child.type in {"formal_parameters", "{"}:
                awaited = child.type == "{" and stack and stack[-1].parameters and not stack[-1].brace
                if awaited:
                    stack[-1].brace = True
                    continue
                stack.append(_Open(self._syntax.start(child), brace=child.type == "{"))
                stack[-1].parameters = child if child.type != "{" else None
                opened.append(stack[-1])
            elif loose and child.type == "=>" and (stack[-1].items if stack else own)[-1:]:
                items = stack[-1].items if stack else own
                if items[-1].type == "identifier":
                    stack.append(_Open(self._syntax.start(items[-1]), parameters=items.pop()))
                    opened.append(stack[-1])
            elif loose and child.type == "}" and stack:
                while stack and not stack[-1].brace:
                    stack.pop().end = self._syntax.end(child)
                if stack:
                    stack.pop().end = self._syntax.end(child)
            else:
                (stack[-1].items if stack else own).append(child)
        return own, opened

    def _whole(self, node: Node) -> Scope:
        scope = Scope()
        items = self._level(node)[0]
        if node.type == "switch_body":
            items = [inner for case in items for inner in case.children]
            self._declarations(items, scope)
            return scope
        self._declarations(items, scope)
        self._vars(items, scope)
        return scope

    def _block(self, node: Node, parent: Node | None) -> list[Scope]:
        if parent is not None and parent.type in _FUNCTIONS:
            return []
        hoists = parent is not None and (parent.type in _NAMESPACES or parent.type == "class_static_block")
        return [self._once(node, self._whole if hoists else self._lexical)]

    def _lexical(self, node: Node) -> Scope:
        scope = Scope()
        self._declarations(self._level(node)[0], scope)
        return scope

    def _function(self, node: Node, offset: int) -> list[Scope]:
        syntax = self._syntax
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        generics = node.child_by_field_name("type_parameters")
        body = node.child_by_field_name("body")
        first = generics or parameters
        if first is None or offset < syntax.start(first) + (first.type != "identifier"):
            return []
        behind = body is not None and offset >= syntax.start(body) + (body.type == "statement_block")
        scopes = [self._once(node, self._body if behind else self._head, "body" if behind else "head")]
        name = node.child_by_field_name("name")
        if node.type in {"function_expression", "generator_function"} and name is not None:
            own = self._binding(name, NameKind.FUNCTION, detail=self._signature(node))
            scopes.append(Scope({own.text: own}))
        return scopes

    def _head(self, node: Node) -> Scope:
        """Type parameters, parameters and `arguments`."""
        scope = Scope(runs_later=True)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        self._generics(node, scope)
        if parameters is not None:
            self._parameters(parameters, scope)
        if node.type in _FUNCTIONS and node.type != "arrow_function":
            scope.declare(Binding("arguments", NameKind.VARIABLE, self._syntax.line(node)))
        return scope

    def _body(self, node: Node) -> Scope:
        scope = self._head(node)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            items = self._level(body)[0]
            inner = Scope()
            self._declarations(items, inner)
            scope.bindings.update(inner.bindings)
            self._vars(items, scope)
        return scope

    def _parameters(self, parameters: Node, scope: Scope) -> None:
        if parameters.type == "identifier":
            scope.declare(self._binding(parameters, NameKind.PARAMETER))
            return
        for parameter in parameters.named_children:
            pattern, detail = parameter, ""
            if parameter.type in {"required_parameter", "optional_parameter"}:
                pattern = parameter.child_by_field_name("pattern") or parameter
                detail = self._annotation(parameter)
            ready = self._syntax.end(parameter)
            for name in _names(pattern):
                scope.declare(self._binding(name, NameKind.PARAMETER, ready=ready, detail=detail))

    def _generics(self, node: Node, scope: Scope) -> None:
        generics = node.child_by_field_name("type_parameters")
        for parameter in generics.named_children if generics is not None else ():
            name = parameter.child_by_field_name("name")
            if name is not None:
                detail = one_line(self._syntax, parameter.child_by_field_name("constraint"))
                scope.declare(self._binding(name, NameKind.TYPE_PARAMETER, detail=detail, is_type=True))

    def _generic(self, node: Node, offset: int) -> list[Scope]:
        """Type parameters of a class, an interface or an alias, and the own name of a class expression."""
        name = node.child_by_field_name("name")
        if offset <= (self._syntax.end(name) if name is not None else self._syntax.start(node)):
            return []
        scope = self.own_name(node)
        self._generics(node, scope)
        return [scope] if scope.bindings else []

    def own_name(self, node: Node) -> Scope:
        """What a class expression calls itself; static members see this much and no type parameters."""
        scope = Scope()
        name = node.child_by_field_name("name")
        if node.type == "class" and name is not None:
            scope.declare(self._binding(name, NameKind.CLASS))
        return scope

    def _loop(self, node: Node) -> Scope:
        scope = Scope()
        kind = node.child_by_field_name("kind")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and kind is not None and kind.type in {"const", "let"}:
            ready = self._syntax.end(right) if right is not None else 0
            for name in _names(left):
                scope.declare(self._binding(name, _DECLARING_WORDS[kind.type], ready=ready))
        initializer = node.child_by_field_name("initializer")
        if initializer is not None and initializer.type == "lexical_declaration":
            self._declare_all(initializer, scope)
        return scope

    def _catch(self, node: Node) -> Scope:
        scope = Scope()
        parameter = node.child_by_field_name("parameter")
        for name in _names(parameter) if parameter is not None else ():
            scope.declare(self._binding(name, NameKind.PARAMETER))
        return scope

    def _members(self, node: Node) -> Scope:
        scope = Scope()
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            name = member.child_by_field_name("name") if member.type == "enum_assignment" else member
            if name is not None and name.type == "property_identifier":
                ready = self._syntax.end(member)
                scope.declare(self._binding(name, NameKind.ENUM_MEMBER, ready=ready))
        return scope

    def _type_scope(self, node: Node, offset: int) -> list[Scope]:
        """Names that a type introduces for another part of itself: mapped types and `infer`."""
        scope = Scope()
        if node.type in {"index_signature", "mapped_type_clause"}:
            clause = node
            if node.type == "index_signature":
                clause = next((child for child in node.children if child.type == "mapped_type_clause"), node)
            name = clause.child_by_field_name("name")
            if name is not None and clause is not node and offset > self._syntax.end(name):
                scope.declare(self._binding(name, NameKind.TYPE_PARAMETER, is_type=True))
        elif node.type == "conditional_type":
            then = node.child_by_field_name("consequence")
            right = node.child_by_field_name("right")
            if then is not None and right is not None:
                inside = self._syntax.start(then) <= offset <= self._syntax.end(then)
                for name in _inferred(right) if inside else ():
                    scope.declare(self._binding(name, NameKind.TYPE_PARAMETER, is_type=True))
        return [scope] if scope.bindings else []

    def _vars(self, items: Iterable[Node], scope: Scope) -> None:
        """Declarations with `var`, wherever they stand in the function."""
        pending = list(items)[::-1]
        while pending:
            node = pending.pop()
            if node.type == "variable_declaration":
                self._declare_all(node, scope)
            elif node.type in _HOLDS_VAR:
                if node.type == "for_in_statement":
                    self._loop_vars(node, scope)
                pending.extend(reversed(node.children))

    def _loop_vars(self, node: Node, scope: Scope) -> None:
        kind, left = node.child_by_field_name("kind"), node.child_by_field_name("left")
        if kind is not None and left is not None and kind.type == "var":
            for name in _names(left):
                scope.declare(self._binding(name, NameKind.VARIABLE, ready=self._syntax.end(left)))

    def _declarations(self, items: Iterable[Node], scope: Scope) -> None:
        """What the statements of one block declare for that block."""
        before = ""
        for node in items:
            word = _DECLARING_WORDS.get(before)
            if word is not None and node.type in _PATTERNS:
                for name in _names(node):
                    scope.declare(self._binding(name, word, ready=self._syntax.end(node)))
            before = node.type
            self._declaration(node, scope)

    def _declaration(self, node: Node, scope: Scope) -> None:
        kind = node.type
        if kind in _TRANSPARENT:
            self._declarations(node.children, scope)
        elif kind == "ambient_declaration":
            self._ambient(node, scope)
        elif kind == "lexical_declaration":
            self._declare_all(node, scope)
        elif kind == "type_alias_declaration":
            detail = one_line(self._syntax, node.child_by_field_name("value"))
            self._named(node, NameKind.TYPE, scope, detail=detail, is_type=True)
        elif kind in _NAMED:
            self._named_kind(node, _NAMED[kind], scope)
        elif kind in _NAMESPACES:
            self._namespace(node, scope)
        elif kind == "import_statement":
            self._import(node, scope)
        elif kind == "import_alias":
            self._named_node(node.named_children[0], NameKind.NAMESPACE, scope)
        elif kind == "expression_statement":
            self._recovered(node, scope)

    def _named_kind(self, node: Node, kind: NameKind, scope: Scope) -> None:
        """Functions and types are there from the start, classes and enums once they are evaluated."""
        waits = kind in {NameKind.CLASS, NameKind.ENUM}
        detail = self._signature(node) if kind is NameKind.FUNCTION else ""
        ready = self._syntax.end(node) if waits else 0
        self._named(node, kind, scope, ready=ready, detail=detail, is_type=kind is NameKind.INTERFACE)

    def _ambient(self, node: Node, scope: Scope) -> None:
        """`declare ...`; what `declare global { ... }` holds is as good as declared here."""
        for child in node.children:
            if child.type == "variable_declaration":
                self._declare_all(child, scope)
            elif child.type == "statement_block":
                self._ambient(child, scope)
            else:
                self._declaration(child, scope)

    def _recovered(self, node: Node, scope: Scope) -> None:
        """A namespace, which the grammar takes for an expression, or a function whose `}` is not typed yet."""
        inner = node.children[0]
        if inner.type in _NAMESPACES:
            self._namespace(inner, scope)
        elif inner.type in {"function_expression", "generator_function"}:
            self._named(inner, NameKind.FUNCTION, scope, detail=self._signature(inner))
        elif inner.type == "class":
            self._named(inner, NameKind.CLASS, scope)

    def _namespace(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        while name is not None and name.type == "nested_identifier":
            name = name.named_children[0]
        if name is not None and name.type == "identifier":
            self._named_node(name, NameKind.NAMESPACE, scope)

    def _import(self, node: Node, scope: Scope) -> None:
        source = node.child_by_field_name("source")
        type_only = any(child.type == "type" for child in node.children)
        for clause in node.named_children:
            found = source
            if clause.type == "import_require_clause":
                found = clause.child_by_field_name("source")
            module = self._syntax.text(found)[1:-1] if found is not None else ""
            for name, kind, is_type in _imported(clause):
                binding = Binding(
                    self._syntax.text(name),
                    kind,
                    self._syntax.line(name),
                    0,
                    module,
                    Origin.IMPORT,
                    type_only or is_type,
                )
                scope.declare(binding)

    def _declare_all(self, node: Node, scope: Scope) -> None:
        """The names of `const`, `let` and `var`."""
        word = node.children[0].type
        for declarator in node.named_children:
            target = declarator.child_by_field_name("name")
            if declarator.type != "variable_declarator" or target is None:
                continue
            value = declarator.child_by_field_name("value")
            kind, detail = _DECLARING_WORDS.get(word, NameKind.VARIABLE), self._annotation(declarator)
            if value is not None and target.type == "identifier":
                if value.type in _VALUE_FUNCTIONS:
                    kind, detail = NameKind.FUNCTION, detail or self._signature(value)
                elif value.type == "class":
                    kind = NameKind.CLASS
            ready = self._syntax.end(declarator)
            for name in _names(target):
                scope.declare(self._binding(name, kind, ready=ready, detail=detail))

    def _named(
        self, node: Node, kind: NameKind, scope: Scope, *, ready: int = 0, detail: str = "", is_type: bool = False
    ) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._named_node(name, kind, scope, ready=ready, detail=detail, is_type=is_type)

    def _named_node(
        self, name: Node, kind: NameKind, scope: Scope, *, ready: int = 0, detail: str = "", is_type: bool = False
    ) -> None:
        if not name.is_missing:
            scope.declare(self._binding(name, kind, ready=ready, detail=detail, is_type=is_type))

    def _binding(
        self, name: Node, kind: NameKind, *, ready: int = 0, detail: str = "", is_type: bool = False
    ) -> Binding:
        syntax = self._syntax
        return Binding(syntax.text(name), kind, syntax.line(name), ready, detail, is_type=is_type)

    def _annotation(self, node: Node) -> str:
        annotation = node.child_by_field_name("type")
        return one_line(self._syntax, annotation).removeprefix(":").strip() if annotation is not None else ""

    def _signature(self, node: Node) -> str:
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        text = one_line(self._syntax, parameters, node.child_by_field_name("return_type"))
        return text if text.startswith("(") or not text else f"({text})"


_PATTERNS = frozenset({"identifier", "type_identifier", "object_pattern", "array_pattern"})


def _names(pattern: Node) -> Iterator[Node]:
    """The identifiers that a pattern binds."""
    kind = pattern.type
    if kind in {"identifier", "type_identifier", "shorthand_property_identifier_pattern"}:
        if not pattern.is_missing:
            yield pattern
    elif kind == "pair_pattern":
        value = pattern.child_by_field_name("value")
        if value is not None:
            yield from _names(value)
    elif kind in {"assignment_pattern", "object_assignment_pattern"}:
        left = pattern.child_by_field_name("left")
        if left is not None:
            yield from _names(left)
    elif kind in {"object_pattern", "array_pattern", "rest_pattern", "ERROR", "required_parameter"}:
        for child in pattern.named_children:
            yield from _names(child)


def _inferred(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "infer_type" and inner.named_children:
            yield inner.named_children[0]
        pending.extend(inner.named_children)


def _imported(clause: Node) -> Iterator[tuple[Node, NameKind, bool]]:
    """The names of an import clause, with what is known of each and whether it is only a type."""
    for child in clause.named_children:
        if child.type == "identifier":
            yield child, NameKind.VARIABLE, False
        elif child.type == "namespace_import":
            yield child.named_children[0], NameKind.NAMESPACE, False
        elif child.type == "named_imports":
            for specifier in child.named_children:
                name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
                if name is not None and name.type == "identifier":
                    yield name, NameKind.VARIABLE, any(part.type == "type" for part in specifier.children)
