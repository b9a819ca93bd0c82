"""What a scope holds: bindings, and whether its code runs later than the code around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from context_index.symbols import Name, NameKind, Origin
from context_index.syntax import Node, Syntax

STAND_IN = "inscope_is_here"
"""A name put where one is about to be typed, so that the parser sees `let a = x;` and not `let a = ;`."""

_DETAIL = 160
"""Characters of a signature that are worth a line of an editor's list."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One declaration of a name."""

    text: str
    kind: NameKind
    line: int
    ready: int = 0
    """The offset behind which the name has a value, for code of the same function; 0 where it always has."""
    detail: str = ""
    origin: Origin = Origin.LOCAL
    is_type: bool = False

    def name(self, distance: int, *, before_declaration: bool) -> Name:
        """The binding as seen from a place."""
        return Name(
            self.text, self.kind, self.origin, distance, self.line, self.detail, before_declaration, self.is_type
        )


@dataclass(slots=True)
class Scope:
    """The names that one construct introduces."""

    bindings: dict[str, Binding] = field(default_factory=dict)
    runs_later: bool = False
    """A function: by the time it runs, later declarations around it have been evaluated."""
    is_class: bool = False
    """A class body of Python: its names are seen from the body itself, not from what is nested in it."""
    sees_class: bool = False
    """Type parameters of Python: nested in a class body, they still see its names."""
    defines: frozenset[str] = frozenset()
    """The name of that class, and of those around it: not there yet while the body runs."""
    caveats: tuple[str, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    """Names that Python's `global` takes from the module."""

    def declare(self, binding: Binding) -> None:
        """Add a declaration; the first one of a name stays, unless it was only a type."""
        known = self.bindings.get(binding.text)
        if known is None or (known.is_type and not binding.is_type):
            self.bindings[binding.text] = binding


def one_line(syntax: Syntax, *nodes: Node | None) -> str:
    """The source of nodes on one line, cut where it gets long."""
    source = "".join(syntax.text(node) for node in nodes if node is not None)
    text = " ".join(source.replace(STAND_IN, "").split())
    return text if len(text) <= _DETAIL else text[: _DETAIL - 1] + "…"


def last_character(syntax: Syntax, offset: int) -> int:
    """The offset of the last character before a place that is not white space, or -1."""
    text = syntax.document.text
    index = offset - 1
    while index >= 0 and text[index].isspace():
        index -= 1
    return index


def without_errors(node: Node) -> Iterator[tuple[Node, bool]]:
    """The children of a node, those of ERROR nodes in their place; with each, whether it came out of one."""
    for child in node.children:
        if child.is_error:
            yield from ((inner, True) for inner, _ in without_errors(child))
        else:
            yield child, node.is_error
