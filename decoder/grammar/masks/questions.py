"""Which texts of a vocabulary may follow at a point: its plan is looked up, and every question in it is put."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.grammar.masks.answering import Answering
from decoder.grammar.masks.endings import Endings
from decoder.grammar.masks.feeding import Feeding
from decoder.grammar.masks.insides import Insides
from decoder.grammar.masks.lookahead import Lookahead, Taken
from decoder.grammar.masks.paths import Paths, Texts
from decoder.grammar.masks.planning import Planning
from decoder.grammar.masks.plans import DEEPEST, FEW, Patience, Point
from decoder.grammar.masks.remembered import Memory, Stacks, Way
from decoder.grammar.masks.scanning import Scanning
from decoder.grammar.masks.scans import Scans
from decoder.grammar.masks.suffixes import NOTHING
from decoder.grammar.version import Version, Window

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.places import Places
    from decoder.grammar.masks.plans import Indices, Mask

_BYTES_OF_WAY: Final = 250
_BYTES_OF_MASK: Final = 300
_BYTES_OF_QUESTION: Final = 900
"""Measured with `tracemalloc` and rounded up."""


class Questions:
    """What is to be asked under one automaton, without a semantics: with one, two words are not alike."""

    def __init__(self, automaton: Automaton, places: Places, texts: Iterable[str]) -> None:
        """All texts that will be asked about."""
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._paths = Paths(self._tables, self._reader, texts)
        self.patience = Patience()
        self._scans = Scans(self._paths.suffixes, self._reader, self.patience)
        self._places = places
        self._memory = Memory(self._tables)
        self._stacks = Stacks()
        self._kept = 0
        paths, follows = self._paths, self.follows
        lookahead = Lookahead(automaton)
        taken = Taken(lookahead, automaton.stepper, self._memory, places.reads)
        self._answering = answering = Answering(self._memory, places.reads, paths)
        self._feeding = feeding = Feeding(automaton, places, paths, follows)
        self._insides = insides = Insides(automaton, places, paths, taken, answering=answering, feeding=feeding)
        self._endings = endings = Endings(
            automaton, lookahead, answering, paths=paths, feeding=feeding, follows=follows
        )
        scanning = Scanning(automaton, paths, self._scans, answering, endings=endings, feeding=feeding)
        self._planning = Planning(
            automaton, paths, lookahead, answering, scanning=scanning, insides=insides, endings=endings, feeding=feeding
        )

    @property
    def size(self) -> int:
        """Bytes of all that is remembered, roughly."""
        return self._kept + self._memory.size + self._paths.size + self._scans.size + _BYTES_OF_WAY * len(self._stacks)

    def texts(self, texts: Iterable[str]) -> tuple[Texts, Indices]:
        """Some of the texts, and for each its place among those given."""
        suffixes = self._paths.suffixes
        chosen = np.array([suffixes.number(text) for text in texts], dtype=np.int32)
        order = np.argsort(chosen).astype(np.int32)
        return self._paths.texts(chosen[order]), order

    def follows(self, version: Version, window: Window, texts: Texts, depth: int = 0) -> Mask:
        """Bool [number of texts]: which of them may follow one version. Not to be written to.

        Raises:
            LateError: Nobody waits any more.
        """
        self.patience.check()
        if len(texts) == 1 and texts.numbers[0] == NOTHING:
            return np.ones(1, dtype=np.bool_)
        version, window = self._places.canonical(version, window, texts)
        key = self._places.key(version, window)
        way = Way(version.node)
        if len(texts) <= FEW or depth > DEEPEST:
            return self._follows_fed(key, way, self._point(version, window, texts, depth))
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
        found = self._follows(key, word, way, self._point(version, window, texts, depth))
        if bottom is not None:
            kept = texts.masks[key, word, bottom] = np.packbits(found)
            self._kept += _BYTES_OF_MASK + len(kept)
        return found

    def _point(self, version: Version, window: Window, texts: Texts, depth: int) -> Point:
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            fresh = Version(version.node, version.position, version.saved)
            lexeme = self._reader.if_declined(fresh, window, self._tables.modes[version.node.like])
        return Point(version, window, lexeme, texts, depth)

    def _follows_fed(self, key: Hashable, way: Way, point: Point) -> Mask:
        """The same, where all of the texts are fed."""
        texts, text = point.texts, point.window.text
        question = texts.asked.get((key, text))
        if question is None:
            ask = partial(self._feeding.feed, range(len(texts)))
            question = texts.asked[key, text] = self._answering.question(ask, by_table=False)
        found = texts.none()
        found[self._answering.texts(question, "", way, point)] = True
        return found

    def _follows(self, key: Hashable, word: str, way: Way, point: Point) -> Mask:
        """The same, by a plan.

        Args:
            key: What the place is beside its stack and its unfinished word.
        """
        texts = point.texts
        plan = texts.plans.get(key)
        if plan is None:
            plan = texts.plans[key] = self._planning.plan(point)
            self._kept += _BYTES_OF_QUESTION * (len(plan.questions) + len(plan.inside) + 1)
        found = texts.none()
        by_table = found if plan.declined is None else texts.none()
        ends, of_word = plan.if_word if word else (plan.ends, ())
        for question in chain(plan.questions, of_word):
            (by_table if question.by_table else found)[self._answering.texts(question, word, way, point)] = True
        self._insides.decide(plan, word, way, point, by_table)
        self._endings.decide(plan, ends, way, point, by_table)
        if plan.declined is not None:
            found |= by_table & plan.declined
        return found
