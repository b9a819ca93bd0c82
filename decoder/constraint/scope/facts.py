"""The facts about names in one way to parse a text: immutable data, one object for equal facts.

Knows no grammar. The facts depend on the tokens read alone, so two versions whose facts are the same object may be
merged, whatever is below them on their stacks. All classes compare by identity. That suffices since `FactStore`, which
makes all facts, makes one object for equal ones.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoder.grammar.stack import StackNode


_INDEX_EVERY: Final = 16
"""Every so many names of a scope, `BoundName.index` has all of them, so no lookup walks over more names than this."""


class FrameKind(Enum):
    """The kinds of scopes, as far as lookups differ."""

    ROOT = auto()
    """Everything around the cursor."""
    BRACKET = auto()
    """A bracket or block; also one whose contents turn out to be no scope at all."""
    COMPREHENSION = auto()
    """Python: a bracket in which a `for` may still follow."""
    CLAUSES = auto()
    """Python: a bracket in which a `for` has followed."""
    FUNCTION = auto()
    """A function or class: its own name, its parameters, its body."""
    GENERICS = auto()
    """Python: the brackets of type parameters."""
    ENUM = auto()
    TYPEOF = auto()
    """The operand of `typeof`."""

    def __init__(self, number: int) -> None:
        self.bit = 1 << number
        """The kind's bit in sets of kinds."""


def bits_of(kinds: Iterable[FrameKind]) -> int:
    """A set of kinds as bits."""
    return sum(kind.bit for kind in kinds)


class Introduction(Enum):
    """How a name was introduced, as far as that decides where it ends."""

    LOCAL = auto()
    """Ends with its scope."""
    HOISTED = auto()
    """Outlives the blocks and brackets in which it is bound: by JavaScript's `var`, Python's `:=`, `infer` in types."""
    OWN = auto()
    """The name of a function or class, visible within it; if that is a declaration, also around it once complete."""


class BoundName:
    """One name of a scope, and the names bound before it there: a linked list, whose last name comes first."""

    __slots__ = ("before", "count", "index", "kind", "name")

    def __init__(self, before: BoundName | None, name: str, kind: Introduction) -> None:
        self.before = before
        self.name = name
        self.kind = kind
        self.count: int = before.count + 1 if before is not None else 1
        self.index: dict[str, BoundName] | None = None
        """All names up to this one; None except at every sixteenth name (`_INDEX_EVERY`)."""
        if self.count % _INDEX_EVERY == 0:
            self.index = {bound.name: bound for bound in [*chain(self)][::-1]}


def chain(bound: BoundName | None) -> Iterator[BoundName]:
    """The names of a scope, the last first. Those that are indexed come once each, at their first binding."""
    while bound is not None:
        if bound.index is not None:
            yield from reversed(bound.index.values())
            return
        yield bound
        bound = bound.before


def has_name(bound: BoundName | None, name: str) -> bool:
    """Whether a scope has the name."""
    while bound is not None:
        if bound.index is not None:
            return name in bound.index
        if bound.name == name:
            return True
        bound = bound.before
    return False


class Frame:
    """An open scope, and the scopes around it."""

    __slots__ = ("depth", "kind", "kinds", "names", "outer")

    def __init__(self, outer: Frame | None, kind: FrameKind, names: BoundName | None) -> None:
        self.outer = outer
        self.kind = kind
        self.names = names
        self.depth: int = outer.depth + 1 if outer is not None else 0
        self.kinds: int = kind.bit | (outer.kinds if outer is not None else 0)
        """The kinds of this scope and of those around it, as a bit set."""


def frames(frame: Frame | None) -> Iterator[Frame]:
    """A scope and the scopes around it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.outer


class NameList:
    """A linked list of names: its last name, and the names before it."""

    __slots__ = ("before", "name")

    def __init__(self, name: str, before: NameList | None) -> None:
        self.name = name
        self.before = before


def names(last: NameList | None) -> tuple[str, ...]:
    """The names of a list, in order; none for None."""
    backwards: list[str] = []
    while last is not None:
        backwards.append(last.name)
        last = last.before
    return tuple(reversed(backwards))


class NameContext:
    """The part of facts that does not concern undecided identifiers."""

    __slots__ = ("awaited", "frame", "unlisted")

    def __init__(self, frame: Frame, awaited: NameList | None, unlisted: NameList | None) -> None:
        self.frame = frame
        self.awaited = awaited
        """Python: references that are valid only if a comprehension around them still binds them."""
        self.unlisted = unlisted
        """References to names that nothing here binds, accepted since not all names are known."""


class PendingIdentifier:
    """An identifier whose use is undecided, and such identifiers before it: a linked list."""

    __slots__ = ("before", "below", "is_dotted", "is_given", "is_keyword", "name")

    def __init__(  # noqa: PLR0917 - in the order of the key
        self,
        name: str,
        below: StackNode,
        before: PendingIdentifier | None,
        is_keyword: bool,  # noqa: FBT001 - in the order of the key
        is_dotted: bool,  # noqa: FBT001 - likewise
        is_given: bool,  # noqa: FBT001 - likewise
    ) -> None:
        self.name = name
        self.below = below
        """The node of the stack right below the one that holds the identifier: this identifies its place."""
        self.before = before
        self.is_keyword = is_keyword
        """Whether it is spelled like a keyword, which is a name only where a rule says so."""
        self.is_dotted = is_dotted
        """Whether it is the first part of a dotted name."""
        self.is_given = is_given
        """Whether it is in the text before the cursor."""


class Facts:
    """Everything about the names in one way to parse the text: the value of the node on top of its stack."""

    __slots__ = ("context", "pending")

    def __init__(self, context: NameContext, pending: PendingIdentifier | None) -> None:
        self.context = context
        self.pending = pending

    def undecided(self) -> Iterator[PendingIdentifier]:
        """The identifiers whose use is undecided, the last first."""
        identifier = self.pending
        while identifier is not None:
            yield identifier
            identifier = identifier.before


class FactStore:
    """Makes facts, one object for equal ones. There is one store for each place that suggestions are made for."""

    def __init__(self) -> None:
        self._bound: dict[tuple[BoundName | None, str, Introduction], BoundName] = {}
        self._frames: dict[tuple[Frame | None, FrameKind, BoundName | None], Frame] = {}
        self._links: dict[tuple[str, NameList | None], NameList] = {}
        self._contexts: dict[tuple[Frame, NameList | None, NameList | None], NameContext] = {}
        self._pending: dict[tuple[str, StackNode, PendingIdentifier | None, bool, bool, bool], PendingIdentifier] = {}
        self._facts: dict[tuple[NameContext, PendingIdentifier | None], Facts] = {}

    def bound(self, before: BoundName | None, name: str, kind: Introduction) -> BoundName:
        """A name of a scope, after the names `before`."""
        key = (before, name, kind)
        return self._bound.get(key) or self._bound.setdefault(key, BoundName(*key))

    def frame(self, outer: Frame | None, kind: FrameKind, bound: BoundName | None) -> Frame:
        """A scope with its names, in the scope `outer`."""
        key = (outer, kind, bound)
        return self._frames.get(key) or self._frames.setdefault(key, Frame(*key))

    def link(self, name: str, before: NameList | None) -> NameList:
        """A list of names with `name` at its end."""
        key = (name, before)
        return self._links.get(key) or self._links.setdefault(key, NameList(*key))

    def pending(
        self,
        name: str,
        below: StackNode,
        before: PendingIdentifier | None,
        *,
        is_keyword: bool = False,
        is_dotted: bool = False,
        is_given: bool = False,
    ) -> PendingIdentifier:
        """An identifier whose use is undecided, after those in `before`; see `PendingIdentifier`."""
        key = (name, below, before, is_keyword, is_dotted, is_given)
        return self._pending.get(key) or self._pending.setdefault(key, PendingIdentifier(*key))

    def facts(self, context: NameContext, pending: PendingIdentifier | None) -> Facts:
        """Facts of one way to parse the text."""
        key = (context, pending)
        return self._facts.get(key) or self._facts.setdefault(key, Facts(context, pending))

    def context(self, frame: Frame, awaited: NameList | None = None, unlisted: NameList | None = None) -> NameContext:
        """The part of facts that does not concern undecided identifiers."""
        key = (frame, awaited, unlisted)
        return self._contexts.get(key) or self._contexts.setdefault(key, NameContext(*key))
