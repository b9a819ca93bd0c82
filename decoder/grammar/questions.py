"""What is asked about the texts of a vocabulary at a point, so that all of them are decided.

Texts that take the lexer from one state to one other within a token stand or fall together, and texts that end a token
alike leave a smaller vocabulary, what is left of them, to a stack that all of them share. What the lexers' tables
cannot tell is fed letter by letter.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.letterwise import feed
from decoder.grammar.paths import AS_IT_STANDS, BLANK, Ending, Paths, Texts
from decoder.grammar.places import Places
from decoder.grammar.state import State
from decoder.grammar.tables import END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme, Token, Version, Window
from decoder.grammar.watched import Answers, Watch, WatchedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.scanner import Scanned

    Mask = npt.NDArray[np.bool_]
    Indices = npt.NDArray[np.int32]

_DEEPEST: Final = 6
"""Tokens of the grammar within one text; what is longer is fed."""
_FRESH: Final = "\N{REPLACEMENT CHARACTER}"
"""A word that is in no text: kinds of words are asked about with words that nothing on a stack is called."""
_BYTES_OF_ANSWER: Final = 450
"""For each cell of the stack that it depends on."""
_BYTES_OF_QUESTION: Final = 900
"""Measured with `tracemalloc` and rounded up."""
_FEW: Final = 4
"""So many texts are fed at less cost than tables are made for them."""


class Point(NamedTuple):
    """Where texts begin: one reading, and how far the table lexer is into its token."""

    version: Version
    window: Window
    lexeme: Lexeme
    texts: Texts
    depth: int


class Question(NamedTuple):
    """Some texts, and how to find those of them that may follow a point."""

    ask: Callable[[Point, Mask], None]
    by_table: bool
    """Only texts that the external scanner leaves to the table lexer are meant."""
    answers: Answers[Indices]
    by_word: dict[str, Answers[Indices]] | None = None
    """Set where the unfinished word may make a difference: the answers, by what is written of it."""


class Plan(NamedTuple):
    """All that is asked about some texts at one kind of place."""

    questions: list[Question]
    declined: Mask | None
    """The texts that the external scanner leaves to the table lexer; None for all."""


class Questions:
    """What is to be asked under one automaton, without a semantics: with one, two words are not alike."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lexer = self._reader.lexer
        self._roots = frozenset(self._lexer.roots.values())
        self._paths = Paths(self._tables, self._reader)
        self._places = Places(self._tables, self._reader)
        self._kept = 0

    @property
    def size(self) -> int:
        """Bytes of all that is remembered, roughly."""
        return self._kept + self._paths.size

    def point(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Point:
        """Where texts begin after a version."""
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            fresh = Version(version.node, version.position, version.saved)
            lexeme = self._reader.if_declined(fresh, window, self._tables.modes[version.node.state])
        return Point(version, window, lexeme, texts, depth)

    def follows(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Mask:
        """Bool [number of texts]: which of them may follow one version. Not to be written to."""
        version, window = self._places.canonical(version, window, texts)
        key = self._places.key(version, window)
        if len(texts.all) <= _FEW or depth > _DEEPEST:
            answers = texts.asked.setdefault((key, window.text), Answers())
            question = Question(partial(self._feed, range(len(texts.all))), by_table=False, answers=answers)
            found = texts.none()
            found[self._answer(question, answers, version, window, texts, depth)] = True
            return found
        if not version.declined and (staying := self._places.staying(version, window)):
            rests, of_rest = texts.without(staying)
            if len(rests.all) < len(texts.all):
                return self.follows(version, window, rests, depth)[of_rest]
        plan = texts.plans.get(key)
        if plan is None:
            plan = texts.plans[key] = self._plan(version, window, texts, depth)
            self._kept += _BYTES_OF_QUESTION * (len(plan.questions) + 1)
        word = self._places.word(version, window)
        found = texts.none()
        by_table = found if plan.declined is None else texts.none()
        for question in plan.questions:
            answers = question.answers
            if word and question.by_word is not None:
                answers = question.by_word.setdefault(word, Answers())
            answer = self._answer(question, answers, version, window, texts, depth)
            (by_table if question.by_table else found)[answer] = True
        if plan.declined is not None:
            found |= by_table & plan.declined
        return found

    def _answer(  # noqa: PLR0917 - a place, and what is asked there
        self,
        question: Question,
        answers: Answers[Indices],
        version: Version,
        window: Window,
        texts: Texts,
        depth: int,
    ) -> Indices:
        """The texts: what is remembered for the cells of the stack that the answer depends on, or else found now."""
        known = answers.find(version.node)
        if known is not None:
            return known[0]
        watch = Watch()
        watched = Version(
            WatchedNode(version.node, watch), version.position, version.saved, version.lexeme, version.declined
        )
        mask = texts.none()
        question.ask(self.point(watched, window, texts, depth), mask)
        found = self._paths.shared(np.flatnonzero(mask).astype(np.int32))
        if not watch.is_merged:
            answers.keep(version.node, watch.cells, found)
            self._kept += _BYTES_OF_ANSWER * watch.cells
        return found

    def _plan(self, version: Version, window: Window, texts: Texts, depth: int) -> Plan:
        point = self.point(version, window, texts, depth)
        questions = list(self.questions(point))
        declined: Mask | None = None
        if any(question.by_table for question in questions) and self.asks_scanner(version):
            declined = texts.none()
            declined[self.declined(point)] = True
        return Plan(questions, declined)

    def asks_scanner(self, version: Version) -> bool:
        """Whether the external scanner has a say in the token that follows."""
        return not version.declined and bool(self._tables.modes[version.node.state].external_state)

    def declined(self, point: Point) -> list[int]:
        """The texts that the table lexer reads: the external scanner has nothing for them, or nothing new."""
        version, window = point.version, point.window
        mode = self._tables.modes[version.node.state]
        parts = self._paths.parts(
            point.texts, mode.external_state, version.saved, window.text, at_start=window.at_start
        )
        idle = [answer for answer in parts.scanned if self._is_idle(answer, version)]
        return [*parts.declined.tolist(), *(index for answer in idle for index in parts.scanned[answer][:, 0].tolist())]

    def _is_idle(self, answer: Scanned, version: Version) -> bool:
        token = Token(answer.symbol, answer.start, answer.end, answer.saved)
        return self._reader.is_idle(version, token, self._tables.modes[version.node.state])

    def questions(self, point: Point) -> Iterator[Question]:
        """What is to be asked about texts at a point; the answers depend on the stack below its top, too."""
        version, window, lexeme = point.version, point.window, point.lexeme
        mode = self._tables.modes[version.node.state]
        if mode.lex_state == NO_LEXING:
            yield _question(partial(self._feed, range(len(point.texts.all))), by_table=False)
            return
        if self.asks_scanner(version):
            yield from self._scanner_questions(point)
            if lexeme.position < len(window.text):
                yield _question(partial(self._feed, self.declined(point)), by_table=False)
                return
        table = self._paths.table(point.texts, lexeme.state)
        for (state, has_line), indices in table.inside.items():
            is_word = bool(table.words.get(state))
            yield _question(partial(self._inside, state, has_line, indices), by_table=True, is_word=is_word)
        for (symbol, part, has_line, _), ending in table.endings.items():
            is_word = symbol in (AS_IT_STANDS, self._tables.word)
            yield _question(partial(self._ends, symbol, part, has_line, ending), by_table=True, is_word=is_word)
        for tokens, members in table.others.items():
            yield _question(partial(self._elsewhere, tokens, members), by_table=True)

    def _scanner_questions(self, point: Point) -> Iterator[Question]:
        version, pending = point.version, point.window.text
        mode = self._tables.modes[version.node.state]
        parts = self._paths.parts(
            point.texts, mode.external_state, version.saved, pending, at_start=point.window.at_start
        )
        for answer, ends in parts.scanned.items():
            token = Token(answer.symbol, answer.start, answer.end, answer.saved)
            if self._is_idle(answer, version):
                continue
            good = [
                (index, end)
                for index, end in ends.tolist()
                if self._reader.is_good_line(token, pending + point.texts.all[index], version.saved)
            ]
            if good:
                left = pending[answer.end :]
                ending = self._paths.ending(point.texts, [(index, max(end, 0)) for index, end in good], left)
                yield _question(partial(self._end, token, ending), by_table=False)
        if parts.undecided:
            yield _question(partial(self._feed, parts.undecided), by_table=False)

    def _inside(self, state: int, has_line: bool, indices: npt.NDArray[np.int32], point: Point, found: Mask) -> None:  # noqa: FBT001 - bound by `partial`
        """Texts that end within a token."""
        skips = self._reader.may_skip_lines(point.version.node.state)
        verdict = None if has_line and not skips else self._verdict(point, state)
        if verdict is None:
            self._feed(indices.tolist(), point, found)
        elif verdict:
            found[indices] = True
        else:  # where no word can stand a keyword may
            written = point.window.text[point.lexeme.start :]
            for letters, members in self._paths.table(point.texts, point.lexeme.state).words.get(state, {}).items():
                if self._places.may_be_keyword(written + letters):
                    self._feed(members, point, found)

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

    def _ends(  # noqa: PLR0917 - bound by `partial`
        self,
        symbol: int,
        part: str | None,
        has_line: bool,  # noqa: FBT001
        ending: Ending,
        point: Point,
        found: Mask,
    ) -> None:
        """Texts in which a token of the table lexer ends."""
        version, window, lexeme, _, _ = point
        written = window.text[lexeme.start :]
        state = version.node.state
        stands = symbol == AS_IT_STANDS
        reached = lexeme.token if stands else symbol
        if stands and not written and lexeme.state in self._roots:
            return  # there is no token; see `_elsewhere`
        is_word = reached == self._tables.word
        if (
            (has_line and not self._reader.may_skip_lines(state))
            or (stands and (lexeme.token_end != len(window.text) or not written))
            or reached <= END_OF_INPUT
        ):
            self._feed(ending.indices.tolist(), point, found)
            return
        word = written + part if part is not None else ""
        is_keyword = False
        if word and is_word:
            read = self._reader.token(version.node, Lexeme(0, 0, 0, reached, 0, len(word)), word, version.saved)
            reached, is_keyword = read.symbol, read.is_keyword
        if state in self._tables.spelled:
            if twice := ending.rests.twice:
                some = [index for index, rest in zip(ending.indices, ending.of_rest, strict=True) if int(rest) in twice]
                self._feed(some, point, found)
            word = word or _FRESH * (point.depth + 1)
        # Somewhere in the text; not where a reduced stack is to read it again.
        end = len(window.text) + 1
        token = Token(reached, lexeme.start, end, version.saved, is_keyword)
        if word:
            spelled = window._replace(text=window.text[: lexeme.start] + word)
            token = token._replace(end=len(spelled.text))
            self._end(token, ending, point, found, spelled)
        else:
            self._end(token, ending, point, found)

    def _elsewhere(self, tokens: int, members: list[int], point: Point, found: Mask) -> None:
        """Texts without a token of the stack's top: it may take one that is read as anywhere."""
        version, pending = point.version, point.window.text
        valid = self._tables.valid_tokens(version.node.state)
        if pending and not pending.isspace():
            self._feed(members, point, found)
            return
        parts = self._paths.parts(
            point.texts, self._tables.modes[0].external_state, version.saved, pending, at_start=point.window.at_start
        )
        maybe = set(parts.undecided)
        for answer, ends in parts.scanned.items():
            if valid >> answer.symbol & 1:
                maybe.update(ends[:, 0].tolist())
        if valid & tokens:
            maybe.update(parts.declined.tolist())
        self._feed([index for index in members if index in maybe], point, found)

    def _end(self, token: Token, ending: Ending, point: Point, found: Mask, spelled: Window | None = None) -> None:
        """A token ends: what is left of the texts stands where the stacks after it have a place for it.

        Args:
            spelled: The window with the token's text in it, where rules look at that.
        """
        for after in self._automaton.consume(point.version, token, spelled or point.window)[0]:
            if after.position != token.end:  # to be read again from there
                self._feed(ending.indices.tolist(), point._replace(version=after), found)
                continue
            window = Window(ending.pending, 1, at_start=False)
            version = Version(after.node, 0, after.saved)
            follows = self.follows(version, window, ending.rests, point.depth + 1)
            found[ending.indices] |= follows[ending.of_rest]

    def _feed(self, chosen: Sequence[int], point: Point, found: Mask) -> None:
        """The slow way."""
        feed(State(self._automaton, (point.version,), point.window), point.texts.all, chosen, found)


def _question(ask: Callable[[Point, Mask], None], *, by_table: bool, is_word: bool = False) -> Question:
    return Question(ask, by_table, Answers(), {} if is_word else None)
