"""What becomes of names: bound, looked up, owed, and gone with their scope. Each move takes facts and gives facts.

None stands for a reading that cannot be right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.scope.facts import (
    BOTH,
    LABEL,
    TYPE,
    VALUE,
    Bound,
    Facts,
    Frame,
    FrameKind,
    Kind,
    Linked,
    Open,
    chain,
    find,
    frames,
    linked,
)
from decoder.constraint.scope.lookups import Lookups
from decoder.constraint.scope.uses import Use, Uses

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.constraint.scope.visible import Around

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
    Use.TYPE_PARAMETER: (Kind.TYPE, TYPE),
    Use.INFERRED: (Kind.WALRUS, TYPE),
    Use.ENUM: (Kind.OWN, BOTH),
    Use.NAMESPACE: (Kind.TYPE, BOTH),
    Use.WALRUS: (Kind.WALRUS, VALUE),
    Use.CAPTURE: (Kind.LEXICAL, VALUE),
    Use.LABEL: (Kind.LABEL, LABEL),
}
_DECLARING_WORDS: Final = frozenset({"var", "let", "const", "using"})
_FAR: Final = 12


class Bindings(Lookups):
    """The moves, for one suggestion."""

    def __init__(self, uses: Uses, language: Language, around: Around, labels: Callable[[str], bool]) -> None:
        super().__init__(around, python=language.is_python)
        self._top = uses.top
        self._sloppy = language is Language.JAVASCRIPT
        self._labels = labels

    # Scopes

    def opened(self, facts: Facts, kind: FrameKind) -> Facts:
        """Within a new scope."""
        context = facts.context
        return self._with_frame(facts, self.store.frame(context.frame, kind, None))

    def turned(self, facts: Facts, kind: FrameKind) -> Facts:
        """The innermost scope is another kind from here on."""
        frame = facts.context.frame
        return self._with_frame(facts, self.store.frame(frame.outer, kind, frame.names))

    def closed(self, facts: Facts, depth: int, dying: frozenset[Kind] | None, *, declares: bool) -> Facts | None:
        """The scopes deeper than `depth` are complete.

        Args:
            dying: What does not outlive them; None where they were no scopes.
            declares: The outermost of them leaves its own name around.
        """
        context = facts.context
        surviving: list[tuple[str, Kind, int]] = []
        frame: Frame = context.frame
        while frame.depth > depth and frame.outer is not None:
            last = frame.outer.depth <= depth
            for bound in chain(frame.names):
                if bound.kind is Kind.OWN and declares and last:
                    function = Kind.LEXICAL if self._is_top_of_module(facts, frame.outer) else Kind.FUNCTION
                    kind = function if bound.space == VALUE else Kind.TYPE if bound.space == TYPE else Kind.LEXICAL
                    surviving.append((bound.name, kind, bound.space))
                elif dying is None or bound.kind not in dying:
                    surviving.append((bound.name, bound.kind, bound.space))
            frame = frame.outer
        result: Facts | None = self._without_arrows(self._with_frame(facts, frame), context.frame, frame)
        for name, kind, space in reversed(surviving):
            if result is None:
                return None
            result = self._bind(result, name, kind, space)
        return result if result is None or context.owed is None else self.paid(result)

    def _without_arrows(self, facts: Facts, inner: Frame, outer: Frame) -> Facts:
        """The facts behind arrow functions that the cursor stood in: what they bind is closed, if it is told for sure.

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

    def _is_top_of_module(self, facts: Facts, frame: Frame) -> bool:
        """Whether functions are declared in `frame` once, like classes (ECMA-262 §16.2.1.6, LexicallyDeclaredNames)."""
        return self._around.is_top_of_module and frame.kind is FrameKind.ROOT and not facts.context.level

    def left(self, facts: Facts, count: int, dying: frozenset[Kind]) -> Facts:
        """A scope that the cursor stood in is complete, with what has been declared in it."""
        context = facts.context
        bound: Bound | None = None
        for one in [*chain(context.frame.names)][::-1]:
            if one.kind not in dying:
                bound = self.store.bound(bound, one.name, one.kind, one.space)
        frame = self.store.frame(None, FrameKind.ROOT, bound)
        changed = self.store.changed(context, frame=frame, level=context.level + count)
        return self.store.facts(changed, facts.open)

    def initialised(self, facts: Facts) -> Facts:
        """What was being declared in the innermost scope has its value."""
        starting = facts.context.starting
        while starting is not None and starting.depth >= facts.context.frame.depth:
            starting = starting.before
        return self.store.facts(self.store.changed(facts.context, starting=starting), facts.open)

    # Uses

    def use(self, facts: Facts, identifier: Open, use: Use, rules: frozenset[str]) -> Facts | None:  # noqa: C901, PLR0912 - a list of cases
        """The facts now that an identifier has its use; `rules` are those that may consume it."""
        name = identifier.name
        if use is Use.NOTHING:
            return self._bind(facts, name, Kind.TYPE, VALUE) if self._is_enum_member(facts, rules) else facts
        if use is Use.UNKNOWN:
            return self._noted(facts, "unknown", name)
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
        if use is Use.JUMP:
            return self._jump(facts, name)
        if use is Use.DECLARED:
            return self._declare(facts, identifier, rules)
        kind, space = _BINDS[use]
        if use is Use.OWN_CLASS and not self._python and self._redeclares(facts, name, rules):
            self.refused = name
            return None
        bound = self._bind(facts, name, kind, space)
        if bound is not None and use is Use.IMPORTED:
            return self._noted(bound, "unknown", name)
        is_late = self._python and use is Use.LOCAL and rules in _BEFORE_VALUES
        if bound is not None and is_late and not self.sees(facts, name, VALUE):
            return self._start(bound, name)
        return bound

    def _is_enum_member(self, facts: Facts, rules: frozenset[str]) -> bool:
        frame = facts.context.frame
        return frame.outer is not None and frame.outer.kind is FrameKind.ENUM and rules <= _MEMBERS

    def _refer(self, facts: Facts, identifier: Open, use: Use, rules: frozenset[str]) -> Facts | None:
        name = identifier.name
        is_typeof = facts.context.frame.kind is FrameKind.TYPEOF  # of a type: it need not have its value yet
        space, anywhere = BOTH if is_typeof else _SPACES[use], is_typeof or use is Use.EXPORTED
        if self.is_free(name) or self.sees(facts, name, space, anywhere=anywhere):
            return facts
        context = facts.context
        if self._python:
            if context.frame.kind is FrameKind.GENERICS:
                return self._bind(facts, name, Kind.TYPE, VALUE)
            if "type" in self._top(identifier.below.state) or (rules <= _TUPLES and self._is_after_as(identifier)):
                return self._bind(facts, name, Kind.LEXICAL, VALUE)
            own_clause = self.own_clause(context, name)
            if self.may_bind(context, own_clause):
                owed = self.store.link(name, own_clause, context.owed)
                return self.store.facts(self.store.changed(context, owed=owed), facts.open)
        return self._from_elsewhere(facts, name)

    def _from_elsewhere(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds: imported with it, or of an unknown list."""
        if name in self._around.importable:
            return self._noted(facts, "imported", name)
        if not self._around.complete:
            return self._noted(facts, "outside", name)
        self.refused = name
        return None

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

    def _jump(self, facts: Facts, name: str) -> Facts | None:
        frame: Frame | None = facts.context.frame
        while frame is not None:
            if find(frame.names, name, LABEL) is not None:
                return facts
            if frame.kind in self._later:
                break
            frame = frame.outer
        if self.is_free(name) or (frame is None and self._labels(name)):
            return facts
        self.refused = name
        return None

    def _declare(self, facts: Facts, identifier: Open, rules: frozenset[str]) -> Facts | None:
        node = identifier.below
        word = "let"
        for _ in range(_FAR):
            found = self._top(node.state) & _DECLARING_WORDS
            if found or node.below is None:
                word = "var" if "var" in found else "let"
                break
            node = node.below
        kind = Kind.VAR if word == "var" else Kind.LEXICAL
        bound = self._bind(facts, identifier.name, kind, VALUE)
        is_header = "_for_header" in rules
        return bound if bound is None or kind is Kind.VAR or is_header else self._start(bound, identifier.name)

    def _redeclares(self, facts: Facts, name: str, rules: frozenset[str]) -> bool:
        """Whether a class declaration has the name of something that its scope has already."""
        outer = facts.context.frame.outer
        if outer is None or not rules <= _CLASS_DECLARATIONS or self.is_free(name):
            return False
        around = self.store.facts(self.store.changed(facts.context, frame=outer), facts.open)
        return self._conflicts(around, name, Kind.LEXICAL, VALUE)

    def _start(self, facts: Facts, name: str) -> Facts:
        context = facts.context
        starting = self.store.link(name, context.frame.depth, context.starting)
        return self.store.facts(self.store.changed(context, starting=starting), facts.open)

    def _noted(self, facts: Facts, where: str, name: str) -> Facts:
        context = facts.context
        link = self.store.link(name, 0, getattr(context, where))
        return self.store.facts(self.store.changed(context, **{where: link}), facts.open)

    def _bind(self, facts: Facts, name: str, kind: Kind, space: int) -> Facts | None:
        frame = facts.context.frame
        if not self._python and not self.is_free(name) and self._conflicts(facts, name, kind, space):
            self.refused = name
            return None
        if self._python and kind is Kind.PARAMETER and not self.is_free(name):
            known = find(frame.names, name, space)
            if known is not None and known.kind is Kind.PARAMETER:
                self.refused = name
                return None
        return self._with_frame(
            facts, self.store.frame(frame.outer, frame.kind, self.store.bound(frame.names, name, kind, space))
        )

    def _conflicts(self, facts: Facts, name: str, kind: Kind, space: int) -> bool:  # noqa: C901 - a list of cases
        """JavaScript: whether the scope has the name already and may not declare it again."""
        frame = facts.context.frame
        known = find(frame.names, name, space & VALUE) if space & VALUE else None
        if kind is Kind.LEXICAL:
            if known is not None and known.kind is not Kind.TYPE:
                return True
            outer = frame.outer
            while outer is not None and frame.kind is FrameKind.BRACKET:
                inner = find(outer.names, name, VALUE)
                if inner is not None and inner.kind is Kind.PARAMETER:
                    return True
                if outer.kind is not FrameKind.ARROW:
                    break
                outer = outer.outer
            at_root = frame.kind is FrameKind.ROOT and not facts.context.level
            return at_root and self._around.declares(name, var=False)
        if kind is Kind.FUNCTION:
            at_root = frame.kind is FrameKind.ROOT and not facts.context.level
            return (known is not None and known.kind is Kind.LEXICAL) or (
                at_root and self._around.declares(name, var=True)
            )
        if kind is Kind.PARAMETER:
            twice = known is not None and known.kind is Kind.PARAMETER
            return twice and not (self._sloppy and frame.outer is not None and frame.outer.kind is FrameKind.FUNCTION)
        if kind is Kind.VAR:
            around: Frame | None = frame
            while around is not None:
                known = find(around.names, name, VALUE)
                if known is not None and known.kind is Kind.LEXICAL:
                    return True
                if around.kind in self._later:
                    return False
                around = around.outer
            return not facts.context.level and self._around.declares(name, var=True)
        return False

    def met(self, facts: Facts) -> Facts:
        """The innermost bracket ends: what it binds is no longer owed."""
        context = facts.context
        if context.owed is None:
            return facts
        owed: Linked | None = None
        for one in reversed(list(linked(context.owed))):
            if one.depth == context.frame.depth or find(context.frame.names, one.name, VALUE) is None:
                owed = self.store.link(one.name, one.depth, owed)
        return self.store.facts(self.store.changed(context, owed=owed), facts.open)

    def paid(self, facts: Facts) -> Facts | None:
        """The facts where no comprehension can bind any more what is owed: it comes from elsewhere, if it may."""
        context = facts.context
        if context.owed is None:
            return facts
        kept: Linked | None = None
        due: list[str] = []
        for one in reversed(list(linked(context.owed))):
            if self.may_bind(context, one.depth):
                kept = self.store.link(one.name, one.depth, kept)
            else:
                due.append(one.name)
        result: Facts | None = self.store.facts(self.store.changed(context, owed=kept), facts.open) if due else facts
        for name in due:
            result = None if result is None else self._from_elsewhere(result, name)
        return result

    def _with_frame(self, facts: Facts, frame: Frame) -> Facts:
        known = facts.context
        if known.frame is frame:
            return facts
        reported = (known.outside, known.imported, known.unknown)
        changed = self.store.context(frame, known.level, known.began, known.owed, known.starting, *reported)
        return self.store.facts(changed, facts.open)


_BEFORE_VALUES: Final = frozenset(frozenset({rule}) for rule in ("assignment", "for_statement", "for_in_clause"))
"""Of Python: names stand before what gives them their values."""
_CLASS_DECLARATIONS: Final = frozenset({"class_declaration"})
_MEMBERS: Final = frozenset({"_property_name", "enum_body", "enum_assignment", "enum_body_repeat1"})
_TUPLES: Final = frozenset({"tuple", "list", "list_splat", "parenthesized_expression"})
_IN_TARGETS: Final = frozenset(
    {
        *("(", "[", ",", "tuple", "list", "expression", "primary_expression", "identifier", "list_splat", "*"),
        *("_collection_elements", "_collection_elements_repeat1"),
    }
)
