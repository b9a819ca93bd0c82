"""The automaton at work for one suggestion: its state, with the facts about names on every stack."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.constraint.keywords import STRING_PREFIXES
from decoder.constraint.protocol import Report
from decoder.constraint.scope import ending
from decoder.constraint.scope.doubts import doubted, exported_again
from decoder.constraint.scope.facts import BOTH, Facts, names
from decoder.constraint.scope.request import Request, entered, facts_of, uses_of
from decoder.constraint.scope.semantics import ScopeSemantics
from decoder.constraint.scope.uses import REFERENCES
from decoder.constraint.scope.visible import Around
from decoder.grammar.engine import Grammar
from decoder.grammar.roles import RoleFinder
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry
    from decoder.grammar.version import Version

_WORD_ENDS: Final = re.compile(r"[\w$][^\w$]")
_FAR_BACK: Final = 20_000


class Reading:
    """One immutable state."""

    __slots__ = ("_request", "state")

    def __init__(self, request: Request, state: State) -> None:
        self._request = request
        self.state = state

    @classmethod
    def at(
        cls,
        entry: Entry,
        symbols: SymbolContext,
        prefix: str,
        *,
        imports: bool,
        exported: Callable[[], frozenset[str]] = frozenset,
    ) -> Reading | None:
        """The reading at an entry; None where it has no state."""
        if entry.state is None:
            return None
        language = symbols.language
        grammar = Grammar.load(language)
        roles = RoleFinder.of(grammar.tables, language)
        uses = uses_of(grammar, roles, language)
        around = Around(symbols, prefix=prefix, imports=imports, exported=exported)

        def has_label(name: str) -> bool:
            return re.search(rf"(?<![\w$]){re.escape(name)}\s*:", prefix[-_FAR_BACK:]) is not None

        semantics = ScopeSemantics(grammar.tables, uses, language, around, has_label)
        request = Request(grammar, uses, semantics, language)
        return cls(request, entered(request, entry))

    @property
    def roles(self) -> RoleFinder:
        """What finds roles in this language."""
        return self._request.uses.roles

    def advance(self, text: str) -> Reading | None:
        """The reading after `text`; None where no reading of it is left."""
        reading = self._after(text)
        if reading is None or not _WORD_ENDS.search(text) or not reading.is_doubtful():
            return reading
        stepwise: Reading | None = self  # a word that ended within the text might have been refused as it was written
        for piece in ending.TO_WORD_END.findall(text):
            stepwise = stepwise._after(piece) if stepwise is not None else None
        return stepwise

    def is_doubtful(self) -> bool:
        """Whether a name is still to be made right by what follows, however the text is read."""
        return all(self._request.bindings.unseen(facts) is not None for facts in facts_of(self.state))

    def _after(self, text: str) -> Reading | None:
        state = self.state.advance(text)
        if state is None:
            return None
        kept = [version for version in state.versions if self._may_go_on(version, state)]
        if not kept:
            return None
        if len(kept) < len(state.versions):
            state = State(state.automaton, tuple(kept), state.window)
        return Reading(self._request, state)

    def culprit(self, text: str) -> str | None:
        """The name because of which `text` cannot follow; None where it would not parse either."""
        if self.plain().advance(text) is None:
            return None
        self._request.automaton.forget()
        self._request.bindings.refused = ""
        state: State | None = self.state
        for character in text:
            following = state.advance(character) if state is not None else None
            if following is None:
                return self._request.bindings.refused or text.strip()
            word = next(
                (word for version in following.versions if (word := self._refused_word(version, following))), None
            )
            if word and not any(self._may_go_on(version, following) for version in following.versions):
                return word
            state = following
        return text.strip()

    def plain(self) -> State:
        """The same state, names apart."""
        return State(self._request.plain, self.state.versions, self.state.window)

    def word(self) -> str:
        """The identifier that is unfinished at the end."""
        return ending.unfinished(self.state)

    def unmet(self, suffix: str) -> str | None:
        """A name that is not right yet, unless the text after makes it so; None where the text may end."""
        return ending.unmet(self._request, self.state, suffix)

    def redeclared(self, suffix: str) -> str | None:
        """A name that the scope has already, declared again by a statement that only the text after ends."""
        return ending.redeclared(self._request, self.state, suffix)

    def exported(self, suffix: str) -> str | None:
        """A name that the module exports already, exported again by a list that the text after goes on with."""
        return exported_again(self._request, self.state) if ending.ends_name(suffix) else None

    def doubted(self) -> str | None:
        """A name that is wrong unless what follows makes it right; see `doubts`."""
        return doubted(self._request, self.state)

    def report(self) -> Report:
        """What could not be proven, and which names are to be imported."""
        facts = next(facts_of(self.state), None)
        if facts is None:
            return Report()
        context = facts.context
        outside = names(context.outside)
        if not self._request.bindings.knows_all:
            word, doubted = self.word(), self.doubted()  # `except zz:`, as long as it is open what the name is
            last = word if word and self._may_be_unknown(word) else "" if word else doubted or ""
            outside = (*outside, last) if last else outside
        return Report(outside=outside, imported=names(context.imported))

    def _may_be_unknown(self, word: str) -> bool:
        """Whether an unfinished word, if it ends here, may refer to something that is not visible here.

        What another reading, or the text as it went on before it was cut, has bound does not count.
        """
        bindings = self._request.bindings
        return any(
            isinstance(facts := version.node.value, Facts)
            and not bindings.is_around(word)
            and not bindings.sees(facts, word, BOTH)
            and not ending.may_be_keyword(self._request, self.state, version, word)
            and bool(self._request.possible(version.node) & REFERENCES)
            for version in self.state.versions
        )

    def _may_go_on(self, version: Version, state: State) -> bool:
        """Whether what is unfinished can still become something that names allow."""
        if version.lexeme is None:
            return True
        facts = version.node.value
        if not isinstance(facts, Facts):
            return True
        if self._refused_word(version, state) is not None:
            return False
        last = facts.open
        if last is None or last.below is not version.node.below:
            return True  # what is open lies deeper: the next tokens decide
        if not self._request.bindings.is_unseen(facts, last):
            return True
        tokens = state.automaton.possible_tokens(version, state.window)
        return next(tokens, None) is not None  # one that leaves a reading alive is enough

    def _refused_word(self, version: Version, state: State) -> str | None:
        word = unfinished_word(version, state.window)
        facts = version.node.value
        if not word or version.lexeme is None or not isinstance(facts, Facts):
            return None
        request = self._request
        if all(request.bindings.begins(facts, word, space) for space in request.spaces):
            return None  # nearly always: no need to know what the identifier may be
        only = request.only_references(version.node)
        if only is None or request.bindings.begins(facts, word, only):
            return None
        if request.python and word.lower() in STRING_PREFIXES:
            return None
        tokens = state.automaton.possible_tokens(version, state.window)
        return None if any(token != request.grammar.tables.word for token in tokens) else word
