"""Texts in which a token ends: what is left of them must follow on the stacks behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from decoder.grammar.automaton import bits
from decoder.grammar.lr import Outcome
from decoder.grammar.masks.lookahead import DEEP
from decoder.grammar.masks.paths import AS_IT_STANDS
from decoder.grammar.masks.remembered import Way
from decoder.grammar.tables import END_OF_INPUT
from decoder.grammar.version import Lexeme, Token, Version, Window

if TYPE_CHECKING:
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.answering import Answering
    from decoder.grammar.masks.feeding import Feeding
    from decoder.grammar.masks.lookahead import Lookahead
    from decoder.grammar.masks.paths import Ending, Paths
    from decoder.grammar.masks.plans import Follows, Mask, Plan, Point, Question, Together
    from decoder.grammar.stack import Node

_FRESH: Final = "\N{REPLACEMENT CHARACTER}"
"""A word that is in no text: kinds of words are asked about with words that nothing on a stack is called."""


class Endings:
    """Puts tokens on stacks under one automaton, and asks there about what is left of texts."""

    def __init__(
        self,
        automaton: Automaton,
        lookahead: Lookahead,
        answering: Answering,
        *,
        paths: Paths,
        feeding: Feeding,
        follows: Follows,
    ) -> None:
        """With `follows`, which texts may follow a version."""
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lookahead = lookahead
        self._answering = answering
        self._paths = paths
        self._feeding = feeding
        self._follows = follows

    def decide(self, plan: Plan, ends: Together, way: Way, point: Point, found: Mask) -> None:
        """Set `found` for all texts of a plan in which a token ends and that may follow.

        Args:
            ends: Those of the plan, or those that the unfinished word leaves.
        """
        for reduced, shifts, asks in self._lookahead.reduced(point.version.node, ends.codes):
            for codes in (shifts, asks):
                for code in bits(self._together(ends, codes, reduced, point, found) if codes else 0):
                    for question in self._alone(plan, ends, code):
                        found[self._answering.texts(question, "", way, point)] = True

    def _together(self, ends: Together, codes: int, node: Node, point: Point, found: Mask) -> int:
        """Texts in which some tokens end, all on a stack that they have reduced.

        Returns:
            The numbers of tokens that leave the stack several ways: to be asked about alone.
        """
        saved = point.version.saved
        several = 0
        deep = codes & (ends.deep | 1 << self._tables.word)
        for code in bits(deep):
            for ending in ends.endings[code]:
                several |= self._end_on(code, ending, node, point, found)
        codes ^= deep
        if not codes:
            return several
        answers = ends.answers.get((codes, saved))
        if answers is None:
            answers = ends.answers[codes, saved] = self._answering.none()
        way = Way(node)
        known = self._answering.known(answers, way)
        if known is None:
            watch, watched = self._answering.watched(point, node)
            below = Way(watched.version.node)
            mask = point.texts.none()
            alone = 0
            for code in bits(codes):
                for ending in ends.endings[code]:
                    several_here, is_deep = self._one(code, ending, below, watched, mask)
                    alone |= several_here
                    ends.deep |= is_deep << code
            known = self._answering.keep(answers, way, watch, mask, alone)
        texts, alone = known
        found[texts] = True
        return several | alone

    def _one(self, code: int, ending: Ending, way: Way, point: Point, found: Mask) -> tuple[int, bool]:
        """Texts in which one token ends; its number as a bit set if it leaves the stack several ways."""
        key = (code, point.version.saved)
        answers = ending.answers.get(key)
        if answers is None:
            answers = ending.answers[key] = self._answering.none()
        known = self._answering.known(answers, way)
        if known is None:
            watch, watched = self._answering.watched(point)
            mask = point.texts.none()
            several = self._end_on(code, ending, watched.version.node, watched, mask)
            if len(watch.told().asked) > DEEP:
                found |= mask
                return several, True
            known = self._answering.keep(answers, way, watch, mask, several)
        texts, several = known
        found[texts] = True
        return several, False

    def _end_on(self, code: int, ending: Ending, node: Node, point: Point, found: Mask) -> int:
        """The same, found now."""
        token, is_keyword = self._lookahead.token(code)
        steps = self._automaton.stepper.step(node, token, is_keyword=is_keyword)
        if any(outcome is not Outcome.SHIFTED for outcome, _ in steps):
            return 1 << code
        for _, after in steps:
            version = Version(after, 0, point.version.saved)
            window = Window(ending.pending, 1, at_start=False)
            found[ending.indices] |= self._follows(version, window, ending.rests, point.depth + 1)[ending.of_rest]
        return 0

    def _alone(self, plan: Plan, ends: Together, code: int) -> list[Question]:
        """What is asked about texts in which a token ends that leaves the stack several ways."""
        questions = plan.alone.get(code)
        if questions is None:
            asks = [partial(self._ask_alone, code, ending) for ending in ends.endings[code]]
            questions = plan.alone[code] = [self._answering.question(ask, by_table=True) for ask in asks]
        return questions

    def _ask_alone(self, code: int, ending: Ending, point: Point, found: Mask) -> None:
        token, is_keyword = self._lookahead.token(code)
        end = len(point.window.text) + 1  # somewhere in the text; not where a reduced stack is to read it again
        self.end(Token(token, point.lexeme.start, end, point.version.saved, is_keyword), ending, point, found)

    def ask(self, symbol: int, part: str | None, ending: Ending, point: Point, found: Mask) -> None:
        """Ask about texts in which a token of the table lexer ends.

        Args:
            part: What the texts write of it, where a keyword may end with it.
        """
        version, window, lexeme, _, _ = point
        written = window.text[lexeme.start :]
        state = version.node.like
        stands = symbol == AS_IT_STANDS
        reached = lexeme.token if stands else symbol
        is_word = reached == self._tables.word
        if (stands and not written) or reached <= END_OF_INPUT:
            self._feeding.feed(ending.indices, point, found)
            return
        word = written + part if part is not None else ""
        is_keyword = False
        if word and is_word:
            read = self._reader.token(version.node, Lexeme(0, 0, 0, reached, 0, len(word)), word, version.saved)
            reached, is_keyword = read.symbol, read.is_keyword
        if state in self._tables.spelled:
            if twice := ending.rests.twice:
                some = [index for index, rest in zip(ending.indices, ending.of_rest, strict=True) if int(rest) in twice]
                self._feeding.feed(some, point, found)
            word = word or _FRESH * (point.depth + 1)
        # Somewhere in the text; not where a reduced stack is to read it again.
        end = len(window.text) + 1
        token = Token(reached, lexeme.start, end, version.saved, is_keyword)
        if word:
            spelled = replace(window, text=window.text[: lexeme.start] + word)
            token = replace(token, end=len(spelled.text))
            self.end(token, ending, point, found, spelled)
        else:
            self.end(token, ending, point, found)

    def behind(self, ending: Ending, point: Point, found: Mask) -> None:
        """Ask about texts behind a token that ended before them."""
        version, text = point.version, point.window.text
        token = self._reader.token(version.node, point.lexeme, text, version.saved)
        self.end(token, ending, point, found, point.window)

    def end(self, token: Token, ending: Ending, point: Point, found: Mask, spelled: Window | None = None) -> None:
        """A token ends: what is left of the texts stands where the stacks after it have a place for it.

        Args:
            spelled: The window with the token's text in it, where rules look at that.
        """
        for after in self._automaton.consume(point.version, token, spelled or point.window)[0]:
            if after.position != token.end:  # to be read again from there
                again = self._paths.texts(point.texts.numbers[ending.indices])
                found[ending.indices] |= self._follows(after, point.window, again, point.depth + 1)
                continue
            window = Window(ending.pending, 1, at_start=False)
            version = Version(after.node, 0, after.saved)
            follows = self._follows(version, window, ending.rests, point.depth + 1)
            found[ending.indices] |= follows[ending.of_rest]
