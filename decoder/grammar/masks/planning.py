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
from decoder.grammar.masks.plans import Inside, Plan, is_at_root, together
from decoder.grammar.reader import has_line_end
from decoder.grammar.tables import END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.answering import Answering
    from decoder.grammar.masks.endings import Endings
    from decoder.grammar.masks.feeding import Feeding
    from decoder.grammar.masks.insides import Insides
    from decoder.grammar.masks.lookahead import Lookahead
    from decoder.grammar.masks.paths import Ending, Paths
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
            skips = self._reader.may_skip_lines(point.version.node.like)
            for (state, has_line), indices in table.inside.items():
                words = table.words.get(state, {})
                if has_line and not skips:
                    questions += self._fed(indices, declined)
                    continue
                ask = partial(self._insides.ask, state, indices)
                question = self._answering.question(ask, by_table=True, is_word=bool(words))
                symbol = END_OF_INPUT if state == BLANK else max(self._lexer.accepts[state], END_OF_INPUT)
                inside.append(Inside(state, symbol, indices, words, question))
            for (symbol, part, has_line), ending in table.endings.items():
                if symbol == AS_IT_STANDS and self._is_at_start(point):
                    continue  # there is no token: see `Scanning.elsewhere`
                if has_line and not skips:
                    questions += self._fed(ending.indices, declined)
                    continue
                if symbol == AS_IT_STANDS and point.lexeme.token_end != len(point.window.text):
                    questions += self._behind(ending.indices, declined, point)
                    continue
                code = self._code(symbol, part, point)
                ask_ending = partial(self._endings.ask, symbol, part, ending)
                is_word = symbol == self._tables.word or (
                    symbol == AS_IT_STANDS and point.lexeme.token == self._tables.word
                )
                if code is None:
                    questions.append(self._answering.question(ask_ending, by_table=True, is_word=is_word))
                    continue
                ends[code].append(ending)
                if is_word and part is not None:
                    of_words.append(self._answering.question(ask_ending, by_table=True, is_word=True))
                else:
                    without_words[code].append(ending)
            others = table.others
            if declined is not None:
                others = {tokens: members[declined[members]] for tokens, members in others.items()}
            questions += self._fed(self._scanning.elsewhere(others, point), None)
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

    def _without_table(self, point: Point) -> Iterator[Question]:
        """What is asked of texts that the table lexer does not read, or not from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            everything = range(len(point.texts))
            yield self._answering.question(partial(self._feeding.feed, everything), by_table=False)
        elif self._scanning.has_a_say(point.version):
            yield from self._scanning.questions(point)
            if point.lexeme.position < len(point.window.text):
                yield from self._behind(self._scanning.declined(point), None, point)

    def _declined(self, point: Point) -> Mask | None:
        """The texts that the external scanner leaves to the table lexer; None for all."""
        if not self._scanning.has_a_say(point.version):
            return None
        declined = point.texts.none()
        declined[self._scanning.declined(point)] = True
        return declined

    def _fed(self, indices: Indices, declined: Mask | None) -> Iterator[Question]:
        """Those of some texts that the scanner leaves to the table lexer are to be fed."""
        if declined is not None:
            indices = indices[declined[indices]]
        if len(indices):
            yield self._answering.question(partial(self._feeding.feed, indices), by_table=True)

    def _behind(self, indices: Indices, declined: Mask | None, point: Point) -> Iterator[Question]:
        """The same where what stands before the texts has a token in it that no text goes on with."""
        if declined is not None:
            indices = indices[declined[indices]]
        text, lexeme, state = point.window.text, point.lexeme, point.version.node.like
        skips = self._reader.may_skip_lines(state) or not has_line_end(text[: lexeme.start])
        if lexeme.token <= END_OF_INPUT or state in self._tables.spelled or not skips:
            yield from self._fed(indices, None)
        elif len(indices):
            ending = self._paths.ending(indices, point.texts.numbers[indices], text[lexeme.token_end :])
            yield self._answering.question(partial(self._endings.behind, ending), by_table=True)

    def _asks_table(self, point: Point) -> bool:
        """Whether the table lexer reads texts from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            return False
        return not self._scanning.has_a_say(point.version) or point.lexeme.position >= len(point.window.text)

    def _is_at_start(self, point: Point) -> bool:
        return point.lexeme.start >= len(point.window.text) and is_at_root(self._lexer, point.lexeme)

    def _code(self, symbol: int, part: str | None, point: Point) -> int | None:
        """The number of the token that texts end, if it is no unfinished keyword; None where its text matters."""
        lexeme, text, word = point.lexeme, point.window.text, self._tables.word
        written = text[lexeme.start :]
        reached = symbol
        if symbol == AS_IT_STANDS:
            reached = lexeme.token
            if lexeme.token_end != len(text) or not written:
                return None
        if reached <= END_OF_INPUT or point.version.node.like in self._tables.spelled:
            return None
        is_open = point.version.declined and lexeme.token == word and lexeme.token_end == len(text)
        if reached != word or part is None or (written and is_open):
            return reached
        spelled = written + part
        token = Lexeme(0, 0, 0, reached, 0, len(spelled))
        read = self._reader.token(point.version.node, token, spelled, point.version.saved)
        return self._lookahead.code(read.symbol, is_keyword=read.is_keyword)
