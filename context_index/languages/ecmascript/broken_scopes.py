"""Finds scopes that a syntax error in JavaScript or TypeScript left open, such as `function f(a) {` without its `}`.

The parser has no node for such a scope: its tokens and statements are children of an ERROR node or of the node around.
This module sorts them by brackets. `scopes` calls it, and `declarations` reads what is declared in each scope.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from context_index.syntax import Node, Syntax, without_errors


@dataclass(slots=True)
class OpenScope:
    """A function, class or block of which the parser understood only the beginning."""

    start: int
    parameters: Node | None = None
    generics: Node | None = None
    """Its type parameters."""
    arrow: bool = False
    """Whether it is an arrow function, after its `=>`."""
    braced: bool = False
    """Whether its `{` has been read."""
    items: list[Node] = field(default_factory=list)
    """The statements in it."""
    end: int | None = None
    """The offset after the `}`, in an error, that closed it; None if it is still open."""

    def holds(self, offset: int) -> bool:
        """Whether what is typed at the offset would belong to it."""
        return self.start < offset and (self.end is None or offset < self.end)


@dataclass(slots=True)
class ErrorLevel:
    """The children of one node, sorted into those of its own scope and those of scopes that errors left open."""

    own: list[Node] = field(default_factory=list)
    opened: list[OpenScope] = field(default_factory=list)
    """The open scopes, outermost first."""


def level_of(syntax: Syntax, node: Node) -> ErrorLevel:
    """The children of a node, sorted into scopes; read once per tree."""
    if not node.has_error:
        return ErrorLevel(node.children)
    level = syntax.memo.get((node.id, "level"))
    if not isinstance(level, ErrorLevel):
        level = _Sorter(syntax).sort(node)
        syntax.memo[node.id, "level"] = level
    return level


class _Sorter:
    """Sorts the children of one node, from the first to the last."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._level = ErrorLevel()
        self._stack: list[OpenScope] = []
        """The scopes that are open at the child that is being read, outermost first."""

    def sort(self, node: Node) -> ErrorLevel:
        for child, is_of_error in without_errors(node):
            if not (is_of_error and self._take_token(child)):
                self._items.append(child)
        return self._level

    @property
    def _items(self) -> list[Node]:
        """The statements of the innermost open scope, or the node's own."""
        return self._stack[-1].items if self._stack else self._level.own

    def _take_token(self, child: Node) -> bool:
        """Open or close a scope by a child of an error; False, and nothing done, if the child does neither."""
        kind = child.type
        if kind == "type_parameters":
            self._open(OpenScope(self._syntax.start(child), generics=child))
        elif kind == "formal_parameters":
            if self._awaits_body() and self._stack[-1].parameters is None:
                self._stack[-1].parameters = child
            else:
                self._open(OpenScope(self._syntax.start(child), parameters=child))
        elif kind == "=>":
            return self._arrow()
        elif kind == "{":
            if self._awaits_body():
                self._stack[-1].braced = True
            else:
                self._open(OpenScope(self._syntax.start(child), braced=True))
        elif kind == "}":
            return self._close(self._syntax.end(child))
        else:
            return False
        return True

    def _open(self, scope: OpenScope) -> None:
        self._stack.append(scope)
        self._level.opened.append(scope)

    def _awaits_body(self) -> bool:
        """Whether the innermost open scope has no `{` yet."""
        return bool(self._stack) and not self._stack[-1].braced

    def _arrow(self) -> bool:
        """Make an arrow function at `=>`: of the open `(a)`, or of the name before, `a`; False if there is neither."""
        if self._awaits_body() and self._stack[-1].parameters and not self._stack[-1].items:
            self._stack[-1].arrow = True
            return True
        if self._items and self._items[-1].type == "identifier":
            name = self._items.pop()
            self._open(OpenScope(self._syntax.start(name), parameters=name, arrow=True))
            return True
        return False

    def _close(self, end: int) -> bool:
        """Close the innermost scope with a `{`, and those without one inside of it; False if there is none."""
        if not any(scope.braced for scope in self._stack):
            return False
        while not self._stack[-1].braced:
            self._stack.pop().end = end
        self._stack.pop().end = end
        return True
