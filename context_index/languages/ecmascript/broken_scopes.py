"""Scopes inside syntax errors of JavaScript and TypeScript: the tokens of `function f(a) {` without its `}`.

Knows brackets and what comes before them; `declarations` knows what is declared between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from context_index.syntax import Node, Syntax, without_errors


@dataclass(slots=True)
class OpenScope:
    """A function, class or block of which only the beginning was understood."""

    start: int
    parameters: Node | None = None
    generics: Node | None = None
    arrow: bool = False
    braced: bool = False
    """Its `{` has been seen."""
    items: list[Node] = field(default_factory=list)
    """The statements in it."""
    end: int | None = None
    """Where an error's `}` closed it."""

    def holds(self, offset: int) -> bool:
        """Whether what is typed at the offset would belong to it."""
        return self.start < offset and (self.end is None or offset < self.end)


@dataclass(slots=True)
class ErrorLevel:
    """The children of one node: its own, and those of the scopes that errors among them began."""

    own: list[Node] = field(default_factory=list)
    opened: list[OpenScope] = field(default_factory=list)
    """Outermost first."""


def level_of(syntax: Syntax, node: Node) -> ErrorLevel:
    """The children of a node, sorted into the scopes that its errors began."""
    if not node.has_error:
        return ErrorLevel(node.children)
    known = syntax.memo.get((node.id, "level"))
    if not isinstance(known, ErrorLevel):
        known = _Sorter(syntax).sort(node)
        syntax.memo[node.id, "level"] = known
    return known


class _Sorter:
    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._level = ErrorLevel()
        self._stack: list[OpenScope] = []

    def sort(self, node: Node) -> ErrorLevel:
        for child, loose in without_errors(node):
            if not (loose and self._bracket(child)):
                self._items.append(child)
        return self._level

    @property
    def _items(self) -> list[Node]:
        return self._stack[-1].items if self._stack else self._level.own

    def _bracket(self, child: Node) -> bool:
        """Whether a child of an error opens or closes a scope; if so, that is noted."""
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

    def _open(self, opened: OpenScope) -> None:
        self._stack.append(opened)
        self._level.opened.append(opened)

    def _awaits_body(self) -> bool:
        return bool(self._stack) and not self._stack[-1].braced

    def _arrow(self) -> bool:
        """`(a) =>` has its parameters already; in `a =>` the name before turns out to be one."""
        if self._awaits_body() and self._stack[-1].parameters and not self._stack[-1].items:
            self._stack[-1].arrow = True
            return True
        if self._items and self._items[-1].type == "identifier":
            name = self._items.pop()
            self._open(OpenScope(self._syntax.start(name), parameters=name, arrow=True))
            return True
        return False

    def _close(self, end: int) -> bool:
        if not any(opened.braced for opened in self._stack):
            return False
        while not self._stack[-1].braced:
            self._stack.pop().end = end
        self._stack.pop().end = end
        return True
