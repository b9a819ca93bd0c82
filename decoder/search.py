"""Search for texts that a verifier accepts, the most probable first.

Each candidate opens a branch at each of its tokens: begin as it does, then write another token there. The probability
of that beginning bounds all that can come of the branch, so branches are followed best first and the candidates come
in the order of their probability (Lawler 1972, "A procedure for computing the k best solutions"). A candidate is
verified once no branch promises a more probable one. A rejection with a place prunes every branch that begins with
what was rejected.

Knows no language, no checker and no model: a writer and a verifier come in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

_LIKELY = -4.0
"""Natural logarithm of a probability; a candidate above it is verified before any branch is followed: of such, a more
probable one was hardly ever found, for as much time again."""

_SURE = 5.0
"""Nats that may be lost: of what the model never thought of, nothing good comes but by chance."""
_TOKENS = 1 << 16
"""More than a text has: branches are numbered by their candidate, then by their place."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text may not be shown."""

    end: int | None = None
    """Characters of the text that are wrong however it goes on; None where the rejection has no place."""
    final: bool = False
    """Nothing else is to be tried: whoever verifies did not answer in time."""


Verify = Callable[[str], Rejected | None]
"""None accepts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A token that may be another."""

    stem: bytes
    """The output before it."""
    output: bytes
    """The output with it."""
    bound: float
    """At most so high is the score of a text that begins with the stem and goes on with another token."""
    margin: float
    """Nats by which the token is more probable than the next."""


class Candidate(Protocol):
    """A text that was written, and what it was chosen from."""

    @property
    def text(self) -> str:
        """What would be shown; empty where nothing of it can be."""

    @property
    def score(self) -> float:
        """Natural logarithm of its probability, or of that of its beginning where it is unfinished."""

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up because `floor` was more probable."""

    def choices(self) -> Iterator[Choice]:
        """Its tokens that may be others."""

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""


C = TypeVar("C", bound=Candidate)
Write = Callable[[frozenset[bytes], float], C]
"""Writes the most probable text that begins with none of the given outputs, unless it falls below a score."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be tried."""

    candidates: int = 10
    """Texts that are begun."""
    ahead: int = 5
    """How many may be begun while a finished one waits for its verification; 0 keeps a sample a sample."""
    accepted: int = 1
    """Texts that are wanted."""
    nats: float = _SURE
    """That may be lost by not writing what the model preferred."""


@dataclass(slots=True)
class Found(Generic[C]):
    """What the search came to."""

    accepted: list[C] = field(default_factory=list)
    """The most probable first."""
    written: list[C] = field(default_factory=list)
    """All that was begun, in order."""
    rejected: list[tuple[C, Rejected]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, order=True)
class _Branch:
    """A way to write another text."""

    loss: float
    """Minus the bound on its score: the smallest comes first."""
    number: int
    banned: frozenset[bytes] = field(compare=False)
    """Outputs with which its texts do not begin."""
    stem: bytes = field(compare=False, default=b"")
    """The output with which all of them begin."""
    lost: float = field(compare=False, default=0.0)
    """Nats that the model lost by not writing what it preferred."""


class _Search(Generic[C]):
    def __init__(self, write: Write[C], verify: Verify, budget: Budget, floor: float) -> None:
        self._write, self._verify, self._budget, self._floor = write, verify, budget, floor
        self._branches = [_Branch(0.0, 0, frozenset())]
        self._waiting: list[tuple[float, int, C]] = []
        self._pruned: frozenset[bytes] = frozenset()
        self._seen: set[str] = set()
        self._ahead = 0
        self.found: Found[C] = Found()

    def run(self) -> None:
        while len(self.found.accepted) < self._budget.accepted:
            if self._waiting and not self._may_follow_better():
                if not self._judge(heappop(self._waiting)[2]):
                    return
            elif self._branches and len(self.found.written) < self._budget.candidates:
                self._follow(heappop(self._branches))
            elif not self._waiting:
                return

    def _may_follow_better(self) -> bool:
        """Whether a branch is worth following before the best candidate is verified."""
        loss = self._waiting[0][0]
        spent = self._ahead >= self._budget.ahead or len(self.found.written) >= self._budget.candidates
        return not spent and loss > -_LIKELY and bool(self._branches) and self._branches[0].loss < loss

    def _follow(self, branch: _Branch) -> None:
        if any(branch.stem.startswith(beginning) for beginning in self._pruned):
            return
        best = -self._waiting[0][0] if self._waiting else -math.inf
        self._ahead += bool(self._waiting)
        candidate = self._write(branch.banned | self._pruned, max(best, self._floor))
        self.found.written.append(candidate)
        number = len(self.found.written) * _TOKENS
        if candidate.is_unfinished and best > self._floor:  # gone on with, should the better one be rejected
            heappush(self._branches, replace(branch, loss=-candidate.score, number=number))
            return
        for place, choice in enumerate(candidate.choices()):
            lost = branch.lost + choice.margin
            if choice.bound > self._floor and lost <= self._budget.nats and choice.stem.startswith(branch.stem):
                number = len(self.found.written) * _TOKENS + place
                banned = branch.banned | {choice.output}
                heappush(self._branches, _Branch(-choice.bound, number, banned, choice.stem, lost))
        if candidate.text.strip():
            heappush(self._waiting, (-candidate.score, number, candidate))

    def _judge(self, candidate: C) -> bool:
        """Verify; False where nothing else is to be tried."""
        self._ahead = 0
        if candidate.text in self._seen:
            return True
        self._seen.add(candidate.text)
        rejected = self._verify(candidate.text)
        if rejected is None:
            self.found.accepted.append(candidate)
            return True
        self.found.rejected.append((candidate, rejected))
        if rejected.end is not None:
            self._pruned |= {candidate.beginning(rejected.end)}
        return not rejected.final


def search(write: Write[C], verify: Verify, budget: Budget, *, floor: float = -math.inf) -> Found[C]:
    """The most probable texts that are accepted, within `budget`.

    Args:
        floor: Natural logarithm of a probability; nothing less probable is wanted.

    With a temperature above 0 each text is a draw from the model restricted to what was not rejected before it.
    """
    searching = _Search(write, verify, budget, floor)
    searching.run()
    return searching.found
