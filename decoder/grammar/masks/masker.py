"""The masks of a vocabulary, asked for one reading after the other, and corrected where words are compared.

Semantics is left out: with one, two words are not alike; then the mask has every text that may come next, and more.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.grammar.automaton import Automaton
from decoder.grammar.masks.kinds import Kinds
from decoder.grammar.masks.places import Places
from decoder.grammar.masks.questions import Questions
from decoder.grammar.masks.watched import WatchingStepper
from decoder.grammar.state import NULL, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from decoder.grammar.masks.paths import Texts
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables
    from decoder.grammar.version import Version

    Mask = npt.NDArray[np.bool_]


_STEPS: Final = 512
"""Outcomes on stacks of late. Each question watches a stack of its own, so few serve twice."""


_MOST_BYTES: Final = 128_000_000


class Masker:
    """The masks of one vocabulary under one grammar. Several threads may ask."""

    def __init__(self, tables: Tables, reader: Reader, texts: Iterable[str], most: int = _MOST_BYTES) -> None:
        """What is remembered is dropped once it takes more than `most` bytes, by our own rough count."""
        self._most = most
        self._reader = reader
        self._tables = tables
        self._lock = Lock()
        self._all = tuple(texts)
        self._refused = [index for index, text in enumerate(self._all) if NULL in text]
        self._kinds = Kinds(self._all, reader)
        self._places = Places(tables, reader)
        self._begin()

    def _begin(self) -> None:
        """Remember nothing."""
        own = Automaton(self._tables, self._reader, WatchingStepper(self._tables, _STEPS))
        self._own = own
        kinds = self._kinds.texts
        self._questions = Questions(own, self._places, kinds)
        # only what a line end may be followed by depends on all open blocks
        split = self._reader.knows_blocks
        lines = [index for index, text in enumerate(kinds) if split and ("\n" in text or "\r" in text)]
        others = sorted(set(range(len(kinds))).difference(lines))
        self._parts: list[Texts] = []
        places = np.zeros(len(kinds), dtype=np.intp)
        done = 0
        for some in filter(None, (others, lines)):
            texts, order = self._questions.texts(kinds[index] for index in some)
            self._parts.append(texts)
            places[np.array(some)[order]] = np.arange(done, done + len(some))
            done += len(some)
        self._of = places[self._kinds.of]
        """For each text the place of its kind among those of all parts."""

    @property
    def kinds(self) -> int:
        """How many texts are asked about: those that no grammar can tell apart are one."""
        return len(self._kinds.texts)

    @property
    def size(self) -> int:
        """Bytes of all that is remembered, roughly."""
        return self._questions.size

    def mask(self, state: State, is_late: Callable[[], object] = bool) -> Mask:
        """Bool [number of texts]: which of them `state.feed` accepts. The empty text is one of them.

        Args:
            is_late: Asked now and then whether nobody waits any more.

        Raises:
            LateError: So it was.
        """
        found = np.zeros(len(self._kinds.texts), dtype=np.bool_)
        with self._lock:
            if self._questions.size > self._most:
                self._begin()
            self._questions.patience.is_late = is_late
            for version in state.versions:
                done = 0
                for texts in self._parts:
                    found[done : done + len(texts)] |= self._questions.follows(version, state.window, texts)
                    done += len(texts)
            mask: Mask = found[self._of]
        mask[self._refused] = False
        self._spell(state, mask)
        return mask

    def _spell(self, state: State, mask: Mask) -> None:
        """Ask again about texts with words that rules compare with what is on the stacks."""
        names: set[str] = set()
        for version in state.versions:
            names |= _spelled(version)
        if not names:
            return
        written = state.window.text[min(version.position for version in state.versions) :].lstrip()
        plain = State(self._own, state.versions, state.window)
        for index in self._kinds.standing_for(names):
            mask[index] = plain.feed(self._all[index]) is not None
        for index in self._kinds.writing(names, written):
            if mask[index]:
                mask[index] = plain.feed(self._all[index]) is not None


def _spelled(version: Version) -> set[str]:
    """The words that the marks on a stack hold."""
    found: set[str] = set()
    pending = [version.node]
    seen = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node.mark, frozenset):
            found |= node.mark
        pending += node.beneath()
    return found
