"""What is known of a value from trees alone, and where its parts are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax
from context_index.uris import path_of

DEEPEST = 12
"""Steps from a receiver to what it is; longer ways are circles."""
Files = Callable[[Path, str], Syntax | None]
"""The file of the workspace that a specifier names, seen from the file at a path."""


def no_files(_importer: Path, _specifier: str) -> Syntax | None:
    """Where there is no workspace, no import names a file of it."""
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a file."""

    syntax: Syntax
    node: Node

    def at(self, node: Node | None) -> Place | None:
        """Another node of the same file."""
        return None if node is None else Place(self.syntax, node)

    def child(self, name: str) -> Place | None:
        """What a node has in one of its fields."""
        return self.at(self.node.child_by_field_name(name))

    def only(self) -> Place | None:
        """The first child that is no punctuation."""
        return self.at(self.node.named_children[0]) if self.node.named_children else None

    @property
    def text(self) -> str:
        """What the source says there."""
        return self.syntax.text(self.node)

    @property
    def path(self) -> Path | None:
        """Where the file lies."""
        return path_of(self.syntax.document.uri)


@dataclass(frozen=True, slots=True)
class Shape:
    """The members that a value has."""

    names: Mapping[str, NameKind]
    exact: bool = False
    """No others are possible: nobody could add one."""
    parts: Mapping[str, Place] = field(default_factory=dict)
    """What says of a member what it is."""


def joined(shapes: Iterable[Shape | None]) -> Shape | None:
    """What a value may have that is one of several; exact only where there is one, as narrowing is not followed."""
    found = list(shapes)
    known = [shape for shape in found if shape is not None]
    if len(found) == 1 or not known:
        return known[0] if known else None
    names = {name: kind for shape in known for name, kind in shape.names.items()}
    return Shape(names, parts={name: part for shape in known for name, part in shape.parts.items()})


def extended(own: Shape, bases: Sequence[Shape | None]) -> Shape:
    """A class with what it has of its bases, which it may override."""
    names, parts, exact = dict(own.names), dict(own.parts), own.exact
    for base in bases:
        exact = exact and base is not None and base.exact
        if base is not None:
            names = {**base.names, **names}
            parts = {**base.parts, **parts}
    return Shape(names, exact, parts)


def reaching(bound: Sequence[Place], place: Place, blocks: frozenset[str], loops: frozenset[str]) -> list[Place]:
    """Which of a name's bindings may have the last word at a place of the same scope.

    One whose block is around the place and that stands before it hides all before it. Those between the two may or may
    not have been run, and so may all in a loop that is around the place. With none before it, all may.
    """
    path = place.syntax.path(place.node)
    around = {node.id for node in path}
    start = place.node.start_byte
    last = None
    for one in bound:
        block = next((node for node in place.syntax.path(one.node)[1:] if node.type in blocks), None)
        if one.node.end_byte <= start and (block is None or block.id in around):
            last = one
    if last is None:
        return list(bound)
    loop = next((node for node in reversed(path) if node.type in loops), None)
    return [
        one
        for one in bound
        if one is last
        or last.node.start_byte < one.node.start_byte < start
        or (loop is not None and loop.start_byte <= one.node.start_byte < loop.end_byte)
    ]
