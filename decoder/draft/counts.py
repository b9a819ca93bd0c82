"""Counts what became of each token: how many were accepted, rejected, extra or generated, and where.

`Ledger` counts while the decode loop runs, and makes `Counts`. The words are those of the hosted services. A token of
the output is one of these:

- accepted: the given draft has it, and it is what the model chose
- extra: the choice after a window of the draft that was accepted whole, so that it cost no forward
- copied: verified like a draft, but taken from what was read or written before
- generated: all others

A rejected token was drafted and is not in the output. So the output is accepted + extra + copied + generated tokens
long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise


class TokenOrigin(StrEnum):
    """How a token came about; see the module's docstring."""

    ACCEPTED = "accepted"
    EXTRA = "extra"
    GENERATED = "generated"
    COPIED = "copied"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring tokens of one kind."""

    kind: TokenOrigin
    start: int
    """Index in the output of the first token; of rejected ones, where they would have been."""
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of tokens by origin, and where they are."""

    accepted: int = 0
    rejected: int = 0
    extra: int = 0
    generated: int = 0
    copied: int = 0
    forwards: int = 0
    """Calls of the model; the reading of the prompt counts as one."""
    spans: tuple[Span, ...] = ()
    """In the order of the output; rejected tokens come before those that took their place."""


class Ledger:
    """The origins of one output's tokens, recorded while it grows."""

    def __init__(self) -> None:
        self.forwards = 0
        self._kinds: list[TokenOrigin] = []
        """The origin of each token of the output."""
        self._rejected: list[tuple[int, tuple[int, ...]]] = []
        """Rejected tokens, each group with the index in the output where it would have been."""
        self._are_drafts_own: Sequence[bool] | None = None
        """For each token of the window: whether it is the draft's own; None where all are."""
        self._verified = 0
        """How many tokens of the window were right so far."""

    def offered(self, given: Sequence[bool]) -> None:
        """Record, for each token of the next window, whether it is the draft's own."""
        self._are_drafts_own, self._verified = given, 0

    def take(self, kind: TokenOrigin) -> None:
        """Record the origin of a token that the output takes.

        The loop does not know which tokens of a window are copied; that is corrected here.
        """
        if self._are_drafts_own is not None and kind is TokenOrigin.ACCEPTED:
            kind = TokenOrigin.ACCEPTED if self._are_drafts_own[self._verified] else TokenOrigin.COPIED
            self._verified += 1
        elif self._are_drafts_own is not None and kind is TokenOrigin.EXTRA and not self._are_drafts_own[-1]:
            kind = TokenOrigin.GENERATED
        self._kinds.append(kind)

    def reject(self, tokens: Sequence[int]) -> None:
        """Record drafted tokens in whose place the last token was taken."""
        self._reject(len(self._kinds) - 1, tokens)

    def reject_for_end(self, tokens: Sequence[int]) -> None:
        """Record drafted tokens in whose place the text ends."""
        self._reject(len(self._kinds), tokens)

    def _reject(self, place: int, tokens: Sequence[int]) -> None:
        """Record the rejected tokens of the window's end that are the draft's own."""
        if self._are_drafts_own is not None:
            are_own = self._are_drafts_own[len(self._are_drafts_own) - len(tokens) :]
            tokens = [token for token, is_own in zip(tokens, are_own, strict=True) if is_own]
        if tokens:
            self._rejected.append((place, tuple(tokens)))

    def drop(self, count: int) -> None:
        """Forget the origins of the last `count` tokens of the output, which were removed."""
        del self._kinds[len(self._kinds) - count :]

    def beginning(self, count: int) -> Ledger:
        """A ledger of the first `count` tokens of the output; no forward is counted for them."""
        ledger = Ledger()
        ledger._kinds = self._kinds[:count]
        ledger._rejected = [(place, tokens) for place, tokens in self._rejected if place < count]
        return ledger

    def counts(self, output: Sequence[int]) -> Counts:
        """The counts for `output`, whose tokens were all taken."""
        spans = [Span(TokenOrigin.REJECTED, place, tokens) for place, tokens in self._rejected]
        start = 0
        for kind, same_kinds in groupby(self._kinds):
            stop = start + len([*same_kinds])
            spans.append(Span(kind, start, tuple(output[start:stop])))
            start = stop
        spans = _cut_at(spans, {place for place, _ in self._rejected})
        sums = {kind: sum(len(span.tokens) for span in spans if span.kind is kind) for kind in TokenOrigin}
        return Counts(
            accepted=sums[TokenOrigin.ACCEPTED],
            rejected=sums[TokenOrigin.REJECTED],
            extra=sums[TokenOrigin.EXTRA],
            generated=sums[TokenOrigin.GENERATED],
            copied=sums[TokenOrigin.COPIED],
            forwards=self.forwards,
            spans=tuple(sorted(spans, key=lambda span: (span.start, span.kind is not TokenOrigin.REJECTED))),
        )


def _cut_at(spans: list[Span], places: set[int]) -> list[Span]:
    """The spans, each cut where tokens were rejected between two of its own."""
    shorter = []
    for span in spans:
        if span.kind is TokenOrigin.REJECTED:
            shorter.append(span)
            continue
        end = span.start + len(span.tokens)
        edges = [span.start, *sorted(place for place in places if span.start < place < end), end]
        shorter += [
            Span(span.kind, start, span.tokens[start - span.start : stop - span.start])
            for start, stop in pairwise(edges)
        ]
    return shorter
