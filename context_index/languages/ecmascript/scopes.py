"""Finds the scopes around a place in JavaScript or TypeScript, by ECMA-262 §8.2 (scope analysis) and §14 to §16.

Modules are strict code, so a function declared in a block is local to it. `this` and `super` are not names.
`declarations` beside this module reads what is declared in a scope; `broken_scopes` finds scopes in syntax errors. The
package `context_index.scopes` loads this module as the part `scopes` of each language of the family and calls
`scopes_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from context_index.languages.ecmascript.broken_scopes import level_of
from context_index.languages.ecmascript.declarations import FUNCTIONS, NAMESPACES, Declarations
from context_index.languages.ecmascript.patterns import pattern_names
from context_index.scopes.binding import Binding, Scope, last_character
from context_index.symbols import NameKind, Origin
from context_index.syntax import Node, Syntax

_SIGNATURES = frozenset({
    "function_signature", "method_signature", "abstract_method_signature", "call_signature", "construct_signature",
    "function_type", "constructor_type",
})  # fmt: skip
"""Functions without a body: overloads, and the types of functions."""
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_FIELDS = frozenset({"public_field_definition", "field_definition"})
_MEMBERS = _FIELDS | {"method_definition"}
"""Members that may be static and have code."""
_GENERIC_TYPES = frozenset({"interface_declaration", "type_alias_declaration"})
"""Types that may have type parameters."""
_OPERATIONS = frozenset({"binary_expression", "member_expression", "ternary_expression"})
"""Nodes that open no scope and are passed over first: generated text nests tens of thousands of them, `a + b + ...`."""
_NAMESPACE_CAVEAT = "a namespace may have other parts, whose names it sees"


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first.

    The outermost node, the file, is read even if it is an ERROR node, as that of a broken file may be. An ERROR node
    inside is passed over: `left_open` reads its children with those of the node around it.
    """
    last = last_character(syntax, offset)
    path = syntax.path(syntax.node_at(last, last + 1) if last >= 0 else syntax.root)
    reader = _Reader(syntax)
    scopes: list[Scope] = []
    in_static = False  # whether the offset is in a static member, which does not see its class's type parameters
    for index, node in enumerate(path):
        is_outermost = index + 1 == len(path)
        if node.has_error and (is_outermost or not node.is_error):
            scopes += reader.left_open(node, offset)
        if is_outermost or (node.type not in _OPERATIONS and _contains(syntax, node, offset)):
            opened = reader.scopes_of(node, path[index + 1 :], offset)
            scopes += [reader.own_name(node)] if in_static and opened and node.type in _CLASSES else opened
            in_static = (in_static and node.type not in _CLASSES) or (node.type in _MEMBERS and _is_static(node))
    return scopes


def _arguments(line: int) -> Binding:
    """The name `arguments`, which the language declares in each function but arrow functions."""
    return Binding("arguments", NameKind.VARIABLE, line, origin=Origin.GLOBAL)


def _is_static(member: Node) -> bool:
    return any(child.type == "static" for child in member.children)


def _contains(syntax: Syntax, node: Node, offset: int) -> bool:
    """Whether text typed at the offset would belong to a node.

    It does inside the node, at the end of one that no `}` or `;` ends, and after one whose `}` the parser put in.
    """
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


def _is_called_at_once(function: Node, around: list[Node]) -> bool:
    """Whether a function expression is what a call calls: `(() => ...)()`."""
    callee = function
    for outer in around:
        if outer.type == "call_expression":
            return outer.child_by_field_name("function") == callee
        if outer.type != "parenthesized_expression":
            return False
        callee = outer
    return False


class _Reader(Declarations):
    """Reads the declarations of single scopes, each once per tree.

    In its methods, `offset` is the place that is asked about, and `around` the nodes around a node, innermost first.
    """

    def left_open(self, node: Node, offset: int) -> list[Scope]:
        """The scopes around the offset that errors among the children of a node left open, innermost first.

        In `use(function total(a) {` the header and what comes after it are children of an ERROR node.
        """
        scopes = []
        for opened in level_of(self._syntax, node).opened:
            if opened.holds(offset):
                scope = Scope(runs_later=opened.parameters is not None)
                self._type_parameters(opened.generics, scope)
                if opened.parameters is not None:
                    self._parameters(opened.parameters, scope)
                    if not opened.arrow:
                        scope.declare(_arguments(self._syntax.line(opened.parameters)))
                self._declarations(opened.items, scope)
                self._vars(opened.items, scope)
                scopes.append(scope)
        return scopes[::-1]

    def scopes_of(self, node: Node, around: list[Node], offset: int) -> list[Scope]:
        """The scopes that one node opens around the offset, innermost first."""
        kind = node.type
        if kind in FUNCTIONS or kind in _SIGNATURES:
            return self._callable(node, around, offset)
        if kind == "statement_block":
            return self._block(node, around)
        if kind in {"program", "switch_body"} or not around:
            return [self._cached(node, self._hoisting)]
        if kind in _CLASSES or kind in _GENERIC_TYPES:
            return self._class_or_type(node, offset)
        if kind in _FIELDS or kind == "class_static_block":
            return self._initializer(node, around, offset)
        return self._small_scope(node, offset)

    def _small_scope(self, node: Node, offset: int) -> list[Scope]:
        """The scope of a construct that declares names for one of its parts, if the offset is in that part."""
        kind = node.type
        if kind in {"for_statement", "for_in_statement"}:
            return [self._cached(node, self._loop)]
        if kind == "catch_clause":
            parameter = node.child_by_field_name("parameter")
            is_inside = parameter is not None and offset >= self._syntax.start(parameter)
            return [self._cached(node, self._catch)] if is_inside else []
        if kind == "enum_declaration":
            body = node.child_by_field_name("body")
            is_inside = body is not None and offset > self._syntax.start(body)
            return [self._cached(node, self._enum)] if is_inside else []
        if kind == "with_statement":
            return [Scope(caveats=("a `with` statement adds the properties of an object",))]
        if kind == "call_expression":
            return self._called_arrow(node, offset)
        return self._type_scope(node, offset)

    def _callable(self, node: Node, around: list[Node], offset: int) -> list[Scope]:
        """The scopes of a function or a signature. The code of one that is called at once does not run later."""
        scopes = self._function(node, offset)
        if scopes and scopes[0].runs_later and _is_called_at_once(node, around):
            scopes[0] = replace(scopes[0], runs_later=False)
        return scopes

    def _called_arrow(self, node: Node, offset: int) -> list[Scope]:
        """The scopes of arrow functions that a call seems to call: the grammar reads `(a) => sql<T>`...`` as a call.

        What is called is the arrow function's body.
        """
        scopes: list[Scope] = []
        callee = node.child_by_field_name("function")
        while callee is not None and callee.type == "arrow_function" and offset > self._syntax.end(callee):
            scopes = self._function(callee, offset) + scopes
            callee = callee.child_by_field_name("body")
        return scopes

    def _cached(self, node: Node, read: Callable[[Node], Scope], key: str = "") -> Scope:
        """What a method reads from a node, kept in the tree's memo.

        Args:
            key: Tells apart what several methods read from one node: `_function` has one for each part of a function.
        """
        scope = self._syntax.memo.get((node.id, key))
        if not isinstance(scope, Scope):
            scope = read(node)
            self._syntax.memo[node.id, key] = scope
        return scope

    def _hoisting(self, node: Node) -> Scope:
        """The scope of a file or a block to which `var` belongs, or the lexical scope of a `switch`.

        All cases of a `switch` are one block (ECMA-262 §14.12), and its `var`s are the function's.
        """
        scope = Scope()
        items = level_of(self._syntax, node).own
        if node.type == "switch_body":
            items = [inner for case in items for inner in case.children]
            self._declarations(items, scope)
            return scope
        self._declarations(items, scope)
        self._vars(items, scope)
        return scope

    def _block(self, node: Node, around: list[Node]) -> list[Scope]:
        """The scope of a block; none for the body of a function, whose scope has the body's names."""
        parent = around[0].type
        if parent in FUNCTIONS:
            return []
        is_hoisting = parent in NAMESPACES or parent == "class_static_block"
        scope = self._cached(node, self._hoisting if is_hoisting else self._lexical)
        return [replace(scope, caveats=(*scope.caveats, _NAMESPACE_CAVEAT))] if parent in NAMESPACES else [scope]

    def _initializer(self, node: Node, around: list[Node], offset: int) -> list[Scope]:
        """The scope of a field's value or a static block; none outside of the value.

        It declares nothing but runs at another time: a field's value when an object is made, what is static as soon as
        the class has its name. So there the class has a value (`settles`), and the scope adds no distance (`counts`).
        """
        is_static = node.type == "class_static_block" or _is_static(node)
        value = node.child_by_field_name("value")
        if node.type in _FIELDS and (value is None or offset < self._syntax.start(value)):
            return []
        name = next((outer.child_by_field_name("name") for outer in around if outer.type in _CLASSES), None)
        settled = frozenset({self._syntax.text(name)} if is_static and name is not None else ())
        return [Scope(runs_later=not is_static, settles=settled, counts=False)]

    def _lexical(self, node: Node) -> Scope:
        """The scope of a block to which `var` does not belong."""
        scope = Scope()
        self._declarations(level_of(self._syntax, node).own, scope)
        return scope

    def _function(self, node: Node, offset: int) -> list[Scope]:
        """The scopes of a function or a signature, by the part that the offset is in; none before its parameters.

        The first has the names of that part. A named function expression has a second one with its own name.
        """
        syntax = self._syntax
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        generics = node.child_by_field_name("type_parameters")
        body = node.child_by_field_name("body")
        first = generics or parameters
        if first is None or offset < syntax.start(first) + (first.type != "identifier"):
            return []
        if generics is not None and offset < syntax.end(generics):
            return [self._cached(node, self._only_generics, "generics")]
        in_body = body is not None and offset >= syntax.start(body) + (body.type == "statement_block")
        scopes = [self._cached(node, self._body if in_body else self._head, "body" if in_body else "head")]
        name = node.child_by_field_name("name")
        if node.type in {"function_expression", "generator_function"} and name is not None:
            scopes.append(Scope())
            scopes[-1].declare(self._binding(name, NameKind.FUNCTION, detail=self._signature(node)))
        return scopes

    def _only_generics(self, node: Node) -> Scope:
        """The scope among a function's type parameters, which do not see its parameters."""
        scope = Scope(runs_later=True)
        self._generics(node, scope)
        return scope

    def _head(self, node: Node) -> Scope:
        """The scope of a function before its body: type parameters, parameters and `arguments`."""
        scope = Scope(runs_later=True)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        self._generics(node, scope)
        if parameters is not None:
            self._parameters(parameters, scope)
        if node.type in FUNCTIONS and node.type != "arrow_function":
            scope.declare(_arguments(self._syntax.line(node)))
        return scope

    def _body(self, node: Node) -> Scope:
        """The scope in a function's body: that of its head, with the body's declarations, which hide parameters.

        A `var` with a parameter's name hides nothing: it is the parameter (ECMA-262 §10.2.11).
        """
        scope = self._head(node)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            items = level_of(self._syntax, body).own
            lexical = Scope()
            self._declarations(items, lexical)
            scope.bindings.update(lexical.bindings)
            self._vars(items, scope)
        return scope

    def _class_or_type(self, node: Node, offset: int) -> list[Scope]:
        """The scope with the type parameters of a class, an interface or an alias, and a class expression's own name.

        No scope before the end of the name, or if there are no such names.
        """
        name = node.child_by_field_name("name")
        if offset <= (self._syntax.end(name) if name is not None else self._syntax.start(node)):
            return []
        scope = self.own_name(node)
        self._generics(node, scope)
        return [scope] if scope.bindings else []

    def own_name(self, node: Node) -> Scope:
        """The scope with the name that a class expression gives itself; static members see no more of their class."""
        scope = Scope()
        name = node.child_by_field_name("name")
        if node.type == "class" and name is not None:
            scope.declare(self._binding(name, NameKind.CLASS))
        return scope

    def _loop(self, node: Node) -> Scope:
        """The names that the head of a `for` declares for the loop."""
        scope = Scope()
        self._loop_names(node, scope, is_var=False)
        initializer = node.child_by_field_name("initializer")
        if initializer is not None and initializer.type == "lexical_declaration":
            self._declare_all(initializer, scope)
        return scope

    def _catch(self, node: Node) -> Scope:
        """The names of the parameter of a `catch`, which may be a pattern: `catch ({message})`."""
        scope = Scope()
        parameter = node.child_by_field_name("parameter")
        for name in pattern_names(parameter) if parameter is not None else ():
            scope.declare(self._binding(name, NameKind.PARAMETER))
        return scope

    def _enum(self, enum: Node) -> Scope:
        scope = Scope()
        self._enum_members(enum, scope)
        return scope

    def _type_scope(self, node: Node, offset: int) -> list[Scope]:
        """The scope with the names that a type declares for a part of itself, if the offset is in that part."""
        scope = Scope()
        for name in _names_within_type(self._syntax, node, offset):
            scope.declare(self._binding(name, NameKind.TYPE_PARAMETER, is_type=True))
        return [scope] if scope.bindings else []


def _names_within_type(syntax: Syntax, node: Node, offset: int) -> Iterator[Node]:
    """The names that a mapped or conditional type declares and that are visible at an offset.

    In `{[K in T]: V}` it is `K`, after its name. In `A extends (infer U)[] ? B : C` it is `U`, in `B` only.
    """
    if node.type == "index_signature":
        clause = next((child for child in node.children if child.type == "mapped_type_clause"), None)
        name = None if clause is None else clause.child_by_field_name("name")
        if name is not None and offset > syntax.end(name):
            yield name
    elif node.type == "conditional_type":
        then, right = node.child_by_field_name("consequence"), node.child_by_field_name("right")
        if then is not None and right is not None and syntax.start(then) <= offset <= syntax.end(then):
            yield from _inferred(right)


def _inferred(node: Node) -> Iterator[Node]:
    """The names after `infer` in a type."""
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "infer_type" and inner.named_children:
            yield inner.named_children[0]
        pending.extend(inner.named_children)
