"""Search for texts that a verifier accepts, the most probable first.

Each candidate opens a branch at each of its tokens: begin as it does, then write another token there. The probability
of that beginning bounds all texts of the branch. So branches are followed best first, and the candidates come in the
order of their probability (Lawler 1972, "A procedure for computing the k best solutions"). A candidate is verified
once no branch promises a more probable one. A rejection may name the part of the text that is wrong however it goes on;
then all branches that begin with that part are pruned. That an output ends is a choice as well: `END` is its last byte
then.

`search` is called for completions, rewrites and programs. It knows no language, no checker and no model: the caller
passes a function that writes and one that verifies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

_LIKELY = -4.0
"""Natural logarithm of a probability. A candidate above it is verified before any branch is followed: to look for a
more probable one took as long again and hardly ever found any."""
_MOST_LOST = 5.0
"""The default of `SearchBudget.nats`: texts that lose more are good by chance only."""
_MOST_TOKENS = 1 << 16
"""More tokens than a text has. Branches are numbered by their candidate times this, plus the index of their token."""
END = b"\xff"
"""Follows an output that ended where the writer chose so; no UTF-8 holds it."""


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """A verifier's answer: the text may not be shown."""

    end: int | None = None
    """The text up to this character is wrong however it goes on; None where that is not known."""
    final: bool = False
    """Whether no other text is to be tried, as the verifier did not answer in time."""
    last_resort: bool = False
    """Whether the text may be shown if too few others are accepted."""
    whole: bool = False
    """Whether no beginning of the text is better than the text."""


Verify = Callable[[str], NotAccepted | None]
"""Judges a text; None accepts it."""


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A token of a candidate in whose place a branch writes another."""

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
    """A candidate of the search: a text that was written, and where its branches are."""

    @property
    def text(self) -> str:
        """What would be shown; empty where nothing of the output can be."""

    @property
    def score(self) -> float:
        """Natural logarithm of the probability of what was written, which is only a beginning if it is unfinished."""

    @property
    def first_score(self) -> float:
        """The same of its first beginning that is worth reading, as far as it was written."""

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up because its score fell below the one that `Write` was given."""

    @property
    def output(self) -> bytes:
        """All that was written."""

    def branch_points(self) -> Iterator[BranchPoint]:
        """A branch point for each token in whose place another may be written, and for the end."""

    def beginning(self, length: int) -> bytes:
        """The output that writes the text's first `length` characters, and the rest of the token in which they end."""

    def forwards(self, stem: bytes) -> int:
        """The forwards that it cost, if the model had read `stem` before."""


C = TypeVar("C", bound=WrittenText)
Write = Callable[[C | None, bytes, frozenset[bytes], float], C]
"""Writes the most probable text of a branch. Arguments:

- the candidate from which the branch turns off, or None for the first text
- the stem: the output of that candidate with which the text must begin
- the outputs with which it must not begin
- a score; the text is given up once it is less probable
"""


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """How much may be tried."""

    forwards: int = 200
    """The model's forwards for all texts. The text that exceeds them is finished, and the first one is always begun."""
    until_accepted: int = 0
    """Further forwards while nothing is accepted: a person who asks wants something to read, and no last resort."""
    ahead: int = 5
    """How many texts may be begun while a finished one waits to be verified. 0 is a beam of one: a rejected text is
    continued from its wrong token, and a sampled text stays an exact sample."""
    verified: int = 1_000
    """The most texts that are verified."""
    accepted: int = 1
    """The number of accepted texts that are wanted; the search ends with them."""
    nats: float = _MOST_LOST
    """The most nats that a text may lose by tokens that the model did not prefer."""
    least: float = -math.inf
    """The least useful `WrittenText.first_score`; texts below it are not verified."""


@dataclass(slots=True)
class SearchResult(Generic[C]):
    """What the search wrote, and what the verifier said of it."""

    wanted: int = 1
    """The most texts that may be shown."""
    written: list[C] = field(default_factory=list)
    """All texts that were begun, in order."""
    judged: list[tuple[C, NotAccepted | None]] = field(default_factory=list)
    """All texts that were verified, in order, the most probable first; None where the text was accepted."""

    @property
    def accepted(self) -> list[C]:
        """The accepted texts, the most probable first."""
        return [candidate for candidate, rejected in self.judged if rejected is None]

    @property
    def shown(self) -> list[C]:
        """What may be shown: the accepted texts, then the last resorts."""
        resorts = [candidate for candidate, rejected in self.judged if rejected is not None and rejected.last_resort]
        return [*self.accepted, *resorts][: self.wanted]

    @property
    def tried(self) -> int:
        """The number of the first accepted text among the verified ones, from 1.

        Without one it is the number of all verified texts, and one more if there is no last resort either.
        """
        without_accepted = len(self.judged) + (not self.shown)
        numbered = enumerate(self.judged, 1)
        return next((number for number, (_, rejected) in numbered if rejected is None), without_accepted)


@dataclass(frozen=True, slots=True, order=True)
class _Branch(Generic[C]):
    """A set of texts: those that begin with `stem` and with none of `banned`."""

    loss: float
    """Minus the bound on the score of its texts; the branch with the smallest loss is followed first."""
    number: int
    """Among equal losses the branch with the smallest number is followed first."""
    banned: frozenset[bytes] = field(compare=False)
    """Outputs with which its texts do not begin."""
    parent: C | None = field(compare=False, default=None)
    """The candidate from which it turns off; None for the branch of all texts."""
    stem: bytes = field(compare=False, default=b"")
    """The output with which all of its texts begin."""
    unfinished: C | None = field(compare=False, default=None)
    """Its most probable text, if that was given up before its end."""
    lost: float = field(compare=False, default=0.0)
    """Nats lost by tokens that the model did not prefer (`SearchBudget.nats`)."""


class _Search(Generic[C]):
    """The state of one search; `run` fills `result`."""

    def __init__(self, write: Write[C], verify: Verify, budget: SearchBudget, is_over: Callable[[], object]) -> None:
        self._write, self._verify, self._budget, self._is_over = write, verify, budget, is_over
        self._branches: list[_Branch[C]] = [_Branch(0.0, 0, frozenset())]
        self._waiting: list[tuple[float, int, C]] = []
        """A heap of the candidates that are to be verified: minus the score, the number, the candidate."""
        self._pruned: frozenset[bytes] = frozenset()
        """Outputs that are wrong however they go on."""
        self._judged_texts: set[str] = set()
        self._ahead = 0
        """Texts that were begun since a candidate waits."""
        self._forwards = 0
        self.result: SearchResult[C] = SearchResult(budget.accepted)

    def run(self) -> None:
        """Verify the best candidate, or follow the best branch, until there is neither or the search is done."""
        while not self._is_done():
            if self._waiting and not self._may_follow_better():
                if not self._judge(heappop(self._waiting)[2]):
                    return
            elif self._branches and not self._is_spent():
                self._follow(heappop(self._branches))
            elif not self._waiting:
                return

    def _is_done(self) -> bool:
        """Whether enough texts are accepted or verified, or the time is over and one was verified."""
        judged = self.result.judged
        is_over = bool(judged) and (len(judged) >= self._budget.verified or bool(self._is_over()))
        return is_over or len(self.result.accepted) >= self._budget.accepted

    def _is_spent(self) -> bool:
        """Whether no further text is to be begun: the forwards are spent, or the time is over."""
        forwards = self._budget.forwards + (0 if self.result.accepted else self._budget.until_accepted)
        return bool(self.result.written) and (self._forwards >= forwards or bool(self._is_over()))

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
        best_waiting = -self._waiting[0][0] if self._waiting else -math.inf
        self._ahead += bool(self._waiting)
        candidate = self._write(parent, stem, branch.banned | self._pruned, best_waiting)
        self.result.written.append(candidate)
        self._forwards += candidate.forwards(stem)
        number = len(self.result.written) * _MOST_TOKENS
        is_useless = candidate.first_score < self._budget.least
        if candidate.is_unfinished and not is_useless:  # it is continued if the better candidate is rejected
            heappush(self._branches, replace(branch, loss=-candidate.score, number=number, unfinished=candidate))
            return
        self._turn_off(candidate, branch, number)
        if candidate.text.strip() and not is_useless:
            heappush(self._waiting, (-candidate.score, number, candidate))

    def _turn_off(self, candidate: C, branch: _Branch[C], first_number: int) -> None:
        """Open a branch at each of the candidate's tokens after the branch's stem, unless too much is lost there."""
        for number, point in enumerate(candidate.branch_points(), first_number):
            lost = branch.lost + point.margin
            is_useful = lost <= self._budget.nats and (point.bound >= self._budget.least or not point.is_first)
            if is_useful and point.stem.startswith(branch.stem):
                banned = branch.banned | {point.output}
                heappush(self._branches, _Branch(-point.bound, number, banned, candidate, point.stem, lost=lost))

    def _is_pruned(self, output: bytes) -> bool:
        return any(output.startswith(beginning) for beginning in self._pruned)

    def _judge(self, candidate: C) -> bool:
        """Verify a candidate, and prune what is wrong in it. False where nothing else is to be tried."""
        self._ahead = 0
        if candidate.text in self._judged_texts:
            return True
        self._judged_texts.add(candidate.text)
        rejected = self._verify(candidate.text)
        self.result.judged.append((candidate, rejected))
        if rejected is None:
            return True
        if rejected.end is not None:
            pruned = candidate.beginning(rejected.end)
            self._pruned |= {pruned}
            if not self._budget.ahead:
                self._retry_from(candidate, pruned)
        return not rejected.final

    def _retry_from(self, candidate: C, pruned: bytes) -> None:
        """Let a beam of one follow next the branch at the wrong token, which is the last token of `pruned`."""
        number = -len(self.result.judged)
        for point in candidate.branch_points():
            if point.output == pruned and point.margin <= self._budget.nats:
                branch = _Branch(-math.inf, number, frozenset[bytes](), candidate, point.stem, lost=point.margin)
                heappush(self._branches, branch)


def search(
    write: Write[C], verify: Verify, budget: SearchBudget, *, is_over: Callable[[], object] = bool
) -> SearchResult[C]:
    """The most probable texts that are accepted, within `budget`.

    Args:
        is_over: Whether the time is over. The first text is written all the same, and the best finished one verified.

    With a temperature above 0 each text is a draw from the model restricted to what was not rejected before it.
    """
    searching = _Search(write, verify, budget, is_over)
    searching.run()
    return searching.result
