"""Search for texts that a verifier accepts, the most probable first.

Each candidate opens a branch at each of its tokens: begin as it does, then write another token there. The probability
of that beginning bounds all that can come of the branch, so branches are followed best first and the candidates come
in the order of their probability (Lawler 1972, "A procedure for computing the k best solutions"). A candidate is
verified once no branch promises a more probable one. A rejection with a place prunes every branch that begins with
what was rejected. That an output ends is a choice as well: `END` is its last byte then.

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

_MOST_LOST = 5.0
"""Nats that a text may lose by tokens that the model did not prefer; beyond, only chance finds a good text."""
_TOKENS = 1 << 16
"""More than a text has: branches are numbered by their candidate, then by their place."""
END = b"\xff"
"""Follows an output that ended where the writer chose so; no UTF-8 holds it."""


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """The text may not be shown."""

    end: int | None = None
    """Characters of the text that are wrong however it goes on; None where the rejection has no place."""
    final: bool = False
    """Whether no other text is to be tried, as the verifier did not answer in time."""
    last_resort: bool = False
    """Whether it may be shown where too few others are accepted."""
    whole: bool = False
    """Whether its beginnings are no better."""


Verify = Callable[[str], NotAccepted | None]
"""None accepts."""


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A token of a candidate in place of which a branch writes another."""

    stem: bytes
    """The output before it."""
    output: bytes
    """The output with it, or with `END`."""
    bound: float
    """The highest score of a text that begins with the stem and goes on with another token."""
    margin: float
    """Nats by which the token is more probable than the next."""
    is_first: bool = True
    """Whether the token belongs to the first beginning of the output that is worth reading."""


class WrittenText(Protocol):
    """A text that was written, and what it was chosen from."""

    @property
    def text(self) -> str:
        """What would be shown; empty where nothing of it can be."""

    @property
    def score(self) -> float:
        """Natural logarithm of its probability, or of that of its beginning where it is unfinished."""

    @property
    def first_score(self) -> float:
        """The same of its first beginning that is worth reading, as far as it was written."""

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up because `floor` was more probable."""

    @property
    def output(self) -> bytes:
        """All that was written."""

    def branch_points(self) -> Iterator[BranchPoint]:
        """Its tokens in place of which others may be written, and its end."""

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""

    def forwards(self, stem: bytes) -> int:
        """What it cost, given that the model had read an output's beginning before."""


C = TypeVar("C", bound=WrittenText)
Write = Callable[[C | None, bytes, frozenset[bytes], float], C]
"""Writes the most probable text that begins with an output, as a candidate does, and with none of the given outputs;
gives up once it falls below a score."""


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """How much may be tried."""

    forwards: int = 200
    """The model's forwards for all texts. The text that exceeds them is finished, and the first one is always begun."""
    until_accepted: int = 0
    """Further forwards while nothing is accepted: a person who asks wants something to read, and no last resort."""
    ahead: int = 5
    """How many may be begun while a finished one waits for its verification; 0 keeps a sample a sample."""
    verified: int = 1_000
    """Texts that are verified, at most."""
    accepted: int = 1
    """Texts that are wanted."""
    nats: float = _MOST_LOST
    """Nats that a text may lose by tokens that the model did not prefer."""
    least: float = -math.inf
    """Natural logarithm of a probability; a text whose first beginning is less probable is of no use."""


@dataclass(slots=True)
class SearchResult(Generic[C]):
    """What the search came to."""

    wanted: int = 1
    """The most texts that may be shown."""
    written: list[C] = field(default_factory=list)
    """All that was begun, in order."""
    judged: list[tuple[C, NotAccepted | None]] = field(default_factory=list)
    """All that was verified, in order, the most probable first; None where it was accepted."""

    @property
    def accepted(self) -> list[C]:
        """What was accepted, the most probable first."""
        return [candidate for candidate, rejected in self.judged if rejected is None]

    @property
    def shown(self) -> list[C]:
        """What may be shown: what was accepted, then the last resorts."""
        resorts = [candidate for candidate, rejected in self.judged if rejected is not None and rejected.last_resort]
        return [*self.accepted, *resorts][: self.wanted]

    @property
    def tried(self) -> int:
        """How many were verified until one could be shown, it included; a last resort comes after all others."""
        all_of_them = len(self.judged) + (not self.shown)
        return next((number for number, (_, one) in enumerate(self.judged, 1) if one is None), all_of_them)


@dataclass(frozen=True, slots=True, order=True)
class _Branch(Generic[C]):
    """A way to write another text."""

    loss: float
    """Minus the bound on its score: the smallest comes first."""
    number: int
    banned: frozenset[bytes] = field(compare=False)
    """Outputs with which its texts do not begin."""
    parent: C | None = field(compare=False, default=None)
    """What it turns off from."""
    stem: bytes = field(compare=False, default=b"")
    """The output with which all of its texts begin."""
    unfinished: C | None = field(compare=False, default=None)
    """One of its texts that was given up."""
    lost: float = field(compare=False, default=0.0)
    """Nats that the model lost by not writing what it preferred."""


class _Search(Generic[C]):
    def __init__(self, write: Write[C], verify: Verify, budget: SearchBudget, is_over: Callable[[], object]) -> None:
        self._write, self._verify, self._budget, self._is_over = write, verify, budget, is_over
        self._branches: list[_Branch[C]] = [_Branch(0.0, 0, frozenset())]
        self._waiting: list[tuple[float, int, C]] = []
        self._pruned: frozenset[bytes] = frozenset()
        self._seen: set[str] = set()
        self._ahead = 0
        self._forwards = 0
        self.found: SearchResult[C] = SearchResult(budget.accepted)

    def run(self) -> None:
        while not self._is_done():
            if self._waiting and not self._may_follow_better():
                if not self._judge(heappop(self._waiting)[2]):
                    return
            elif self._branches and not self._is_spent():
                self._follow(heappop(self._branches))
            elif not self._waiting:
                return

    def _is_done(self) -> bool:
        judged = self.found.judged
        is_over = bool(judged) and (len(judged) >= self._budget.verified or bool(self._is_over()))
        return is_over or len(self.found.accepted) >= self._budget.accepted

    def _is_spent(self) -> bool:
        forwards = self._budget.forwards + (0 if self.found.accepted else self._budget.until_accepted)
        return bool(self.found.written) and (self._forwards >= forwards or bool(self._is_over()))

    def _may_follow_better(self) -> bool:
        """Whether a branch is worth following before the best candidate is verified."""
        loss = self._waiting[0][0]
        is_spent = self._ahead >= self._budget.ahead or self._is_spent()
        return not is_spent and loss > -_LIKELY and bool(self._branches) and self._branches[0].loss < loss

    def _follow(self, branch: _Branch[C]) -> None:
        """Write the most probable text of a branch, and open the branches that turn off from it."""
        if self._is_pruned(branch.stem):
            return
        parent, stem = branch.parent, branch.stem
        if branch.unfinished is not None and not self._is_pruned(branch.unfinished.output):
            parent, stem = branch.unfinished, branch.unfinished.output
        best = -self._waiting[0][0] if self._waiting else -math.inf
        self._ahead += bool(self._waiting)
        candidate = self._write(parent, stem, branch.banned | self._pruned, best)
        self.found.written.append(candidate)
        self._forwards += candidate.forwards(stem)
        number = len(self.found.written) * _TOKENS
        is_useless = candidate.first_score < self._budget.least
        if candidate.is_unfinished and not is_useless:  # gone on with, should the better one be rejected
            heappush(self._branches, replace(branch, loss=-candidate.score, number=number, unfinished=candidate))
            return
        self._turn_off(candidate, branch, number)
        if candidate.text.strip() and not is_useless:
            heappush(self._waiting, (-candidate.score, number, candidate))

    def _turn_off(self, candidate: C, branch: _Branch[C], first_number: int) -> None:
        """Open a branch at each of the candidate's tokens that may be another."""
        for number, point in enumerate(candidate.branch_points(), first_number):
            lost = branch.lost + point.margin
            is_likely = lost <= self._budget.nats and (point.bound >= self._budget.least or not point.is_first)
            if is_likely and point.stem.startswith(branch.stem):
                banned = branch.banned | {point.output}
                heappush(self._branches, _Branch(-point.bound, number, banned, candidate, point.stem, lost=lost))

    def _is_pruned(self, output: bytes) -> bool:
        return any(output.startswith(beginning) for beginning in self._pruned)

    def _judge(self, candidate: C) -> bool:
        """Verify; False where nothing else is to be tried."""
        self._ahead = 0
        if candidate.text in self._seen:
            return True
        self._seen.add(candidate.text)
        rejected = self._verify(candidate.text)
        self.found.judged.append((candidate, rejected))
        if rejected is None:
            return True
        if rejected.end is not None:
            pruned = candidate.beginning(rejected.end)
            self._pruned |= {pruned}
            if not self._budget.ahead:  # a beam of one turns back to the place itself
                number = -len(self.found.judged)
                for point in candidate.branch_points():
                    if point.output == pruned and point.margin <= self._budget.nats:
                        branch = _Branch(-math.inf, number, frozenset[bytes](), candidate, point.stem)
                        heappush(self._branches, replace(branch, lost=point.margin))
        return not rejected.final


def search(
    write: Write[C], verify: Verify, budget: SearchBudget, *, is_over: Callable[[], object] = bool
) -> SearchResult[C]:
    """The most probable texts that are accepted, within `budget`.

    Args:
        is_over: Whether nothing more is to be tried; the first text is begun whatever it says, and the best one that
            was finished is verified.

    With a temperature above 0 each text is a draw from the model restricted to what was not rejected before it.
    """
    searching = _Search(write, verify, budget, is_over)
    searching.run()
    return searching.found
