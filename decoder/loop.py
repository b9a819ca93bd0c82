"""The decode loop: draft, one forward, verify the draft, choose, advance.

Policy is elsewhere. The sampler knows what is preferred, the constraint what is legal, the drafter what is expected,
the `Generation` where to stop; observers record, and the model knows its device. `generate` and `decode` are called by
whatever writes one text: completions, rewrites and programs.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from decoder.choice import choose, reaches
from decoder.draft.counts import TokenOrigin
from decoder.draft.policies import Undrafted
from decoder.errors import constraint_faults
from decoder.models.model import is_partial
from decoder.models.waiting import GaveUpError, waited_for
from decoder.observer import LogitsRow
from decoder.prefill import portions, shared_length
from decoder.sampling import Distribution, Sampler
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Sequence

    import numpy.typing as npt

    from decoder.choice import Choice
    from decoder.draft.policies import Drafter
    from decoder.generation import Generation
    from decoder.grouping import Grouping
    from decoder.models.model import Logits, Model


def generate(
    model: Model,
    prompt: Sequence[int],
    run: Generation,
    sampler: Sampler,
    drafter: Drafter | None = None,
    *,
    grouping: Grouping | None = None,
) -> Stop:
    """Continue `prompt` until something ends the output, which is in `run`. Returns why it ended. See `decode`.

    Raises:
        ConstraintFaultError: a rule broke; nothing of the output may be shown.
        OutOfDeviceMemoryError: the caller may try again on another device.
    """
    steps = decode(model, prompt, run, sampler, drafter or Undrafted(), grouping=grouping)
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
    """`generate` as a generator: it yields after each forward, so that others may use the device, but not the cache.

    Args:
        run: The output, empty or with the beginning of another (`Generation.begin_as`).
        grouping: Makes each choice the same with and without drafts; with None rounding may make it another.
    """
    try:
        return (yield from _decode(model, prompt, run, sampler=sampler, drafter=drafter, grouping=grouping))
    except GaveUpError:
        return run.out_of_time() or Stop.CANCELLED


def _decode(
    model: Model,
    prompt: Sequence[int],
    run: Generation,
    *,
    sampler: Sampler,
    drafter: Drafter,
    grouping: Grouping | None,
) -> Generator[None, None, Stop]:
    """`decode`, but a model that gave up waiting (`GaveUpError`) ends it with that error."""
    rows = yield from _read_prompt(model, [*prompt, *run.tokens], run)
    window = drafter.window(run.tokens, run.room)
    if window and rows is not None:
        rows = [*rows, *_forward(model, [*prompt, *run.tokens, *window], len(window), run)]
    while (stop := run.out_of_time()) is None and rows is not None:
        count = len(run.tokens)
        stop = _verify(rows, window, model, prompt, run, sampler=sampler, grouping=grouping)
        drafter.record(window, shared_length(run.tokens[count:], window))
        if stop is not None:
            return stop
        window = drafter.window(run.tokens, run.room)
        rows = _forward(model, [*prompt, *run.tokens, *window], len(window) + 1, run)
        yield
    return stop or Stop.CANCELLED


def _verify(
    rows: Sequence[Distribution],
    window: Sequence[int],
    model: Model,
    prompt: Sequence[int],
    run: Generation,
    *,
    sampler: Sampler,
    grouping: Grouping | None,
) -> Stop | None:
    """Choose at each row as if nothing had been drafted, until a choice is not the drafted token.

    Returns why the output ends, or None where it goes on.

    Args:
        rows: The model's distributions; row i is after i tokens of the window.
        window: The drafted tokens.

    The row after the whole window yields one more token for free. A drafted token x is accepted with the probability
    that the sampler gives it; otherwise a token other than x is sampled (Leviathan et al. 2023, section 2.3, with a
    point mass as the draft's distribution).
    """
    for place, distribution in enumerate(rows):
        choice, row = _choose_widely(distribution, model, prompt, run, sampler)
        if grouping is not None and grouping.doubtful(row.biased.logits, choice, len(run.tokens), sampler):
            choice, row = _choose(Distribution(grouping.settled(run.tokens)), model, run, sampler)
        if choice is None:
            return run.out_of_time() or Stop.STUCK
        if stop := run.observe(choice, row):
            run.ledger.reject(window[place:])
            return stop
        if choice.ends:
            vocabulary = run.vocabulary or model.vocabulary
            run.supplied = b"" if choice.token in vocabulary.end else vocabulary.token_bytes[choice.token]
            run.ledger.reject_for_end(window[place:])
            return Stop.END
        origin = _origin(choice.token, place, window)
        run.ledger.take(origin)
        if origin is not TokenOrigin.ACCEPTED:
            run.ledger.reject(window[place:])
        if (stop := run.advance(choice, model.vocabulary)) or origin is not TokenOrigin.ACCEPTED:
            return stop
    raise AssertionError("no token is drafted for the row after the window, so it returns")


def _origin(token: int, place: int, window: Sequence[int]) -> TokenOrigin:
    """How a token came about that was chosen after `place` tokens of a window."""
    if place < len(window):
        return TokenOrigin.ACCEPTED if token == window[place] else TokenOrigin.GENERATED
    return TokenOrigin.EXTRA if window else TokenOrigin.GENERATED


def _choose_widely(
    distribution: Distribution, model: Model, prompt: Sequence[int], run: Generation, sampler: Sampler
) -> tuple[Choice | None, LogitsRow]:
    """`_choose`; if a server named only the best tokens and none of them will do, it is asked for further ones."""
    if not is_partial(model):
        return _choose(distribution, model, run, sampler)
    tokens, vocabulary = [*prompt, *run.tokens], run.vocabulary or model.vocabulary
    with waited_for(run.out_of_time):
        required = run.states[-1].required_prefix
        if required and not reaches(distribution.logits, required, vocabulary):
            fitting = vocabulary.fitting(required).tolist()
            wider = model.widened(tokens, fitting, ())
            if wider is None or not reaches(wider, required, vocabulary):
                wider = model.written(required)
            distribution = distribution if wider is None else Distribution(wider)
        choice, row = _choose(distribution, model, run, sampler)
        if choice is not None or run.out_of_time() is not None or required:
            return choice, row
        wider = model.widened(tokens, None, np.flatnonzero(np.isfinite(distribution.logits)).tolist())
        return (None, row) if wider is None else _choose(Distribution(wider, 0.0), model, run, sampler)


def _choose(
    distribution: Distribution, model: Model, run: Generation, sampler: Sampler
) -> tuple[Choice | None, LogitsRow]:
    """The next token of the output, None if none is legal; and the row that it was chosen from.

    The controller changes the model's distribution first, then the n-grams do, then the search's banned tokens go.
    """
    position, constraint, vocabulary = len(run.tokens), run.states[-1], run.vocabulary or model.vocabulary
    steering = None if run.control is None else run.control.steer(distribution.logits, position, run)
    if steering is not None and (forced := steering.forced_choice(constraint, vocabulary)) is not None:
        unchanged = distribution
        return forced, LogitsRow(constraint, vocabulary, distribution, unchanged, unchanged, distribution.logits)
    steered = distribution if steering is None else Distribution(steering.logits)

    # only when greedy: a sample must follow the restricted distribution, however improbable its tokens were before
    def hopeless() -> float:
        return -math.inf if sampler.options.temperature else biased.normaliser + run.hopeless

    with constraint_faults():
        biased = run.biased(steered)
        banned_tokens = run.banned_tokens(vocabulary)
        row = LogitsRow(constraint, vocabulary, distribution, steered, biased, _without(banned_tokens, biased.logits))
        preferences = sampler.preferences(row.unbanned_logits, position)
        banned = frozenset[int]() if steering is None else steering.banned
        choice = choose(preferences, constraint, vocabulary, hopeless=hopeless, banned=banned, is_late=run.out_of_time)
    is_banned = choice is not None and choice.token in banned_tokens  # chosen only where nothing else is legal
    return (None if is_banned else choice), row


def _without(tokens: Collection[int], logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Logits with minus infinity for `tokens`; the same object where there are no tokens."""
    if not tokens:
        return logits
    logits = logits.copy()
    logits[list(tokens)] = -np.inf
    return logits


def _read_prompt(
    model: Model, prompt: Sequence[int], run: Generation
) -> Generator[None, None, Sequence[Distribution] | None]:
    """The one distribution after the prompt; None where the time was over before. Yields as `decode` does."""
    if run.known is not None:
        return [run.known]
    reading = portions(model, prompt)
    while run.out_of_time() is None:
        started = time.perf_counter()
        with waited_for(run.out_of_time):
            prefilled = next(reading)
        run.forward_seconds += time.perf_counter() - started
        if prefilled is not None:
            run.reused = prefilled.reused
            run.ledger.forwards += 1
            return _distributions(model, prefilled.logits[-1:])
        yield
    return None


def _forward(model: Model, tokens: Sequence[int], rows: int, run: Generation) -> Sequence[Distribution]:
    """Bring the cache to `tokens`; the distribution after each of the last `rows` of them."""
    started = time.perf_counter()
    cached = min(shared_length(model.tokens, tokens), len(tokens) - rows)
    model.truncate(cached)
    with waited_for(run.out_of_time):
        logits = model.forward(tokens[cached:], rows)
    run.forward_seconds += time.perf_counter() - started
    run.ledger.forwards += 1
    return _distributions(model, logits)


def _distributions(model: Model, logits: Logits) -> list[Distribution]:
    """Rows of logits as distributions. A partial model's logits are log-probabilities: their normaliser is 0."""
    return [Distribution(row, 0.0 if is_partial(model) else None) for row in logits]
