"""Whether a version with an undecided token can be completed.

The question is which tokens it could become, and whether the stack has a place for one of them. So the accepted texts
are exactly the viable prefixes, up to the limits described at `_LOOKAHEAD` and `_PROBES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from decoder.grammar.dfa import ASCII, NO_TOKEN, Dfa
from decoder.grammar.lr import SHIFTED
from decoder.grammar.tables import END_OF_INPUT, bits
from decoder.grammar.version import Version, Window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.dfa import Walkable
    from decoder.grammar.lr import Stepper
    from decoder.grammar.reader import Reader
    from decoder.grammar.scanner import Place
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables
    from decoder.grammar.version import Lexeme, Token


_CHARACTERS: Final = (*map(chr, range(1, ASCII)), "\xe9")


class Cuts:
    """Answers for one automaton of characters, each found once."""

    def __init__(self, lexer: Walkable) -> None:
        self._lexer = lexer
        self._is_learned = isinstance(lexer, Dfa)
        self._known: dict[tuple[int, int], bool] = {}

    def may_part(self, longer: int, later: int) -> bool:
        """Whether some text leads on from `later`, and leaves the token of `longer` as short as it is.

        Args:
            longer: The state of the lexer within the token that would have to be cut short.
            later: Its state at the same place when the token has been cut, and the characters since read again.
        """
        if not self._is_learned:
            return True  # such states say too little
        found = self._known.get((longer, later))
        if found is None:
            found = self._known[longer, later] = self._find(longer, later)
        return found

    def _find(self, longer: int, later: int) -> bool:
        moves, accepts = self._lexer.moves, self._lexer.accepts
        if accepts[later] != NO_TOKEN:
            return True  # the text may end here
        pending, seen = [(longer, later)], {(longer, later)}
        while pending:
            one, other = pending.pop()
            for character in _CHARACTERS:
                own, new = moves[one][character], moves[other][character]
                if new is None or (own is not None and own.token != NO_TOKEN):
                    continue
                if own is None or new.token != NO_TOKEN:
                    return True
                pair = (own.target, new.target)
                if pair not in seen:
                    seen.add(pair)
                    pending.append(pair)
        return False


_TOKEN: Final = 16
_COMMENT: Final = 1
"""The cost of following a token, and of one that may be anywhere, which decides nothing."""
_LOOKAHEAD: Final = 3 * _TOKEN
"""How far an unfinished token is followed through when it may have to be cut short. Deeper: accepted unseen."""
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


class Moves(Protocol):
    """What looking ahead needs of an automaton."""

    reader: Reader
    tables: Tables
    stepper: Stepper

    def advance(
        self, versions: Iterable[Version], window: Window, *, ended: bool = False, depth: int = 0
    ) -> tuple[list[Version], bool]:
        """Read all tokens that the window decides; whether the text is complete."""

    def consume(self, version: Version, token: Token, window: Window) -> tuple[list[Version], bool]:
        """The versions after a token, and whether the text is complete."""

    def can_grow(self, node: Node, lexer_state: int) -> bool:
        """Whether one more character or more can make a token that `node` has a place for."""


class Viability:
    """Looks ahead with the moves of an automaton, which asks it back."""

    def __init__(self, automaton: Moves) -> None:
        self._automaton = automaton
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._stepper = automaton.stepper
        self._cuts = Cuts(automaton.reader.lexer)
        self._follows: dict[tuple[Node, int, bytes, str, str], bool] = {}
        self._helpful: dict[int, str] = {}
        """By external state, the probe that showed a way on the last time."""

    def forget(self) -> None:
        """Drop what is remembered; only speed changes."""
        self._follows.clear()

    def has(self, version: Version, window: Window, depth: int) -> bool:
        """Whether some continuation of an undecided version is accepted."""
        lexeme = version.lexeme
        if version.declined and lexeme is not None:
            return self.can_become(version, lexeme, window, depth)
        return self._scanner_can_follow(version, window, depth)

    def can_become(self, version: Version, lexeme: Lexeme, window: Window, depth: int) -> bool:
        """Whether the unfinished token can become one that the stack has a place for."""
        text = window.text
        if lexeme.start >= len(text):
            return True  # only white space so far
        node = version.node
        token = self._reader.token(node, lexeme, text, version.saved) if lexeme.token > END_OF_INPUT else None
        step = self._stepper.step
        if token is not None and token.end >= len(text):  # as it is: work that is not lost if the token ends here
            steps = step(node, token.symbol, text[token.start :], is_keyword=token.is_keyword)
            if steps and steps[0][0] is SHIFTED:
                return True
        if self._can_go_on(node, lexeme, text):
            return True
        if token is None:
            return False
        successors, _ = self._automaton.consume(version, token, window)
        if any(after.position >= len(text) for after in successors):
            return True
        if not successors or depth > _LOOKAHEAD:
            return bool(successors)
        return any(
            not later.declined or later.lexeme is None or self._cuts.may_part(lexeme.state, later.lexeme.state)
            for later in self._automaton.advance(successors, window, depth=depth + _TOKEN)[0]
        )

    def _can_go_on(self, node: Node, lexeme: Lexeme, text: str) -> bool:
        """Whether more characters can make of the unfinished token one that the stack has a place for."""
        if self._automaton.can_grow(node, lexeme.state):
            return True
        keywords = self._tables.valid_tokens(node.state) & self._reader.keywords_from(lexeme, text)
        return any(self._stepper.takes(node, keyword) for keyword in bits(keywords))

    def _scanner_can_follow(self, version: Version, window: Window, depth: int) -> bool:
        """Whether a token that the external scanner has not decided can still become a good one."""
        stand_in = version.stand_in
        rest = window.text[version.position :] if stand_in is None else stand_in.text + window.text[stand_in.upto :]
        if not rest.strip():
            return True
        if depth >= _LOOKAHEAD - _TOKEN:
            return True
        mode = self._tables.modes[version.node.state]
        external_state = mode.external_state
        helpful = self._helpful.get(external_state, _WORD)
        place = window.place(version.position)
        short = Version(version.node, 0, version.saved)
        if self._is_viable_with(helpful, rest, place, short, depth):
            return True
        if self._would_be_viable_if_declined(version, self._reader.if_declined(version, window, mode), window, depth):
            return True
        for probe in _PROBES:
            if probe != helpful and self._is_viable_with(probe, rest, place, short, depth):
                self._helpful[external_state] = probe
                return True
        restarted = Version(version.node, version.position, version.saved)
        return self._automaton.advance([restarted], window, ended=True, depth=depth + _TOKEN)[1]

    def _would_be_viable_if_declined(self, version: Version, lexeme: Lexeme, window: Window, depth: int) -> bool:
        """Whether the version can be completed if the scanner leaves the token to the table lexer; probes do not count.

        For a token that is complete already, the probes have shown before what the scanner leaves.
        """
        text = window.text
        if lexeme.start >= len(text):
            return True  # only white space so far
        if self._reader.may_go_on(lexeme, text):
            return self._can_go_on(version.node, lexeme, text)
        if lexeme.token in (NO_TOKEN, END_OF_INPUT):
            return False
        token = self._reader.token(version.node, lexeme, text, version.saved)
        if token.end >= len(text):
            return False
        successors, _ = self._automaton.consume(version, token, window)
        cell = self._tables.rows[version.node.state][token.symbol]
        further = _COMMENT if cell is not None and cell.is_extra else _TOKEN
        return bool(successors) and bool(self._automaton.advance(successors, window, depth=depth + further)[0])

    def _is_viable_with(self, probe: str, rest: str, place: Place, version: Version, depth: int) -> bool:
        window = Window(rest + probe, place.column, place.at_start)
        read = self._reader.read(version, window, self._tables.modes[version.node.state], ended=False)
        if isinstance(read, Version):
            if not read.declined:  # whatever follows, the scanner goes on; of white space that says nothing
                return not probe.isspace() and (
                    probe == _WORD
                    or not (probe.isalpha() or probe == _DOT)
                    or self._goes_on(probe, rest, place, version, depth)
                )
            return read.lexeme is not None and self.can_become(read, read.lexeme, window, depth + _TOKEN)
        if read is None:
            return False
        # What follows a token that is no word depends on the stack, on which token it is and on the text after it, not
        # on its own text: within a string or a comment, the answer is the one that the last character got.
        is_word = read.is_keyword or read.symbol == self._tables.word
        word = window.text[read.start : read.end] if is_word else ""
        key = (version.node, read.symbol, read.saved, word, window.text[read.end :])
        follows = self._follows.get(key)
        if follows is None:
            successors, _ = self._automaton.consume(version, read, window)
            follows = bool(successors) and bool(self._automaton.advance(successors, window, depth=depth + _TOKEN)[0])
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
