"""The automaton at work for one suggestion: its state, with the facts about names on every stack."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.constraint.keywords import STRING_PREFIXES
from decoder.constraint.protocol import Report
from decoder.constraint.scope.due import due
from decoder.constraint.scope.facts import BOTH, TYPE, Facts, FrameKind, Kind, chain, frames, names
from decoder.constraint.scope.request import Request, entered, facts_of, open_names, uses_of
from decoder.constraint.scope.semantics import ScopeSemantics
from decoder.constraint.scope.uses import REFERENCES
from decoder.constraint.scope.visible import Around
from decoder.grammar.automaton import bits
from decoder.grammar.engine import Grammar
from decoder.grammar.roles import RoleFinder
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry
    from decoder.grammar.version import Version

_WORD_ENDS: Final = re.compile(r"[\w$][^\w$]")
_TO_WORD_END: Final = re.compile(r"[^\w$]?[\w$]+|[^\w$]")
_BRACKETS: Final = frozenset({FrameKind.BRACKET, FrameKind.COMPREHENSION, FrameKind.CLAUSES, FrameKind.GENERICS})
_FAR_BACK: Final = 20_000
_NEAR_AHEAD: Final = 80
_FAR_AHEAD: Final = 2_000
"""Characters in which a list of exports that ends with `from` may end."""


_ENDS: Final = "\n;"


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
        promised: frozenset[str] = frozenset(),
    ) -> Reading | None:
        """The reading at an entry; None where it has no state."""
        if entry.state is None:
            return None
        language = symbols.language
        grammar = Grammar.load(language)
        roles = RoleFinder.of(grammar.tables, language)
        uses = uses_of(grammar, roles, language)
        around = Around(symbols, prefix=prefix, imports=imports, promised=promised)

        def has_label(name: str) -> bool:
            return re.search(rf"(?<![\w$]){re.escape(name)}\s*:", prefix[-_FAR_BACK:]) is not None

        semantics = ScopeSemantics(grammar.tables, uses, language, around, has_label)
        request = Request(grammar, uses, semantics, language)
        return cls(request, entered(request, entry))

    @property
    def roles(self) -> RoleFinder:
        """What finds roles in this language."""
        return self._request.uses.roles

    def feed(self, text: str) -> Reading | None:
        """The reading after `text`; None where no reading of it is left."""
        reading = self._after(text)
        if reading is None or not _WORD_ENDS.search(text) or not reading.is_doubtful():
            return reading
        stepwise: Reading | None = self  # a word that ended within the text might have been refused as it was written
        for piece in _TO_WORD_END.findall(text):
            stepwise = stepwise._after(piece) if stepwise is not None else None
        return stepwise

    def is_doubtful(self) -> bool:
        """Whether a name is still to be made right by what follows, however the text is read."""
        return all(self._request.bindings.unseen(facts) is not None for facts in facts_of(self.state))

    def _after(self, text: str) -> Reading | None:
        state = self.state.feed(text)
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
        if self.plain().feed(text) is None:
            return None
        self._request.automaton.forget()
        self._request.bindings.refused = ""
        state: State | None = self.state
        for character in text:
            following = state.feed(character) if state is not None else None
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
        words = (unfinished_word(version, self.state.window) for version in self.state.versions)
        return next((word for word in words if word), "")

    def unmet(self, suffix: str) -> str | None:
        """A name that is not right yet, unless the text after makes it so; None where the text may end."""
        unseen = [self._unseen(version) for version in self.state.versions]
        if None in unseen:
            return None
        bindings, automaton = self._request.bindings, self._request.automaton
        bindings.judged = names = frozenset(name for name in unseen if name is not None)
        automaton.forget()
        try:
            made_right = self._is_made_right(suffix[:_FAR_AHEAD] or "\n", self._only_types(names))
        finally:
            bindings.judged = None
            automaton.forget()
        return None if made_right else unseen[0]

    def promised(self) -> str | None:
        """A name that was used above its declaration, and is not declared yet; None where a reading has none."""
        first = _promised(self.state)
        over = (
            self.state.feed(_ENDS) if first else None
        )  # a declaration at the end is not over before something follows
        return first if over is None else _promised(over)

    def redeclared(self, suffix: str) -> str | None:
        """A name that the scope has already, declared again by a statement that only the text after ends.

        `const { a } = b` may still become something else than a declaration of `a`, until it is over.
        """
        if self._request.python:
            return None
        bindings, automaton = self._request.bindings, self._request.automaton
        undecided, own = {*open_names(self.state), self.word()}, self._declared()
        names = frozenset(name for name in undecided if name in own or bindings.has_declared(name))
        if not names:
            return None
        bindings.judged, bindings.refused = names, ""
        automaton.forget()
        try:
            state, following = self.state, suffix.partition("\n")[0][:_NEAR_AHEAD] + "\n;"
            for place, character in enumerate(following, start=1):
                after = state.feed(character)
                if after is None:
                    parses = self.plain().feed(following[:place]) is not None
                    return bindings.refused if parses and bindings.refused in names else None
                state = after
                if not names & open_names(state) and character.isspace():
                    return None
        finally:
            bindings.judged = None
            automaton.forget()
        return None

    def _declared(self) -> frozenset[str]:
        """What the scopes that are open on some reading have got by now."""
        found = set[str]()
        for facts in facts_of(self.state):
            for frame in frames(facts.context.frame):
                found.update(bound.name for bound in chain(frame.names) if bound.kind is not Kind.OWN)
        return frozenset(found)

    def doubted(self) -> str | None:
        """A name that is not visible and that all readings need made right by what follows; None where one does not.

        A word that is unfinished counts where no visible name begins like it, and it may be a reference.
        """
        doubts = [self._doubted(version) for version in self.state.versions]
        return None if None in doubts else doubts[0]

    def _doubted(self, version: Version) -> str | None:
        facts = version.node.value
        if not isinstance(facts, Facts):
            return None
        bindings = self._request.bindings
        if (unseen := bindings.unseen(facts)) is not None:
            return unseen
        word = unfinished_word(version, self.state.window)
        if not word or bindings.knows(facts, word, BOTH) or not self._request.possible(version.node) & REFERENCES:
            return None
        keywords = self.state.automaton.possible_tokens(version, self.state.window)
        return None if keywords & ~(1 << self._request.grammar.tables.word) else word

    def _only_types(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that are visible as types, whatever they may be needed as."""
        sees = self._request.bindings.sees
        return frozenset(name for name in names for facts in facts_of(self.state) if sees(facts, name, TYPE))

    def _is_made_right(self, suffix: str, undecided: frozenset[str]) -> bool:
        """Whether no name is unseen once the text after has begun, and the use of some is decided."""
        state: State | None = self.state
        for piece in (*suffix[:_NEAR_AHEAD], *_TO_WORD_END.findall(suffix[_NEAR_AHEAD:])):
            state = state.feed(piece) if state is not None else None
            if state is None:
                return False
            if undecided and undecided & open_names(state):
                continue
            if piece == "\n" and self._request.python and all(map(self._is_over, facts_of(state))):
                return False
            if all(self._request.bindings.unseen(facts) is None for facts in facts_of(state)):
                return True
        return False

    def _is_over(self, facts: Facts) -> bool:
        """In Python, behind a line: whether a name is unseen that no line below makes right, there being no bracket.

        The tables let a list of targets go on there: `zz,` and on the next line `x = 1`.
        """
        if self._request.bindings.unseen(facts) is None:
            return False
        return not any(frame.kind in _BRACKETS for frame in frames(facts.context.frame))

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
        return Report(open=names(context.unknown), outside=outside, imported=names(context.imported))

    def _may_be_unknown(self, word: str) -> bool:
        """Whether an unfinished word, if it ends here, may refer to something that is not visible here.

        What another reading, or the text as it went on before it was cut, has bound does not count.
        """
        bindings = self._request.bindings
        return any(
            isinstance(facts := version.node.value, Facts)
            and not bindings.is_around(word)
            and not bindings.sees(facts, word, BOTH)
            and not self._may_be_keyword(version, word)
            and bool(self._request.possible(version.node) & REFERENCES)
            for version in self.state.versions
        )

    def due(self) -> tuple[str, frozenset[str]] | None:
        """What has been written of a name, and those of which it must be one; None where it may be new."""
        return due(self._request, self.state)

    def candidates(self) -> tuple[str, ...]:
        """The names that a reference may be here, sorted."""
        found: set[str] = set()
        for version in self.state.versions:
            facts = version.node.value
            if isinstance(facts, Facts):
                space = self._request.only_references(version.node) or BOTH
                found.update(self._request.bindings.usable(facts, space))
        return tuple(sorted(found))

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
        return not self._request.bindings.is_unseen(facts, last) or self._has_token(version, state)

    def _has_token(self, version: Version, state: State) -> bool:
        """Whether some token that the unfinished text may become leaves a reading alive."""
        automaton = state.automaton
        for token in bits(automaton.possible_tokens(version, state.window)):
            if token == automaton.tables.word or automaton.stepper.step(version.node, token):
                return True
        return False

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
        tables = request.grammar.tables
        keywords = state.automaton.possible_tokens(version, state.window) & ~(1 << tables.word)
        return None if keywords else word

    def _unseen(self, version: Version) -> str | None:
        facts = version.node.value
        if not isinstance(facts, Facts):
            return None
        bindings = self._request.bindings
        unseen = bindings.unseen(facts)
        if unseen is not None:
            return unseen
        word = unfinished_word(version, self.state.window)
        if word and self._request.possible(version.node) & REFERENCES:
            space = self._request.reference_space(version.node)
            return None if bindings.sees(facts, word, space) or self._may_be_keyword(version, word) else word
        return None

    def _may_be_keyword(self, version: Version, word: str) -> bool:
        """Whether a complete word may stand there as a keyword alone; elsewhere tree-sitter takes it for a name."""
        names, soft = self._request.grammar.tables.names, self._request.uses.soft
        tokens = bits(self.state.automaton.possible_tokens(version, self.state.window))
        return word.isalpha() and any(names[token] == word and token not in soft for token in tokens)


def _promised(state: State) -> str | None:
    links = [facts.context.promised for facts in facts_of(state)]
    return None if not links or None in links else next(link.name for link in links if link is not None)
