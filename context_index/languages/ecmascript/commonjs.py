"""Finds what a CommonJS file exports: what it assigns to `module.exports` and `exports` at its top level.

Assignments inside functions are not found. If an object is spread, merged or returned by a call, there may be more
names, and `Exports.complete` is False. `exports` beside this module calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from context_index.exports.model import Export, Exports
from context_index.exports.nodes import VARIABLES, literal, required, unquoted
from context_index.languages.ecmascript.exported_names import has_own_name, kind_of_value
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax, first_part

_EXPORTS = frozenset({"module.exports", "exports"})
_CHANGE_OBJECTS = frozenset({"Object.defineProperty", "Object.assign"})
_OPAQUE = frozenset({"call_expression", "new_expression", "ternary_expression", "binary_expression"})
"""Values of `module.exports` whose members are not read."""


def commonjs_exports(syntax: Syntax, statements: Iterable[Node], local_names: Mapping[str, Export]) -> Exports:
    """The exports that the statements of a file assign; the last assignment to a name counts.

    Args:
        statements: All statements of the top level.
        local_names: The names that the file imports or declares there.
    """
    reader = _Reader(syntax, local_names, tuple(statements))
    exports = {export.name: export for node in reader.statements for export in reader.exports(node)}
    return Exports(tuple(exports.values()), tuple(reader.stars), complete=reader.complete)


class _Reader:
    """Reads one file's statements."""

    def __init__(self, syntax: Syntax, local_names: Mapping[str, Export], statements: tuple[Node, ...]) -> None:
        self._syntax = syntax
        self._local_names = local_names
        self.statements = statements
        self.stars: list[str] = []
        """Modules of which all exports are passed on, among the statements that were read so far."""
        self.complete = True
        """Whether these statements assign no names but those that were returned."""

    def exports(self, statement: Node) -> Iterator[Export]:
        """The exports that one statement assigns."""
        expression = first_part(statement) if statement.type == "expression_statement" else None
        if expression is None:
            return
        if expression.type == "assignment_expression":
            targets, value = self._targets_and_value(expression)
            for target in targets:
                yield from self._assigned(target, value, is_whole="module.exports" in targets)
        elif expression.type == "call_expression":
            yield from self._called(expression)

    def _targets_and_value(self, node: Node) -> tuple[list[str], Node]:
        """The targets of `a = b = value`, as they are written, and the value."""
        targets = []
        while node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None:
                break
            targets.append(self._syntax.text(left))
            node = right
        return targets, node

    def _assigned(self, target: str, value: Node, *, is_whole: bool) -> Iterator[Export]:
        """The exports that one target of an assignment makes.

        Args:
            is_whole: Whether `module.exports` is a target of the same assignment.
        """
        owner, dot, name = target.rpartition(".")
        if target == "module.exports":
            yield from self._assigned_as_whole(value)
        elif dot and owner in _EXPORTS and name.isidentifier() and not (is_whole and name == "exports"):
            yield self._export(name, value)

    def _assigned_as_whole(self, value: Node) -> Iterator[Export]:
        """The exports of `module.exports = value`."""
        if value.type == "object":
            yield from self._properties(value)
            return
        if (module := required(self._syntax, value)) is not None:
            self.stars.append(module)
            return
        self.complete = self.complete and value.type not in _OPAQUE
        yield self._export("default", value)
        if value.type == "identifier" and (object_ := self._object(self._syntax.text(value))) is not None:
            yield from self._properties(object_)

    def _properties(self, object_: Node) -> Iterator[Export]:
        """The exports of an object literal that is all of `module.exports`."""
        for member in object_.named_children:
            if member.type == "shorthand_property_identifier":
                yield self._export(self._syntax.text(member), member)
            elif member.type == "spread_element":
                module = required(self._syntax, first_part(member))
                if module is not None:
                    self.stars.append(module)
                else:
                    self.complete = False
            elif member.type in {"pair", "method_definition"}:
                key = member.child_by_field_name("key") or member.child_by_field_name("name")
                value = member.child_by_field_name("value") or member
                name = unquoted(self._syntax, key) if key is not None else ""
                if name.isidentifier():
                    yield self._export(name, value)

    def _called(self, call: Node) -> Iterator[Export]:
        """The exports of a call that changes `exports`, or of the helper that compilers write for `export *`."""
        function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        name, values = self._syntax.text(function), arguments.named_children
        if name.endswith("__exportStar"):
            if (module := required(self._syntax, first_part(arguments))) is not None:
                self.stars.append(module)
        elif name in _CHANGE_OBJECTS and values and self._syntax.text(values[0]) in _EXPORTS:
            if name == "Object.assign":
                self.complete = False
            elif len(values) > 1 and (key := literal(self._syntax, values[1])) is not None and key != "__esModule":
                yield Export(key, NameKind.VARIABLE, self._syntax.line(call))

    def _export(self, name: str, value: Node) -> Export:
        """The export of a value under a name; if the value is a local name, its declaration gives kind and line."""
        text = self._syntax.text(value)
        if value.type in {"identifier", "shorthand_property_identifier"} and text in self._local_names:
            return replace(self._local_names[text], name=name, local=text if text != name else "")
        own_name = value.child_by_field_name("name") if has_own_name(value) else None
        local = self._syntax.text(own_name) if own_name is not None and name == "default" else ""
        return Export(name, kind_of_value(value), self._syntax.line(value), local=local)

    def _object(self, name: str) -> Node | None:
        """The object literal that a top-level name is declared with; None if it is declared with another value."""
        for statement in self.statements:
            if statement.type in VARIABLES:
                for declarator in statement.named_children:
                    target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
                    if target is not None and value is not None and self._syntax.text(target) == name:
                        return value if value.type == "object" else None
        return None
