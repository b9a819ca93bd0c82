"""Scopes of Python, by the language reference, "Naming and binding".

The names of a class body are visible in the body only, not in its methods. A comprehension is a scope of its own,
without its first iterable; defaults, decorators and annotations are evaluated outside their function. A name that
`del` unbinds stays listed, as it may be bound again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from context_index.languages.python.bindings import BindingWalk
from context_index.languages.python.flow import own_nodes
from context_index.scopes.binding import Scope, last_character
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax, ancestors, without_errors

_COMPREHENSIONS = frozenset({
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
})  # fmt: skip
_BODIES = frozenset({"function_definition", "class_definition"})
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_COMPOUND = _BODIES | {
    "if_statement", "for_statement", "while_statement", "try_statement", "match_statement", "with_statement",
}  # fmt: skip
_GLOBAL = re.compile(r"global[ \t]")


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first; the names of a class only where its body is innermost."""
    reader = _Reader(syntax)
    found: list[Scope] = []
    class_seen = True
    last = _last_code(syntax, offset)
    path = syntax.path(syntax.node_at(last, last + 1) if last >= 0 else syntax.root)
    column = reader.column_on_fresh_line(last, offset)
    for node in path:
        if node.has_error and (node == syntax.root or not node.is_error):
            found += reader.left_open(node, offset, column)
            class_seen = class_seen and not found
        scope = reader.scope_of(node, offset, column, class_seen=class_seen)
        if scope is not None:
            if not scope.is_class or class_seen:
                found.append(scope)
            elif found:
                found[-1] = replace(found[-1], defines=found[-1].defines | scope.defines)
                if (parameters := reader.type_parameters(node)).bindings:  # unlike the class's names, methods see them
                    found.append(parameters)
            class_seen = class_seen and scope.sees_class
    return reader.with_globals(found)


def within(syntax: Syntax, offset: int) -> int:
    """A place that is, by the tree, in the same branches and loops as an offset.

    On an empty new line, the indentation decides which statements before it have ended.
    """
    last = max(_last_code(syntax, offset), 0)
    column = _Reader(syntax).column_on_fresh_line(last, offset)
    if column is None:
        return last
    ended = -1
    for node in syntax.path(syntax.node_at(last, last + 1)):
        if node.type in _COMPOUND and syntax.document.position(syntax.start(node)).column >= column:
            ended = syntax.end(node)
    return last if ended < 0 else max(ended, last + 1)


def _last_code(syntax: Syntax, offset: int) -> int:
    """The offset of the last character before a place that is not white space, or -1.

    On a fresh line comments do not count either: one in a body that is still empty belongs to no body by the tree.
    """
    document = syntax.document
    last, start = last_character(syntax, offset), document.lines[document.position(offset).line]
    while 0 <= last < start and (node := syntax.node_at(last, last + 1)).type == "comment":
        last = last_character(syntax, syntax.start(node))
    return last


class _Reader(BindingWalk):
    """Reads the bindings of single scopes, each once per tree."""

    def column_on_fresh_line(self, last: int, offset: int) -> int | None:
        """The column of an offset that only white space precedes in its line; None for others."""
        document = self._syntax.document
        start = document.lines[document.position(offset).line]
        return offset - start if last < start else None

    def scope_of(self, node: Node, offset: int, column: int | None, *, class_seen: bool) -> Scope | None:
        """The scope of a node, if it holds the offset.

        Args:
            class_seen: Whether the names of a class are visible there.
        """
        kind, syntax = node.type, self._syntax
        if node == syntax.root:
            return self._cached(node, self._body)
        if kind in _BODIES:
            return self._of_definition(node, offset, column, class_seen=class_seen)
        if kind == "lambda":
            body = node.child_by_field_name("body")
            if body is not None and offset >= syntax.start(body) and self._reaches(node, offset, column):
                return self._cached(node, self._body)
        elif kind in _COMPREHENSIONS and syntax.start(node) < offset < syntax.end(node):
            first = next((child for child in node.children if child.type == "for_in_clause"), None)
            iterable = first.child_by_field_name("right") if first is not None else None
            outside = iterable is not None and syntax.start(iterable) <= offset <= syntax.end(iterable)
            return None if outside else self._cached(node, self._comprehension)
        elif kind == "type_alias_statement":
            scope = Scope(sees_class=True)
            self._generics(node.named_children[0], scope)
            return scope
        return None

    def type_parameters(self, node: Node) -> Scope:
        """Those of a function or a class."""
        return self._cached(node, self._header)

    def left_open(self, node: Node, offset: int, column: int | None) -> list[Scope]:
        """Functions and comprehensions that the tokens of errors began and nothing ended."""
        scopes: list[Scope] = []
        tokens: list[Node] = []
        after: list[Node] = []
        for child, loose in without_errors(node):
            if self._syntax.start(child) >= offset:
                if child.type in {")", "]", "}"}:
                    break
                after.append(child)
                continue
            header = tokens[:-2] if [one.type for one in tokens[-2:]] == ["->", "type"] else tokens
            if loose and child.type == ":" and header and header[-1].type in {"parameters", "lambda_parameters"}:
                *_, parameters = header
                first = header[-3] if len(header) > 2 and header[-3].type == "def" else parameters  # noqa: PLR2004 - def, name
                if parameters.type == "lambda_parameters" or self._indented(first, column):
                    scope = Scope(runs_later=True)
                    self._parameters(parameters, scope)
                    scopes.append(scope)
            tokens.append(child)
        scopes.reverse()
        open_ = self._open_comprehension([*tokens, *after])
        return [open_, *scopes] if open_ is not None else scopes

    def _open_comprehension(self, tokens: list[Node]) -> Scope | None:
        """`[x for x in xs if ^`: the bracket is open, a `for` is in it."""
        scope = Scope()
        depth = 0
        for index in range(len(tokens) - 1, -1, -1):
            kind = tokens[index].type
            if kind in {")", "]", "}"}:
                depth += 1
            elif kind in {"(", "[", "{"}:
                depth -= 1
                if depth < 0:
                    return scope if scope.bindings else None
            elif depth == 0 and kind == "for_in_clause":
                self._targets(tokens[index].child_by_field_name("left"), scope)
            elif depth == 0 and kind == "for" and index + 2 < len(tokens) and tokens[index + 2].type == "in":
                self._targets(tokens[index + 1], scope)
        return None

    def _of_definition(self, node: Node, offset: int, column: int | None, *, class_seen: bool) -> Scope | None:
        body, parameters = node.child_by_field_name("body"), node.child_by_field_name("parameters")
        colon = next((child for child in node.children if child.type == ":"), None)
        if not self._reaches(node, offset, column):
            return None
        if body is not None and colon is not None and offset >= self._syntax.end(colon):
            return self._cached(node, self._body if class_seen or node.type in _FUNCTIONS else self._unseen_class)
        generics = node.child_by_field_name("type_parameters")
        if generics is None or offset <= self._syntax.start(generics):
            return None
        in_default = parameters is not None and any(
            around.type in {"default_parameter", "typed_default_parameter"}
            for around in ancestors(self._syntax.node_at(offset))
        )
        return None if in_default else self._cached(node, self._header)

    def _reaches(self, node: Node, offset: int, column: int | None) -> bool:
        """Whether text typed at the offset would belong to the construct: on a new line, the indentation decides."""
        if offset <= self._syntax.start(node):
            return False
        if offset < self._syntax.end(node):
            return True
        return self._indented(node, column)

    def _indented(self, header: Node, column: int | None) -> bool:
        if column is None:
            return True
        document = self._syntax.document
        line = document.line_text(document.position(self._syntax.start(header)).line)
        return column > len(line) - len(line.lstrip())

    def with_globals(self, scopes: list[Scope]) -> list[Scope]:
        """The scopes, those around a `global` name cleared of it up to the module."""
        taken: set[str] = set()
        for index, scope in enumerate(scopes[:-1]):
            taken |= scope.global_names
            if taken:
                kept = {text: binding for text, binding in scope.bindings.items() if text not in taken}
                scopes[index] = replace(scope, bindings=kept)
        return scopes

    def _cached(self, node: Node, read: Callable[[Node], Scope]) -> Scope:
        key = node.id, read.__name__
        known = self._syntax.memo.get(key)
        if not isinstance(known, Scope):
            known = self._syntax.memo[key] = read(node)
        return known

    def _comprehension(self, node: Node) -> Scope:
        scope = Scope()
        for clause in node.children:
            if clause.type == "for_in_clause":
                self._targets(clause.child_by_field_name("left"), scope)
        return scope

    def _header(self, node: Node) -> Scope:
        """The type parameters of a function or a class, as its header sees them."""
        scope = Scope(sees_class=True)
        self._generics(node.child_by_field_name("type_parameters"), scope)
        return scope

    def _body(self, node: Node) -> Scope:
        """The scope of a module, a class, a function or a lambda."""
        scope = Scope(is_class=node.type == "class_definition", runs_later=node.type in _FUNCTIONS)
        scope.defines = self._unseen_class(node).defines if scope.is_class else frozenset()
        self._generics(node.child_by_field_name("type_parameters"), scope)
        parameters = node.child_by_field_name("parameters") if scope.runs_later else None
        if parameters is not None:
            self._parameters(parameters, scope)
        is_module = node == self._syntax.root
        body = node if is_module else node.child_by_field_name("body")
        for part in self._body_parts(node, body):
            self._bind(part, scope)
        if is_module:
            self._global_statements(scope)
        elif node.type != "lambda":
            self._outer_statements(node, body, scope)
        return scope

    def _unseen_class(self, node: Node) -> Scope:
        """The scope of a class without its names, where they are not visible."""
        name = node.child_by_field_name("name")
        return Scope(is_class=True, defines=frozenset({self._name(name)} if name is not None else ()))

    def _body_parts(self, node: Node, body: Node | None) -> Iterator[Node]:
        """The body, and what an error tore out of it."""
        if node.type != "lambda":
            yield from (child for child in node.children if child.is_error)
        if body is not None:
            yield body

    def _outer_statements(self, node: Node, body: Node | None, scope: Scope) -> None:
        """Take out what `nonlocal` leaves to the functions around, and note what `global` takes from the module."""
        text = self._syntax.text(node)
        if "global" not in text and "nonlocal" not in text:
            return
        globals_: set[str] = set()
        for part in self._body_parts(node, body):
            for inner, _ in own_nodes(part, expressions=False):
                if inner.type == "global_statement":
                    globals_.update(self._name(name) for name in inner.named_children)
                elif inner.type == "nonlocal_statement":
                    for name in inner.named_children:
                        scope.bindings.pop(self._name(name), None)
        scope.global_names = frozenset(globals_)

    def _global_statements(self, scope: Scope) -> None:
        """Names that functions declare `global` belong to the module, whether it binds them itself or not."""
        text = self._syntax.document.text
        if "global" not in text:
            return
        for match in _GLOBAL.finditer(text):
            node = self._syntax.node_at(match.start()).parent
            if node is not None and node.type == "global_statement":
                for name in node.named_children:
                    scope.declare(self._binding(name, NameKind.VARIABLE))
