"""A scope: its bindings, and whether its code runs later than the code around it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from context_index.scopes.flow import Flow, LookupPlace
from context_index.symbols import Name, NameKind, Origin
from context_index.syntax import Node, Syntax

STAND_IN = "inscope_is_here"
"""A name inserted at the cursor before parsing, so that the parser sees `let a = x;` and not `let a = ;`."""

_DETAIL = 160
"""The longest signature that is shown in one line of an editor's list."""
_ALWAYS = -(1 << 40)
"""`ready` of a moved binding that always has a value: an offset before every place, whatever it is relative to."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One declaration of a name. Its line and its offsets are relative to a place that `PlacedBinding` knows."""

    text: str
    kind: NameKind
    line: int
    ready: int = 0
    """The offset after which the name has a value, for code of the same function; 0 where it always has."""
    detail: str = ""
    origin: Origin = Origin.LOCAL
    is_type: bool = False
    is_also_type: bool = False
    """Whether the scope declares a type of the name beside the value."""
    flow: Flow | None = None
    """Where it has a value, if `ready` alone does not decide that."""
    again: tuple[tuple[int, Flow | None], ...] = ()
    """`ready` and `flow` of further bindings of the name in the same scope."""

    def moved(self, by: int, lines: int = 0) -> Binding:
        """The same binding, relative to a place `by` characters and `lines` lines before."""
        flow = None if self.flow is None else self.flow.moved(by)
        return replace(self, line=self.line + lines, ready=_moved(self.ready, by), flow=flow)


class PlacedBinding(NamedTuple):
    """A binding, with the offset and the line that the binding's own are relative to."""

    binding: Binding
    start: int = 0
    line: int = 0

    def is_unset(self, lookup: LookupPlace) -> bool:
        """Whether the name has no value yet at a place of the same function."""
        binding, start, _ = self
        if binding.flow is None and not binding.again:
            return lookup.place - start < binding.ready
        bindings = ((binding.ready, binding.flow), *binding.again)
        return not any(
            lookup.place - start >= ready if flow is None else flow.reaches(lookup, ready, start)
            for ready, flow in bindings
        )

    def name(self, distance: int, *, before_declaration: bool) -> Name:
        """The binding as seen from a place."""
        bound, line = self.binding, self.binding.line + self.line
        return Name(
            bound.text, bound.kind, bound.origin, distance, line, bound.detail, before_declaration, bound.is_type,
            bound.is_also_type,
        )  # fmt: skip


@dataclass(slots=True)
class Scope:
    """The names that one construct introduces."""

    bindings: dict[str, PlacedBinding] = field(default_factory=dict)
    runs_later: bool = False
    """Whether it is a function: when it runs, later declarations around it have been evaluated."""
    is_class: bool = False
    """Whether it is a class body of Python: its names are visible in the body only, not in nested scopes."""
    sees_class: bool = False
    """Whether it has type parameters of Python: nested in a class body, it still sees the body's names."""
    defines: frozenset[str] = frozenset()
    """The names of this class and of those around it, which have no value while the body runs."""
    settles: frozenset[str] = frozenset()
    """Names that are being declared around the scope, but have a value in it: a class in its static members."""
    counts: bool = True
    """Whether it adds 1 to the distance of outer names."""
    caveats: tuple[str, ...] = ()
    """Why it may have more names; see `caveats_at`."""
    global_names: frozenset[str] = frozenset()
    """Names that Python's `global` takes from the module."""

    def declare(self, binding: Binding, start: int = 0, line: int = 0) -> None:
        """Add a declaration, relative to an offset and a line.

        The first declaration of a name stays, unless it is only a type. If it has a `flow`, later ones are added to its
        `again`.
        """
        held = self.bindings.get(binding.text)
        if held is None:
            self.bindings[binding.text] = PlacedBinding(binding, start, line)
        elif held.binding.is_type and not binding.is_type:
            self.bindings[binding.text] = PlacedBinding(replace(binding, is_also_type=True), start, line)
        elif binding.is_type and not held.binding.is_type:
            self.bindings[binding.text] = held._replace(binding=replace(held.binding, is_also_type=True))
        elif held.binding.flow is not None:
            by = start - held.start
            flow = None if binding.flow is None else binding.flow.moved(by)
            extended = replace(held.binding, again=(*held.binding.again, (_moved(binding.ready, by), flow)))
            self.bindings[binding.text] = held._replace(binding=extended)


def _moved(ready: int, by: int) -> int:
    """A `ready` relative to a place `by` characters before."""
    return ready + by if ready else _ALWAYS


def one_line(syntax: Syntax, *nodes: Node | None) -> str:
    """The source of nodes, joined to one line and cut to `_DETAIL` characters."""
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
