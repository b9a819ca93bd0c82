"""Texts that the lexers' tables cannot decide are fed: the slow way."""

from __future__ import annotations

import string
from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.grammar.masks.letterwise import feed
from decoder.grammar.masks.plans import DEEPEST
from decoder.grammar.state import State

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.paths import Paths
    from decoder.grammar.masks.places import Places
    from decoder.grammar.masks.plans import Follows, Indices, Mask, Point

_MANY: Final = 24
"""So many texts are worth the while of taking together those whose first letters lead to the same place."""
_BLANKS: Final = np.array([ord(letter) for letter in string.whitespace], dtype=np.int32)


class Feeding:
    """Feeds texts under one automaton."""

    def __init__(self, automaton: Automaton, places: Places, paths: Paths, follows: Follows) -> None:
        """With `follows`, which texts may follow a version."""
        self._automaton = automaton
        self._places = places
        self._paths = paths
        self._follows = follows

    def feed(self, chosen: Sequence[int] | Indices, point: Point, found: Mask) -> None:
        """Set `found` for those of the chosen texts that may follow."""
        begun = State(self._automaton, (point.version,), point.window)
        if len(chosen) > _MANY and point.depth < DEEPEST and not point.window.text:
            self._feed_first(begun, np.asarray(chosen, dtype=np.int32), point, found)
        else:
            feed(begun, point.texts.all, [int(index) for index in chosen], found)

    def _feed_first(self, begun: State, chosen: Indices, point: Point, found: Mask) -> None:
        """Feed first letters, one of those that lead to the same place, and ask there about what is left.

        Not white space: what a scanner makes of that may hang on all of it.
        """
        suffixes = self._paths.suffixes
        chosen = chosen[~self._feed_prefixes(begun, chosen, point, found)]
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
                follows = self._follows(version, after.window, ending.rests, point.depth + 1)
                found[ending.indices] |= follows[ending.of_rest]

    def _feed_prefixes(self, begun: State, chosen: Indices, point: Point, found: Mask) -> Mask:
        """Feed one of those words that may all be prefixes of strings, as far as can be seen.

        Returns:
            Bool [number of chosen texts]: those that are decided.
        """
        done = np.zeros(len(chosen), dtype=np.bool_)
        fits: dict[Hashable, bool] = {}
        for at in np.flatnonzero(self._paths.suffixes.are_prefixes[point.texts.numbers[chosen]]).tolist():
            text = point.texts.all[chosen[at]]
            alike = self._places.undecided(point.version, point.window, text) if text else None
            if alike is None:
                continue
            if alike not in fits:
                fits[alike] = begun.feed(text) is not None
            done[at] = True
            found[chosen[at]] = fits[alike]
        return done
