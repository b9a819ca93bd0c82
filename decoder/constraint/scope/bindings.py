"""The names of open scopes while a text is written: looked up, declared, awaited, and dropped with their scopes.

A name is visible in all of its scope, as a value and as a type. Whether it has a value yet, and whether it is a type,
the language's checker decides of the finished text.

`semantics` calls this at each step of the automaton. A method that changes facts takes those of one way to parse the
text and returns new ones, or None where this way is not valid because of a name.
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
"""The brackets in which a `for` may bind a name that was used before it."""
_DECLARING_WORDS: Final = frozenset({"var", "let", "const", "using"})
_FAR: Final = 12
"""The most nodes below an identifier that are searched for the word before it, such as `var` or `as`."""
_OF_ENUM_MEMBERS: Final = frozenset({"_property_name", "enum_body", "enum_assignment", "enum_body_repeat1"})
"""The rules that take the name of an enumeration's member."""
_OF_TUPLES: Final = frozenset({"tuple", "list", "list_splat", "parenthesized_expression"})
"""The rules that take a name within brackets; after `as`, it is a target."""
_OF_USING: Final = frozenset({"assignment_expression"})
"""The rules that take a name after TypeScript's `using`."""
_IN_TARGETS: Final = frozenset(
    {
        *("(", "[", ",", "tuple", "list", "expression", "primary_expression", "identifier", "list_splat", "*"),
        *("_collection_elements", "_collection_elements_repeat1"),
    }
)
"""What may be on the stack between Python's `as` and a name within the brackets after it."""


class Bindings:
    """What names mean in the texts that are written at one place.

    Args:
        uses: What the grammar's rules use identifiers for.
        around: The names that are visible at the cursor.
    """

    def __init__(self, uses: ScopeUses, language: Language, around: VisibleNames) -> None:
        self.store = FactStore()
        self.reads_above = False
        """Whether the text above the cursor is being read: its names are not judged."""
        self.refused = ""
        """The name because of which a way to parse the text was dropped last."""
        self._name_tables = tables_of(language)
        self._around = around
        self._top = uses.top
        """The symbols on top of a stack, by its state; see `ScopeUses.top`."""

    # Looking up

    def is_visible(self, facts: Facts, name: str) -> bool:
        """Whether a reference here may have the name."""
        if self._around.has(name) or any(has_name(frame.names, name) for frame in frames(facts.context.frame)):
            return True
        if not self._name_tables.may_be_bound_after:
            return False
        # what follows may make an undecided identifier a parameter: `(a, b = a`
        return any(identifier.name == name and not identifier.is_keyword for identifier in facts.undecided())

    def unbound_name(self, facts: Facts) -> str | None:
        """A name that is not visible, so that it is wrong unless what follows binds it; None where there is none."""
        if facts.context.awaited is not None:
            return facts.context.awaited.name
        unbound = (identifier.name for identifier in facts.undecided() if self.is_unbound(facts, identifier))
        return next(unbound, None)

    def is_unbound(self, facts: Facts, entry: PendingIdentifier) -> bool:
        """Whether an identifier whose use is undecided cannot be a reference, as its name is not visible."""
        if entry.is_keyword or self.is_unjudged(entry):
            return False
        return not self.is_visible(self.store.facts(facts.context, None), entry.name)

    def begins(self, facts: Facts, text: str) -> bool:
        """Whether the text may be the beginning of a reference here, or of a name that is bound here or later."""
        frame = facts.context.frame
        if frame.kind is FrameKind.GENERICS or self._may_comprehend(frame):
            return True
        return self.knows(facts, text)

    def knows(self, facts: Facts, text: str) -> bool:
        """Whether a name that begins with the text is visible, or may be, as not all names are known."""
        if not self._around.complete or self._around.begins(text):
            return True
        return any(name.startswith(text) for name in self._bound_names(facts))

    @property
    def knows_all(self) -> bool:
        """Whether all names around the cursor are known."""
        return self._around.complete

    def is_around(self, name: str) -> bool:
        """Whether the name is visible around the cursor, or an import would make it so."""
        return self._around.mentions(name)

    def _bound_names(self, facts: Facts) -> Iterator[str]:
        """The names that the text itself has bound, or may have bound."""
        for frame in frames(facts.context.frame):
            yield from (bound.name for bound in chain(frame.names))
        if self._name_tables.may_be_bound_after:
            yield from (identifier.name for identifier in facts.undecided())

    def is_unjudged(self, entry: PendingIdentifier) -> bool:
        """Whether an identifier is in the text above the cursor, not in what is written: it may refer to anything."""
        return self.reads_above or entry.is_given

    @staticmethod
    def _may_comprehend(frame: Frame) -> bool:
        """Python: whether a bracket around may be a comprehension, which binds names after they are used."""
        return bool(frame.kinds & _MAY_COMPREHEND)

    # Declaring

    def _bind(self, facts: Facts, name: str, kind: Introduction) -> Facts:
        """The facts with one more name in the innermost scope."""
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

    # Awaiting: references that are valid only if what follows binds them.
    # In Python a name within a bracket may be bound by a comprehension's `for` that follows it.

    def bind_awaited(self, facts: Facts) -> Facts:
        """The facts when the innermost bracket ends: the names that it has bound are no longer awaited."""
        context = facts.context
        if context.awaited is None:
            return facts
        awaited: NameList | None = None
        for name in names(context.awaited):
            if not has_name(context.frame.names, name):
                awaited = self.store.link(name, awaited)
        return self._with_awaited(facts, awaited)

    def resolve_awaited(self, facts: Facts) -> Facts | None:
        """The facts once no comprehension can bind the awaited names any more: they must come from elsewhere."""
        context = facts.context
        if context.awaited is None or self._may_comprehend(context.frame):
            return facts
        result: Facts | None = self._with_awaited(facts, None)
        for name in names(context.awaited):
            result = None if result is None else self._import_or_note(result, name)
        return result

    def _import_or_note(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds.

        The name may be one to import. If not all names are known, it is noted as unlisted. Otherwise this is no valid
        way to parse the text.
        """
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
        self, facts: Facts, depth: int, ending: frozenset[Introduction] | None, *, declares: bool
    ) -> Facts | None:
        """The facts when the scopes deeper than `depth` are complete. Names that outlive them go to the scope around.

        None where a name that was awaited in these scopes is not visible.

        Args:
            ending: The kinds of names that end with these scopes; None where the brackets turn out to be no scopes, so
                that no name ends with them.
            declares: Whether the outermost of these scopes is a declaration, such as a function's: then its own name
                is one of the scope around, and ends with that.
        """
        outliving: list[BoundName] = []
        frame: Frame = facts.context.frame
        while frame.depth > depth and frame.outer is not None:
            is_declaration = declares and frame.outer.depth <= depth
            outliving += (
                bound
                for bound in chain(frame.names)
                if ending is None or bound.kind not in ending or (is_declaration and bound.kind is Introduction.OWN)
            )
            frame = frame.outer
        result = self._with_frame(facts, frame)
        for bound in reversed(outliving):  # as they were bound, the first first
            kind = Introduction.LOCAL if declares and bound.kind is Introduction.OWN else bound.kind
            result = self._bind(result, bound.name, kind)
        return self.resolve_awaited(result)

    # Using: the facts when an identifier's use is known

    def use(self, facts: Facts, identifier: PendingIdentifier, use: Use, rules: frozenset[str]) -> Facts | None:
        """The facts when an identifier's use is known; None where it refers to a name that cannot be visible.

        Args:
            rules: The rules that may take the identifier as a child.
        """
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
        """The facts with a reference, or with a new name where the grammar reads a declaration as a reference."""
        name, frame = identifier.name, facts.context.frame
        if self.is_unjudged(identifier) or self.is_visible(facts, name):
            return facts
        if self._name_tables.may_comprehend and (
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
        """Whether an identifier is declared by `using a = f()`, which TypeScript's grammar reads as an assignment."""
        return "using" in self._top(identifier.below.state)

    def _is_after_as(self, identifier: PendingIdentifier) -> bool:
        """Whether an identifier is a target in `with a as (b, c)`, which Python's grammar reads like any tuple."""
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
            declaring = self._top(node.state) & _DECLARING_WORDS
            if declaring or node.below is None:
                return "var" in declaring
            node = node.below
        return False
