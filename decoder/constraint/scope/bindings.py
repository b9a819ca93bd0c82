"""The names of open scopes while a text is written: looked up, declared, required, and dropped with their scopes.

Each method takes the facts of one way to parse the text and returns new facts, or None where that way is not valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.scope.facts import (
    BOTH,
    RUNS_LATER,
    TYPE,
    VALUE,
    BoundName,
    Facts,
    Frame,
    FrameKind,
    Kind,
    Open,
    Store,
    bits_of,
    chain,
    find,
    frames,
    linked,
    names,
)
from decoder.constraint.scope.uses import Use, Uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.constraint.scope.facts import NameList
    from decoder.constraint.scope.visible import VisibleNames

_MAY_COMPREHEND: Final = frozenset({FrameKind.COMPREHENSION, FrameKind.CLAUSES})
_COMPREHENSIONS: Final = bits_of(_MAY_COMPREHEND)
_SPACES: Final = {
    Use.REFERENCE: VALUE,
    Use.TYPE: TYPE,
    Use.EITHER: BOTH,
    Use.EXPORTED: BOTH,
    Use.ELEMENT: VALUE,
    Use.TYPEOF: VALUE,
}
_BINDS: Final = {
    Use.LOCAL: (Kind.LEXICAL, VALUE),
    Use.IMPORTED: (Kind.LEXICAL, BOTH),
    Use.PARAMETER: (Kind.PARAMETER, VALUE),
    Use.OWN_FUNCTION: (Kind.OWN, VALUE),
    Use.OWN_CLASS: (Kind.OWN, BOTH),
    Use.OWN_TYPE: (Kind.OWN, TYPE),
    Use.TYPE_PARAMETER: (Kind.LEXICAL, TYPE),
    Use.INFERRED: (Kind.WALRUS, TYPE),
    Use.ENUM: (Kind.OWN, BOTH),
    Use.NAMESPACE: (Kind.LEXICAL, BOTH),
    Use.WALRUS: (Kind.WALRUS, VALUE),
    Use.CAPTURE: (Kind.LEXICAL, VALUE),
}
_DECLARING_WORDS: Final = frozenset({"var", "let", "const", "using"})
_FAR: Final = 12
_MEMBERS: Final = frozenset({"_property_name", "enum_body", "enum_assignment", "enum_body_repeat1"})
_TUPLES: Final = frozenset({"tuple", "list", "list_splat", "parenthesized_expression"})
_IN_TARGETS: Final = frozenset(
    {
        *("(", "[", ",", "tuple", "list", "expression", "primary_expression", "identifier", "list_splat", "*"),
        *("_collection_elements", "_collection_elements_repeat1"),
    }
)


class Bindings:
    """The names of one suggestion."""

    def __init__(self, uses: Uses, language: Language, around: VisibleNames) -> None:
        self.store = Store()
        self.lenient = False
        """Set while the text above the cursor is read: its names are not judged."""
        self.judged: frozenset[str] | None = None
        """While the text after the cursor is read: the only names that are judged."""
        self.entered: frozenset[Frame] = frozenset()
        """The scopes of the unfinished statement around the cursor."""
        self.refused = ""
        """The name because of which a reading was dropped last."""
        self._python = language.is_python
        self._around = around
        self._later = RUNS_LATER[self._python]
        self._later_bits = bits_of(self._later)
        self._top = uses.top

    # Looking up

    def sees(self, facts: Facts, name: str, space: int, *, anywhere: bool = False) -> bool:
        """Whether a reference here may have the name."""
        context = facts.context
        later = since = anywhere
        inner: Frame | None = None
        frame: Frame | None = context.frame
        while frame is not None:
            bound = find(frame.names, name, space)
            if bound is not None and self._is_seen(frame, bound, later=later):
                return True
            if name == "arguments" and self._has_arguments(frame, inner):
                return True
            later = later or frame.kind in self._later
            since = since or (frame.kind in self._later and frame not in self.entered)
            inner, frame = frame, frame.outer
        # `_around` itself knows which functions the cursor is in
        return self._around.has(name, space, context.level, later=since) or self._may_become(facts, name)

    def _may_become(self, facts: Facts, name: str) -> bool:
        """JavaScript: whether what follows may make a name a parameter: `(a, b = a`."""
        entry = facts.open
        while entry is not None and not self._python:
            if entry.name == name and not entry.is_keyword:
                return True
            entry = entry.before
        return False

    def _is_seen(self, frame: Frame, bound: BoundName, *, later: bool) -> bool:
        if self._python and frame.kind is FrameKind.HEAD:
            return later and bound.kind is not Kind.PARAMETER
        if self._python and frame.kind is FrameKind.CLASS:
            return (bound.kind is Kind.OWN) == later
        return True

    def _has_arguments(self, frame: Frame, inner: Frame | None) -> bool:
        is_arrow = inner is not None and inner.kind is FrameKind.ARROW
        return frame.kind is FrameKind.FUNCTION and not self._python and not is_arrow

    def unseen(self, facts: Facts) -> str | None:
        """A name that is not visible and must be made right by what follows it."""
        if facts.context.awaited is not None:
            return facts.context.awaited.name
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
        """Whether a reference that begins with the text may be here."""
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

    def is_unjudged(self, entry: Open) -> bool:
        """Whether an identifier belongs to the text around, not to what is being written: it may refer to anything."""
        return self.lenient or entry.is_given or (self.judged is not None and entry.name not in self.judged)

    def may_comprehend(self, frame: Frame) -> bool:
        """Python: whether an enclosing bracket may still turn out to be a comprehension."""
        return bool(frame.kinds & _COMPREHENSIONS)

    # Declaring

    def _bind(self, facts: Facts, name: str, kind: Kind, space: int) -> Facts:
        frame = facts.context.frame
        names = self.store.bound(frame.names, name, kind, space)
        return self._with_frame(facts, self.store.frame(frame.outer, frame.kind, names))

    def _with_frame(self, facts: Facts, frame: Frame) -> Facts:
        if facts.context.frame is frame:
            return facts
        return self.store.facts(self.store.changed(facts.context, frame=frame), facts.open)

    # Awaiting: references that are right only if what follows binds them.
    # In Python a name within a bracket may be bound by a comprehension that follows it.

    def met(self, facts: Facts) -> Facts:
        """The facts once the innermost bracket ends: the names that it binds are no longer awaited."""
        context = facts.context
        if context.awaited is None:
            return facts
        awaited: NameList | None = None
        for one in reversed(list(linked(context.awaited))):
            if find(context.frame.names, one.name, VALUE) is None:
                awaited = self.store.link(one.name, awaited)
        return self.store.facts(self.store.changed(context, awaited=awaited), facts.open)

    def settled(self, facts: Facts) -> Facts | None:
        """The facts without awaited names that no comprehension can bind any more: these must come from elsewhere."""
        context = facts.context
        if context.awaited is None or self.may_comprehend(context.frame):
            return facts
        result: Facts | None = self.store.facts(self.store.changed(context, awaited=None), facts.open)
        for name in names(context.awaited):
            result = None if result is None else self._from_elsewhere(result, name)
        return result

    def _from_elsewhere(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds: one to import, or one that may be unlisted."""
        if name in self._around.importable:
            return facts
        if not self._around.complete:
            context = facts.context
            unlisted = self.store.link(name, context.unlisted)
            return self.store.facts(self.store.changed(context, unlisted=unlisted), facts.open)
        self.refused = name
        return None

    # Scopes: opened, turned into another kind, complete

    def opened(self, facts: Facts, kind: FrameKind) -> Facts:
        """The facts within a new scope."""
        context = facts.context
        return self._with_frame(facts, self.store.frame(context.frame, kind, None))

    def turned(self, facts: Facts, kind: FrameKind) -> Facts:
        """The facts with the innermost scope as another kind."""
        frame = facts.context.frame
        return self._with_frame(facts, self.store.frame(frame.outer, kind, frame.names))

    def closed(self, facts: Facts, depth: int, dying: frozenset[Kind] | None, *, declares: bool) -> Facts | None:
        """The facts once the scopes deeper than `depth` are complete.

        Args:
            dying: The kinds of names that end with them; None where they were no scopes.
            declares: Whether the outermost of them declares its own name in the enclosing scope.
        """
        context = facts.context
        surviving: list[tuple[str, Kind, int]] = []
        frame: Frame = context.frame
        while frame.depth > depth and frame.outer is not None:
            last = frame.outer.depth <= depth
            for bound in chain(frame.names):
                if bound.kind is Kind.OWN and declares and last:
                    surviving.append((bound.name, Kind.LEXICAL, bound.space))
                elif dying is None or bound.kind not in dying:
                    surviving.append((bound.name, bound.kind, bound.space))
            frame = frame.outer
        result = self._without_arrows(self._with_frame(facts, frame), context.frame, frame)
        for name, kind, space in reversed(surviving):
            result = self._bind(result, name, kind, space)
        return result if context.awaited is None else self.settled(result)

    def _without_arrows(self, facts: Facts, inner: Frame, outer: Frame) -> Facts:
        """The facts after arrow functions around the cursor: their parameters leave the scope, if that is certain.

        Args:
            inner: The innermost scope that is complete.
            outer: The one around them all.
        """
        if not self.entered:
            return facts
        closed = [frame for frame in frames(inner) if frame.depth > outer.depth and frame in self.entered]
        bound = frozenset(one.name for frame in closed for one in chain(frame.names))
        level = facts.context.level
        if not bound or not self._around.is_scope(bound, level):
            return facts
        return self.store.facts(self.store.changed(facts.context, level=level + 1), facts.open)

    def left(self, facts: Facts, count: int, dying: frozenset[Kind]) -> Facts:
        """The facts once `count` scopes around the cursor are complete; names of the kinds `dying` end with them."""
        context = facts.context
        bound: BoundName | None = None
        for one in [*chain(context.frame.names)][::-1]:
            if one.kind not in dying:
                bound = self.store.bound(bound, one.name, one.kind, one.space)
        frame = self.store.frame(None, FrameKind.ROOT, bound)
        changed = self.store.changed(context, frame=frame, level=context.level + count)
        return self.store.facts(changed, facts.open)

    # Using: the facts once an identifier's use is known

    def use(self, facts: Facts, identifier: Open, use: Use, rules: frozenset[str]) -> Facts | None:  # noqa: C901 - a list of cases
        """The facts now that an identifier has its use; `rules` are those that may consume it."""
        name = identifier.name
        if use is Use.NOTHING:
            return self._bind(facts, name, Kind.LEXICAL, VALUE) if self._is_enum_member(facts, rules) else facts
        if use is Use.UNKNOWN:
            return facts
        if use is Use.CAPTURE:
            if name == "_":
                return facts
            use = Use.REFERENCE if identifier.is_dotted else use
        elif use is Use.TYPEOF:
            if facts.context.frame.kind is FrameKind.TYPEOF:
                return facts
            use = Use.REFERENCE
        elif use is Use.ELEMENT:
            if not name[:1].isupper():
                return facts
            use = Use.REFERENCE
        if use in _SPACES:
            return self._refer(facts, identifier, use, rules)
        if use is Use.DECLARED:
            return self._declare(facts, identifier)
        kind, space = _BINDS[use]
        return self._bind(facts, name, kind, space)

    def _is_enum_member(self, facts: Facts, rules: frozenset[str]) -> bool:
        frame = facts.context.frame
        return frame.outer is not None and frame.outer.kind is FrameKind.ENUM and rules <= _MEMBERS

    def _refer(self, facts: Facts, identifier: Open, use: Use, rules: frozenset[str]) -> Facts | None:
        name = identifier.name
        is_typeof = facts.context.frame.kind is FrameKind.TYPEOF  # of a type: it need not have its value yet
        space, anywhere = BOTH if is_typeof else _SPACES[use], is_typeof or use is Use.EXPORTED
        if self.is_unjudged(identifier) or self.sees(facts, name, space, anywhere=anywhere):
            return facts
        context = facts.context
        if self._python:
            if context.frame.kind is FrameKind.GENERICS:
                return self._bind(facts, name, Kind.LEXICAL, VALUE)
            if "type" in self._top(identifier.below.state) or (rules <= _TUPLES and self._is_after_as(identifier)):
                return self._bind(facts, name, Kind.LEXICAL, VALUE)
            if self.may_comprehend(context.frame):
                awaited = self.store.link(name, context.awaited)
                return self.store.facts(self.store.changed(context, awaited=awaited), facts.open)
        return self._from_elsewhere(facts, name)

    def _is_after_as(self, identifier: Open) -> bool:
        """`with a as (b, c)`: the targets are read like any tuple."""
        node = identifier.below
        for _ in range(_FAR):
            names = self._top(node.state)
            if "as" in names:
                return True
            if node.below is None or not names <= _IN_TARGETS:
                return False
            node = node.below
        return False

    def _declare(self, facts: Facts, identifier: Open) -> Facts:
        node = identifier.below
        word = "let"
        for _ in range(_FAR):
            found = self._top(node.state) & _DECLARING_WORDS
            if found or node.below is None:
                word = "var" if "var" in found else "let"
                break
            node = node.below
        return self._bind(facts, identifier.name, Kind.VAR if word == "var" else Kind.LEXICAL, VALUE)
