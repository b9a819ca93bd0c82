"""The texts of a vocabulary, grouped by what a lexer makes of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.masks.kinds import WORDS
from decoder.grammar.masks.suffixes import NO_PART, Suffixes
from decoder.grammar.tables import END_OF_INPUT

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    import numpy.typing as npt

    from decoder.grammar.masks.plans import Plan, Question, Together
    from decoder.grammar.masks.remembered import Answers
    from decoder.grammar.masks.scans import Parts, Start
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables

BLANK: Final = -1
"""Instead of a lexer state: nothing but white space so far."""
AS_IT_STANDS: Final = -2
"""Instead of a token: the one that was unfinished, which no character of the text belongs to."""
_BYTES_OF_TEXTS: Final = 1200
_BYTES_OF_ARRAY: Final = 250
_BYTES_OF_TABLE: Final = 2000
_BYTES_OF_INDEX: Final = 12
"""Of what is kept, measured with `tracemalloc` and rounded up."""


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """Texts that end a token alike."""

    indices: npt.NDArray[np.int32]
    rests: Texts
    of_rest: npt.NDArray[np.int32]
    """For each of the texts, its rest."""
    pending: str = ""
    """What stands before each rest."""
    answers: dict[tuple[int, bytes], Answers] = field(default_factory=dict)
    """Which of the texts may follow, by the token's number and what the external scanner knows."""


class Table(NamedTuple):
    """What a lexer makes of all texts from one of its states on."""

    inside: Mapping[tuple[int, bool], npt.NDArray[np.int32]]
    """Texts within a token at their end, by the state there and whether a line end was skipped before the token."""
    words: Mapping[int, Mapping[str, list[int]]]
    """Of those that may be words, by the state at their end: their indices by the part that belongs to the word."""
    endings: Mapping[tuple[int, str | None, bool], Ending]
    """By the token that ends, the part of it that the text writes where a keyword may end with it, and whether a line
    end was skipped before it."""
    others: Mapping[int, npt.NDArray[np.int32]]
    """Texts without a token, by those that they may begin with where any may stand, as a bit set. From a root on, texts
    of which no character belongs to a token are among them."""


class Texts:
    """Some texts, and what has been found out about them."""

    def __init__(self, suffixes: Suffixes, numbers: npt.NDArray[np.int32]) -> None:
        """Texts by their numbers, in order."""
        self.suffixes = suffixes
        self.numbers = numbers
        self.has_lines = bool(suffixes.has_lines[numbers].any())
        self.tables: dict[int, Table] = {}
        self.plans: dict[Hashable, Plan] = {}
        """By kind of place."""
        self._without: dict[str, tuple[Texts, npt.NDArray[np.int32]]] = {}
        self.asked: dict[Hashable, Question] = {}
        """The same where there are too few for a plan."""
        self.masks: dict[tuple[Hashable, str, int], npt.NDArray[np.uint8]] = {}
        """What may follow, packed, by kind of place, unfinished word and whole stack."""
        self.together: dict[Hashable, Together] = {}
        """Tokens that texts end, by which end how."""
        self.parts: dict[Start, Parts] = {}
        """What an external scanner makes of them."""

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def all(self) -> tuple[str, ...]:
        """The texts themselves."""
        every = self.suffixes.all
        return tuple(every[number] for number in self.numbers.tolist())

    @cached_property
    def twice(self) -> frozenset[int]:
        """The texts that have some word twice: rules that compare words see the difference."""
        words = (WORDS.findall(text) for text in self.all)
        return frozenset(index for index, found in enumerate(words) if len(set(found)) < len(found))

    def without(self, characters: str) -> tuple[Texts, npt.NDArray[np.int32]]:
        """What is left of the texts without these characters at their beginnings, and for each text which it is."""
        found = self._without.get(characters)
        if found is None:
            rests, of_rest = np.unique(self.suffixes.stripped(self.numbers, characters), return_inverse=True)
            found = self._without[characters] = Texts(self.suffixes, rests), of_rest.astype(np.int32)
        return found

    def none(self) -> npt.NDArray[np.bool_]:
        """A mask without any of them."""
        return np.zeros(len(self.numbers), dtype=np.bool_)


class Paths:
    """Groups texts by the ways that they take through the lexers of one grammar."""

    def __init__(self, tables: Tables, reader: Reader, texts: Iterable[str]) -> None:
        self._tables = tables
        self._lexer = reader.lexer
        self._interned: dict[bytes, Texts] = {}
        self._arrays: dict[bytes, npt.NDArray[np.int32]] = {}
        self.size = 0
        """Bytes of all that is kept here, roughly."""
        parts = {
            word[first:last]
            for word in reader.keywords
            for first in range(len(word))
            for last in range(first + 1, len(word) + 1)
        }
        self.suffixes = Suffixes(texts, reader.lexer, parts)
        self._elsewhere: tuple[npt.NDArray[np.int32], list[int]] | None = None
        self._roots = frozenset(self._lexer.roots.values())
        self._keywords = sum(1 << keyword for keyword in set(reader.keywords.values()))

    def texts(self, numbers: npt.NDArray[np.int32]) -> Texts:
        """Some texts by their numbers, in order; the same object for the same texts."""
        key = numbers.tobytes()
        kept = self._interned.get(key)
        if kept is None:
            kept = self._interned[key] = Texts(self.suffixes, numbers)
            self.size += 2 * len(key) + _BYTES_OF_TEXTS
        return kept

    def ending(self, indices: npt.NDArray[np.int32], rests: npt.NDArray[np.int32], pending: str = "") -> Ending:
        """Texts in which a token ends, with the number of what is left of each."""
        left, of_rest = np.unique(rests, return_inverse=True)
        return Ending(self.shared(indices), self.texts(left), self.shared(of_rest.astype(np.int32)), pending)

    def shared(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """The same numbers, one array for all who hold them."""
        key = numbers.tobytes()
        kept = self._arrays.get(key)
        if kept is None:
            kept = self._arrays[key] = numbers
            self.size += 2 * len(key) + _BYTES_OF_ARRAY
        return kept

    def table(self, texts: Texts, state: int) -> Table:
        """What the table lexer makes of texts from one of its states on."""
        table = texts.tables.get(state)
        if table is None:
            table = texts.tables[state] = self._make_table(texts, state)
            self.size += _BYTES_OF_TABLE + _BYTES_OF_INDEX * len(texts)
        return table

    def _make_table(self, texts: Texts, first: int) -> Table:
        suffixes, word = self.suffixes, self._tables.word
        ways = suffixes.read(texts.numbers, first)
        accepts = np.array([self._lexer.accepts[state] for state in range(int(ways.states.max(initial=0)) + 1)])
        inside: dict[tuple[int, bool], npt.NDArray[np.int32]] = {}
        words: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        endings: dict[tuple[int, str | None, bool], Ending] = {}
        others: dict[int, npt.NDArray[np.int32]] = {}
        states = np.where(ways.is_blank, BLANK, ways.states)
        for (state, has_line), some in _grouped(np.flatnonzero(ways.is_inside), states, ways.has_line):
            inside[state, bool(has_line)] = self.shared(some)
        part = suffixes.whole_parts[ways.begins]
        for at in np.flatnonzero(ways.is_inside & (part != NO_PART) & (accepts[ways.states] == word)).tolist():
            words[int(ways.states[at])][suffixes.parts[part[at]]].append(at)
        stuck = ~ways.is_inside
        stands = stuck & (ways.tokens == NO_TOKEN) & ways.at_once
        if stands.any():
            some = np.flatnonzero(stands).astype(np.int32)
            endings[AS_IT_STANDS, "", False] = self.ending(some, texts.numbers[some])
        strange = stuck & (ways.tokens <= END_OF_INPUT) & (~stands if first not in self._roots else True)
        if strange.any():
            which, known = self._all_elsewhere()
            for (number,), some in _grouped(np.flatnonzero(strange), which[texts.numbers]):
                others[known[number]] = self.shared(some)
        ended = np.flatnonzero(stuck & (ways.tokens > END_OF_INPUT))
        of_part = np.full(len(texts), NO_PART, dtype=np.int32)
        spelled = ended[ways.tokens[ended] == word]
        of_part[spelled] = suffixes.leading_parts(ways.begins[spelled], ways.lengths[spelled])
        for (token, number, has_line), some in _grouped(ended, ways.tokens, of_part, ways.has_line):
            spelling = None if number == NO_PART else suffixes.parts[number]
            endings[token, spelling, bool(has_line)] = self.ending(some, ways.rests[some])
        return Table(inside, words, endings, others)

    def _all_elsewhere(self) -> tuple[npt.NDArray[np.int32], list[int]]:
        """For each end of a text, which of some answers `elsewhere` has for it; and these answers."""
        if self._elsewhere is None:
            suffixes = self.suffixes
            root = self._lexer.roots[self._tables.modes[0].lex_state]
            ways = suffixes.read(np.arange(len(suffixes.all), dtype=np.int32), root)
            which = np.zeros(len(suffixes.all), dtype=np.int32)
            numbers: dict[int, int] = {}
            whole = ways.is_inside
            tokens = ways.tokens
            for (inside, state, token, blank), some in _grouped(
                np.arange(len(which)), whole, np.where(whole, ways.states, 0), tokens, ways.is_blank & whole
            ):
                which[some] = numbers.setdefault(
                    self._found_elsewhere(state, token, inside=bool(inside), blank=bool(blank)), len(numbers)
                )
            self._elsewhere = which, list(numbers)
        return self._elsewhere

    def _found_elsewhere(self, state: int, token: int, *, inside: bool, blank: bool) -> int:
        """The tokens that texts may begin with where any token may stand, as a bit set; -1 for all."""
        if not inside:
            return 0 if token == NO_TOKEN else self._with_keywords(1 << token)
        if token == NO_TOKEN or blank:
            return -1
        return self._with_keywords(1 << token | self._lexer.reachable[state])

    def _with_keywords(self, tokens: int) -> int:
        return tokens | self._keywords if tokens >> self._tables.word & 1 else tokens


def _grouped(
    indices: npt.NDArray[np.intp], *columns: npt.NDArray[np.generic]
) -> Iterator[tuple[tuple[int, ...], npt.NDArray[np.int32]]]:
    """Indices with equal entries in all columns, each group in order."""
    if not len(indices):
        return
    picked = [column[indices].astype(np.int64) for column in columns]
    order = np.lexsort(picked[::-1])
    changes = np.zeros(len(order) - 1, dtype=np.bool_)
    for column in picked:
        changes |= np.diff(column[order]) != 0
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
    some = indices[order].astype(np.int32)
    for start, end in pairwise(edges):
        yield tuple(int(column[order[start]]) for column in picked), some[start:end]
