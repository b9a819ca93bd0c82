"""Finds the scopes around a place in a Python text, by the language reference, "Naming and binding".

The package `context_index.scopes` loads this module as the part `scopes` of Python and calls `scopes_at` and `within`.
`bindings` reads which names a piece of code binds.

The names of a class body are visible in the body only, not in its methods. A comprehension is a scope of its own,
but its first iterable is evaluated outside of it. Defaults, decorators and annotations are evaluated outside of their
function. A name that `del` unbinds stays listed, as it may be bound again.

In broken text, an unfinished header may have no node of its own, and a new line may be below a block that goes on. So
the column of a new line decides which blocks it continues.
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
"""Definitions with a body of statements."""
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_COMPOUND = _BODIES | {
    "if_statement", "for_statement", "while_statement", "try_statement", "match_statement", "with_statement",
}  # fmt: skip
"""Statements with a block, which the indentation of a new line may end."""
_GLOBAL = re.compile(r"global[ \t]")


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first. A class is among them only if its body is the innermost scope.

    Of any other class the scope inside it gets the class's own name (`Scope.defines`), and the list the scope of its
    type parameters, which methods see.
    """
    reader = _Reader(syntax)
    scopes: list[Scope] = []
    class_seen = True  # whether the offset sees the names of a class body that comes next on the way out
    last = _last_code(syntax, offset)
    path = syntax.path(syntax.node_at(last, last + 1) if last >= 0 else syntax.root)
    column = reader.column_on_fresh_line(last, offset)
    for node in path:
        if node.has_error and (node == syntax.root or not node.is_error):
            scopes += reader.left_open(node, offset, column)
            class_seen = class_seen and not scopes
        scope = reader.scope_of(node, offset, column, class_seen=class_seen)
        if scope is not None:
            if not scope.is_class or class_seen:
                scopes.append(scope)
            elif scopes:
                scopes[-1] = replace(scopes[-1], defines=scopes[-1].defines | scope.defines)
                if (parameters := reader.type_parameters(node)).bindings:  # unlike the class's names, methods see them
                    scopes.append(parameters)
            class_seen = class_seen and scope.sees_class
    return reader.without_global_names(scopes)


def within(syntax: Syntax, offset: int) -> int:
    """An offset that the tree has in the same branches and loops as the given one; see `scopes.flow.LookupPlace`.

    A new line at the end of a block is outside of the block in the tree. Its indentation decides which statements above
    it have ended: none if it is as deep as the block, and then the offset is that of the last code in the block.
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
    """The offset of the last character of code before a place that is not white space; -1 if there is none.

    On a new line comments do not count either: below `def f():  # comment` the body is still empty, and the tree has
    the comment outside of it.
    """
    document = syntax.document
    last, start = last_character(syntax, offset), document.lines[document.position(offset).line]
    while 0 <= last < start and (node := syntax.node_at(last, last + 1)).type == "comment":
        last = last_character(syntax, syntax.start(node))
    return last


class _Reader(BindingWalk):
    """Reads the bindings of single scopes, each once per tree.

    In its methods, `offset` is the place that is asked about, and `column` is what `column_on_fresh_line` returns.
    """

    def column_on_fresh_line(self, last: int, offset: int) -> int | None:
        """The column of an offset before which its line has only white space; None for any other offset.

        In the other methods it decides to which block a new line belongs, and None means that the tree does.

        Args:
            last: The offset of the last code before it.
        """
        document = self._syntax.document
        start = document.lines[document.position(offset).line]
        return offset - start if last < start else None

    def scope_of(self, node: Node, offset: int, column: int | None, *, class_seen: bool) -> Scope | None:
        """The scope that a node opens, if the offset is in it; None otherwise.

        Args:
            class_seen: Whether the names of a class around the node are visible at the offset.
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
            is_in_iterable = iterable is not None and syntax.start(iterable) <= offset <= syntax.end(iterable)
            return None if is_in_iterable else self._cached(node, self._comprehension)
        elif kind == "type_alias_statement" and self._reaches(node, offset, column):
            scope = Scope(sees_class=True)
            self._generics(node.named_children[0], scope)
            return scope
        return None

    def type_parameters(self, node: Node) -> Scope:
        """The type parameters of a function or a class, as a scope."""
        return self._cached(node, self._header)

    def left_open(self, node: Node, offset: int, column: int | None) -> list[Scope]:
        """The scopes of unfinished functions and comprehensions that errors in a node left open, innermost first.

        The parser has no node for them: with `def f(x): return (x +` in a block, the error's children are `def`, the
        name, the parameters, `:` and so on. So the children are read in order, those of errors as well.
        """
        scopes: list[Scope] = []
        tokens: list[Node] = []
        after: list[Node] = []  # a comprehension may go on after the offset, up to its bracket
        for child, is_of_error in without_errors(node):
            if self._syntax.start(child) >= offset:
                if child.type in {")", "]", "}"}:
                    break
                after.append(child)
                continue
            if is_of_error and child.type == ":" and (scope := self._open_function(tokens, column)) is not None:
                scopes.append(scope)
            tokens.append(child)
        scopes.reverse()
        comprehension = self._open_comprehension([*tokens, *after])
        return [comprehension, *scopes] if comprehension is not None else scopes

    def _open_function(self, tokens: list[Node], column: int | None) -> Scope | None:
        """The scope of a function or a lambda whose header ends with these tokens, before its colon."""
        # `def total(cart) -> int` ends with its returned type, `def total(cart)` and `lambda cart` with parameters
        header = tokens[:-2] if [token.type for token in tokens[-2:]] == ["->", "type"] else tokens
        if not header or header[-1].type not in {"parameters", "lambda_parameters"}:
            return None
        parameters = header[-1]
        first = header[-3] if len(header) > 2 and header[-3].type == "def" else parameters  # noqa: PLR2004 - def, name
        if parameters.type != "lambda_parameters" and not self._indented(first, column):
            return None
        scope = Scope(runs_later=True)
        self._parameters(parameters, scope)
        return scope

    def _open_comprehension(self, tokens: list[Node]) -> Scope | None:
        """The scope of a comprehension whose bracket is not closed, as in `[x for x in xs if ^`; None without one.

        The tokens are read backwards, up to the bracket that is open. Each `for` on this way is a node of its own
        (`for_in_clause`), or three tokens if the error tore it apart: `for`, the targets, `in`.
        """
        scope = Scope()
        depth = 0  # of the closed brackets that the reading is in
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
        """The scope of a function or a class, or in its header that of its type parameters; see `scope_of`."""
        body, parameters = node.child_by_field_name("body"), node.child_by_field_name("parameters")
        colon = next((child for child in node.children if child.type == ":"), None)
        if not self._reaches(node, offset, column):
            return None
        if body is not None and colon is not None and offset >= self._syntax.end(colon):
            return self._cached(node, self._body if class_seen or node.type in _FUNCTIONS else self._unseen_class)
        generics = node.child_by_field_name("type_parameters")
        if generics is None or offset <= self._syntax.start(generics):
            return None
        in_default = parameters is not None and any(  # a default is evaluated outside and sees no type parameters
            around.type in {"default_parameter", "typed_default_parameter"}
            for around in ancestors(self._syntax.node_at(offset))
        )
        return None if in_default else self._cached(node, self._header)

    def _reaches(self, node: Node, offset: int, column: int | None) -> bool:
        """Whether text typed at the offset would belong to a node that begins before it.

        After the node's end it does so on the same line, and on a new line that is indented deeper than the node's.
        """
        if offset <= self._syntax.start(node):
            return False
        if offset < self._syntax.end(node):
            return True
        return self._indented(node, column)

    def _indented(self, header: Node, column: int | None) -> bool:
        """Whether a new line's column is deeper than the line of a header; True if there is no new line."""
        if column is None:
            return True
        document = self._syntax.document
        line = document.line_text(document.position(self._syntax.start(header)).line)
        return column > len(line) - len(line.lstrip())

    def without_global_names(self, scopes: list[Scope]) -> list[Scope]:
        """The scopes without the names that a scope, or one inside of it, declares `global`; the module's keeps all."""
        global_names: set[str] = set()
        for index, scope in enumerate(scopes[:-1]):
            global_names |= scope.global_names
            if global_names:
                others = {text: binding for text, binding in scope.bindings.items() if text not in global_names}
                scopes[index] = replace(scope, bindings=others)
        return scopes

    def _cached(self, node: Node, read: Callable[[Node], Scope]) -> Scope:
        """What a method reads from a node, kept in the tree's memo."""
        key = node.id, read.__name__
        scope = self._syntax.memo.get(key)
        if not isinstance(scope, Scope):
            scope = self._syntax.memo[key] = read(node)
        return scope

    def _comprehension(self, node: Node) -> Scope:
        """The names that the `for` clauses of a comprehension bind."""
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
        """The scope of a class from inside a function in it: only the class's own name, which has no value yet."""
        name = node.child_by_field_name("name")
        return Scope(is_class=True, defines=frozenset({self._name(name)} if name is not None else ()))

    def _body_parts(self, node: Node, body: Node | None) -> Iterator[Node]:
        """The errors beside a body, which may have statements of it, and the body.

        The parser puts what it cannot read between a header and its block: a `return (x +` that is not finished.
        """
        if node.type != "lambda":
            yield from (child for child in node.children if child.is_error)
        if body is not None:
            yield body

    def _outer_statements(self, node: Node, body: Node | None, scope: Scope) -> None:
        """Remove `nonlocal` names from a function's or a class's scope, and set its `global_names`."""
        text = self._syntax.text(node)
        if "global" not in text and "nonlocal" not in text:
            return
        global_names: set[str] = set()
        for part in self._body_parts(node, body):
            for inner, _ in own_nodes(part, expressions=False):
                if inner.type == "global_statement":
                    global_names.update(self._name(name) for name in inner.named_children)
                elif inner.type == "nonlocal_statement":
                    for name in inner.named_children:
                        scope.bindings.pop(self._name(name), None)
        scope.global_names = frozenset(global_names)

    def _global_statements(self, scope: Scope) -> None:
        """Declare in the module's scope the names that functions declare `global`: a function may bind them."""
        text = self._syntax.document.text
        if "global" not in text:
            return
        for match in _GLOBAL.finditer(text):
            node = self._syntax.node_at(match.start()).parent
            if node is not None and node.type == "global_statement":
                for name in node.named_children:
                    scope.declare(self._binding(name, NameKind.VARIABLE))
