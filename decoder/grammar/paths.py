"""The texts of a vocabulary, grouped by what a lexer makes of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.kinds import WORDS
from decoder.grammar.reader import has_line_end
from decoder.grammar.scanner import Answer, Scanned
from decoder.grammar.tables import END_OF_INPUT

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from decoder.grammar.plans import Plan, Question, Together
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables
    from decoder.grammar.watched import Answers

BLANK: Final = -1
"""Instead of a lexer state: nothing but white space so far."""
AS_IT_STANDS: Final = -2
"""Instead of a token: the one that was unfinished, which no character of the text belongs to."""
_LONGEST_UNDECIDED: Final = 8
"""Characters of a text that the scanner is shown before it counts as undecided."""

_PARTS_KEPT: Final = 256
"""What stands before the texts may be anything: more are found anew."""


_BYTES_OF_TEXT: Final = 150
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
    others: Mapping[int, list[int]]
    """Texts without a token, by those that they may begin with where any may stand, as a bit set. From a root on, texts
    of which no character belongs to a token are among them."""


class Parts(NamedTuple):
    """What an external scanner makes of all texts."""

    declined: npt.NDArray[np.int32]
    scanned: Mapping[Scanned, npt.NDArray[np.int32]]
    """[number of texts, 2] by token: each text, and the offset in it at which the token ends; negative in what stands
    before the texts."""
    undecided: list[int]
    """Of those without a sign that is no white space, all of the text has been seen."""


class Texts:
    """Some texts, and what has been found out about them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.all = tuple(texts)
        self.has_lines = any("\n" in text or "\r" in text for text in self.all)
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
        self.parts: dict[tuple[int, bytes, str, bool], Parts] = {}

    @cached_property
    def twice(self) -> frozenset[int]:
        """The texts that have some word twice: rules that compare words see the difference."""
        words = (WORDS.findall(text) for text in self.all)
        return frozenset(index for index, found in enumerate(words) if len(set(found)) < len(found))

    def without(self, characters: str) -> tuple[Texts, npt.NDArray[np.int32]]:
        """What is left of the texts without these characters at their beginnings, and for each text which it is."""
        found = self._without.get(characters)
        if found is None:
            rests: dict[str, int] = {}
            of_rest = [rests.setdefault(text.lstrip(characters), len(rests)) for text in self.all]
            found = self._without[characters] = Texts(rests), np.array(of_rest, dtype=np.int32)
        return found

    def none(self) -> npt.NDArray[np.bool_]:
        """A mask without any of them."""
        return np.zeros(len(self.all), dtype=np.bool_)


class Paths:
    """Groups texts by the ways that they take through the lexers of one grammar."""

    def __init__(self, tables: Tables, reader: Reader) -> None:
        self._tables = tables
        self._reader = reader
        self._lexer = reader.lexer
        self._interned: dict[tuple[str, ...], Texts] = {}
        self._arrays: dict[bytes, npt.NDArray[np.int32]] = {}
        self.size = 0
        """Bytes of all that is kept here, roughly."""
        self._keyword_parts = {
            word[first:last]
            for word in reader.keywords
            for first in range(len(word))
            for last in range(first + 1, len(word) + 1)
        }
        self._roots = frozenset(self._lexer.roots.values())
        self._keywords = sum(1 << keyword for keyword in set(reader.keywords.values()))

    def ending(self, texts: Texts, ends: Collection[tuple[int, int]], pending: str = "") -> Ending:
        """The texts whose tokens end at an offset, each an (index, offset)."""
        rests: dict[str, int] = {}
        of_rest = [rests.setdefault(texts.all[index][end:], len(rests)) for index, end in ends]
        key = tuple(rests)
        kept = self._interned.get(key)
        if kept is None:
            kept = self._interned[key] = Texts(key)
            self.size += _BYTES_OF_TEXT * len(key)
        return Ending(
            self.shared(np.array([index for index, _ in ends], dtype=np.int32)),
            kept,
            self.shared(np.array(of_rest, dtype=np.int32)),
            pending,
        )

    def shared(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """The same numbers, one array for all who hold them."""
        key = numbers.tobytes()
        kept = self._arrays.get(key)
        if kept is None:
            kept = self._arrays[key] = numbers
            self.size += 2 * len(key) + _BYTES_OF_ARRAY
        return kept

    def parts(self, texts: Texts, external_state: int, saved: bytes, pending: str, *, at_start: bool) -> Parts:
        """What the scanner makes of texts behind `pending`, the beginning of a token. Kept: it sees nothing else."""
        key = (external_state, saved, pending, at_start)
        parts = texts.parts.get(key)
        if parts is None:
            if len(texts.parts) >= _PARTS_KEPT:
                texts.parts.clear()
            parts = texts.parts[key] = self._part(texts, external_state, saved, pending, at_start=at_start)
            self.size += _BYTES_OF_TABLE + _BYTES_OF_INDEX * len(texts.all)
        return parts

    def _part(self, texts: Texts, external_state: int, saved: bytes, pending: str, *, at_start: bool) -> Parts:
        declined: list[int] = []
        scanned: dict[Scanned, list[tuple[int, int]]] = defaultdict(list)
        undecided: list[int] = []
        work: list[tuple[int, Sequence[int]]] = [(0, range(len(texts.all)))]
        while work:
            length, members = work.pop()
            longer: dict[str, list[int]] = defaultdict(list)
            for index in members:
                text = texts.all[index]
                if len(text) == length:
                    undecided.append(index)
                else:
                    longer[text[length]].append(index)
            for some in longer.values():
                beginning = pending + texts.all[some[0]][: length + 1]
                answer = self._reader.scan(external_state, saved, beginning, at_start=at_start)
                if answer is Answer.DECLINED:
                    declined += some
                elif isinstance(answer, Scanned):
                    scanned[answer] += [(index, answer.end - len(pending)) for index in some]
                elif length < _LONGEST_UNDECIDED or beginning.isspace():
                    work.append((length + 1, some))
                else:
                    undecided += some
        return Parts(
            np.array(declined, dtype=np.int32),
            {answer: np.array(ends, dtype=np.int32) for answer, ends in scanned.items()},
            undecided,
        )

    def table(self, texts: Texts, state: int) -> Table:
        """What the table lexer makes of texts from one of its states on."""
        table = texts.tables.get(state)
        if table is None:
            table = texts.tables[state] = self._make_table(texts, state)
            self.size += _BYTES_OF_TABLE + _BYTES_OF_INDEX * len(texts.all)
        return table

    def _make_table(self, texts: Texts, first: int) -> Table:
        moves, accepts, word = self._lexer.moves, self._lexer.accepts, self._tables.word
        inside: dict[tuple[int, bool], list[int]] = defaultdict(list)
        words: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        endings: dict[tuple[int, str | None, bool], list[tuple[int, int]]] = defaultdict(list)
        others: dict[int, list[int]] = defaultdict(list)
        for index, text in enumerate(texts.all):
            state, start, end, token, at = first, 0, 0, NO_TOKEN, 0
            for at, character in enumerate(text, 1):
                move = moves[state][character]
                if move is None:
                    break
                state, skips, accepted = move
                if skips:
                    start = at
                if accepted != NO_TOKEN:
                    token, end = accepted, at
            else:
                inside[BLANK if start == at else state, has_line_end(text[:start])].append(index)
                if accepts[state] == word and text[start:] in self._keyword_parts:
                    words[state][text[start:]].append(index)
                continue
            has_line = has_line_end(text[:start])
            if token == NO_TOKEN and not start:
                endings[AS_IT_STANDS, "", has_line].append((index, 0))
                if first in self._roots:
                    others[self.elsewhere(text)].append(index)
            elif token <= END_OF_INPUT:
                others[self.elsewhere(text)].append(index)
            else:
                part = text[start:end] if token == word and text[start:end] in self._keyword_parts else None
                endings[token, part, has_line].append((index, end))
        return Table(
            {key: np.array(indices, dtype=np.int32) for key, indices in inside.items()},
            words,
            {key: self.ending(texts, ends) for key, ends in endings.items()},
            others,
        )

    def elsewhere(self, text: str) -> int:
        """The tokens that a text may begin with where any token may stand, as a bit set; -1 for all."""
        state, token, start = self._lexer.roots[self._tables.modes[0].lex_state], NO_TOKEN, 0
        for at, character in enumerate(text, 1):
            move = self._lexer.moves[state][character]
            if move is None:
                break
            state, skips, accepted = move
            start = at if skips else start
            token = accepted if accepted != NO_TOKEN else token
        else:
            if token == NO_TOKEN or start == len(text):
                return -1
            return self._with_keywords(1 << token | self._lexer.reachable[state])
        return 0 if token == NO_TOKEN else self._with_keywords(1 << token)

    def _with_keywords(self, tokens: int) -> int:
        return tokens | self._keywords if tokens >> self._tables.word & 1 else tokens
