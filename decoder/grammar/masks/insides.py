"""Texts that end within a token: they stand if it can become one that the stack takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.masks.paths import BLANK
from decoder.grammar.tables import END_OF_INPUT
from decoder.grammar.version import Token

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.answering import Answering
    from decoder.grammar.masks.feeding import Feeding
    from decoder.grammar.masks.lookahead import Taken
    from decoder.grammar.masks.paths import Paths
    from decoder.grammar.masks.places import Places
    from decoder.grammar.masks.plans import Indices, Inside, Mask, Plan, Point
    from decoder.grammar.masks.remembered import Way


class Insides:
    """Decides about unfinished tokens under one automaton."""

    def __init__(
        self,
        automaton: Automaton,
        places: Places,
        paths: Paths,
        taken: Taken,
        *,
        answering: Answering,
        feeding: Feeding,
    ) -> None:
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lexer = automaton.reader.lexer
        self._places = places
        self._paths = paths
        self._taken = taken
        self._answering = answering
        self._feeding = feeding
        self._keywords_all = sum(1 << token for token in set(self._reader.keywords.values()))

    def decide(self, plan: Plan, word: str, way: Way, point: Point, found: Mask) -> None:
        """Set `found` for all texts of a plan that end within a token and may follow."""
        takes, doubts = self._taken.of(point.version.node, plan.becoming)
        reachable = self._lexer.reachable
        for state, symbol, indices, words, question in plan.inside:
            if state == BLANK or takes & reachable[state] or takes & ~doubts & 1 << symbol:
                found[indices] = True
            elif symbol <= END_OF_INPUT or doubts >> symbol & 1:
                found[self._answering.texts(question, word, way, point)] = True
            elif words:
                self._keywords(words, takes, point, found)

    def becoming(self, inside: Sequence[Inside], point: Point) -> int:
        """The tokens that the stack has an entry for and that texts may be within; all keywords, if any."""
        tokens = 0
        for one in inside:
            if one.state != BLANK:
                tokens |= self._lexer.reachable[one.state] | 1 << one.symbol
                if one.words:
                    tokens |= self._keywords_all
        return tokens & self._tables.valid_tokens(point.version.node.like) & ~(1 << END_OF_INPUT)

    def ask(self, state: int, indices: Indices, point: Point, found: Mask) -> None:
        """Ask about texts that end in one state of the lexer."""
        verdict = self._verdict(point, state)
        if verdict is None:
            self._feeding.feed(indices, point, found)
        elif verdict:
            found[indices] = True
        else:  # where no word can stand a keyword may
            written = point.window.text[point.lexeme.start :]
            for letters, members in self._paths.table(point.texts, point.lexeme.state).words.get(state, {}).items():
                if self._places.may_be_keyword(written + letters):
                    self._feeding.feed(members, point, found)

    def _keywords(self, words: Mapping[str, list[int]], takes: int, point: Point, found: Mask) -> None:
        """Parts of keywords, where no word can stand.

        Args:
            takes: The tokens that the stack takes.
        """
        keywords, begun = self._reader.keywords, self._reader.keyword_beginnings
        valid = self._tables.valid_tokens(point.version.node.like)
        written = point.window.text[point.lexeme.start :]
        for letters, members in words.items():
            spelled = written + letters
            if begun.get(spelled, 0) & takes:
                found[members] = True
            elif valid >> keywords.get(spelled, END_OF_INPUT) & 1 and spelled in keywords:
                self._feeding.feed(members, point, found)

    def _verdict(self, point: Point, state: int) -> bool | None:
        """Whether a token may be unfinished in a lexer state, keywords aside; None where its text would tell."""
        version, window = point.version, point.window
        if state == BLANK or self._automaton.can_grow(version.node, state):
            return True
        symbol = self._lexer.accepts[state]
        if symbol <= END_OF_INPUT:
            return None
        token = Token(symbol, len(window.text), len(window.text) + 1, version.saved)
        successors, _ = self._automaton.consume(version, token, window)
        if self._lexer.is_final[state] and all(after.position != token.end for after in successors):
            return None if successors else False  # to be read again from another stack
        return bool(successors)
