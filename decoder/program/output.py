"""What a model writes for a program: it tries another way where it has come to where nothing can follow.

Rules are asked one by one whether a text may go on, so each may have a way on and all together none: a program may want
five letters where the only name in scope that begins so has three. Then the ways are tried that differ from the model's
own in one token, the last ones first, then those that differ in two (limited discrepancy search, Harvey and Ginsberg
1995).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.loop import generate
from decoder.observer import Trace
from decoder.sampling import Sampler
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from threading import Event

    from decoder.constraint.guard import Guard
    from decoder.models.model import Model
    from decoder.observer import TokenTrace
    from decoder.sampling import SamplingOptions

_ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class _Way:
    """An output so far, and how it goes on."""

    tokens: tuple[int, ...]
    guards: tuple[Guard, ...]
    """Before the first token and behind each."""
    trace: tuple[TokenTrace, ...] = ()
    banned_tokens: frozenset[int] = frozenset()
    """Tokens that it does not go on with."""
    turns: int = 0
    """Tokens in which it differs from what the model would have written."""

    def branches(self, whole: _Way) -> Iterator[_Way]:
        """The ways that turn off the one that this has become, the last ones first."""
        least = len(self.tokens)
        for place in reversed(range(least, len(whole.tokens))):
            banned_tokens = frozenset({whole.tokens[place]}) | (self.banned_tokens if place == least else frozenset())
            yield _Way(
                whole.tokens[:place], whole.guards[: place + 1], whole.trace[:place], banned_tokens, self.turns + 1
            )


class Output:
    """The text as it grows."""

    def __init__(
        self, model: Model, prompt: Sequence[int], guard: Guard, sampling: SamplingOptions, cancel: Event
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._way = _Way((), (guard,))
        self._sampling = sampling
        self._cancel = cancel

    @property
    def guard(self) -> Guard:
        """The state at the end."""
        return self._way.guards[-1]

    @property
    def trace(self) -> tuple[TokenTrace, ...]:
        """What happened at each token."""
        return self._way.trace

    @property
    def text(self) -> str:
        """All that was written."""
        pieces = self._model.vocabulary.token_bytes
        return b"".join(pieces[token] for token in self._way.tokens).decode()

    def go_on(self, most: int) -> Stop:
        """Write until it ends, or until there are so many tokens in all; nothing that is there is taken back."""
        begun = self._way
        whole, stop = self._followed(begun, most)
        first = whole, stop
        others = [(one.turns, number, one) for number, one in enumerate(begun.branches(whole))]
        for attempt in range(1, _ATTEMPTS):
            if not _stuck(whole, stop) or not others:
                break
            _, _, way = heappop(others)
            whole, stop = self._followed(way, most)
            for number, one in enumerate(way.branches(whole)):
                heappush(others, (one.turns, attempt * most + number, one))
        self._way, stop = first if _stuck(whole, stop) else (whole, stop)
        return stop

    def drop_partial(self) -> None:
        """Take back the tokens of a character that is not complete."""
        while self.guard.partial:
            way = self._way
            self._way = replace(way, tokens=way.tokens[:-1], guards=way.guards[:-1], trace=way.trace[:-1])

    def hold_to(self, guard: Guard) -> None:
        """Go on from here with another state."""
        self._way = _Way(self._way.tokens, (*self._way.guards[:-1], guard), self._way.trace)

    def _followed(self, way: _Way, most: int) -> tuple[_Way, Stop]:
        trace = Trace()
        run = Generation(
            way.guards[-1], None, max_tokens=most - len(way.tokens), deadline=None, cancel=self._cancel,
            repeats=lambda _tokens: 0, observers=(trace,),
            banned_prefixes=frozenset(self._model.vocabulary.token_bytes[token] for token in way.banned_tokens),
        )  # fmt: skip
        stop = generate(self._model, [*self._prompt, *way.tokens], run, Sampler(self._sampling))
        whole = _Way((*way.tokens, *run.tokens), (*way.guards, *run.guards[1:]), (*way.trace, *trace.steps))
        return whole, stop


def _stuck(way: _Way, stop: Stop) -> bool:
    with constraint_faults():
        return stop is Stop.STUCK and way.guards[-1].may_stop() is not None
