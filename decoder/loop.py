"""The decode loop: the only place that sees logits.

Policy (what is preferred, what is legal, where to stop) lives in the sampler, the guard and the endings; the device
lives behind the model. Everything that one request changes is in its `Generation`.
"""

from __future__ import annotations

import codecs
import math
import time
from bisect import bisect_right
from typing import TYPE_CHECKING

from decoder.choice import Choice, choose
from decoder.constraint.protocol import Refusal
from decoder.errors import constraint_faults
from decoder.prefill import prefill
from decoder.sampling import Sampler, log_normaliser
from decoder.stops import Ends, Stop, repeats_itself
from decoder.trace import TokenTrace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from decoder.constraint.guard import Guard
    from decoder.model import Logits, Model

_HOPELESS = -9.0
"""Natural logarithm of a probability (1 in 8,000) under which a legal token is no answer to a refused name: letter by
letter, a name that does not exist would turn into one that does."""

_TOLD = 8
"""Of the tokens refused in one step, so many are remembered for people."""


class Generation:
    """One output as it grows; everything that a request changes, and nothing else.

    Args:
        guard: The constraint before the first token.
        ends: Reads the output and says where it ends; None goes on until the model or a limit ends it.
        deadline: On `time.monotonic`'s clock.
        cancel: Looked at before every token.
    """

    def __init__(
        self, guard: Guard, ends: Ends | None, *, max_tokens: int, deadline: float | None, cancel: Event
    ) -> None:
        self.ends = ends
        self.max_tokens = max_tokens
        self.deadline = deadline
        self.cancel = cancel
        self.tokens: list[int] = []
        self.guards = [guard]
        """`guards[n]` is the guard after n tokens: going back is dropping the others."""
        self.lengths = [0]
        """Bytes of output after n tokens."""
        self.output = bytearray()
        self.kept: int | None = None
        """Characters of the output to keep, where an ending said so."""
        self.trace: list[TokenTrace] = []
        self.reused = 0
        self.forward_seconds = 0.0
        self.first_token_at: float | None = None
        """On `time.perf_counter`'s clock."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def append(self, token: int, written: bytes, guard: Guard) -> str:
        """Take a token; the whole characters that it completes."""
        self.tokens.append(token)
        self.guards.append(guard)
        self.output += written
        self.lengths.append(len(self.output))
        return self._decoder.decode(written)

    def drop(self, count: int) -> None:
        """Take the last `count` tokens back."""
        if count:
            del self.tokens[-count:], self.guards[-count:], self.lengths[-count:]
            del self.output[self.lengths[-1] :]

    def stoppable(self) -> tuple[str, Guard]:
        """The longest beginning of what is to be kept that its guard lets stand, and that guard."""
        wanted = len(self.output)
        if self.kept is not None:
            wanted = len(self.output.decode("utf-8", "ignore")[: self.kept].encode())
        count = bisect_right(self.lengths, wanted) - 1
        ended = self.guards[count].feed(bytes(self.output[self.lengths[count] : wanted]))
        if not isinstance(ended, Refusal) and ended.may_stop() is None:
            return self.output[:wanted].decode("utf-8", "ignore"), ended
        while count and self.guards[count].may_stop() is not None:
            count -= 1
        return self.output[: self.lengths[count]].decode("utf-8", "ignore"), self.guards[count]


def generate(model: Model, prompt: Sequence[int], run: Generation, sampler: Sampler) -> Stop:
    """Continue `prompt` token by token until something ends it; the output is in `run`.

    Raises:
        ConstraintFaultError: a rule broke; nothing of the output may be shown.
        OutOfDeviceMemoryError: the caller may try again elsewhere.
    """
    logits = _read_prompt(model, prompt, run)
    while (stop := _out_of_time(run)) is None:
        if logits is None:
            continue
        normaliser = log_normaliser(logits[-1])
        choice = _choose(logits, normaliser, model, run, sampler)
        if choice is None:
            return Stop.STUCK
        _record(choice, logits, normaliser, model, run)
        if choice.ends:
            return Stop.END
        if stop := _advance(choice, model, run):
            return stop
        logits = _forward(model, choice.token, run)
    return stop


def _read_prompt(model: Model, prompt: Sequence[int], run: Generation) -> Logits | None:
    started = time.perf_counter()
    prefilled = prefill(model, prompt, cancel=run.cancel, deadline=run.deadline)
    run.forward_seconds += time.perf_counter() - started
    if prefilled is None:
        return None
    run.reused = prefilled.reused
    return prefilled.logits


def _forward(model: Model, token: int, run: Generation) -> Logits:
    started = time.perf_counter()
    logits = model.forward([token])
    run.forward_seconds += time.perf_counter() - started
    return logits


def _out_of_time(run: Generation) -> Stop | None:
    if run.cancel.is_set():
        return Stop.CANCELLED
    if run.deadline is not None and time.monotonic() >= run.deadline:
        return Stop.DEADLINE
    return None


def _choose(logits: Logits, normaliser: float, model: Model, run: Generation, sampler: Sampler) -> Choice | None:
    preferences = sampler.preferences(logits[-1], len(run.tokens))
    # only when greedy: a sample must follow the restricted distribution, however improbable its tokens were before
    hopeless = -math.inf if sampler.options.temperature else normaliser + _HOPELESS
    with constraint_faults():
        return choose(preferences, run.guards[-1], model.vocabulary, hopeless=hopeless)


def _record(choice: Choice, logits: Logits, normaliser: float, model: Model, run: Generation) -> None:
    written = model.vocabulary.token_bytes
    if run.first_token_at is None:
        run.first_token_at = time.perf_counter()
    run.trace.append(
        TokenTrace(
            text="" if choice.ends else _shown(written[choice.token]),
            logprob=float(logits[-1][choice.token]) - normaliser,
            favourite=_shown(written[int(logits[-1].argmax())]),
            refused=tuple((_shown(written[token]), refusal) for token, refusal in choice.refused[:_TOLD]),
            masked=choice.masked,
        )
    )


def _advance(choice: Choice, model: Model, run: Generation) -> Stop | None:
    text = run.append(choice.token, model.vocabulary.token_bytes[choice.token], choice.guard)
    if run.ends and (ending := run.ends.feed(text)):
        run.kept = ending.length
        return ending.stop
    if surplus := repeats_itself(run.tokens):
        run.drop(surplus)
        return Stop.REPETITION
    return Stop.LENGTH if len(run.tokens) >= run.max_tokens else None


def _shown(token: bytes) -> str:
    return token.decode("utf-8", "replace")
