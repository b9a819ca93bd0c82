"""The decode loop: the only place that sees logits.

Draft, one forward, verify, choose, advance. Policy lives elsewhere: what is preferred in the sampler, what is legal in
the guard, what is expected in the drafter, where to stop in the endings; the device lives behind the model.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from decoder.choice import Choice, choose, margin
from decoder.draft.counts import Kind
from decoder.draft.policies import Undrafted
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.prefill import portions
from decoder.sampling import Sampler, log_normaliser
from decoder.score import score
from decoder.stops import Stop
from decoder.trace import lift, traced

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Sequence

    import numpy.typing as npt

    from decoder.draft.draft import Drafter
    from decoder.grouping import Grouping
    from decoder.models.model import Logits, Model

_HOPELESS = -9.0
"""Natural logarithm of a probability (1 in 8,000) under which a legal token is no answer to a refused name: letter by
letter, a name that does not exist would turn into one that does."""


def generate(
    model: Model, prompt: Sequence[int], run: Generation, sampler: Sampler, drafter: Drafter | None = None
) -> Stop:
    """Continue `prompt` until something ends it; the output is in `run`.

    Raises:
        ConstraintFaultError: a rule broke; nothing of the output may be shown.
        OutOfDeviceMemoryError: the caller may try again elsewhere.
    """
    steps = decode(model, prompt, run, sampler, drafter or Undrafted())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # a Stop, as `decode` says


def decode(
    model: Model,
    prompt: Sequence[int],
    run: Generation,
    sampler: Sampler,
    drafter: Drafter,
    *,
    grouping: Grouping | None = None,
) -> Generator[None, None, Stop]:
    """The same, to be gone on with after each forward: others may use the device meanwhile, but not the cache.

    Args:
        run: May have begun (`Generation.begin_as`).
        grouping: Makes each choice independent of what was drafted, to the last bit; None leaves it at rounding.
    """
    rows = yield from _read(model, [*prompt, *run.tokens], run)
    window = drafter.window(run.tokens, run.room)
    if window and rows is not None:
        rows = np.concatenate([rows, _forward(model, window, run)])
    while (stop := run.out_of_time()) is None and rows is not None:
        before = len(run.tokens)
        stop = _verify(rows, window, model, run, sampler, grouping=grouping)
        drafter.verified(window, _agreed(run.tokens[before:], window))
        if stop is not None:
            return stop
        model.truncate(len(prompt) + len(run.tokens) - 1)
        window = drafter.window(run.tokens, run.room)
        rows = _forward(model, [run.tokens[-1], *window], run)
        yield
    return stop or Stop.CANCELLED


def _verify(
    rows: Logits,
    window: Sequence[int],
    model: Model,
    run: Generation,
    sampler: Sampler,
    *,
    grouping: Grouping | None,
) -> Stop | None:
    """Choose at each row as if nothing had been drafted, until a choice is not the drafted token.

    Args:
        rows: float32 [window + 1, vocabulary], row i after i tokens of the window.

    The row behind the whole window yields one more token for free. A drafted token x is so accepted with the
    probability that the sampler gives it, and else something is sampled that is not x (Leviathan et al. 2023,
    section 2.3, for a point mass as the draft's distribution).
    """
    for place, logits in enumerate(rows):
        choice, leaned = _choose(logits, len(run.tokens), model, run, sampler)
        if grouping is not None and grouping.doubtful(leaned, choice, len(run.tokens), sampler):
            logits = grouping.settled(run.tokens)  # noqa: PLW2901 - the same row, beyond doubt
            choice, leaned = _choose(logits, len(run.tokens), model, run, sampler)
        if choice is None:
            return run.out_of_time() or Stop.STUCK
        _note(choice, logits, leaned, model, run)
        if run.is_unsure:
            run.ledger.reject(window[place:])
            return Stop.UNSURE
        if choice.ends:
            vocabulary = run.vocabulary or model.vocabulary
            run.supplied = b"" if choice.token in vocabulary.end else vocabulary.token_bytes[choice.token]
            run.ledger.reject_for_end(window[place:])
            return Stop.END
        expected = place < len(window) and choice.token == window[place]
        free = place == len(window) > 0
        run.ledger.take(Kind.ACCEPTED if expected else Kind.EXTRA if free else Kind.GENERATED)
        if not expected:
            run.ledger.reject(window[place:])
        if stop := _advance(choice, model, run):
            return stop
        if not expected:
            return None
    raise AssertionError("the row behind the window expects nothing")


def _note(
    choice: Choice, logits: npt.NDArray[np.float32], leaned: npt.NDArray[np.float32], model: Model, run: Generation
) -> None:
    """Remember of a choice what is wanted of it."""
    if run.first_token_at is None:
        run.first_token_at = time.perf_counter()
    if run.traced:
        run.trace.append(traced(choice, logits, (run.vocabulary or model.vocabulary).token_bytes))
    if run.scores is not None:
        vocabulary = run.vocabulary or model.vocabulary
        scored = 0.0 if choice.forced else score(choice.token, choice.guard, leaned, run.guards[-1], vocabulary)
        run.scores.append(scored)
    if run.margins is not None:
        run.margins.append(choice.margin)


def _choose(
    logits: npt.NDArray[np.float32], place: int, model: Model, run: Generation, sampler: Sampler
) -> tuple[Choice | None, npt.NDArray[np.float32]]:
    """The choice, and the logits as the request's own program and the bias have them, before anything was banned."""
    guard, vocabulary = run.guards[place], run.vocabulary or model.vocabulary
    steered = None if run.control is None else run.control.steer(logits, place, run)
    if steered is not None and (wanted := steered.only(guard, vocabulary)) is not None:
        return wanted, logits
    plain = logits if steered is None else steered.logits
    with constraint_faults():
        leaned = run.leaned(plain, place)
        banned_tokens = run.banned_tokens(place, vocabulary)
    allowed = _without(banned_tokens, leaned)
    preferences = sampler.preferences(allowed, place)

    # only when greedy: a sample must follow the restricted distribution, however improbable its tokens were before
    def hopeless() -> float:
        return -math.inf if sampler.options.temperature else log_normaliser(leaned) + _HOPELESS

    with constraint_faults():
        banned = frozenset[int]() if steered is None else steered.banned
        choice = choose(preferences, guard, vocabulary, hopeless=hopeless, banned=banned, is_late=run.out_of_time)
    if choice is None or choice.token in banned_tokens:
        return None, leaned
    if run.margins is not None:
        choice = replace(choice, margin=margin(choice, allowed, guard, vocabulary))
    if run.traced and leaned is not plain:
        choice = replace(choice, lift=lift(choice.token, plain, leaned))
    return choice, leaned


def _without(tokens: Collection[int], logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Logits of which some tokens have none; the same object where there are no such tokens."""
    if not tokens:
        return logits
    logits = logits.copy()
    logits[list(tokens)] = -np.inf
    return logits


def _advance(choice: Choice, model: Model, run: Generation) -> Stop | None:
    text = run.append(choice.token, model.vocabulary.token_bytes[choice.token], choice.guard)
    if run.ends and (ending := run.ends.feed(text)):
        run.kept = ending.length
        return ending.stop
    if surplus := run.repeats(run.tokens):
        run.surplus = model.vocabulary.token_bytes[run.tokens[-surplus]]
        run.drop(surplus)
        return Stop.REPETITION
    return Stop.LENGTH if run.room <= 0 else None


def _read(model: Model, prompt: Sequence[int], run: Generation) -> Generator[None, None, Logits | None]:
    reading = portions(model, prompt)
    while run.out_of_time() is None:
        started = time.perf_counter()
        prefilled = next(reading)
        run.forward_seconds += time.perf_counter() - started
        if prefilled is not None:
            run.reused = prefilled.reused
            run.ledger.forwards += 1
            return prefilled.logits
        yield
    return None


def _forward(model: Model, tokens: Sequence[int], run: Generation) -> Logits:
    started = time.perf_counter()
    logits = model.forward(tokens, len(tokens))
    run.forward_seconds += time.perf_counter() - started
    run.ledger.forwards += 1
    return logits


def _agreed(taken: Sequence[int], window: Sequence[int]) -> int:
    """Tokens of the window that the output has."""
    pairs = enumerate(zip(taken, window, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(taken), len(window)))
