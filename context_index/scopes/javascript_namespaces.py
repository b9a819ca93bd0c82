"""Namespaces and enums of TypeScript that have several parts: what each part sees of the others.

A namespace sees what its other parts in the same file export, an enum the members of its other parts. In `declare
namespace` everything is exported.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.scopes.binding import Scope
from context_index.scopes.javascript_declarations import NAMESPACES, WRAPPERS, Declarations, unwrapped
from context_index.symbols import NameKind
from context_index.syntax import Node


class MergedDeclarations(Declarations):
    """Reads the names that the other parts of a namespace or an enum add to one of them."""

    def namespaces(self, namespace: Node, around: list[Node]) -> list[Scope]:
        """The exports of all parts of a namespace, and of those that its dotted name is in, innermost first.

        Args:
            around: the nodes around it, innermost first.
        """
        path, container = self._path(namespace), around[-1]
        for node in around:
            if node.type == "statement_block":
                continue
            if node.type in NAMESPACES:
                path = [*self._path(node), *path]
            elif node.type not in WRAPPERS:
                container = node
                break
        own = len(self._path(namespace))
        scopes = [self._exports(container, path[: len(path) - up]) for up in range(own)]
        return [scope for scope in scopes if scope.bindings]

    def _exports(self, container: Node, path: list[str]) -> Scope:
        key = (container.id, f"exports of {'.'.join(path)}")
        known = self._syntax.memo.get(key)
        if not isinstance(known, Scope):
            known = Scope(counts=False)
            self._export(container, path, known, ambient=False)
            self._syntax.memo[key] = known
        return known

    def _export(self, container: Node, path: list[str], scope: Scope, *, ambient: bool) -> None:
        for namespace, is_ambient in _parts(container, ambient=ambient):
            name = self._path(namespace)
            shared = min(len(name), len(path))
            body = namespace.child_by_field_name("body")
            if name[:shared] != path[:shared] or body is None:
                continue
            if len(name) > len(path):
                self._named_node(_components(namespace)[shared], NameKind.NAMESPACE, scope)
            elif len(name) < len(path):
                self._export(body, path[shared:], scope, ambient=is_ambient)
            else:
                shown = [child for child in body.named_children if is_ambient or child.type == "export_statement"]
                self._declarations(shown, scope)
                self._vars(shown, scope)

    def enums(self, enum: Node, around: list[Node], scope: Scope) -> None:
        """Add the members of an enum's other parts to a scope."""
        name = enum.child_by_field_name("name")
        container = next((node for node in around if node.type not in WRAPPERS), None)
        if name is None or container is None:
            return
        for child in container.named_children:
            other, _ = unwrapped(child)
            if other.type == "enum_declaration" and other != enum:
                same = other.child_by_field_name("name")
                if same is not None and same.text == name.text:
                    self._enum_members(other, scope)

    def _path(self, namespace: Node) -> list[str]:
        return [self._syntax.text(part) for part in _components(namespace)]


def _components(namespace: Node) -> list[Node]:
    """The parts of a namespace's dotted name."""
    name = namespace.child_by_field_name("name")
    if name is None:
        return []
    return [leaf for leaf in _leaves(name) if leaf.type not in {".", "comment"}] if name.type != "string" else [name]


def _leaves(node: Node) -> Iterator[Node]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _parts(container: Node, *, ambient: bool) -> Iterator[tuple[Node, bool]]:
    """The namespaces among the statements of a block, and whether each is ambient."""
    for child in container.named_children:
        inner, declared = unwrapped(child)
        if inner.type in NAMESPACES:
            yield inner, ambient or declared
