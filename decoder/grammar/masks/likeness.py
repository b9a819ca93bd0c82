"""Which words a lexer cannot tell apart, found for all words of a vocabulary in one go.

Two words are alike if they take every state of the lexer the same way: the elements of its transition monoid, which are
found letter by letter and kept. All words are read at once, a letter of each at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.masks.characters import codes_of, columns_of, those

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from decoder.grammar.dfa import Dfa

    Numbers = npt.NDArray[np.int32]
    Wide = npt.NDArray[np.int64]

_COUNTED: Final = 6
"""What is counted farther within one token is not told apart."""
_CODE_BITS: Final = 21


class _Effect(NamedTuple):
    """What reading a word, from whatever state the lexer is in, comes to."""

    states: Numbers
    """For each state that the lexer was in, the one that it is in now; negative where the token has ended."""
    tokens: Numbers
    """For each, the token found so far."""
    lags: Numbers
    """For each, how many characters ago that was."""


class Likeness:
    """The words of one lexer, told apart by numbers."""

    def __init__(self, dfa: Dfa) -> None:
        self._dfa = dfa
        targets = np.array([[-1 if move is None else move.target for move in row] for row in dfa.rows], dtype=np.int32)
        self._accepts = np.array(dfa.accepts, dtype=np.int32)
        same = alike_states(targets, self._accepts)
        classes, self._columns = np.unique(np.where(targets < 0, -1, same[targets]), axis=1, return_inverse=True)
        self._targets: Numbers = np.ascontiguousarray(classes.T)
        """By class of characters, then by state: characters that lead to the same states everywhere share one."""
        begun = np.unique(same[near_states(dfa)])
        self._effects = [_Effect(begun, np.full(len(begun), NO_TOKEN, np.int32), np.zeros(len(begun), np.int32))]
        self._numbers: dict[bytes, int] = {}
        self._ends: dict[bytes, int] = {}
        self._steps: dict[int, tuple[int, tuple[tuple[int, int], ...]]] = {}
        self._histories: dict[tuple[int, int, int], int] = {}

    def numbers(self, words: Sequence[str], telling: Collection[str]) -> Wide:
        """The same number for words that are alike, [number of words]; none of them is empty.

        Args:
            telling: What is left of a word where a token ends in it is not told from other rests, but for these, and
                for what begins with a digit.
        """
        if not words:
            return np.zeros(0, dtype=np.int64)
        lengths = np.array([len(word) for word in words], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        codes = codes_of("".join(words))
        rests = _rests(codes, starts, lengths, telling)
        columns = self._columns.reshape(-1)[columns_of(self._dfa, codes)]
        effects, histories = np.zeros((2, len(words)), dtype=np.int64)
        going = np.arange(len(words))
        at = 0
        while len(going):
            steps, which = _few(effects[going] * len(self._targets) + columns[starts[going] + at])
            found = [self._step(step) for step in steps.tolist()]
            effects[going] = np.array([number for number, _ in found])[which]
            for one in range(max(len(ends) for _, ends in found)):
                ends = np.array([ends[one] if one < len(ends) else (-1, 0) for _, ends in found])[which]
                ending = ends[:, 0] >= 0
                some, (end, lag) = going[ending], ends[ending].T
                histories[some] = self._history(histories[some], end, rests[starts[some] + at - lag], len(telling) + 2)
            at += 1
            going = going[lengths[going] > at]
        alike: Wide = np.unique(histories * len(self._effects) + effects, return_inverse=True)[1].astype(np.int64)
        return alike

    def _history(self, before: Wide, ends: Wide, rests: Wide, most: int) -> Wide:
        """Numbers for the ways in which tokens have ended within words, one more each; `most` different rests."""
        kept, which = np.unique((before * len(self._ends) + ends) * most + rests, return_inverse=True)
        numbers = []
        for key in kept.tolist():
            earlier, rest = divmod(key, most)
            told = (*divmod(earlier, len(self._ends)), rest)
            numbers.append(self._histories.setdefault(told, len(self._histories) + 1))
        return np.array(numbers, dtype=np.int64)[which]

    def _step(self, step: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The effect after one more letter, and the ways in which tokens ended before it.

        Each is a number that tells which states end their token so, and how many characters ago they did.
        """
        found = self._steps.get(step)
        if found is None:
            found = self._steps[step] = self._find_step(*divmod(step, len(self._targets)))
        return found

    def _find_step(self, number: int, column: int) -> tuple[int, tuple[tuple[int, int], ...]]:
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
        for lag in np.unique(lags[ended]) if ended.any() else ():
            which = ended & (lags == lag)
            key = np.where(which, tokens, -2).astype(np.int32).tobytes()
            ends.append((self._ends.setdefault(key, len(self._ends)), int(lag)))
        key = b"".join(array.tobytes() for array in following)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self._effects)
            self._effects.append(following)
        return known, tuple(ends)


def _few(numbers: Wide) -> tuple[Wide, Wide]:
    """The different ones of some numbers that are all small, in order, and for each of all its place among them."""
    found = np.flatnonzero(np.bincount(numbers))
    places = np.zeros(int(found[-1]) + 1, dtype=np.int64)
    places[found] = np.arange(len(found))
    return found, places[numbers]


def near_states(dfa: Dfa) -> list[int]:
    """The states that `_COUNTED` characters lead to. Farther ones know how long their token is."""
    found = set(dfa.roots.values())
    for _ in range(_COUNTED):
        found |= {move.target for state in found for move in dfa.rows[state] if move is not None}
    return sorted(found)


def alike_states(targets: Numbers, accepts: Numbers) -> Numbers:
    """For each state the first that no word of `_COUNTED` characters tells from it.

    Without this, a token that is limited to thirty letters tells words of any two lengths apart.
    """
    classes = accepts.astype(np.int64)
    for _ in range(_COUNTED):
        after = np.where(targets >= 0, classes[targets], -2)
        classes = np.unique(np.column_stack([classes, after]), axis=0, return_inverse=True)[1].reshape(-1)
    return np.unique(classes, return_index=True)[1][classes].astype(np.int32)


def _rests(codes: Numbers, starts: Wide, lengths: Wide, telling: Collection[str]) -> Wide:
    """For each place in some words what is left from there on: one of some texts, or whether it begins with a digit.

    The words are read backwards, as far as their ends go on like the end of one of these texts.
    """
    found = those(codes, str.isdigit).astype(np.int64)
    after: dict[int, int] = {}
    texts: dict[int, int] = {}
    for number, text in enumerate(sorted(telling), 2):
        node = 0
        for character in reversed(text):
            node = after.setdefault(node << _CODE_BITS | ord(character), len(after) + 1)
        texts[node] = number
    numbers = np.array([texts.get(node, 0) for node in range(len(after) + 1)], dtype=np.int64)
    nodes = np.zeros(len(starts), dtype=np.int64)
    going = np.arange(len(starts))
    back = 1
    while len(going):
        places = starts[going] + lengths[going] - back
        moves, which = np.unique(nodes[going] << _CODE_BITS | codes[places], return_inverse=True)
        nodes[going] = np.array([after.get(move, 0) for move in moves.tolist()], dtype=np.int64)[which]
        whole = numbers[nodes[going]]
        found[places] = np.where(whole, whole, found[places])
        back += 1
        going = going[(nodes[going] > 0) & (lengths[going] >= back)]
    return found
