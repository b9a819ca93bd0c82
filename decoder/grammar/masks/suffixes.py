"""All ends of the texts of a vocabulary, numbered, so that thousands of them are read by a lexer in one go.

Whatever is left of a text once some of it has been read is one of its ends; so sets of texts are arrays of numbers, and
reading a character is one look-up in arrays.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import NO_TOKEN, Dfa
from decoder.grammar.masks.characters import columns_of
from decoder.grammar.masks.kinds import PREFIXES, WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy.typing as npt

    from decoder.grammar.dfa import Walkable

    Numbers = npt.NDArray[np.int32]
    Flags = npt.NDArray[np.bool_]

NOTHING: Final = 0
"""The number of the empty end."""
NO_PART: Final = -1
_FEW: Final = 24
"""So many texts, the long ones of a vocabulary, are read faster one by one: 128 blanks took as long as all others."""


class Ways(NamedTuple):
    """What a lexer makes of some texts from one state on, an entry for each text."""

    is_inside: Flags
    """The lexer went through all of it."""
    states: Numbers
    """Where it was then, or where it got stuck."""
    is_blank: Flags
    """Nothing but white space, up to where it was read."""
    begins: Numbers
    """What there is of the text from where its token starts."""
    at_once: Flags
    """No white space was skipped."""
    has_line: Flags
    """A line end was skipped."""
    tokens: Numbers
    """The longest token; NO_TOKEN for none."""
    lengths: Numbers
    """Of the token, from where it starts."""
    rests: Numbers
    """What is left behind the token."""


class Suffixes:
    """The ends of some texts, in the order of their characters."""

    def __init__(self, texts: Iterable[str], lexer: Walkable, parts: Collection[str]) -> None:
        """Where words may be parts of keywords, `parts` has all of them."""
        found = {""}
        for text in texts:
            for at in range(len(text)):
                end = text[at:]
                if end in found:
                    break
                found.add(end)
        self.all = tuple(sorted(found))
        numbers = {text: number for number, text in enumerate(self.all)}
        self.tails: Numbers = np.array([numbers[text[1:]] for text in self.all], dtype=np.int32)
        self.codes: Numbers = np.array([ord(text[0]) if text else -1 for text in self.all], dtype=np.int32)
        """The first character of each; -1 for none."""
        letters, firsts = np.unique(self.codes, return_inverse=True)
        self.letters = tuple("" if code < 0 else chr(code) for code in letters.tolist())
        """All first characters."""
        self.firsts: Numbers = firsts.astype(np.int32)
        """Which of them each has."""
        self.has_lines: Flags = np.array(["\n" in text or "\r" in text for text in self.all], dtype=np.bool_)
        self._begin_lines: Flags = np.isin(self.codes, [ord(end) for end in _LINE_ENDS])
        self.are_blank: Flags = np.array([not text.strip() for text in self.all], dtype=np.bool_)
        self.are_prefixes: Flags = np.array([PREFIXES.issuperset(text) for text in self.all], dtype=np.bool_)
        """Nothing but letters that a scanner may take one by one; the empty end, too."""
        self.parts = tuple(parts)
        of_part = {part: number for number, part in enumerate(self.parts)}
        self.whole_parts: Numbers = np.array([of_part.get(text, NO_PART) for text in self.all], dtype=np.int32)
        """For each the part of a keyword that it is."""
        words = [match[0] if (match := WORDS.match(text)) else "" for text in self.all]
        self._words: Numbers = np.array([of_part.get(word, NO_PART) for word in words], dtype=np.int32)
        self._word_lengths: Numbers = np.array([len(word) for word in words], dtype=np.int32)
        self._of_part = of_part
        self._lexer = lexer
        self._table = _Table(lexer, self.codes) if isinstance(lexer, Dfa) else None

    def number(self, text: str) -> int:
        """The number of one of the ends."""
        return bisect_left(self.all, text)

    def without(self, numbers: Numbers, count: int) -> Numbers:
        """What is left without the first `count` characters."""
        for _ in range(count):
            numbers = self.tails[numbers]
        return numbers

    def stripped(self, numbers: Numbers, characters: str) -> Numbers:
        """What is left without some characters at the beginning."""
        codes = np.array([ord(character) for character in characters], dtype=np.int32)
        while (leads := np.isin(self.codes[numbers], codes)).any():
            numbers = np.where(leads, self.tails[numbers], numbers)
        return numbers

    def part(self, number: int, length: int) -> int:
        """Which part of a keyword the first characters are."""
        return self._of_part.get(self.all[number][:length], NO_PART)

    def leading_parts(self, numbers: Numbers, lengths: Numbers) -> Numbers:
        """The same for many."""
        found: Numbers = self._words[numbers]
        for at in np.flatnonzero(self._word_lengths[numbers] != lengths).tolist():
            found[at] = self.part(int(numbers[at]), int(lengths[at]))
        return found

    def read(self, numbers: Numbers, first: int) -> Ways:
        """Read texts from a state of the lexer on, each to its end or as far as it goes."""
        count = len(numbers)
        here = numbers.copy()
        states = np.full(count, first, dtype=np.int32)
        begins, rests = numbers.copy(), numbers.copy()
        is_blank = np.ones(count, dtype=np.bool_)
        at_once = np.ones(count, dtype=np.bool_)
        line_seen = np.zeros(count, dtype=np.bool_)
        has_line = np.zeros(count, dtype=np.bool_)
        tokens = np.full(count, NO_TOKEN, dtype=np.int32)
        read = np.zeros(count, dtype=np.int32)
        lengths = np.zeros(count, dtype=np.int32)
        is_inside = here == NOTHING
        going = np.flatnonzero(~is_inside)
        while len(going) > _FEW:
            ends = here[going]
            targets, skips, accepted = self._step(states[going], ends)
            moves = targets >= 0
            going, ends, targets, skips, accepted = (
                going[moves], ends[moves], targets[moves], skips[moves], accepted[moves]
            )  # fmt: skip
            after = self.tails[ends]
            states[going] = targets
            here[going] = after
            is_blank[going] = skips
            line_seen[going] |= self._begin_lines[ends]
            read[going] += 1
            skipping = going[skips]
            begins[skipping] = here[skipping]
            at_once[skipping] = False
            has_line[skipping] = line_seen[skipping]
            read[skipping] = 0
            ending = accepted != NO_TOKEN
            some = going[ending]
            tokens[some] = accepted[ending]
            rests[some] = after[ending]
            lengths[some] = read[some]
            over = after == NOTHING
            is_inside[going[over]] = True
            going = going[~over]
        ways = Ways(is_inside, states, is_blank, begins, at_once, has_line, tokens, lengths, rests)
        for index in going.tolist():
            self._read_on(ways, index, int(here[index]), int(read[index]), is_line=bool(line_seen[index]))
        return ways

    def _read_on(self, ways: Ways, index: int, here: int, read: int, *, is_line: bool) -> None:
        """Read the rest of one text, of whose token so many characters were read; few are long."""
        state, moves = int(ways.states[index]), self._lexer.moves
        for character in self.all[here]:
            move = moves[state][character]
            if move is None:
                return
            state, skips, token = move
            here = int(self.tails[here])
            is_line |= character in _LINE_ENDS
            read += 1
            ways.states[index], ways.is_blank[index] = state, skips
            if skips:
                ways.begins[index], ways.at_once[index], ways.has_line[index] = here, False, is_line
                read = 0
            if token != NO_TOKEN:
                ways.tokens[index], ways.rests[index], ways.lengths[index] = token, here, read
        ways.is_inside[index] = True

    def _step(self, states: Numbers, ends: Numbers) -> tuple[Numbers, Flags, Numbers]:
        """Read one character: the state after it, -1 for none; whether it is skipped; the token that ends there."""
        if self._table is not None:
            return self._table.step(states, ends)
        pairs, inverse = np.unique(states.astype(np.int64) << _CODE_BITS | self.codes[ends], return_inverse=True)
        moves = [self._lexer.moves[pair >> _CODE_BITS][chr(pair & _CODE_MASK)] for pair in pairs.tolist()]
        targets = np.array([-1 if move is None else move.target for move in moves], dtype=np.int32)
        skips = np.array([move is not None and move.skips for move in moves], dtype=np.bool_)
        tokens = np.array([NO_TOKEN if move is None else move.token for move in moves], dtype=np.int32)
        return targets[inverse], skips[inverse], tokens[inverse]


_LINE_ENDS: Final = "\n\r"
_CODE_BITS: Final = 21
_CODE_MASK: Final = (1 << _CODE_BITS) - 1


class _Table:
    """A lexer's moves as arrays."""

    def __init__(self, dfa: Dfa, codes: Numbers) -> None:
        rows = dfa.rows
        self._targets: Numbers = np.array(
            [[-1 if move is None else move.target for move in row] for row in rows], np.int32
        )
        self._skips: Flags = np.array([[move is not None and move.skips for move in row] for row in rows], np.bool_)
        self._accepts: Numbers = np.array(dfa.accepts, dtype=np.int32)
        self._columns = columns_of(dfa, codes)

    def step(self, states: Numbers, ends: Numbers) -> tuple[Numbers, Flags, Numbers]:
        columns = self._columns[ends]
        targets = self._targets[states, columns]
        return targets, self._skips[states, columns], self._accepts[targets]
