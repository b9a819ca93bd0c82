"""Makes plans: what is to be asked about some texts at a kind of place, so that all of them are decided.

Texts that take the lexer from one state to one other within a token stand or fall together, and texts that end a token
alike leave a smaller vocabulary, what is left of them, to a stack that all of them share. What the lexers' tables
cannot tell is fed letter by letter.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from decoder.grammar.masks.paths import AS_IT_STANDS, BLANK
from decoder.grammar.masks.plans import FEW, Inside, Plan, is_at_root, together
from decoder.grammar.reader import has_line_end
from decoder.grammar.tables import END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.answering import Answering
    from decoder.grammar.masks.endings import Endings
    from decoder.grammar.masks.feeding import Feeding
    from decoder.grammar.masks.insides import Insides
    from decoder.grammar.masks.lookahead import Lookahead
    from decoder.grammar.masks.paths import Ending, Paths, Table
    from decoder.grammar.masks.plans import Indices, Mask, Point, Question
    from decoder.grammar.masks.scanning import Scanning


class Planning:
    """Plans under one automaton."""

    def __init__(
        self,
        automaton: Automaton,
        paths: Paths,
        lookahead: Lookahead,
        answering: Answering,
        *,
        scanning: Scanning,
        insides: Insides,
        endings: Endings,
        feeding: Feeding,
    ) -> None:
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lexer = automaton.reader.lexer
        self._paths = paths
        self._lookahead = lookahead
        self._answering = answering
        self._scanning = scanning
        self._insides = insides
        self._endings = endings
        self._feeding = feeding

    def plan(self, point: Point) -> Plan:
        """All that is asked about the texts at a point, and at others of its kind."""
        questions = list(self._without_table(point))
        inside: list[Inside] = []
        ends: dict[int, list[Ending]] = defaultdict(list)
        without_words: dict[int, list[Ending]] = defaultdict(list)
        of_words: list[Question] = []
        declined: Mask | None = None
        if self._asks_table(point):
            declined = self._declined(point)
            table = self._paths.table(point.texts, point.lexeme.state)
            questions += self._undecided(table, declined, point)
            skips = self._reader.may_skip_lines(point.version.node.like)
            for (state, has_line), indices in table.inside.items():
                if skips or not has_line:
                    inside.append(self._inside(state, indices, table.words.get(state, {})))
            for (symbol, part, has_line), ending in table.endings.items():
                if (has_line and not skips) or (symbol == AS_IT_STANDS and not self._ends_here(point)):
                    continue
                code = self._code(symbol, part, point)
                is_word = self._tables.word == (point.lexeme.token if symbol == AS_IT_STANDS else symbol)
                may_be_keyword = is_word and part is not None
                if code is None or may_be_keyword:
                    ask = partial(self._endings.ask, symbol, part, ending)
                    question = self._answering.question(ask, by_table=True, is_word=is_word)
                    (questions if code is None else of_words).append(question)
                if code is not None:
                    ends[code].append(ending)
                    if not may_be_keyword:
                        without_words[code].append(ending)
        texts = point.texts
        return Plan(
            questions,
            inside,
            self._insides.becoming(inside, point),
            together(texts, ends),
            (together(texts, without_words), of_words),
            declined,
            {},
        )

    def _inside(self, state: int, indices: Indices, words: Mapping[str, list[int]]) -> Inside:
        ask = partial(self._insides.ask, state, indices)
        question = self._answering.question(ask, by_table=True, is_word=bool(words))
        symbol = END_OF_INPUT if state == BLANK else max(self._lexer.accepts[state], END_OF_INPUT)
        return Inside(state, symbol, indices, words, question)

    def _undecided(self, table: Table, declined: Mask | None, point: Point) -> Iterator[Question]:
        """What is asked of texts in which the table lexer finds no token that the stack's top may take."""

        def left(indices: Indices) -> Indices:
            return indices if declined is None else indices[declined[indices]]

        if not self._reader.may_skip_lines(point.version.node.like):
            for (_, has_line), indices in table.inside.items():
                if has_line:
                    yield from self._fed(left(indices))
            for (_, _, has_line), ending in table.endings.items():
                if has_line:
                    yield from self._fed(left(ending.indices))
        standing = table.endings.get((AS_IT_STANDS, "", False))
        if standing is not None and not self._ends_here(point) and not self._is_at_start(point):
            yield from self._behind(left(standing.indices), point)
        others = {tokens: left(members) for tokens, members in table.others.items()}
        yield from self._fed(self._scanning.elsewhere(others, point))

    def _without_table(self, point: Point) -> Iterator[Question]:
        """What is asked of texts that the table lexer does not read, or not from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            everything = range(len(point.texts))
            yield self._answering.question(partial(self._feeding.feed, everything), by_table=False)
        elif self._scanning.has_a_say(point.version):
            yield from self._scanning.questions(point)
            if point.lexeme.position < len(point.window.text):
                yield from self._behind(self._scanning.declined(point), point)

    def _declined(self, point: Point) -> Mask | None:
        """The texts that the external scanner leaves to the table lexer; None for all."""
        if not self._scanning.has_a_say(point.version):
            return None
        declined = point.texts.none()
        declined[self._scanning.declined(point)] = True
        return declined

    def _fed(self, indices: Indices) -> Iterator[Question]:
        if len(indices):
            yield self._answering.question(partial(self._feeding.feed, indices), by_table=True)

    def _behind(self, indices: Indices, point: Point) -> Iterator[Question]:
        """What is asked of texts that do not go on with what stands before them, if that begins with a token."""
        text, lexeme, state = point.window.text, point.lexeme, point.version.node.like
        skips = self._reader.may_skip_lines(state) or not has_line_end(text[: lexeme.start])
        is_token = skips and lexeme.start < len(text) and lexeme.token > END_OF_INPUT
        if len(indices) <= FEW or not is_token or state in self._tables.spelled:
            yield from self._fed(indices)
        else:
            ending = self._paths.ending(indices, point.texts.numbers[indices], text[lexeme.token_end :])
            yield self._answering.question(partial(self._endings.behind, ending), by_table=True)

    def _asks_table(self, point: Point) -> bool:
        """Whether the table lexer reads texts from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            return False
        return not self._scanning.has_a_say(point.version) or point.lexeme.position >= len(point.window.text)

    def _is_at_start(self, point: Point) -> bool:
        return point.lexeme.start >= len(point.window.text) and is_at_root(self._lexer, point.lexeme)

    def _ends_here(self, point: Point) -> bool:
        """Whether what stands before the texts is a token as it is."""
        return point.lexeme.start < len(point.window.text) == point.lexeme.token_end

    def _code(self, symbol: int, part: str | None, point: Point) -> int | None:
        """The number of the token that texts end, if it is no unfinished keyword; None where its text matters."""
        lexeme, text, word = point.lexeme, point.window.text, self._tables.word
        written = text[lexeme.start :]
        reached = symbol
        if symbol == AS_IT_STANDS:
            reached = lexeme.token
        if reached <= END_OF_INPUT or point.version.node.like in self._tables.spelled:
            return None
        is_open = point.version.declined and lexeme.token == word and lexeme.token_end == len(text)
        if reached != word or part is None or (written and is_open):
            return reached
        spelled = written + part
        token = Lexeme(0, 0, 0, reached, 0, len(spelled))
        read = self._reader.token(point.version.node, token, spelled, point.version.saved)
        return self._lookahead.code(read.symbol, is_keyword=read.is_keyword)
