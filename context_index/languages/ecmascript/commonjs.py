"""What a CommonJS file exports: assignments to `module.exports` and `exports` at its top level.

Assignments inside functions are not found. `complete` is False where an object is spread, merged or returned by a
call, so that there may be more names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from context_index.exports.declarations import VARIABLES, has_own_name, kind_of_value
from context_index.exports.model import Export, Exports
from context_index.exports.nodes import first_named, literal, required, unquoted
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax

_WHOLE = frozenset({"module.exports", "exports"})
_CHANGE_OBJECTS = frozenset({"Object.defineProperty", "Object.assign"})
_OPAQUE = frozenset({"call_expression", "new_expression", "ternary_expression", "binary_expression"})


def commonjs_exports(syntax: Syntax, statements: Iterable[Node], known: Mapping[str, Export]) -> Exports:
    """The exports that the statements of a file assign; the last assignment to a name counts."""
    reader = _Reader(syntax, known, tuple(statements))
    exports = {export.name: export for node in reader.statements for export in reader.exports(node)}
    return Exports(tuple(exports.values()), tuple(reader.stars), complete=reader.complete)


class _Reader:
    """Reads one file's statements."""

    def __init__(self, syntax: Syntax, known: Mapping[str, Export], statements: tuple[Node, ...]) -> None:
        self._syntax = syntax
        self._known = known
        self.statements = statements
        self.stars: list[str] = []
        self.complete = True

    def exports(self, statement: Node) -> Iterator[Export]:
        """The exports that one statement assigns."""
        expression = first_named(statement) if statement.type == "expression_statement" else None
        if expression is None:
            return
        if expression.type == "assignment_expression":
            targets, value = self._chain(expression)
            for target in targets:
                yield from self._assigned(target, value, whole="module.exports" in targets)
        elif expression.type == "call_expression":
            yield from self._called(expression)

    def _chain(self, node: Node) -> tuple[list[str], Node]:
        """The targets of `a = b = value`, as written, and the value."""
        targets = []
        while node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None:
                break
            targets.append(self._syntax.text(left))
            node = right
        return targets, node

    def _assigned(self, target: str, value: Node, *, whole: bool) -> Iterator[Export]:
        owner, dot, name = target.rpartition(".")
        if target == "module.exports":
            yield from self._replaced(value)
        elif dot and owner in _WHOLE and name.isidentifier() and not (whole and name == "exports"):
            yield self._described(name, value)

    def _replaced(self, value: Node) -> Iterator[Export]:
        """`module.exports = value`."""
        if value.type == "object":
            yield from self._properties(value)
            return
        if (module := required(self._syntax, value)) is not None:
            self.stars.append(module)
            return
        self.complete = self.complete and value.type not in _OPAQUE
        yield self._described("default", value)
        if value.type == "identifier" and (object_ := self._object(self._syntax.text(value))) is not None:
            yield from self._properties(object_)

    def _properties(self, object_: Node) -> Iterator[Export]:
        for part in object_.named_children:
            if part.type == "shorthand_property_identifier":
                yield self._described(self._syntax.text(part), part)
            elif part.type == "spread_element":
                module = required(self._syntax, first_named(part))
                if module is not None:
                    self.stars.append(module)
                else:
                    self.complete = False
            elif part.type in {"pair", "method_definition"}:
                key = part.child_by_field_name("key") or part.child_by_field_name("name")
                value = part.child_by_field_name("value") or part
                name = unquoted(self._syntax, key) if key is not None else ""
                if name.isidentifier():
                    yield self._described(name, value)

    def _called(self, call: Node) -> Iterator[Export]:
        """Calls that change `exports`, and the helper that compilers write for `export *`."""
        function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        name, given = self._syntax.text(function), arguments.named_children
        if name.endswith("__exportStar"):
            if (module := required(self._syntax, first_named(arguments))) is not None:
                self.stars.append(module)
        elif name in _CHANGE_OBJECTS and given and self._syntax.text(given[0]) in _WHOLE:
            if name == "Object.assign":
                self.complete = False
            elif len(given) > 1 and (key := literal(self._syntax, given[1])) is not None and key != "__esModule":
                yield Export(key, NameKind.VARIABLE, self._syntax.line(call))

    def _described(self, name: str, value: Node) -> Export:
        """An export of a value; a name's kind and line come from its declaration."""
        text = self._syntax.text(value)
        if value.type in {"identifier", "shorthand_property_identifier"} and text in self._known:
            return replace(self._known[text], name=name, local=text if text != name else "")
        own = value.child_by_field_name("name") if has_own_name(value) else None
        local = self._syntax.text(own) if own is not None and name == "default" else ""
        return Export(name, kind_of_value(value), self._syntax.line(value), local=local)

    def _object(self, name: str) -> Node | None:
        """The object literal that a top-level name is declared with."""
        for statement in self.statements:
            if statement.type in VARIABLES:
                for declarator in statement.named_children:
                    target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
                    if target is not None and value is not None and self._syntax.text(target) == name:
                        return value if value.type == "object" else None
        return None
