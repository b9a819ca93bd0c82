"""What is asked about the texts of a vocabulary at a point, so that all of them are decided.

Texts that take the lexer from one state to one other within a token stand or fall together, and texts that end a token
alike leave a smaller vocabulary, what is left of them, to a stack that all of them share. What the lexers' tables
cannot tell is fed letter by letter.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from decoder.grammar.paths import AS_IT_STANDS, BLANK, Ending, Paths, Texts
from decoder.grammar.state import State
from decoder.grammar.tables import END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme, Token, Version, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.scanner import Scanned

    Mask = npt.NDArray[np.bool_]

_DEEPEST: Final = 6
"""Tokens of the grammar within one text; what is longer is fed."""
_FEW: Final = 4
"""So many texts are fed at less cost than tables are made for them."""
_WORD: Final = "x"


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


class Questions:
    """What is to be asked under one automaton, without a semantics: with one, two words are not alike."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._lexer = self._reader.lexer
        self._paths = Paths(self._tables, self._reader)

    def point(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Point:
        """Where texts begin after a version."""
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            fresh = Version(version.node, version.position, version.saved)
            lexeme = self._reader.if_declined(fresh, window, self._tables.modes[version.node.state])
        return Point(version, window, lexeme, texts, depth)

    def may_be_keyword(self, written: str) -> bool:
        """Whether a word is a keyword or the beginning of one."""
        return written in self._reader.keywords or written in self._reader.keyword_beginnings

    def _after(self, version: Version, window: Window, texts: Texts, depth: int) -> Mask:
        """What may follow one version, found anew."""
        found = texts.none()
        if len(texts.all) <= _FEW or depth > _DEEPEST:
            point = Point(version, window, Lexeme(0, 0, 0, 0, 0, 0), texts, depth)
            self._feed(range(len(texts.all)), point, found)
            return found
        point = self.point(version, window, texts, depth)
        by_table = found
        if self.asks_scanner(version):
            by_table = texts.none()
        for question in self.questions(point):
            question.ask(point, by_table if question.by_table else found)
        if by_table is not found:
            allowed = self.declined(point)
            found[allowed] |= by_table[allowed]
        return found

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
            yield Question(partial(self._feed, range(len(point.texts.all))), by_table=False)
            return
        if self.asks_scanner(version):
            yield from self._scanner_questions(point)
            if lexeme.position < len(window.text):
                yield Question(partial(self._feed, self.declined(point)), by_table=False)
                return
        table = self._paths.table(point.texts, lexeme.state)
        for (state, has_line), indices in table.inside.items():
            yield Question(partial(self._inside, state, has_line, indices), by_table=True)
        for (symbol, part, has_line, _), ending in table.endings.items():
            yield Question(partial(self._ends, symbol, part, has_line, ending), by_table=True)
        for tokens, members in table.others.items():
            yield Question(partial(self._elsewhere, tokens, members), by_table=True)

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
                yield Question(partial(self._end, token, ending), by_table=False)
        if parts.plain:
            yield Question(partial(self._plain, parts.plain), by_table=False)
        if parts.undecided:
            yield Question(partial(self._feed, parts.undecided), by_table=False)

    def _plain(self, members: list[int], point: Point, found: Mask) -> None:
        """Texts that leave the external scanner where it is."""
        found[members] = State(self._automaton, (point.version,), point.window).feed(_WORD) is not None

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
                if self.may_be_keyword(written + letters):
                    self._feed(members, point, found)

    def _verdict(self, point: Point, state: int) -> bool | None:
        """Whether a token may be unfinished in a lexer state, keywords aside; None where its text would tell."""
        version, window = point.version, point.window
        if state == BLANK or self._automaton.can_grow(version.node, state):
            return True
        symbol = self._lexer.accepts[state]
        if symbol <= END_OF_INPUT or version.node.state in self._tables.spelled:
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
        is_word = reached == self._tables.word
        if (
            (has_line and not self._reader.may_skip_lines(state))
            or (stands and (lexeme.token_end != len(window.text) or not written))
            or reached <= END_OF_INPUT
            or (state in self._tables.spelled and (is_word or not stands))
        ):
            self._feed(ending.indices.tolist(), point, found)
            return
        word = written + part if part is not None else ""
        is_keyword = False
        if word and is_word:
            read = self._reader.token(version.node, Lexeme(0, 0, 0, reached, 0, len(word)), word, version.saved)
            reached, is_keyword = read.symbol, read.is_keyword
        end = len(window.text) + 1  # somewhere in the text; not where a reduced stack is to read it again
        self._end(Token(reached, lexeme.start, end, version.saved, is_keyword), ending, point, found)

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

    def _end(self, token: Token, ending: Ending, point: Point, found: Mask) -> None:
        """A token ends: what is left of the texts stands where the stacks after it have a place for it."""
        for after in self._automaton.consume(point.version, token, point.window)[0]:
            if after.position != token.end:  # to be read again from there
                self._feed(ending.indices.tolist(), point._replace(version=after), found)
                continue
            window = Window(ending.pending, 1, at_start=False)
            version = Version(after.node, 0, after.saved)
            follows = self._after(version, window, ending.rests, point.depth + 1)
            found[ending.indices] |= follows[ending.of_rest]

    def _feed(self, chosen: Sequence[int], point: Point, found: Mask) -> None:
        """The slow way: letter by letter, each beginning once."""
        everything = point.texts.all
        pending = [(State(self._automaton, (point.version,), point.window), 0, chosen)]
        while pending:
            state, length, members = pending.pop()
            longer: dict[str, list[int]] = defaultdict(list)
            for index in members:
                text = everything[index]
                if len(text) == length:
                    found[index] = True
                elif not found[index]:
                    longer[text[length]].append(index)
            for letter, some in longer.items():
                piece = everything[some[0]][length:] if len(some) == 1 else letter
                after = state.feed(piece)
                if after is not None:
                    pending.append((after, length + len(piece), some))
