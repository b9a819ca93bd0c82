"""What a reference may be at a place: the names around the cursor and those of the scopes opened since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import (
    BOTH,
    RUNS_LATER,
    VALUE,
    Bound,
    Context,
    Facts,
    Frame,
    FrameKind,
    Kind,
    Open,
    bits_of,
    chain,
    find,
    linked,
)
from decoder.constraint.scope.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.constraint.scope.visible import Around

_MAY_COMPREHEND: Final = frozenset({FrameKind.COMPREHENSION, FrameKind.CLAUSES})
_COMPREHENSIONS: Final = bits_of(_MAY_COMPREHEND)


class Lookups:
    """The questions, for one suggestion."""

    def __init__(self, around: Around, *, python: bool) -> None:
        self.store = Store()
        self.lenient = False
        """While the text above the cursor is read: its names are not judged."""
        self.judged: frozenset[str] | None = None
        """While the text after the cursor is read: the only names that are judged."""
        self.given: frozenset[str] = frozenset()
        """Names of the text above the cursor whose use was open at its end: they are not judged either."""
        self.entered: frozenset[Frame] = frozenset()
        """The scopes of the unfinished statement that the cursor stands in."""
        self.refused = ""
        """The name at fault when a reading died last."""
        self._python = python
        self._around = around
        self._later = RUNS_LATER[python]
        self._later_bits = bits_of(self._later)

    def sees(self, facts: Facts, name: str, space: int, *, anywhere: bool = False) -> bool:
        """Whether a reference that stands here may be the name."""
        context = facts.context
        later = since = anywhere
        inner: Frame | None = None
        frame: Frame | None = context.frame
        while frame is not None:
            bound = find(frame.names, name, space)
            if bound is not None and self._is_seen(context, frame, bound, later=later):
                return True
            if bound is not None and (not self._python or self._is_behind_clauses(context, frame)):
                return False  # it hides what is outside, although it has no value yet
            if name == "arguments" and self._has_arguments(frame, inner):
                return True
            later = later or frame.kind in self._later
            since = since or (frame.kind in self._later and frame not in self.entered)
            inner, frame = frame, frame.outer
        # of the functions that the cursor stands in the text around knows itself
        return self._around.has(name, space, context.level, later=since) or self._may_become(facts, name, later=since)

    def _may_become(self, facts: Facts, name: str, *, later: bool) -> bool:
        """JavaScript: whether a name may become a parameter by what follows: `(a, b = a`, but not `(a, b = b`."""
        is_unset = not later and self._around.is_unset_parameter(name)
        entry = facts.open
        while entry is not None and not self._python:
            if entry.name == name and not entry.is_keyword and not (entry.is_given and is_unset):
                return True
            entry = entry.before
        return False

    def _is_seen(self, context: Context, frame: Frame, bound: Bound, *, later: bool) -> bool:
        if self._python:
            if frame.kind is FrameKind.HEAD and (bound.kind is Kind.PARAMETER or not later):
                return False
            if frame.kind is FrameKind.CLASS and (bound.kind is Kind.OWN) != later:
                return False
        if later:
            return True
        starting = context.starting
        while starting is not None:
            if starting.name == bound.name and starting.depth == frame.depth:
                return False
            starting = starting.before
        return True

    def is_new_in_clause(self, context: Context, name: str) -> bool:
        """Python: whether a clause of a comprehension behind its first gives a name its first value."""
        frame = context.frame
        return self._is_behind_clauses(context, frame) and find(frame.names, name, VALUE) is None

    @staticmethod
    def _is_behind_clauses(context: Context, frame: Frame) -> bool:
        """Whether a comprehension has clauses before the one whose names get their values just now.

        Only what the first clause runs over is evaluated outside (PEP 289); in the others its names are local already.
        """
        if frame.kind is not FrameKind.CLAUSES:
            return False
        unset = {one.name for one in linked(context.starting) if one.depth == frame.depth}
        return any(bound.name not in unset and bound.kind is not Kind.WALRUS for bound in chain(frame.names))

    def _has_arguments(self, frame: Frame, inner: Frame | None) -> bool:
        is_arrow = inner is not None and inner.kind is FrameKind.ARROW
        return frame.kind is FrameKind.FUNCTION and not self._python and not is_arrow

    def unseen(self, facts: Facts) -> str | None:
        """A name that is not visible and must be made right by what follows it."""
        if facts.context.owed is not None:
            return facts.context.owed.name
        entry = facts.open
        while entry is not None:
            if self.is_unseen(facts, entry):
                return entry.name
            entry = entry.before
        return None

    def is_unseen(self, facts: Facts, entry: Open) -> bool:
        """Whether an identifier without a use cannot be a reference."""
        known, name = self.store.facts(facts.context, None), entry.name
        if entry.is_keyword or self.is_unjudged(entry):
            return False
        return not self.sees(known, name, BOTH)

    def begins(self, facts: Facts, text: str, space: int) -> bool:
        """Whether a reference that begins with the text may stand here."""
        context = facts.context
        is_new = context.frame.kind is FrameKind.GENERICS
        if is_new or (self._python and self.may_comprehend(context.frame)):
            return True
        return self.knows(facts, text, space)

    def knows(self, facts: Facts, text: str, space: int) -> bool:
        """Whether a name that begins with the text is visible, or may be where not all names are known."""
        context = facts.context
        if not self._around.complete:
            return True
        later = bool(context.frame.kinds & self._later_bits)
        if self._around.begins(text, space, context.level, later=later):
            return True
        return any(name.startswith(text) and self.sees(facts, name, space) for name in self._bound_names(facts))

    @property
    def knows_all(self) -> bool:
        """Whether the names around the cursor are all there are."""
        return self._around.complete

    def is_around(self, name: str) -> bool:
        """Whether the text around the cursor has the name, or it is to be had by an import."""
        return self._around.mentions(name)

    def has_declared(self, name: str) -> bool:
        """Whether the scope of the cursor has the name, so that it cannot be declared there again."""
        return self._around.declares(name, var=False)

    def _bound_names(self, facts: Facts) -> Iterator[str]:
        frame: Frame | None = facts.context.frame
        while frame is not None:
            for bound in chain(frame.names):
                yield bound.name
            if frame.kind is FrameKind.FUNCTION and not self._python:
                yield "arguments"
            frame = frame.outer
        entry = facts.open
        while entry is not None:
            yield entry.name
            entry = entry.before

    def is_free(self, name: str) -> bool:
        """Whether the name is one of the text around, not of what is being written."""
        return self.lenient or name in self.given or (self.judged is not None and name not in self.judged)

    def is_unjudged(self, entry: Open) -> bool:
        """Whether an identifier is one of the text around, not of what is being written: it may refer to anything."""
        return self.lenient or entry.is_given or (self.judged is not None and entry.name not in self.judged)

    def may_comprehend(self, frame: Frame) -> bool:
        """Python: whether a bracket around may still turn out to be a comprehension."""
        return bool(frame.kinds & _COMPREHENSIONS)

    def own_clause(self, context: Context, name: str) -> int:
        """Python: the depth of the comprehension around whose clause gives the name its value just now; 0 for none.

        What a clause runs over is evaluated before.
        """
        starting = context.starting
        while starting is not None and starting.name != name:
            starting = starting.before
        return 0 if starting is None or not self.may_comprehend(context.frame) else starting.depth

    def may_bind(self, context: Context, own_clause: int) -> bool:
        """Python: whether a bracket around, but for one, may still turn out to be a comprehension that binds a name."""
        if not own_clause or not self.may_comprehend(context.frame):
            return self.may_comprehend(context.frame)
        frame: Frame | None = context.frame
        while frame is not None and (frame.depth == own_clause or frame.kind not in _MAY_COMPREHEND):
            frame = frame.outer
        return frame is not None
