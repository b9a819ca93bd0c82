"""Texts that the external scanner has a say in: what it reads, and what it leaves to the table lexer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from decoder.grammar.masks.scans import Start
from decoder.grammar.reader import has_line_end
from decoder.grammar.version import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoder.grammar.automaton import Automaton
    from decoder.grammar.masks.answering import Answering
    from decoder.grammar.masks.endings import Endings
    from decoder.grammar.masks.feeding import Feeding
    from decoder.grammar.masks.paths import Paths
    from decoder.grammar.masks.plans import Indices, Mask, Point, Question
    from decoder.grammar.masks.scans import Parts, Scans
    from decoder.grammar.scanner import Scanned
    from decoder.grammar.version import Version


class Scanning:
    """Asks one grammar's external scanner about texts."""

    def __init__(
        self,
        automaton: Automaton,
        paths: Paths,
        scans: Scans,
        answering: Answering,
        *,
        endings: Endings,
        feeding: Feeding,
    ) -> None:
        self._reader = automaton.reader
        self._tables = automaton.tables
        self._paths = paths
        self._scans = scans
        self._answering = answering
        self._endings = endings
        self._feeding = feeding

    def has_a_say(self, version: Version) -> bool:
        """Whether the scanner is asked for the token that follows."""
        return not version.declined and bool(self._tables.modes[version.node.like].external_state)

    def declined(self, point: Point) -> Indices:
        """The texts that the table lexer reads: the external scanner has nothing for them, or nothing new."""
        parts = self._parts(point)
        idle = [answer for answer in parts.scanned if self._is_idle(answer, point.version)]
        return np.concatenate([parts.declined, *(parts.scanned[answer][0] for answer in idle)])

    def questions(self, point: Point) -> Iterator[Question]:
        """What is asked of the texts that the scanner reads, or may yet read."""
        version, pending = point.version, point.window.text
        parts = self._parts(point)
        for answer, (some, rests) in parts.scanned.items():
            token = Token(answer.symbol, answer.start, answer.end, answer.saved)
            if self._is_idle(answer, version):
                continue
            if self._reader.is_line_end(token):
                texts = point.texts.all
                good = np.array(
                    [self._reader.is_good_line(token, pending + texts[index], version.saved) for index in some.tolist()]
                )
                some, rests = some[good], rests[good]  # noqa: PLW2901 - fewer of the same
            if len(some):
                ending = self._paths.ending(some, rests, pending[answer.end :])
                yield self._answering.question(partial(self._endings.end, token, ending), by_table=False)
        if len(parts.within):
            yield self._answering.question(partial(_accept, parts.within), by_table=False)
        if not len(parts.undecided):
            return
        every = point.texts.suffixes
        numbers = point.texts.numbers[parts.undecided]
        is_blank = every.are_blank[numbers] & (not pending.strip())
        may_follow = is_blank
        if not self._reader.may_skip_lines(version.node.like):
            may_follow = is_blank & ~(every.has_lines[numbers] | has_line_end(pending))
        if len(blank := parts.undecided[may_follow]):  # whatever the scanner will make of it, something may follow
            yield self._answering.question(partial(_accept, blank), by_table=False)
        if len(undecided := parts.undecided[~is_blank]):
            yield self._answering.question(partial(self._feeding.feed, undecided), by_table=False)

    def elsewhere(self, others: Mapping[int, Indices], point: Point) -> Indices:
        """Texts without a token of the stack's top that may follow: it may take one that is read as anywhere.

        Args:
            others: By those that they may begin with where any may stand, as a bit set.
        """
        version, pending = point.version, point.window.text
        members = np.concatenate([np.zeros(0, dtype=np.int32), *others.values()])
        if not len(members) or (pending and not pending.isspace()):
            return members
        members.sort()
        valid = self._tables.valid_tokens(version.node.like)
        texts = self._paths.texts(point.texts.numbers[members])
        start = Start(self._tables.modes[0].external_state, version.saved, pending, point.window.at_start)
        parts = self._scans.parts(texts, start)
        maybe, declined = point.texts.none(), point.texts.none()
        maybe[members[parts.undecided]] = maybe[members[parts.within]] = True
        for answer, (some, _) in parts.scanned.items():
            if valid >> answer.symbol & 1:
                maybe[members[some]] = True
        declined[members[parts.declined]] = True
        return np.concatenate(
            [
                some[maybe[some] | declined[some]] if valid & tokens else some[maybe[some]]
                for tokens, some in others.items()
            ]
        )

    def _parts(self, point: Point) -> Parts:
        version, window = point.version, point.window
        external_state = self._tables.modes[version.node.like].external_state
        return self._scans.parts(point.texts, Start(external_state, version.saved, window.text, window.at_start))

    def _is_idle(self, answer: Scanned, version: Version) -> bool:
        token = Token(answer.symbol, answer.start, answer.end, answer.saved)
        return self._reader.is_idle(version, token, self._tables.modes[version.node.like])


def _accept(chosen: Indices, _: Point, found: Mask) -> None:
    found[chosen] = True
