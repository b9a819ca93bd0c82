"""Names that a scope gets: whether it may have them, and what is noted of a reading because of them.

Each move takes facts and gives facts; None stands for a reading that cannot be right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.scope.facts import VALUE, Facts, Frame, FrameKind, Kind, find, linked
from decoder.constraint.scope.lookups import Lookups

if TYPE_CHECKING:
    from decoder.constraint.scope.visible import Around


class Declaring(Lookups):
    """The moves that give a scope names, for one suggestion."""

    def __init__(self, around: Around, language: Language) -> None:
        super().__init__(around, python=language.is_python)
        self._sloppy = language is Language.JAVASCRIPT

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

    def _redeclares(self, facts: Facts, name: str, rules: frozenset[str]) -> bool:
        """Whether a class declaration has the name of something that its scope has already."""
        outer = facts.context.frame.outer
        if outer is None or not rules <= _CLASS_DECLARATIONS or self.is_free(name):
            return False
        around = self.store.facts(self.store.changed(facts.context, frame=outer), facts.open)
        return self._conflicts(around, name, Kind.LEXICAL, VALUE)

    def is_imported_twice(self, facts: Facts, name: str) -> bool:
        """JavaScript: whether the module has a name already that an import, or a list of imports, brings into it."""
        frame = facts.context.frame
        if self._python or self.is_free(name):
            return False
        if frame.kind is not FrameKind.BRACKET or frame.outer is None:
            return self._conflicts(facts, name, Kind.LEXICAL, VALUE)
        around = self.store.facts(self.store.changed(facts.context, frame=frame.outer), None)
        return find(frame.names, name, VALUE) is not None or self._conflicts(around, name, Kind.LEXICAL, VALUE)

    def begins_twice(self, facts: Facts, word: str) -> bool:
        """Whether it is such a name, or one from around the cursor begins like it."""
        return any(self.is_imported_twice(facts, name) for name in (word, *self._around.beginning(word)))

    def exports(self, facts: Facts, name: str) -> Facts | None:
        """JavaScript: the facts where a list of exports has named something; None where the module has that name."""
        if not self.lenient and self.judged is None and self.is_exported(facts, name):
            self.refused = name
            return None
        return self._noted(facts, "exported", name)

    def is_exported(self, facts: Facts, name: str) -> bool:
        """JavaScript: whether the module exports something under a name."""
        return name in self._around.exported or any(one.name == name for one in linked(facts.context.exported))

    def begins_exported(self, facts: Facts, word: str) -> bool:
        """JavaScript: whether such a name begins like a word."""
        own = (one.name for one in linked(facts.context.exported))
        return any(name.startswith(word) for name in (*self._around.exported, *own))

    def _start(self, facts: Facts, name: str) -> Facts:
        context = facts.context
        starting = self.store.link(name, context.frame.depth, context.starting)
        return self.store.facts(self.store.changed(context, starting=starting), facts.open)

    def _noted(self, facts: Facts, where: str, name: str) -> Facts:
        context = facts.context
        link = self.store.link(name, 0, getattr(context, where))
        return self.store.facts(self.store.changed(context, **{where: link}), facts.open)

    def _with_frame(self, facts: Facts, frame: Frame) -> Facts:
        if facts.context.frame is frame:
            return facts
        return self.store.facts(self.store.changed(facts.context, frame=frame), facts.open)


_CLASS_DECLARATIONS: Final = frozenset({"class_declaration"})
