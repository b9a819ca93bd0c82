"""Drives all readings of a text in parallel, and drops one as soon as nothing could complete it.

Each reading is a `Version`: a stack, the text that no token has been made of yet, and how far the lexers are into it.
An unfinished token is undecided while another character could still change it. Then the automaton asks which tokens
it could become, and whether the stack has a place for one of them: that makes the accepted texts exactly the viable
prefixes, up to the limits written at `_LOOKAHEAD` and `_PROBES`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoder.grammar.cuts import Cuts
from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.lr import ACCEPTED, SHIFTED
from decoder.grammar.reader import has_line_end
from decoder.grammar.stack import merged
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Token, Version, Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from decoder.grammar.lr import Stepper
    from decoder.grammar.reader import Reader
    from decoder.grammar.scanner import Place
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Lexeme

_TOKEN: Final = 16
_COMMENT: Final = 1
"""What following a token costs, and one that may stand anywhere: such a token tells nothing."""
_LOOKAHEAD: Final = 3 * _TOKEN
"""How far an unfinished token is followed through when it may have to be cut short. Deeper: accepted unseen."""
_MERGE_ABOVE: Final = 4
"""So many versions are cheaper kept apart: merged stacks must be walked on every way down."""
_MOST_VERSIONS: Final = 256
_REMEMBERED: Final = 1 << 9

_PROBES: Final = (
    *" x\n;)}]0\"'`,:(=\n{[$_#@!?.+-*/%&|^~<>\\anfseciwo\té",
    *("\nx", " x", "{x", "<x", "/ ", "*/ ", "+ ", "- ", "= ", "'' ", '"" '),
)
"""What is tried after an undecided external token. One that stays undecided under all of these is accepted."""

_AFTER_WORD: Final = ("(", "x", "x ")
_DOT: Final = "."
_WORD: Final = "x"
"""The probe that helps most often: within strings and comments everything else does too."""


class Automaton:
    """The moves of versions under one grammar."""

    def __init__(self, tables: Tables, reader: Reader, stepper: Stepper) -> None:
        self.tables = tables
        self.stepper = stepper
        self.reader = reader
        self.initial = reader.initial
        """What the external scanner knows at the start of a file."""
        self._cuts = Cuts(reader.lexer)
        self._grows: dict[tuple[int, int], tuple[int, ...]] = {}
        self._follows: dict[tuple[Node, int, bytes, str, str], bool] = {}
        self._helpful: dict[int, str] = {}
        """By external state, the probe that showed a way on the last time."""

    def advance(
        self, versions: Iterable[Version], window: Window, *, ended: bool = False, depth: int = 0
    ) -> tuple[list[Version], bool]:
        """Read all tokens that the window decides.

        Returns:
            The versions that can still become a complete text, each within an undecided token; and whether the text
            is complete, which is asked with `ended`.
        """
        alive: list[Version] = []
        accepted = False
        seen: set[tuple[Node, int, bytes]] = set()
        modes = self.tables.modes
        work = list(versions)
        read_token, end = self.reader.read, len(window.text)
        while work:
            version = work.pop()
            if work or seen:
                key = (version.node, version.position, version.saved)
                if key in seen:
                    continue
                seen.add(key)
            read = read_token(version, window, modes[version.node.like], ended=ended)
            if isinstance(read, Token):
                successors, accepts = self.consume(version, read, window)
                accepted |= accepts
                work += successors
                if len(work) > _MOST_VERSIONS:
                    work = self._merge(work)
            elif read is None:
                accepted |= self._read_elsewhere(version, window, work, alive, ended=ended, depth=depth)
            elif read.position >= end:
                alive.append(read)  # a viable stack has a continuation
            elif self._is_viable(read, window, depth):
                alive.append(read if depth or read.declined else self.reader.shortened(read, window))
        if len(alive) > _MERGE_ABOVE:
            alive = self._merge(alive)
        return alive, accepted

    def forget(self) -> None:
        """Drop what is remembered; only speed changes."""
        self._follows.clear()
        self.stepper.forget()

    def possible_tokens(self, version: Version, window: Window) -> Iterator[int]:
        """The tokens that can come next, or that the unfinished one can still become; each takes a while to find."""
        node, lexeme = version.node, version.lexeme
        candidates = self.tables.valid_tokens(node.like)
        mode = self.tables.modes[node.like]
        if not version.declined and mode.lex_state != NO_LEXING:
            lexeme = self.reader.if_declined(version, window, mode)
        if lexeme is not None and lexeme.start < len(window.text):
            candidates &= self.reader.becomes(lexeme, window.text)
        return (token for token in bits(candidates) if self.stepper.takes(node, token))

    def _read_elsewhere(
        self,
        version: Version,
        window: Window,
        work: list[Version],
        alive: list[Version],
        *,
        ended: bool,
        depth: int,
    ) -> bool:
        """No token of this state: like tree-sitter, read one as the error state would, and see whether it fits."""
        fresh = Version(version.node, version.position, version.saved)
        read = self.reader.read(fresh, window, self.tables.modes[0], ended=ended)
        if isinstance(read, Version):
            if read.declined and read.lexeme is not None and self._can_become(read, read.lexeme, window, depth):
                alive.append(fresh)
            return False
        if read is None:
            return False
        successors, accepted = self.consume(version, read, window)
        work += successors
        return accepted

    def consume(self, version: Version, token: Token, window: Window) -> tuple[list[Version], bool]:
        """The versions after `token`, and whether the text is complete with it."""
        text = window.text[token.start : token.end]
        steps = self.stepper.step(version.node, token.symbol, text, is_keyword=token.is_keyword)
        if len(steps) == 1 and steps[0][0] is SHIFTED:  # nearly always
            return [Version(steps[0][1], token.end, token.saved)], False
        successors: list[Version] = []
        accepted = False
        mode = self.tables.modes[version.node.like]
        work = [version.node]
        seen: set[Node] = set()
        while work:
            node = work.pop()
            for outcome, after in self.stepper.step(node, token.symbol, text, is_keyword=token.is_keyword):
                if outcome is SHIFTED:
                    successors.append(Version(after, token.end, token.saved))
                elif outcome is ACCEPTED:
                    accepted = True
                elif after not in seen:
                    seen.add(after)
                    if token.symbol != END_OF_EXTRA and self._keeps(version, token, after, mode):
                        work.append(after)
                    else:
                        successors.append(Version(after, version.position, version.saved))
        return successors, accepted

    def _keeps(self, version: Version, token: Token, node: Node, mode: LexMode) -> bool:
        """Whether a reduced stack may take the token that was read for the one before: `can_reuse_first_leaf`."""
        tables = self.tables
        new_mode = tables.modes[node.like]
        if new_mode.lex_state == NO_LEXING:
            return False
        cell = tables.rows[node.state][token.symbol]
        if cell is not None and new_mode == mode and (token.symbol != tables.word or node.state == version.node.state):
            return True
        if token.end <= version.position and token.symbol != END_OF_INPUT:
            return False
        return not new_mode.external_state and cell is not None and cell.reusable

    def _is_viable(self, version: Version, window: Window, depth: int) -> bool:
        """Whether some continuation of an undecided version is accepted."""
        lexeme = version.lexeme
        if version.declined and lexeme is not None:
            return self._can_become(version, lexeme, window, depth)
        return self._scanner_can_follow(version, window, depth)

    def _can_become(self, version: Version, lexeme: Lexeme, window: Window, depth: int) -> bool:
        """Whether the unfinished token can become one that the stack has a place for."""
        text = window.text
        if lexeme.start >= len(text):
            return True  # only white space so far
        node = version.node
        token = self.reader.token(node, lexeme, text, version.saved) if lexeme.token > END_OF_INPUT else None
        step = self.stepper.step
        if token is not None and token.end >= len(text):  # as it stands: work that is not lost if the token ends here
            steps = step(node, token.symbol, text[token.start :], is_keyword=token.is_keyword)
            if steps and steps[0][0] is SHIFTED:
                return True
        if self._can_go_on(node, lexeme, text):
            return True
        if token is None:
            return False
        successors, _ = self.consume(version, token, window)
        if any(after.position >= len(text) for after in successors):
            return True
        if not successors or depth > _LOOKAHEAD:
            return bool(successors)
        return any(
            not later.declined or later.lexeme is None or self._cuts.may_part(lexeme.state, later.lexeme.state)
            for later in self.advance(successors, window, depth=depth + _TOKEN)[0]
        )

    def _can_go_on(self, node: Node, lexeme: Lexeme, text: str) -> bool:
        """Whether more characters can make of the unfinished token one that the stack has a place for."""
        if self.can_grow(node, lexeme.state):
            return True
        keywords = self.tables.valid_tokens(node.like) & self.reader.keywords_from(lexeme, text)
        return any(self.stepper.takes(node, keyword) for keyword in bits(keywords))

    def can_grow(self, node: Node, lexer_state: int) -> bool:
        """Whether one more character or more can make a token, keywords aside, that `node` has a place for."""
        return any(self.stepper.takes(node, token) for token in self._grown(node.like, lexer_state))

    def _grown(self, state: int, lexer_state: int) -> Sequence[int]:
        """The tokens with an entry in a stack's top state that at least one more character can make, keywords aside."""
        grown = self._grows.get((state, lexer_state))
        if grown is None:
            tokens = self.tables.valid_tokens(state) & self.reader.reachable[lexer_state]
            grown = self._grows[state, lexer_state] = tuple(token for token in bits(tokens) if token != END_OF_INPUT)
        return grown

    def _scanner_can_follow(self, version: Version, window: Window, depth: int) -> bool:
        """Whether a token that the external scanner has not decided can still become a good one."""
        stand_in = version.stand_in
        rest = window.text[version.position :] if stand_in is None else stand_in.text + window.text[stand_in.upto :]
        if not rest.strip():
            return not has_line_end(rest) or self.reader.may_skip_lines(version.node.like)
        if depth >= _LOOKAHEAD - _TOKEN:
            return True
        mode = self.tables.modes[version.node.like]
        external_state = mode.external_state
        helpful = self._helpful.get(external_state, _WORD)
        place = window.place(version.position)
        short = Version(version.node, 0, version.saved)
        if self._is_viable_with(helpful, rest, place, short, depth):
            return True
        if self._would_be_viable_if_declined(version, self.reader.if_declined(version, window, mode), window, depth):
            return True
        for probe in _PROBES:
            if probe != helpful and self._is_viable_with(probe, rest, place, short, depth):
                self._helpful[external_state] = probe
                return True
        restarted = Version(version.node, version.position, version.saved)
        return self.advance([restarted], window, ended=True, depth=depth + _TOKEN)[1]

    def _would_be_viable_if_declined(self, version: Version, lexeme: Lexeme, window: Window, depth: int) -> bool:
        """Whether there is a way on, not that of a probe, where the scanner leaves the token to the table lexer.

        Of a token that is complete as it stands, the probes tell before what the scanner leaves it.
        """
        text = window.text
        if lexeme.start >= len(text):
            return True  # only white space so far
        if self.reader.may_go_on(lexeme, text):
            return self._can_go_on(version.node, lexeme, text)
        if lexeme.token in (NO_TOKEN, END_OF_INPUT):
            return False
        token = self.reader.token(version.node, lexeme, text, version.saved)
        if token.end >= len(text):
            return False
        successors, _ = self.consume(version, token, window)
        cell = self.tables.rows[version.node.like][token.symbol]
        further = _COMMENT if cell is not None and cell.is_extra else _TOKEN
        return bool(successors) and bool(self.advance(successors, window, depth=depth + further)[0])

    def _is_viable_with(self, probe: str, rest: str, place: Place, version: Version, depth: int) -> bool:
        window = Window(rest + probe, place.column, place.at_start)
        read = self.reader.read(version, window, self.tables.modes[version.node.like], ended=False)
        if isinstance(read, Version):
            if not read.declined:  # whatever follows, the scanner goes on; of white space that says nothing
                return not probe.isspace() and (
                    probe == _WORD
                    or not (probe.isalpha() or probe == _DOT)
                    or self._goes_on(probe, rest, place, version, depth)
                )
            return read.lexeme is not None and self._can_become(read, read.lexeme, window, depth + _TOKEN)
        if read is None:
            return False
        # What follows a token that is no word depends on the stack, on which token it is and on the text after it, not
        # on its own text: within a string or a comment, the answer is the one that the last character got.
        is_word = read.is_keyword or read.symbol == self.tables.word
        word = window.text[read.start : read.end] if is_word else ""
        key = (version.node, read.symbol, read.saved, word, window.text[read.end :])
        follows = self._follows.get(key)
        if follows is None:
            successors, _ = self.consume(version, read, window)
            follows = bool(successors) and bool(self.advance(successors, window, depth=depth + _TOKEN)[0])
            if len(self._follows) >= _REMEMBERED:
                self._follows.clear()
            self._follows[key] = follows
        return follows

    def _goes_on(self, letter: str, rest: str, place: Place, version: Version, depth: int) -> bool:
        """Whether there is a way on from a letter after which the scanner may only want to see if the word is over.

        Or from a dot: of `?.` JavaScript's wants to see if a digit follows.
        """
        return depth < _LOOKAHEAD and any(
            self._is_viable_with(letter + more, rest, place, version, depth + _TOKEN) for more in _AFTER_WORD
        )

    def _merge(self, versions: Sequence[Version]) -> list[Version]:
        """Versions that differ only below their stacks' tops become one."""
        groups: dict[tuple[int, int, object, object, int, bytes, bool], list[Version]] = {}
        for version in versions:
            node = version.node
            # nodes of equal state are merged only where they have something below to merge
            key = (
                node.state,
                0 if node.below is not None else id(node),
                node.value,
                node.mark,
                version.position,
                version.saved,
                version.declined,
            )
            groups.setdefault(key, []).append(version)
        return [
            group[0] if len(group) == 1 else replace(group[0], node=merged([version.node for version in group]))
            for group in groups.values()
        ]


def bits(mask: int) -> Iterable[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
