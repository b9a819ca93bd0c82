"""The questions of one suggestion to a type checker: asked early, waited for as briefly as possible, each once.

The only part of a constraint that changes: it remembers what was asked. What was answered once, late answers included,
is the answer for the whole suggestion, so that whoever asks again from another branch gets the same.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from context_index.symbols import Closed, Language, Listed, NameKind, Open, Position
from decoder.constraint.members.naming import PROVES, WEIGHED
from decoder.constraint.members.positions import REACH, imported_so_far

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index.symbols import Answer, Asked, Members, TypeOracle

_PATIENT = 30.0
"""Seconds that an answer is waited for where time does not matter."""
_LARGEST_SHARE = 1 / 3
"""Of the patience, so much at most goes to one question: one that is slow must not use up what quick ones need."""
_SMALLER_SHARE = 1 / 10
"""Likewise, where a name that nobody could check is told to nobody: of most strings and keys nothing is known."""


class Known:
    """What a type checker knows of a place."""

    def __init__(self, members: Members, by: str = "") -> None:
        self.members = members
        self.by = by

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The listed names in the order of their characters."""
        return () if isinstance(self.members, Open) else tuple(sorted(self.members.names))

    @property
    def is_closed(self) -> bool:
        """Whether only the listed names exist."""
        return isinstance(self.members, Closed)

    @property
    def is_open(self) -> bool:
        """Whether nothing is known."""
        return isinstance(self.members, Open)

    def __contains__(self, name: str) -> bool:
        return not isinstance(self.members, Open) and name in self.members.names

    @property
    def _others(self) -> tuple[str, ...] | None:
        """What there is besides the listed names, if all of it is known."""
        return self.members.others if isinstance(self.members, Listed) else () if self.is_closed else None

    def lacks(self, name: str) -> bool:
        """Whether there is surely no such name."""
        return name not in self and self._others is not None and name not in self._others

    def excludes(self, beginning: str) -> bool:
        """Whether surely no name begins like this."""
        return not self.goes_on(beginning) and self._others is not None and not begins(self._others, beginning)

    def is_module(self, name: str) -> bool:
        """Whether it is listed as a module or a namespace."""
        return not isinstance(self.members, Open) and self.members.names.get(name) is NameKind.MODULE

    def goes_on(self, beginning: str) -> bool:
        """Whether a listed name begins like this."""
        return begins(self.ordered, beginning)


@dataclass(slots=True, eq=False)
class Questions:
    """What was asked about one text, and what was answered.

    Args:
        prefix: The text before what is being written.
        suffix: The text after it.
        visible: Names in scope and keywords, sorted: what may stand where an argument's name may.
        patience: Seconds that may be spent waiting in all; None waits for every answer.
        deadline: On `time.monotonic`'s clock: nothing is waited for after it.
        language: The text's; where time matters, nobody waits in plain JavaScript for what could refuse nothing.
    """

    oracle: TypeOracle
    prefix: str
    suffix: str
    visible: tuple[str, ...] = ()
    patience: float | None = None
    deadline: float | None = None
    language: Language | None = None
    waited: float = 0.0
    """Seconds spent waiting."""
    _asked: dict[tuple[str, Position], Asked] = field(default_factory=dict)
    _listed: dict[tuple[str, Position], Known] = field(default_factory=dict)
    _known: dict[tuple[str, Position], Known] = field(default_factory=dict)

    def ask(self, written: str, position: Position) -> None:
        """Ask what may stand behind what has been written, without waiting."""
        key = (written, position)
        if key not in self._asked:
            before = self.prefix + written
            self._asked[key] = self.oracle.ask(before + self.suffix, len(before), position)

    def known(self, written: str, position: Position) -> Known:
        """The answer; where it comes too late, nothing is known, and that is what is known from now on."""
        key = (written, position)
        if key not in self._known:
            self.ask(written, position)
            self._known[key] = self._wait(self._asked[key], written, position)
        return self._known[key]

    def listed(self, written: str, position: Position) -> Known:
        """The names, as soon as they are listed: whether there may be more is left open where that takes longer.

        The answer lists the same names, unless the checker fails meanwhile: so who asks for one of them need not wait
        for it, and who asks for another must.
        """
        key = (written, position)
        known = self._known.get(key)
        if known is not None:
            return known
        self.ask(written, position)
        asked = self._asked[key]
        if asked.done:
            return self.known(written, position)
        if key not in self._listed:
            started = time.monotonic()
            answer = asked.early(self._left(started, position), self._for_others())
            self.waited += time.monotonic() - started
            if isinstance(answer.members, Open):
                self._known[key] = Known(answer.members, answer.by)
                return self._known[key]
            self._listed[key] = self._told(answer, written, position)
        return self._listed[key]

    def close(self) -> tuple[str, ...]:
        """Nothing more will be asked, and what is on its way is no longer wanted; why nothing was known, where so."""
        for key, asked in self._asked.items():
            if key not in self._known:
                asked.drop()
        whys = (
            known.members.why
            for (_, position), known in self._known.items()
            if position in PROVES and isinstance(known.members, Open)
        )
        return tuple(dict.fromkeys(whys))

    def _wait(self, asked: Asked, written: str, position: Position) -> Known:
        if asked.done:
            return self._told(asked.answer(0), written, position)
        started = time.monotonic()
        answer = asked.answer(self._left(started, position), self._for_others())
        self.waited += time.monotonic() - started
        return self._told(answer, written, position)

    def _told(self, answer: Answer, written: str, position: Position) -> Known:
        """What was answered, without the names that the same import has by now."""
        members = answer.members
        if position is not Position.IMPORTED_NAME or isinstance(members, Open):
            return Known(members, answer.by)
        taken = imported_so_far((self.prefix[-REACH:] + written)[-REACH:])
        fresh = {name: kind for name, kind in members.names.items() if name not in taken}
        return Known(replace(members, names=fresh) if taken else members, answer.by)

    def _for_others(self) -> float | None:
        """Nothing where time matters: of 16 waits of 20 ms for jedi none was answered (`bench checker_wait`)."""
        return None if self.patience is None else 0.0

    def _left(self, now: float, position: Position | None) -> float:
        left = _PATIENT
        if self.patience is not None:
            if self.language is Language.JAVASCRIPT and position in WEIGHED:
                return 0.0  # of 51 such waits none brought a name (`bench checker_wait`)
            share = _LARGEST_SHARE if position is None or position in PROVES else _SMALLER_SHARE
            left = min(self.patience - self.waited, self.patience * share)
        if self.deadline is not None:
            left = min(left, self.deadline - now)
        return max(left, 0.0)


def begins(ordered: Sequence[str], beginning: str) -> bool:
    """Whether one of some sorted names begins like this."""
    place = bisect_left(ordered, beginning)
    return place < len(ordered) and ordered[place].startswith(beginning)
