"""The names of open scopes while a text is written: looked up, declared, awaited, and dropped with their scopes.

A name counts in all of its scope, as a value and as a type: whether it has a value yet, and which of the two it is,
the language's checker says of the finished text.

Each method takes the facts of one way to parse the text and returns new facts, or None where that way is not valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.scope.facts import (
    BoundName,
    Facts,
    FactStore,
    Frame,
    FrameKind,
    Introduction,
    PendingIdentifier,
    bits_of,
    chain,
    frames,
    has_name,
    names,
)
from decoder.constraint.scope.languages import tables_of
from decoder.constraint.scope.languages.tables import Use
from decoder.constraint.scope.uses import BINDS, ScopeUses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.constraint.scope.facts import NameList
    from decoder.constraint.scope.visible import VisibleNames

_MAY_COMPREHEND: Final = bits_of({FrameKind.COMPREHENSION, FrameKind.CLAUSES})
_DECLARING_WORDS: Final = frozenset({"var", "let", "const", "using"})
_FAR: Final = 12
"""Cells below an identifier among which the word before it is looked for."""
_OF_ENUM_MEMBERS: Final = frozenset({"_property_name", "enum_body", "enum_assignment", "enum_body_repeat1"})
_OF_TUPLES: Final = frozenset({"tuple", "list", "list_splat", "parenthesized_expression"})
_OF_USING: Final = frozenset({"assignment_expression"})
_IN_TARGETS: Final = frozenset(
    {
        *("(", "[", ",", "tuple", "list", "expression", "primary_expression", "identifier", "list_splat", "*"),
        *("_collection_elements", "_collection_elements_repeat1"),
    }
)


class Bindings:
    """The names at one place."""

    def __init__(self, uses: ScopeUses, language: Language, around: VisibleNames) -> None:
        self.store = FactStore()
        self.lenient = False
        """Set while the text above the cursor is read: its names are not judged."""
        self.refused = ""
        """The name because of which a reading was dropped last."""
        self._names = tables_of(language)
        self._around = around
        self._top = uses.top

    # Looking up

    def is_visible(self, facts: Facts, name: str) -> bool:
        """Whether a reference here may have the name."""
        if self._around.has(name) or any(has_name(frame.names, name) for frame in frames(facts.context.frame)):
            return True
        if not self._names.may_be_bound_after:
            return False
        # what follows may make an undecided one a parameter: `(a, b = a`
        return any(one.name == name and not one.is_keyword for one in facts.undecided())

    def unbound_name(self, facts: Facts) -> str | None:
        """A name that is not visible and must be made right by what follows it."""
        if facts.context.awaited is not None:
            return facts.context.awaited.name
        return next((one.name for one in facts.undecided() if self.is_unbound(facts, one)), None)

    def is_unbound(self, facts: Facts, entry: PendingIdentifier) -> bool:
        """Whether an identifier without a use cannot be a reference."""
        if entry.is_keyword or self.is_unjudged(entry):
            return False
        return not self.is_visible(self.store.facts(facts.context, None), entry.name)

    def begins(self, facts: Facts, text: str) -> bool:
        """Whether a reference that begins with the text may be here."""
        frame = facts.context.frame
        if frame.kind is FrameKind.GENERICS or self._may_comprehend(frame):
            return True
        return self.knows(facts, text)

    def knows(self, facts: Facts, text: str) -> bool:
        """Whether a name that begins with the text is visible, or may be where not all names are known."""
        if not self._around.complete or self._around.begins(text):
            return True
        return any(name.startswith(text) for name in self._bound_names(facts))

    @property
    def knows_all(self) -> bool:
        """Whether the names around the cursor are all there are."""
        return self._around.complete

    def is_around(self, name: str) -> bool:
        """Whether the name is visible around the cursor, or an import would make it so."""
        return self._around.mentions(name)

    def _bound_names(self, facts: Facts) -> Iterator[str]:
        for frame in frames(facts.context.frame):
            yield from (bound.name for bound in chain(frame.names))
        if self._names.may_be_bound_after:
            yield from (one.name for one in facts.undecided())

    def is_unjudged(self, entry: PendingIdentifier) -> bool:
        """Whether an identifier belongs to the text around, not to what is being written: it may refer to anything."""
        return self.lenient or entry.is_given

    @staticmethod
    def _may_comprehend(frame: Frame) -> bool:
        """Python: whether an enclosing bracket may still turn out to be a comprehension, which binds names."""
        return bool(frame.kinds & _MAY_COMPREHEND)

    # Declaring

    def _bind(self, facts: Facts, name: str, kind: Introduction) -> Facts:
        frame = facts.context.frame
        names = self.store.bound(frame.names, name, kind)
        return self._with_frame(facts, self.store.frame(frame.outer, frame.kind, names))

    def _with_frame(self, facts: Facts, frame: Frame) -> Facts:
        context = facts.context
        if context.frame is frame:
            return facts
        return self.store.facts(self.store.context(frame, context.awaited, context.unlisted), facts.pending)

    def _with_awaited(self, facts: Facts, awaited: NameList | None) -> Facts:
        context = facts.context
        return self.store.facts(self.store.context(context.frame, awaited, context.unlisted), facts.pending)

    def _with_unlisted(self, facts: Facts, unlisted: NameList | None) -> Facts:
        context = facts.context
        return self.store.facts(self.store.context(context.frame, context.awaited, unlisted), facts.pending)

    # Awaiting: references that are right only if what follows binds them.
    # In Python a name within a bracket may be bound by a comprehension that follows it.

    def bind_awaited(self, facts: Facts) -> Facts:
        """The facts once the innermost bracket ends: the names that it binds are no longer awaited."""
        context = facts.context
        if context.awaited is None:
            return facts
        awaited: NameList | None = None
        for name in names(context.awaited):
            if not has_name(context.frame.names, name):
                awaited = self.store.link(name, awaited)
        return self._with_awaited(facts, awaited)

    def resolve_awaited(self, facts: Facts) -> Facts | None:
        """The facts without awaited names that no comprehension can bind now: these must come from elsewhere."""
        context = facts.context
        if context.awaited is None or self._may_comprehend(context.frame):
            return facts
        result: Facts | None = self._with_awaited(facts, None)
        for name in names(context.awaited):
            result = None if result is None else self._import_or_note(result, name)
        return result

    def _import_or_note(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds: one to import, or one that may be unlisted."""
        if name in self._around.importable:
            return facts
        if not self._around.complete:
            return self._with_unlisted(facts, self.store.link(name, facts.context.unlisted))
        self.refused = name
        return None

    # Scopes

    def open_scope(self, facts: Facts, kind: FrameKind) -> Facts:
        """The facts within a new scope."""
        return self._with_frame(facts, self.store.frame(facts.context.frame, kind, None))

    def change_kind(self, facts: Facts, kind: FrameKind) -> Facts:
        """The facts with the innermost scope as another kind."""
        frame = facts.context.frame
        return self._with_frame(facts, self.store.frame(frame.outer, kind, frame.names))

    def close_scopes(
        self, facts: Facts, depth: int, dying: frozenset[Introduction] | None, *, declares: bool
    ) -> Facts | None:
        """The facts once the scopes deeper than `depth` are complete.

        Args:
            dying: The kinds of names that end with them; None where they were no scopes.
            declares: Whether the outermost of them declares its own name in the enclosing scope.
        """
        surviving: list[BoundName] = []
        frame: Frame = facts.context.frame
        while frame.depth > depth and frame.outer is not None:
            last = declares and frame.outer.depth <= depth
            surviving += (
                bound
                for bound in chain(frame.names)
                if dying is None or bound.kind not in dying or (last and bound.kind is Introduction.OWN)
            )
            frame = frame.outer
        result = self._with_frame(facts, frame)
        for one in reversed(surviving):
            kind = Introduction.LOCAL if declares and one.kind is Introduction.OWN else one.kind
            result = self._bind(result, one.name, kind)
        return self.resolve_awaited(result)

    # Using: the facts once an identifier's use is known

    def use(self, facts: Facts, identifier: PendingIdentifier, use: Use, rules: frozenset[str]) -> Facts | None:
        """The facts now that an identifier has its use; `rules` are those that may consume it."""
        name = identifier.name
        match use:
            case Use.UNKNOWN:
                return facts
            case Use.NOTHING:
                return self._bind(facts, name, Introduction.LOCAL) if self._is_enum_member(facts, rules) else facts
            case Use.REFERENCE:
                return self._refer(facts, identifier, rules)
            case Use.OPERAND:
                return facts if facts.context.frame.kind is FrameKind.TYPEOF else self._refer(facts, identifier, rules)
            case Use.ELEMENT:
                return self._refer(facts, identifier, rules) if name[:1].isupper() else facts
            case Use.CAPTURE if identifier.is_dotted and name != "_":
                return self._refer(facts, identifier, rules)
            case Use.DECLARED:
                return self._bind(facts, name, Introduction.HOISTED if self._is_var(identifier) else Introduction.LOCAL)
            case _:
                return self._bind(facts, name, BINDS[use])

    @staticmethod
    def _is_enum_member(facts: Facts, rules: frozenset[str]) -> bool:
        frame = facts.context.frame
        return frame.outer is not None and frame.outer.kind is FrameKind.ENUM and rules <= _OF_ENUM_MEMBERS

    def _refer(self, facts: Facts, identifier: PendingIdentifier, rules: frozenset[str]) -> Facts | None:
        name, frame = identifier.name, facts.context.frame
        if self.is_unjudged(identifier) or self.is_visible(facts, name):
            return facts
        if self._names.may_comprehend and (
            frame.kind is FrameKind.GENERICS
            or "type" in self._top(identifier.below.state)
            or (rules <= _OF_TUPLES and self._is_after_as(identifier))
        ):
            return self._bind(facts, name, Introduction.LOCAL)
        if self._may_comprehend(frame):
            return self._with_awaited(facts, self.store.link(name, facts.context.awaited))
        if rules <= _OF_USING and self._is_using(identifier):
            return self._bind(facts, name, Introduction.LOCAL)
        return self._import_or_note(facts, name)

    def _is_using(self, identifier: PendingIdentifier) -> bool:
        """`using a = f(), b = g()`, which TypeScript's grammar reads as assignments."""
        return "using" in self._top(identifier.below.state)

    def _is_after_as(self, identifier: PendingIdentifier) -> bool:
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

    def _is_var(self, identifier: PendingIdentifier) -> bool:
        """Whether the word that declares an identifier is `var`."""
        node = identifier.below
        for _ in range(_FAR):
            found = self._top(node.state) & _DECLARING_WORDS
            if found or node.below is None:
                return "var" in found
            node = node.below
        return False
