"""The rule that a text parses and refers only to visible names; one state, as both use the same automaton.

The state is the automaton's, with facts about names on each of its stacks. The automaton drops a way to parse the text
once an identifier has a use that its name does not allow. The rule also looks at the unfinished word at the end of the
text, which is no token yet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.constraint.scope import ending
from decoder.constraint.scope.facts import Facts, names
from decoder.constraint.scope.request import Request, entered, facts_of, uses_of
from decoder.constraint.scope.semantics import ScopeSemantics
from decoder.constraint.scope.visible import VisibleNames
from decoder.grammar.grammar import Grammar
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry
    from decoder.grammar.version import Version

_WORD_ENDS: Final = re.compile(r"[\w$][^\w$]")
"""The end of a word within a text."""
_TO_WORD_ENDS: Final = re.compile(r"[^\w$]?[\w$]+|[^\w$]")
"""The pieces of a text: a word with the character before it, or a single character."""
_SHOWN: Final = 20
"""The most characters of a refused text that a refusal shows."""
_KNOWN: Final = 8
"""A state caches what follows after so many texts. More are tried only where the vocabulary is walked."""


class ScopeConstraint:
    """One state of the rule; immutable."""

    __slots__ = ("_known", "_request", "state")

    def __init__(self, request: Request, state: State) -> None:
        self._request = request
        self.state = state
        """The automaton's state."""
        self._known: dict[str, ScopeConstraint | Refusal] = {}
        """The answers of `advance` by text: while a word is typed, the same tokens are asked about again."""

    @classmethod
    def of(cls, entry: Entry, symbols: SymbolContext, *, imports: bool = False) -> ScopeConstraint:
        """The rule at an entry.

        Args:
            symbols: The names that are visible there.
            imports: Whether a reference may also be one of `symbols.importable`.

        Raises:
            ValueError: The entry has no state: the text above does not parse, and no rule holds there.
        """
        language = symbols.language
        grammar = Grammar.load(language)
        uses = uses_of(language)
        around = VisibleNames(symbols, imports=imports)
        semantics = ScopeSemantics(grammar.tables, uses, language, around)
        request = Request(grammar, uses, semantics, language)
        return cls(request, entered(request, entry))

    def advance(self, text: str) -> ScopeConstraint | Refusal:
        """The state after `text`, or why there is none."""
        known = self._known.get(text) or self._advance(text)
        if len(self._known) < _KNOWN:
            self._known[text] = known
        return known

    def _advance(self, text: str) -> ScopeConstraint | Refusal:
        following = self._after(text)
        if following is not None and _WORD_ENDS.search(text) and following._is_doubtful():
            # A word that ends within the text may have to be refused there: read the text again, word by word.
            following = self
            for piece in _TO_WORD_ENDS.findall(text):
                following = following._after(piece) if following is not None else None
        if following is not None:
            return following
        if (culprit := self._culprit(text)) is not None:
            return Refusal(Rule.SCOPE, culprit)
        return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))

    def _is_doubtful(self) -> bool:
        """Whether each way to parse the text has a name that is not visible unless later text binds it."""
        return all(self._request.bindings.unbound_name(facts) is not None for facts in facts_of(self.state))

    def _after(self, text: str) -> ScopeConstraint | None:
        """The state after `text`, without the versions whose unfinished word cannot become valid."""
        state = self.state.advance(text)
        if state is None:
            return None
        versions = [version for version in state.versions if self._may_go_on(version, state)]
        if not versions:
            return None
        if len(versions) < len(state.versions):
            state = State(state.automaton, tuple(versions), state.window)
        return ScopeConstraint(self._request, state)

    def _culprit(self, text: str) -> str | None:
        """The name because of which a refused text cannot follow; None where the syntax alone refuses it."""
        if State(self._request.plain, self.state.versions, self.state.window).advance(text) is None:
            return None
        self._request.automaton.forget()
        self._request.bindings.refused = ""
        state = self.state
        for character in text:
            following = state.advance(character)
            if following is None:
                return self._request.bindings.refused or text.strip()
            word = next(
                (word for version in following.versions if (word := self._refused_word(version, following))), None
            )
            if word and not any(self._may_go_on(version, following) for version in following.versions):
                return word
            state = following
        return text.strip()

    def report(self) -> Report:
        """The names that are not proven to be visible, by the first way to parse the text."""
        facts = next(facts_of(self.state), None)
        if facts is None:
            return Report()
        unlisted = names(facts.context.unlisted)
        if self._request.bindings.knows_all:
            return Report(unlisted)
        if word := ending.unfinished(self.state):
            last = word if self._may_be_unknown(word) else None
        else:  # such as `zz` in `except zz:`, whose use is not decided yet
            last = ending.unresolved_so_far(self._request, self.state)
        return Report(unlisted if last is None else (*unlisted, last))

    def may_stop(self) -> Refusal | None:
        """None unless the text ends after a name that is not visible. Whether it is complete, the verifier decides."""
        unknown = self._unknown_at_end()
        return None if unknown is None else Refusal(Rule.SCOPE, unknown)

    def _unknown_at_end(self) -> str | None:
        """The name at the end if, as the text is, it can only be a reference to what is not visible; else None.

        The text may end with the name, or with a sign after it: `zz =`, which may still become `zz =>` and bind it.
        """
        if not self._request.bindings.knows_all:
            return None
        word = ending.unfinished(self.state)
        if not word:
            return self._unknown_before_sign()
        versions = self.state.versions
        is_reference = all(self._request.is_reference(version.node) for version in versions)
        return word if is_reference and all(self._is_unknown(version, word) for version in versions) else None

    def _unknown_before_sign(self) -> str | None:
        """A name that nothing binds, if each way to parse the text is dropped once the last token is final: `zz =`."""
        unbound_name = self._request.bindings.unbound_name
        unbound = [unbound_name(facts) for facts in facts_of(self.state)]
        return unbound[0] if unbound and None not in unbound and not self.state.ended() else None

    def _may_be_unknown(self, word: str) -> bool:
        """Whether the unfinished word at the end, if it ends here, may refer to what is not visible."""
        return any(
            self._is_unknown(version, word) and self._request.may_be_reference(version.node)
            for version in self.state.versions
        )

    def _is_unknown(self, version: Version, word: str) -> bool:
        """Whether a word is neither a visible name nor a keyword in one way to parse the text."""
        bindings, facts = self._request.bindings, version.node.value
        return (
            isinstance(facts, Facts)
            and not bindings.is_around(word)
            and not bindings.is_visible(facts, word)
            and not ending.may_be_keyword(self._request, self.state, version, word)
        )

    def _may_go_on(self, version: Version, state: State) -> bool:
        """Whether the unfinished token at the end can still become one that is allowed."""
        if version.lexeme is None:
            return True
        facts = version.node.value
        if not isinstance(facts, Facts):
            return True
        if self._refused_word(version, state) is not None:
            return False
        last = facts.pending
        if last is None or last.below is not version.node.below:
            return True  # the undecided identifier is not the last token: the next tokens decide
        if not self._request.bindings.is_unbound(facts, last):
            return True
        tokens = state.automaton.possible_tokens(version, state.window)
        return next(tokens, None) is not None  # one possible token is enough

    def _refused_word(self, version: Version, state: State) -> str | None:
        """The unfinished word at the end if it can only become a reference to what is not visible; else None."""
        word = unfinished_word(version, state.window)
        facts = version.node.value
        if not word or version.lexeme is None or not isinstance(facts, Facts):
            return None
        request = self._request
        if request.bindings.begins(facts, word) or not request.is_reference(version.node):
            return None
        if word.lower() in request.prefixes:
            return None
        return word if ending.is_only_identifier(request, state, version) else None
