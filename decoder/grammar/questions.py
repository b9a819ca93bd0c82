"""What is asked about the texts of a vocabulary at a point, so that all of them are decided.

Texts that take the lexer from one state to one other within a token stand or fall together, and texts that end a token
alike leave a smaller vocabulary, what is left of them, to a stack that all of them share. What the lexers' tables
cannot tell is fed letter by letter.
"""

from __future__ import annotations

import string
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.grammar.automaton import bits
from decoder.grammar.letterwise import feed
from decoder.grammar.lookahead import DEEP, Lookahead, Taken
from decoder.grammar.lr import Outcome
from decoder.grammar.paths import AS_IT_STANDS, BLANK, Ending, Paths, Texts
from decoder.grammar.plans import Inside, Plan, Point, Question, Together, together
from decoder.grammar.reader import has_line_end
from decoder.grammar.remembered import Answers, Memory, Stacks, Way
from decoder.grammar.state import State
from decoder.grammar.suffixes import NOTHING
from decoder.grammar.tables import END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme, Token, Version, Window
from decoder.grammar.watched import Watch, WatchedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.places import Places
    from decoder.grammar.scanner import Scanned
    from decoder.grammar.stack import Node

    Mask = npt.NDArray[np.bool_]
    Indices = npt.NDArray[np.int32]

_DEEPEST: Final = 6
"""Tokens of the grammar within one text; what is longer is fed."""
_FRESH: Final = "\N{REPLACEMENT CHARACTER}"
"""A word that is in no text: kinds of words are asked about with words that nothing on a stack is called."""
_BYTES_OF_WAY: Final = 250
_BYTES_OF_MASK: Final = 300
_BYTES_OF_QUESTION: Final = 900
"""Measured with `tracemalloc` and rounded up."""
_MANY: Final = 24
"""So many texts are worth the while of taking together those whose first letters lead to the same place."""
_BLANKS: Final = np.array([ord(letter) for letter in string.whitespace], dtype=np.int32)
_FEW: Final = 16
"""So many texts are fed at less cost than tables are made for them."""


class Questions:
    """What is to be asked under one automaton, without a semantics: with one, two words are not alike."""

    def __init__(self, automaton: Automaton, places: Places, texts: Iterable[str]) -> None:
        """All texts that will be asked about."""
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lexer = self._reader.lexer
        self._roots = frozenset(self._lexer.roots.values())
        self._paths = Paths(self._tables, self._reader, texts)
        self._places = places
        self._lookahead = Lookahead(automaton)
        self._memory = Memory(self._tables)
        self._stacks = Stacks()
        self._found: list[tuple[Indices, int]] = []
        """What answers are the numbers of: texts, and the numbers of tokens that were no answer."""
        self._numbers: dict[tuple[int, int], int] = {}
        self._taken = Taken(self._lookahead, automaton.stepper, self._memory, self._places.reads)
        self._keywords_all = sum(1 << token for token in set(self._reader.keywords.values()))
        self._kept = 0

    @property
    def size(self) -> int:
        """Bytes of all that is remembered, roughly."""
        return self._kept + self._memory.size + self._paths.size + _BYTES_OF_WAY * len(self._stacks)

    def texts(self, texts: Iterable[str]) -> tuple[Texts, Indices]:
        """Some of the texts, and for each its place among those given."""
        suffixes = self._paths.suffixes
        chosen = np.array([suffixes.number(text) for text in texts], dtype=np.int32)
        order = np.argsort(chosen).astype(np.int32)
        return self._paths.texts(chosen[order]), order

    def _question(self, ask: Callable[[Point, Mask], None], *, by_table: bool, is_word: bool = False) -> Question:
        """A question that nobody has asked yet."""
        return Question(ask, by_table, Answers(self._memory), {} if is_word else None)

    def point(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Point:
        """Where texts begin after a version."""
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            fresh = Version(version.node, version.position, version.saved)
            lexeme = self._reader.if_declined(fresh, window, self._tables.modes[version.node.like])
        return Point(version, window, lexeme, texts, depth)

    def follows(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Mask:
        """Bool [number of texts]: which of them may follow one version. Not to be written to."""
        if len(texts) == 1 and texts.numbers[0] == NOTHING:
            return np.ones(1, dtype=np.bool_)
        version, window = self._places.canonical(version, window, texts)
        key = self._places.key(version, window)
        way = Way(version.node)
        if len(texts) <= _FEW or depth > _DEEPEST:
            question = texts.asked.get((key, window.text))
            if question is None:
                question = self._question(partial(self._feed, range(len(texts))), by_table=False)
                texts.asked[key, window.text] = question
            found = texts.none()
            found[self._answer(question, "", way, self.point(version, window, texts, depth))] = True
            return found
        if not version.declined and (staying := self._places.staying(version, window)):
            rests, of_rest = texts.without(staying)
            if len(rests) < len(texts):
                return self.follows(version, window, rests, depth)[of_rest]
        word = self._places.word(version, window)
        bottom = None if depth else self._stacks.number(version.node)
        if bottom is not None:
            known = texts.masks.get((key, word, bottom))
            if known is not None:
                return np.unpackbits(known, count=len(texts)).view(np.bool_)
        found = self._follows(key, word, way, self.point(version, window, texts, depth))
        if bottom is not None:
            kept = texts.masks[key, word, bottom] = np.packbits(found)
            self._kept += _BYTES_OF_MASK + len(kept)
        return found

    def _follows(self, key: Hashable, word: str, way: Way, point: Point) -> Mask:
        """The same, found now.

        Args:
            key: What the place is beside its stack and its unfinished word.
        """
        version, texts = point.version, point.texts
        plan = texts.plans.get(key)
        if plan is None:
            plan = texts.plans[key] = self._plan(point)
            self._kept += _BYTES_OF_QUESTION * (len(plan.questions) + len(plan.inside) + 1)
        found = texts.none()
        by_table = found if plan.declined is None else texts.none()
        ends, of_word = plan.if_word if word else (plan.ends, ())
        for question in chain(plan.questions, of_word):
            (by_table if question.by_table else found)[self._answer(question, word, way, point)] = True
        self._insides(plan, word, way, point, by_table)
        for reduced, shifts, asks in self._lookahead.reduced(version.node, ends.codes):
            for codes in (shifts, asks):
                for code in bits(self._end_together(ends, codes, reduced, point, by_table) if codes else 0):
                    for question in self._alone(plan, ends, code):
                        by_table[self._answer(question, "", way, point)] = True
        if plan.declined is not None:
            found |= by_table & plan.declined
        return found

    def _answer(self, question: Question, word: str, way: Way, point: Point) -> Indices:
        """The texts: what is remembered for the cells of the stack that the answer depends on, or else found now."""
        answers = question.answers
        if word and question.by_word is not None:
            answers = question.by_word.setdefault(word, Answers(self._memory))
        known = answers.find(way)
        if known is not None:
            return self._found[known][0]
        watch, watched = self._watched(point)
        mask = point.texts.none()
        question.ask(watched, mask)
        found, _ = self._found[self._keep(answers, way, watch, mask)]
        return found

    def _watched(self, point: Point, node: Node | None = None) -> tuple[Watch, Point]:
        """A point on a copy of the stack that notes how deep it is looked into."""
        watch, old = Watch(self._places.reads), point.version
        top = WatchedNode(old.node if node is None else node, watch)
        return watch, point._replace(version=Version(top, old.position, old.saved, old.lexeme, old.declined))

    def _keep(self, answers: Answers, way: Way, watch: Watch, mask: Mask, others: int = 0) -> int:
        """The number of an answer, which is remembered."""
        texts = self._paths.shared(np.flatnonzero(mask).astype(np.int32))
        key = (id(texts), others)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._found)
            self._found.append((texts, others))
        if not watch.is_merged:
            answers.keep(way, watch, number)
        return number

    def _insides(self, plan: Plan, word: str, way: Way, point: Point, found: Mask) -> None:
        """Texts that end within a token stand if it can become one that the stack takes."""
        takes, doubts = self._taken.of(point.version.node, plan.becoming)
        reachable = self._lexer.reachable
        for state, symbol, indices, words, question in plan.inside:
            if state == BLANK or takes & reachable[state] or takes & ~doubts & 1 << symbol:
                found[indices] = True
            elif symbol <= END_OF_INPUT or doubts >> symbol & 1:
                found[self._answer(question, word, way, point)] = True
            elif words:
                self._keywords(words, takes, point, found)

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
                self._feed(members, point, found)

    def _end_together(self, ends: Together, codes: int, node: Node, point: Point, found: Mask) -> int:
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
            answers = ends.answers[codes, saved] = Answers(self._memory)
        way = Way(node)
        number = answers.find(way)
        if number is None:
            watch, watched = self._watched(point, node)
            below = Way(watched.version.node)
            mask = point.texts.none()
            alone = 0
            for code in bits(codes):
                for ending in ends.endings[code]:
                    several_here, is_deep = self._end_alone(code, ending, below, watched, mask)
                    alone |= several_here
                    ends.deep |= is_deep << code
            number = self._keep(answers, way, watch, mask, alone)
        texts, alone = self._found[number]
        found[texts] = True
        return several | alone

    def _end_alone(self, code: int, ending: Ending, way: Way, point: Point, found: Mask) -> tuple[int, bool]:
        """Texts in which one token ends; its number as a bit set if it leaves the stack several ways."""
        key = (code, point.version.saved)
        answers = ending.answers.get(key)
        if answers is None:
            answers = ending.answers[key] = Answers(self._memory)
        number = answers.find(way)
        if number is None:
            watch, watched = self._watched(point)
            mask = point.texts.none()
            several = self._end_on(code, ending, watched.version.node, watched, mask)
            if len(watch.asked) > DEEP:
                found |= mask
                return several, True
            number = self._keep(answers, way, watch, mask, several)
        texts, several = self._found[number]
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
            found[ending.indices] |= self.follows(version, window, ending.rests, point.depth + 1)[ending.of_rest]
        return 0

    def _alone(self, plan: Plan, ends: Together, code: int) -> list[Question]:
        """What is asked about texts in which a token ends that leaves the stack several ways."""
        questions = plan.alone.get(code)
        if questions is None:
            asks = [partial(self._ends_alone, code, ending) for ending in ends.endings[code]]
            questions = plan.alone[code] = [self._question(ask, by_table=True) for ask in asks]
        return questions

    def _ends_alone(self, code: int, ending: Ending, point: Point, found: Mask) -> None:
        token, is_keyword = self._lookahead.token(code)
        end = len(point.window.text) + 1  # somewhere in the text; not where a reduced stack is to read it again
        self._end(Token(token, point.lexeme.start, end, point.version.saved, is_keyword), ending, point, found)

    def _plan(self, point: Point) -> Plan:
        questions = list(self._questions(point))
        inside: list[Inside] = []
        ends: dict[int, list[Ending]] = defaultdict(list)
        without_words: dict[int, list[Ending]] = defaultdict(list)
        of_words: list[Question] = []
        others: Mapping[int, Indices] = {}
        if self._asks_table(point):
            table = self._paths.table(point.texts, point.lexeme.state)
            skips = self._reader.may_skip_lines(point.version.node.like)
            for (state, has_line), indices in table.inside.items():
                words = table.words.get(state, {})
                ask = partial(self._inside, state, has_line, indices)
                question = self._question(ask, by_table=True, is_word=bool(words))
                if has_line and not skips:
                    questions.append(question)
                else:
                    symbol = END_OF_INPUT if state == BLANK else max(self._lexer.accepts[state], END_OF_INPUT)
                    inside.append(Inside(state, symbol, indices, words, question))
            for (symbol, part, has_line), ending in table.endings.items():
                if symbol == AS_IT_STANDS and self._is_at_start(point):
                    continue  # there is no token; see `_elsewhere`
                ask = partial(self._ends, symbol, part, has_line, ending)
                code = None if has_line and not skips else self._code(symbol, part, point)
                is_word = symbol == self._tables.word or (
                    symbol == AS_IT_STANDS and point.lexeme.token == self._tables.word
                )
                if code is None:
                    questions.append(self._question(ask, by_table=True, is_word=is_word))
                    continue
                ends[code].append(ending)
                if is_word and part is not None:
                    of_words.append(self._question(ask, by_table=True, is_word=True))
                else:
                    without_words[code].append(ending)
            others = table.others
        declined: Mask | None = None
        by_table = bool(ends or inside or others) or any(question.by_table for question in questions)
        if by_table and self.asks_scanner(point.version):
            declined = point.texts.none()
            declined[self.declined(point)] = True
            others = {tokens: members[declined[members]] for tokens, members in others.items()}
        if len(elsewhere := self._elsewhere(others, point)):
            questions.append(self._question(partial(self._feed, elsewhere), by_table=True))
        texts = point.texts
        return Plan(
            questions,
            inside,
            self._becoming(inside, point),
            together(texts, ends),
            (together(texts, without_words), of_words),
            declined,
            {},
        )

    def _becoming(self, inside: list[Inside], point: Point) -> int:
        """The tokens that the stack has an entry for and that texts may be within; all keywords, if any."""
        tokens = 0
        for one in inside:
            if one.state != BLANK:
                tokens |= self._lexer.reachable[one.state] | 1 << one.symbol
                if one.words:
                    tokens |= self._keywords_all
        return tokens & self._tables.valid_tokens(point.version.node.like) & ~(1 << END_OF_INPUT)

    def _asks_table(self, point: Point) -> bool:
        """Whether the table lexer reads texts from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            return False
        return not self.asks_scanner(point.version) or point.lexeme.position >= len(point.window.text)

    def _is_at_start(self, point: Point) -> bool:
        return point.lexeme.start >= len(point.window.text) and point.lexeme.state in self._roots

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

    def _questions(self, point: Point) -> Iterator[Question]:
        """What is asked of texts that the table lexer does not read, or not from where it is."""
        if self._tables.modes[point.version.node.like].lex_state == NO_LEXING:
            yield self._question(partial(self._feed, range(len(point.texts))), by_table=False)
        elif self.asks_scanner(point.version):
            yield from self._scanner_questions(point)
            if point.lexeme.position < len(point.window.text):
                yield self._question(partial(self._feed, self.declined(point)), by_table=False)

    def asks_scanner(self, version: Version) -> bool:
        """Whether the external scanner has a say in the token that follows."""
        return not version.declined and bool(self._tables.modes[version.node.like].external_state)

    def declined(self, point: Point) -> Indices:
        """The texts that the table lexer reads: the external scanner has nothing for them, or nothing new."""
        version, window = point.version, point.window
        mode = self._tables.modes[version.node.like]
        parts = self._paths.parts(
            point.texts, mode.external_state, version.saved, window.text, at_start=window.at_start
        )
        idle = [answer for answer in parts.scanned if self._is_idle(answer, version)]
        return np.concatenate([parts.declined, *(parts.scanned[answer][0] for answer in idle)])

    def _is_idle(self, answer: Scanned, version: Version) -> bool:
        token = Token(answer.symbol, answer.start, answer.end, answer.saved)
        return self._reader.is_idle(version, token, self._tables.modes[version.node.like])

    def _scanner_questions(self, point: Point) -> Iterator[Question]:
        version, pending = point.version, point.window.text
        mode = self._tables.modes[version.node.like]
        parts = self._paths.parts(
            point.texts, mode.external_state, version.saved, pending, at_start=point.window.at_start
        )
        for answer, (some, rests) in parts.scanned.items():
            token = Token(answer.symbol, answer.start, answer.end, answer.saved)
            if self._is_idle(answer, version):
                continue
            if self._reader.is_line_end(token):
                texts = point.texts.all
                good = np.array(
                    [self._reader.is_good_line(token, pending + texts[index], version.saved) for index in some.tolist()]
                )
                some, rests = some[good], rests[good]  # noqa: PLW2901 - fewer of the same
            if len(some):
                ending = self._paths.ending(some, rests, pending[answer.end :])
                yield self._question(partial(self._end, token, ending), by_table=False)
        if not len(parts.undecided):
            return
        every = point.texts.suffixes
        numbers = point.texts.numbers[parts.undecided]
        is_blank = every.are_blank[numbers] & (not pending.strip())
        may_follow = is_blank
        if not self._reader.may_skip_lines(version.node.like):
            may_follow = is_blank & ~(every.has_lines[numbers] | has_line_end(pending))
        if len(blank := parts.undecided[may_follow]):  # whatever the scanner will make of it, something may follow
            yield self._question(partial(_accept, blank), by_table=False)
        if len(undecided := parts.undecided[~is_blank]):
            yield self._question(partial(self._feed, undecided), by_table=False)

    def _inside(self, state: int, has_line: bool, indices: npt.NDArray[np.int32], point: Point, found: Mask) -> None:  # noqa: FBT001 - bound by `partial`
        """Texts that end within a token."""
        skips = self._reader.may_skip_lines(point.version.node.like)
        verdict = None if has_line and not skips else self._verdict(point, state)
        if verdict is None:
            self._feed(indices, point, found)
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
        state = version.node.like
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
            self._feed(ending.indices, point, found)
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
            spelled = replace(window, text=window.text[: lexeme.start] + word)
            token = replace(token, end=len(spelled.text))
            self._end(token, ending, point, found, spelled)
        else:
            self._end(token, ending, point, found)

    def _elsewhere(self, others: Mapping[int, Indices], point: Point) -> Indices:
        """Texts without a token of the stack's top that may follow: it may take one that is read as anywhere."""
        version, pending = point.version, point.window.text
        members = np.concatenate([np.zeros(0, dtype=np.int32), *others.values()])
        if not len(members) or (pending and not pending.isspace()):
            return members
        members.sort()
        valid = self._tables.valid_tokens(version.node.like)
        texts = self._paths.texts(point.texts.numbers[members])
        parts = self._paths.parts(
            texts, self._tables.modes[0].external_state, version.saved, pending, at_start=point.window.at_start
        )
        maybe, declined = point.texts.none(), point.texts.none()
        maybe[members[parts.undecided]] = True
        for answer, (some, _) in parts.scanned.items():
            if valid >> answer.symbol & 1:
                maybe[members[some]] = True
        declined[members[parts.declined]] = True
        return np.concatenate(
            [
                some[maybe[some] | declined[some]] if valid & tokens else some[maybe[some]]
                for tokens, some in others.items()
            ]
        )

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

    def _feed(self, chosen: Sequence[int] | Indices, point: Point, found: Mask) -> None:
        """The slow way."""
        begun = State(self._automaton, (point.version,), point.window)
        if len(chosen) > _MANY and point.depth < _DEEPEST and not point.window.text:
            self._feed_first(begun, np.asarray(chosen, dtype=np.int32), point, found)
        else:
            feed(begun, point.texts.all, [int(index) for index in chosen], found)

    def _feed_first(self, begun: State, chosen: Indices, point: Point, found: Mask) -> None:
        """Feed first letters, one of those that lead to the same place, and ask there about what is left.

        Not white space: what a scanner makes of that may hang on all of it.
        """
        suffixes = self._paths.suffixes
        numbers = point.texts.numbers[chosen]
        letters = suffixes.codes[numbers]
        found[chosen[letters < 0]] = True
        blank = np.isin(letters, _BLANKS)
        feed(begun, point.texts.all, chosen[blank].tolist(), found)
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for code in np.unique(letters[(letters >= 0) & ~blank]).tolist():
            alike = self._places.alike(point.version, point.window, chr(code))
            groups[code if alike is None else alike].append(code)
        for codes in groups.values():
            after = begun.feed(chr(codes[0]))
            if after is None:
                continue
            those = np.isin(letters, codes)
            ending = self._paths.ending(chosen[those], suffixes.tails[numbers[those]])
            for version in after.versions:
                follows = self.follows(version, after.window, ending.rests, point.depth + 1)
                found[ending.indices] |= follows[ending.of_rest]


def _accept(chosen: Indices, _: Point, found: Mask) -> None:
    found[chosen] = True
