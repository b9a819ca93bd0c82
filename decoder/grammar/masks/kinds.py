"""Texts that no grammar of ours can tell apart: most of a vocabulary is words, and to syntax most words are one.

    kinds = Kinds(texts, reader)
    kinds.texts          # one for each kind, far fewer
    kinds.of             # [number of texts]: the kind of each

Two words are alike if they take every state of the token lexer the same way (the elements of its transition monoid,
found letter by letter and kept), and if neither is, or may become a part of, a keyword. A word that a text has twice is
no two words. What rules compare by spelling, a parameter's name with the names before it, is left to whoever asks
(`Kinds.writing`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import NO_TOKEN, Dfa

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from decoder.grammar.reader import Reader

WORDS: Final = re.compile(r"[\w$]+")
"""What is a word in texts of any language."""
PREFIXES: Final = frozenset("bBfFrRuUtTN")
"""Letters that external scanners look at one by one: before a quote, and behind a backslash."""
_COUNTED: Final = 6
"""What is counted farther within one token is not told apart."""
_BLANK_END: Final = re.compile(r"(?<= )  +\Z")


class _Effect(NamedTuple):
    """What reading a word, from whatever state the lexer is in, comes to."""

    states: npt.NDArray[np.int32]
    """For each state that the lexer was in, the one that it is in now; negative where the token has ended."""
    tokens: npt.NDArray[np.int32]
    """For each, the token found so far."""
    lags: npt.NDArray[np.int32]
    """For each, how many characters ago that was."""


class _Monoid:
    """The effects of words on a lexer; equal effects have one number."""

    def __init__(self, dfa: Dfa) -> None:
        self._dfa = dfa
        self._columns: dict[str, int] = {}
        self._by_column: dict[bytes, int] = {}
        self._targets: list[npt.NDArray[np.int32]] = []
        self._accepts = np.array(dfa.accepts, dtype=np.int32)
        self._same = _alike(dfa)
        begun = np.unique(self._same[_near(dfa)])
        self._effects = [_Effect(begun, np.full(len(begun), NO_TOKEN, np.int32), np.zeros(len(begun), np.int32))]
        self._numbers: dict[bytes, int] = {}
        self._ends: dict[bytes, int] = {}
        self._steps: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {}

    def effect(self, word: str) -> Iterator[tuple[int, int, int]]:
        """Yields (number, lag, place) for each way in which the token ends within the word, then (effect, 0, length).

        The first number tells which states end their token so; `lag` characters before `place` the token did end.
        """
        number = 0
        for at, character in enumerate(word):
            key = (number, self._column(character))
            step = self._steps.get(key)
            if step is None:
                step = self._steps[key] = self._step(*key)
            number, ends = step
            for which, lag in ends:
                yield which, lag, at
        yield -1 - number, 0, len(word)

    def _step(self, number: int, column: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        states, tokens, lags = self._effects[number]
        alive = states >= 0
        after = np.where(alive, self._targets[column][states], -1)
        ended = alive & (after < 0)
        found = np.where(after >= 0, self._accepts[after], NO_TOKEN)
        accepted = found != NO_TOKEN
        going = after >= 0
        following = _Effect(
            after.astype(np.int32),
            np.where(going, np.where(accepted, found, tokens), NO_TOKEN).astype(np.int32),
            np.where(going & ~accepted & (tokens != NO_TOKEN), lags + 1, 0).astype(np.int32),
        )
        ends: list[tuple[int, int]] = []
        for lag in np.unique(lags[ended]):
            which = ended & (lags == lag)
            key = np.where(which, tokens, -2).astype(np.int32).tobytes()
            ends.append((self._ends.setdefault(key, len(self._ends)), int(lag)))
        key = b"".join(array.tobytes() for array in following)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self._effects)
            self._effects.append(following)
        return known, tuple(ends)

    def _column(self, character: str) -> int:
        """The number of a character's column; characters that lead to the same states everywhere share one."""
        column = self._columns.get(character)
        if column is None:
            moves = (self._dfa.move(state, ord(character)) for state in range(len(self._dfa.rows)))
            targets = np.array([-1 if move is None else self._same[move.target] for move in moves], dtype=np.int32)
            column = self._by_column.setdefault(targets.tobytes(), len(self._targets))
            if column == len(self._targets):
                self._targets.append(targets)
            self._columns[character] = column
        return column


def _near(dfa: Dfa) -> list[int]:
    """The states that `_COUNTED` characters lead to. Farther ones know how long their token is."""
    found = set(dfa.roots.values())
    for _ in range(_COUNTED):
        found |= {move.target for state in found for move in dfa.rows[state] if move is not None}
    return sorted(found)


def _alike(dfa: Dfa) -> npt.NDArray[np.int32]:
    """For each state the first that no word of `_COUNTED` characters tells from it.

    Without this, a token that is limited to thirty letters tells words of any two lengths apart.
    """
    columns = range(len(dfa.rows[0]))
    targets = np.array(
        [[-1 if (move := row[column]) is None else move.target for column in columns] for row in dfa.rows]
    )
    classes = np.array(dfa.accepts, dtype=np.int64)
    for _ in range(_COUNTED):
        after = np.where(targets >= 0, classes[targets], -2)
        classes = np.unique(np.column_stack([classes, after]), axis=0, return_inverse=True)[1].reshape(-1)
    return np.unique(classes, return_index=True)[1][classes].astype(np.int32)


class Kinds:
    """The kinds of some texts under one grammar's lexers."""

    def __init__(self, texts: Sequence[str], reader: Reader) -> None:
        self._all = texts
        dfa = reader.lexer
        self._monoid = _Monoid(dfa) if isinstance(dfa, Dfa) else None  # an unlearned one has no end of states
        self._keywords = reader.words
        self._beginnings = {word[:last] for word in reader.words for last in range(1, len(word) + 1)}
        self._parts = {beginning[first:] for beginning in self._beginnings for first in range(len(beginning))}
        self._like: dict[tuple[str, bool, bool], Hashable] = {}
        self._where: dict[str, list[int]] = defaultdict(list)
        """The texts that a word is in."""
        self._represented: dict[str, list[int]] | None = None
        numbers: dict[Hashable, int] = {}
        chosen: list[str] = []
        self.of = np.empty(len(texts), dtype=np.intp)  # what arrays are read by: others are copied into it each time
        for index, text in enumerate(texts):
            for word in set(WORDS.findall(text)):
                self._where[word].append(index)
            number = self.of[index] = numbers.setdefault(self._kind(text), len(chosen))
            if number == len(chosen):
                chosen.append(text)
            elif len(text) > len(chosen[number]):  # a long word is hardly ever one that a stack holds
                chosen[number] = text
        self.texts = tuple(chosen)
        self._like.clear()
        self._monoid = None

    def standing_for(self, names: AbstractSet[str]) -> list[int]:
        """The texts of those kinds that are represented by a text with one of these words in it."""
        if self._represented is None:
            represented = defaultdict(list)
            for number, text in enumerate(self.texts):
                for word in WORDS.findall(text):
                    represented[word].append(number)
            self._represented = represented
        kinds = {number for name in names for number in self._represented.get(name, ())}
        return np.flatnonzero(np.isin(self.of, sorted(kinds))).tolist() if kinds else []

    def writing(self, names: Iterable[str], written: str) -> list[int]:
        """The texts with one of these words in them, the one counting that goes on with `written`."""
        found: set[int] = set()
        for name in names:
            found.update(self._where.get(name, ()))
            if written and name.startswith(written):
                rest = name[len(written) :]
                found.update(index for index in self._where.get(rest, ()) if self._all[index].startswith(rest))
        return sorted(found)

    def _kind(self, text: str) -> Hashable:
        if self._monoid is None:
            return text
        kind: list[Hashable] = []
        seen: dict[str, int] = {}
        last = 0
        for match in WORDS.finditer(text):
            word, start, end = match[0], match.start(), match.end()
            kind.append(text[last:start])
            last = end
            if text[start - 1 : start] == "\\":
                kind.append(word)
            else:
                kind.append(self._likeness(word, start == 0, end == len(text)))
                kind.append(seen.setdefault(word, len(seen)))
        kind.append(_BLANK_END.sub(" ", text[last:]))
        return tuple(kind)

    def _likeness(self, word: str, begins: bool, ends: bool) -> Hashable:  # noqa: FBT001 - where the word stands in a text
        """The same for words that are alike."""
        key = (word, begins, ends)
        likeness = self._like.get(key)
        if likeness is None:
            likeness = self._like[key] = self._find_likeness(word, begins=begins, ends=ends)
        return likeness

    def _find_likeness(self, word: str, *, begins: bool, ends: bool) -> Hashable:
        own = self._parts if begins else self._beginnings if ends else self._keywords
        if word in own or PREFIXES.issuperset(word) or self._monoid is None:
            return word
        follows = self._beginnings if ends else self._keywords
        found: list[Hashable] = [word[0] if begins and word[0] in PREFIXES else ""]
        for number, lag, at in self._monoid.effect(word):
            rest = word[at - lag :]
            found.append((number, rest if rest in follows else rest[:1].isdigit()))
        return tuple(found)
