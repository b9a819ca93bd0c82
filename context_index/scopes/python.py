"""Scopes of Python, by the language reference, "Naming and binding".

The names of a class body are seen from the body only, not from its methods. A comprehension is a scope of its own but
for its first iterable; defaults, decorators and annotations are evaluated around a function. What a `del` unbinds stays
listed, for a name may come back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from context_index.scopes.binding import Binding, Scope, last_character, one_line, without_errors
from context_index.symbols import NameKind, Origin
from context_index.syntax import Node, Syntax, ancestors

_COMPREHENSIONS = frozenset({
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
})  # fmt: skip
_OTHER_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})
_BODIES = frozenset({"function_definition", "class_definition"})
_GLOBAL = re.compile(r"global[ \t]")
_STAR = "`from {} import *` may bring more names"


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first; the names of a class only where its body is innermost."""
    reader = _Reader(syntax)
    found: list[Scope] = []
    class_seen = True
    last = last_character(syntax, offset)
    path = syntax.path(syntax.node_at(last, last + 1) if last >= 0 else syntax.root)
    column = reader.column_on_fresh_line(last, offset)
    for node in path:
        if node.has_error and (node == syntax.root or not node.is_error):
            found += reader.left_open(node, offset, column)
            class_seen = class_seen and not found
        scope = reader.scope_of(node, offset, column)
        if scope is not None:
            if not scope.is_class or class_seen:
                found.append(scope)
            elif found:
                found[-1] = replace(found[-1], defines=found[-1].defines | scope.defines)
            class_seen = class_seen and scope.sees_class
    return reader.with_globals(found)


class _Reader:
    """Reads the bindings of single scopes, each once per tree."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._walrus_near = ":=" in syntax.document.text

    def column_on_fresh_line(self, last: int, offset: int) -> int | None:
        """The column of an offset that only white space precedes in its line; None for others."""
        document = self._syntax.document
        start = document.lines[document.position(offset).line]
        return offset - start if last < start else None

    def scope_of(self, node: Node, offset: int, column: int | None) -> Scope | None:
        """The scope of a node, if it holds the offset."""
        kind, syntax = node.type, self._syntax
        if node == syntax.root:
            return self._once(node, "body")
        if kind in _BODIES:
            return self._of_definition(node, offset, column)
        if kind == "lambda":
            body = node.child_by_field_name("body")
            if body is not None and offset >= syntax.start(body) and self._reaches(node, offset, column):
                return self._once(node, "lambda")
        elif kind in _COMPREHENSIONS and syntax.start(node) < offset < syntax.end(node):
            first = next((child for child in node.children if child.type == "for_in_clause"), None)
            iterable = first.child_by_field_name("right") if first is not None else None
            outside = iterable is not None and syntax.start(iterable) <= offset <= syntax.end(iterable)
            return None if outside else self._once(node, "comprehension")
        elif kind == "type_alias_statement":
            scope = Scope(sees_class=True)
            self._generics(node.named_children[0], scope)
            return scope
        return None

    def left_open(self, node: Node, offset: int, column: int | None) -> list[Scope]:
        """Functions and comprehensions that the tokens of errors began and nothing ended."""
        scopes: list[Scope] = []
        words: list[Node] = []
        behind: list[Node] = []
        for child, loose in without_errors(node):
            if self._syntax.start(child) >= offset:
                if child.type in {")", "]", "}"}:
                    break
                behind.append(child)
                continue
            if loose and child.type == ":" and words and words[-1].type in {"parameters", "lambda_parameters"}:
                header = words[-3] if len(words) > 2 and words[-3].type == "def" else words[-1]  # noqa: PLR2004 - def, name
                if words[-1].type == "lambda_parameters" or self._indented(header, column):
                    scope = Scope(runs_later=True)
                    self._parameters(words[-1], scope)
                    scopes.append(scope)
            words.append(child)
        scopes.reverse()
        open_ = self._open_comprehension([*words, *behind])
        return [open_, *scopes] if open_ is not None else scopes

    def _open_comprehension(self, words: list[Node]) -> Scope | None:
        """`[x for x in xs if ^`: the bracket is open, a `for` stands in it."""
        scope = Scope()
        depth = 0
        for index in range(len(words) - 1, -1, -1):
            kind = words[index].type
            if kind in {")", "]", "}"}:
                depth += 1
            elif kind in {"(", "[", "{"}:
                depth -= 1
                if depth < 0:
                    return scope if scope.bindings else None
            elif depth == 0 and kind == "for_in_clause":
                self._targets(words[index].child_by_field_name("left"), scope)
            elif depth == 0 and kind == "for" and index + 2 < len(words) and words[index + 2].type == "in":
                self._targets(words[index + 1], scope)
        return None

    def _of_definition(self, node: Node, offset: int, column: int | None) -> Scope | None:
        body, parameters = node.child_by_field_name("body"), node.child_by_field_name("parameters")
        colon = next((child for child in node.children if child.type == ":"), None)
        if not self._reaches(node, offset, column):
            return None
        if body is not None and colon is not None and offset >= self._syntax.end(colon):
            return self._once(node, "body")
        generics = node.child_by_field_name("type_parameters")
        if generics is None or offset <= self._syntax.start(generics):
            return None
        in_default = parameters is not None and any(
            around.type in {"default_parameter", "typed_default_parameter"}
            for around in ancestors(self._syntax.node_at(offset))
        )
        return None if in_default else self._once(node, "generics")

    def _reaches(self, node: Node, offset: int, column: int | None) -> bool:
        """Whether what is typed at the offset would belong to the construct: on a fresh line, indentation tells."""
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
            taken |= scope.elsewhere
            if taken:
                kept = {text: binding for text, binding in scope.bindings.items() if text not in taken}
                scopes[index] = replace(scope, bindings=kept)
        return scopes

    def _once(self, node: Node, key: str) -> Scope:
        known = self._syntax.memo.get((node.id, key))
        if not isinstance(known, Scope):
            known = self._read(node, key)
            self._syntax.memo[node.id, key] = known
        return known

    def _read(self, node: Node, key: str) -> Scope:
        scope = Scope(is_class=node.type == "class_definition" and key == "body", sees_class=key == "generics")
        name = node.child_by_field_name("name") if scope.is_class else None
        scope.defines = frozenset({self._syntax.text(name)} if name is not None else ())
        whole = node == self._syntax.root
        if key == "comprehension":
            for clause in node.children:
                if clause.type == "for_in_clause":
                    self._targets(clause.child_by_field_name("left"), scope)
            return scope
        self._generics(node.child_by_field_name("type_parameters"), scope)
        if key == "generics":
            return scope
        if node.type in {"function_definition", "lambda"}:
            scope.runs_later = True
            parameters = node.child_by_field_name("parameters")
            if parameters is not None:
                self._parameters(parameters, scope)
        body = node if whole else node.child_by_field_name("body")
        for part in self._body_parts(node, body):
            self._bind(part, scope)
        if whole:
            self._global_statements(scope)
        elif node.type != "lambda":
            self._elsewhere(node, body, scope)
        return scope

    def _body_parts(self, node: Node, body: Node | None) -> Iterator[Node]:
        """The body, and what an error tore out of it."""
        if node.type != "lambda":
            yield from (child for child in node.children if child.is_error)
        if body is not None:
            yield body

    def _elsewhere(self, node: Node, body: Node | None, scope: Scope) -> None:
        """Take out what `nonlocal` leaves to the functions around, and note what `global` takes from the module."""
        text = self._syntax.document.text
        if "global" not in text and "nonlocal" not in text:
            return
        globals_: set[str] = set()
        for part in self._body_parts(node, body):
            for inner in _own(part, expressions=False):
                if inner.type == "global_statement":
                    globals_.update(self._syntax.text(name) for name in inner.named_children)
                elif inner.type == "nonlocal_statement":
                    for name in inner.named_children:
                        scope.bindings.pop(self._syntax.text(name), None)
        scope.elsewhere = frozenset(globals_)

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

    def _bind(self, body: Node, scope: Scope) -> None:
        """Declare everything that the statements below a node bind in its scope."""
        for node in _own(body, expressions=self._walrus_near):
            rule = _RULES.get(node.type)
            if rule is not None:
                rule(self, node, scope)

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

    def _end_of_header(self, node: Node) -> int:
        body = node.child_by_field_name("body")
        return self._syntax.start(body) if body is not None else self._syntax.end(node)

    def _assignment(self, node: Node, scope: Scope) -> None:
        value, annotation = node.child_by_field_name("right"), node.child_by_field_name("type")
        detail = one_line(self._syntax, annotation)
        is_function = value is not None and value.type == "lambda"
        kind = NameKind.FUNCTION if is_function else None
        self._targets(node.child_by_field_name("left"), scope, ready=self._syntax.end(node), kind=kind, detail=detail)

    def _for(self, node: Node, scope: Scope) -> None:
        right = node.child_by_field_name("right")
        ready = self._syntax.end(right) if right is not None else self._syntax.end(node)
        self._targets(node.child_by_field_name("left"), scope, ready=ready, kind=NameKind.VARIABLE)

    def _as(self, node: Node, scope: Scope) -> None:
        """`with ... as`, `except ... as`, `case ... as`."""
        alias = node.child_by_field_name("alias") or node.named_children[-1]
        if alias.type == "as_pattern_target" and alias.named_children:
            alias = alias.named_children[0]
        self._targets(alias, scope, ready=self._syntax.end(node), kind=NameKind.VARIABLE)

    def _except(self, node: Node, scope: Scope) -> None:
        """`except E as e` where the grammar has the alias as a field of the clause."""
        alias = node.child_by_field_name("alias")
        if alias is not None:
            self._targets(alias, scope, ready=self._syntax.end(alias), kind=NameKind.VARIABLE)

    def _walrus(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._targets(name, scope, ready=self._syntax.end(node), kind=NameKind.VARIABLE)

    def _delete(self, node: Node, scope: Scope) -> None:
        for target in node.named_children:
            self._targets(target, scope, ready=self._syntax.end(node))

    def _captures(self, node: Node, scope: Scope) -> None:
        """The names that a pattern of `match` binds."""
        for name in _captured(node):
            scope.declare(self._binding(name, NameKind.VARIABLE, ready=self._syntax.end(node)))

    def _alias(self, node: Node, scope: Scope) -> None:
        left = node.child_by_field_name("left") or node.named_children[0]
        name = left
        while name.type != "identifier" and name.named_children:
            name = name.named_children[0]
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
                scope.caveats = (*scope.caveats, _STAR.format(module))
            elif child.type in {"dotted_name", "aliased_import"}:
                self._imported(child, module, scope, ready=self._syntax.end(node))

    def _imported(self, child: Node, module: str, scope: Scope, *, ready: int) -> None:
        target = child.child_by_field_name("alias") if child.type == "aliased_import" else child.named_children[0]
        if target is None or target.is_missing:
            return
        text = self._syntax.text(target)
        kind = NameKind.VARIABLE if module else NameKind.MODULE
        path = self._syntax.text(child.child_by_field_name("name") or child)
        line = self._syntax.line(target)
        scope.declare(Binding(text, kind, line, ready, module or path, Origin.IMPORT))

    def _torn(self, node: Node, scope: Scope) -> None:
        """`def f(` and `class A(` of which no more is there yet."""
        before = ""
        for child in node.children:
            if child.type == "identifier" and before in {"def", "class"}:
                kind = NameKind.FUNCTION if before == "def" else NameKind.CLASS
                scope.declare(self._binding(child, kind))
            before = child.type

    def _targets(
        self, target: Node | None, scope: Scope, *, ready: int = 0, kind: NameKind | None = None, detail: str = ""
    ) -> None:
        """Declare the identifiers of an assignment target; attributes and subscripts bind no name."""
        if target is None or target.is_missing:
            return
        if target.type == "identifier":
            text = self._syntax.text(target)
            constant = text.isupper() and len(text) > 1
            known = kind or (NameKind.CONSTANT if constant else NameKind.VARIABLE)
            scope.declare(self._binding(target, known, ready=ready, detail=detail))
        elif target.type in _NESTED_TARGETS:
            for inner in target.named_children:
                self._targets(inner, scope, ready=ready, kind=kind)

    def _parameters(self, parameters: Node, scope: Scope) -> None:
        for parameter in parameters.named_children:
            name = parameter.child_by_field_name("name") or parameter
            detail = one_line(self._syntax, parameter.child_by_field_name("type"))
            while name.type not in {"identifier", "tuple_pattern"} and name.named_children:
                name = name.named_children[0]
            self._targets(name, scope, kind=NameKind.PARAMETER, detail=detail)

    def _generics(self, generics: Node | None, scope: Scope) -> None:
        if generics is None:
            return
        if generics.type == "type":
            generics = next(iter(generics.named_children), generics)
        if generics.type == "generic_type":
            generics = next((child for child in generics.named_children if child.type == "type_parameter"), generics)
        if generics.type != "type_parameter":
            return
        for child in generics.named_children:
            name = child
            while name.type != "identifier" and name.named_children:
                name = name.named_children[0]
            if name.type == "identifier":
                scope.declare(self._binding(name, NameKind.TYPE_PARAMETER))

    def _binding(self, name: Node, kind: NameKind, *, ready: int = 0, detail: str = "") -> Binding:
        text = self._syntax.text(name)
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text)  # two spellings, one name: the language reference, "Identifiers"
        return Binding(text, kind, self._syntax.line(name), ready, detail)


_NESTED_TARGETS = frozenset({
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "parenthesized_expression",
    "expression_list", "list_splat", "as_pattern_target", "ERROR",
})  # fmt: skip
_RULES = {
    "function_definition": _Reader._function,
    "class_definition": _Reader._class,
    "assignment": _Reader._assignment,
    "augmented_assignment": _Reader._assignment,
    "for_statement": _Reader._for,
    "as_pattern": _Reader._as,
    "except_clause": _Reader._except,
    "except_group_clause": _Reader._except,
    "named_expression": _Reader._walrus,
    "delete_statement": _Reader._delete,
    "case_clause": _Reader._captures,
    "type_alias_statement": _Reader._alias,
    "ERROR": _Reader._torn,
    "import_statement": _Reader._import,
    "import_from_statement": _Reader._import,
    "future_import_statement": _Reader._import,
}
_STATEMENTS = frozenset({
    "module", "block", "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement",
    "try_statement", "except_clause", "except_group_clause", "finally_clause", "with_statement", "with_clause",
    "with_item", "match_statement", "case_clause", "decorated_definition", "expression_statement", "assignment",
    "ERROR",
})  # fmt: skip


def _own(node: Node, *, expressions: bool) -> Iterator[Node]:
    """The nodes below a node that run in its scope; expressions are entered only where a walrus can be."""
    pending = [node]
    while pending:
        inner = pending.pop()
        yield inner
        if inner is not node and inner.type in _OTHER_SCOPES:
            if expressions:
                pending.extend(_around(inner))
        elif expressions or inner is node or inner.type in _STATEMENTS:
            pending.extend(reversed(inner.named_children))


def _around(definition: Node) -> Iterator[Node]:
    """The parts of a function, class or lambda that are evaluated around it."""
    for field in ("parameters", "superclasses", "return_type"):
        part = definition.child_by_field_name(field)
        if part is not None:
            yield part


def _captured(case: Node) -> Iterator[Node]:
    """The capture names of the patterns of a `case`."""
    pending = [child for child in case.named_children if child.type in {"case_pattern", "ERROR"}]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind == "dotted_name":
            parts = node.named_children
            if len(parts) == 1 and parts[0].text != b"_":
                yield parts[0]
        elif kind == "splat_pattern":
            yield from (child for child in node.named_children if child.type == "identifier" and child.text != b"_")
        elif kind in {"class_pattern", "keyword_pattern"}:
            pending.extend(node.named_children[1:])
        elif kind == "as_pattern":
            pending.append(node.named_children[0])
            yield from (child for child in node.named_children[1:] if child.type == "identifier")
        elif kind not in {"string", "integer"}:
            pending.extend(node.named_children)
