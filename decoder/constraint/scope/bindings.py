"""What becomes of names once their use is known: bound, looked up, or owed. Each move takes facts and gives facts.

None stands for a reading that cannot be right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import BOTH, LABEL, TYPE, VALUE, Facts, Frame, FrameKind, Kind, Open, find
from decoder.constraint.scope.life import Life
from decoder.constraint.scope.uses import Use, Uses

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index.symbols import Language
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


class Bindings(Life):
    """The moves, for one suggestion."""

    def __init__(self, uses: Uses, language: Language, around: Around, labels: Callable[[str], bool]) -> None:
        super().__init__(around, language)
        self._top = uses.top
        self._labels = labels

    def use(self, facts: Facts, identifier: Open, use: Use, rules: frozenset[str]) -> Facts | None:  # noqa: C901, PLR0912 - a list of cases
        """The facts now that an identifier has its use; `rules` are those that may consume it."""
        name = identifier.name
        if use is Use.NOTHING:
            return self._bind(facts, name, Kind.TYPE, VALUE) if self._is_enum_member(facts, rules) else facts
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
        if use is Use.JUMP:
            return self._jump(facts, name)
        if use is Use.DECLARED:
            return self._declare(facts, identifier, rules)
        kind, space = _BINDS[use]
        if use is Use.OWN_CLASS and not self._python and self._redeclares(facts, name, rules):
            self.refused = name
            return None
        if use is Use.IMPORTED and self.is_imported_twice(facts, name):
            self.refused = name
            return None
        bound = self._bind(facts, name, kind, space)
        if bound is not None and use is Use.PARAMETER and rules and rules <= _TYPED_PARAMETERS:
            return self._start(bound, name)
        is_late = self._python and use is Use.LOCAL and rules in _BEFORE_VALUES
        hides = self.is_new_in_clause(facts.context, name) or not self.sees(facts, name, VALUE) if is_late else False
        if bound is not None and hides:
            return self._start(bound, name)
        return bound

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
                return self._bind(facts, name, Kind.TYPE, VALUE)
            if "type" in self._top(identifier.below.state) or (rules <= _TUPLES and self._is_after_as(identifier)):
                return self._bind(facts, name, Kind.LEXICAL, VALUE)
            own_clause = self.own_clause(context, name)
            if self.may_bind(context, own_clause):
                owed = self.store.link(name, own_clause, context.owed)
                return self.store.facts(self.store.changed(context, owed=owed), facts.open)
            return self._from_elsewhere(facts, name)
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


_BEFORE_VALUES: Final = frozenset(frozenset({rule}) for rule in ("assignment", "for_statement", "for_in_clause"))
"""Of Python: names stand before what gives them their values."""
_TYPED_PARAMETERS: Final = frozenset({"_parameter_name", "required_parameter", "optional_parameter"})
"""Of TypeScript: a parameter is bound before the value that it has by default is read."""
_MEMBERS: Final = frozenset({"_property_name", "enum_body", "enum_assignment", "enum_body_repeat1"})
_TUPLES: Final = frozenset({"tuple", "list", "list_splat", "parenthesized_expression"})
_IN_TARGETS: Final = frozenset(
    {
        *("(", "[", ",", "tuple", "list", "expression", "primary_expression", "identifier", "list_splat", "*"),
        *("_collection_elements", "_collection_elements_repeat1"),
    }
)
