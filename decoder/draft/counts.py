"""What became of each token: how many were accepted, rejected, extra or generated, and where.

The words are those of the hosted services. A token of the output is *accepted* (the given draft has it, and it is what
the model chose), *extra* (the choice after a window of the draft that was accepted whole: free), *copied* (verified
like a draft, but taken from elsewhere: what was read or written before) or *generated* (all others). A *rejected* token
was drafted and is not in the output. So the output is accepted + extra + copied + generated tokens long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise


class TokenOrigin(StrEnum):
    """How a token came about."""

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
    """The sums, and the spans in the order of the output, rejected tokens before what took their place."""

    accepted: int = 0
    rejected: int = 0
    extra: int = 0
    generated: int = 0
    copied: int = 0
    forwards: int = 0
    """Calls of the model, the reading of the prompt counted once."""
    spans: tuple[Span, ...] = ()


class Ledger:
    """Counts as they grow. Belongs to one generation."""

    def __init__(self) -> None:
        self.forwards = 0
        self._kinds: list[TokenOrigin] = []
        self._rejected: list[tuple[int, tuple[int, ...]]] = []
        self._given: Sequence[bool] | None = None
        self._verified = 0
        """Tokens of the window that were right so far."""

    def offered(self, given: Sequence[bool]) -> None:
        """Record, for each token of the next window, whether it is the draft's own."""
        self._given, self._verified = given, 0

    def take(self, kind: TokenOrigin) -> None:
        """The output has one more token."""
        if self._given is not None and kind is TokenOrigin.ACCEPTED:
            kind = TokenOrigin.ACCEPTED if self._given[self._verified] else TokenOrigin.COPIED
            self._verified += 1
        elif self._given is not None and kind is TokenOrigin.EXTRA and not self._given[-1]:
            kind = TokenOrigin.GENERATED
        self._kinds.append(kind)

    def reject(self, tokens: Sequence[int]) -> None:
        """Drafted tokens gave way to the token taken last."""
        self._reject(len(self._kinds) - 1, tokens)

    def reject_for_end(self, tokens: Sequence[int]) -> None:
        """Drafted tokens gave way to the end of the text."""
        self._reject(len(self._kinds), tokens)

    def _reject(self, place: int, tokens: Sequence[int]) -> None:
        if self._given is not None:
            given = self._given[len(self._given) - len(tokens) :]
            tokens = [token for token, is_given in zip(tokens, given, strict=True) if is_given]
        if tokens:
            self._rejected.append((place, tuple(tokens)))

    def drop(self, count: int) -> None:
        """The last tokens of the output were taken back."""
        del self._kinds[len(self._kinds) - count :]

    def beginning(self, count: int) -> Ledger:
        """What became of the first `count` tokens of the output; no forward is counted for them."""
        ledger = Ledger()
        ledger._kinds = self._kinds[:count]
        ledger._rejected = [(at, tokens) for at, tokens in self._rejected if at < count]
        return ledger

    def counts(self, output: Sequence[int]) -> Counts:
        """The sums for `output`, whose tokens were all taken."""
        spans = [Span(TokenOrigin.REJECTED, at, tokens) for at, tokens in self._rejected]
        place = 0
        for kind, run in groupby(self._kinds):
            length = sum(1 for _ in run)
            spans.append(Span(kind, place, tuple(output[place : place + length])))
            place += length
        spans = _cut_at(spans, {at for at, _ in self._rejected})
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
    """Spans in which nothing was rejected between two of their tokens."""
    cut = []
    for span in spans:
        if span.kind is TokenOrigin.REJECTED:
            cut.append(span)
            continue
        end = span.start + len(span.tokens)
        edges = [span.start, *sorted(place for place in places if span.start < place < end), end]
        cut += [
            Span(span.kind, start, span.tokens[start - span.start : stop - span.start])
            for start, stop in pairwise(edges)
        ]
    return cut
