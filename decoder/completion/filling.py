"""Fill in at a cursor: outputs are made until one may be shown, or none is to be had.

The first that may be shown is the one of greedy choices. Where the model was not sure of it, there may be another that
is more probable as a whole, most often a shorter one; so the closest choice is made the other way and gone on with, as
long as what comes of that is more probable than what is there (branch and bound, as in `second_thoughts`).
"""

from __future__ import annotations

import math
import time
from threading import Event
from typing import TYPE_CHECKING, Final

from decoder.completion.attempt import Attempt, attempt
from decoder.completion.preparation import prepare, prompt_of
from decoder.completion.ranking import rank
from decoder.completion.told import Completion, told
from decoder.constraint.documents import DocumentStates
from decoder.prompt.healing import heal
from decoder.remembering import Remembering
from decoder.second import MOST, MOST_IN_PASSING, Thoughts, Verdict
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoder.completion.task import CompletionTask
    from decoder.constraint.guard import Guard
    from decoder.controller.pool import Session
    from decoder.models.model import Model

_LIKELY: Final = -4.0
"""Natural logarithm of the probability of a text from which on no more probable one is looked for. Where one is, a
second to fifth other text brought one more exact one in 350, for as much time again."""


def complete(
    model: Model,
    task: CompletionTask,
    cancel: Event | None = None,
    *,
    states: DocumentStates | None = None,
    guard: Callable[[str, str], Guard] | None = None,
) -> Completion:
    """Fill in at the end of `task.prefix`.

    Args:
        states: What is remembered of documents between requests.
        guard: Makes another constraint than the task's, of the text above and what the output must begin with.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        ControllerError: the request's own program was stopped, or answered what cannot be done.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
    """
    states, cancel = states or DocumentStates(), cancel or Event()
    if task.controller is None:
        return _complete(model, task, cancel, states=states, guard=guard, session=None)
    from decoder.controller.control import session_of  # noqa: PLC0415 - it loads machines that few requests need

    around = heal(task.prefix).prefix, task.suffix
    with session_of(task.controller, task.symbols, around, task.surroundings, task.prior) as session:
        return _complete(model, task, cancel, states=states, guard=guard, session=session)


def _complete(
    model: Model,
    task: CompletionTask,
    cancel: Event,
    *,
    states: DocumentStates,
    guard: Callable[[str, str], Guard] | None,
    session: Session | None,
) -> Completion:
    started = time.perf_counter()
    prepared = prepare(model, task, states, guard, session)
    floor = -math.inf if prepared.is_written_by_program else task.floor
    most = MOST if floor == -math.inf else MOST_IN_PASSING
    thoughts = Thoughts(
        task.prefix, task.suffix, task.symbols, task.objects, prepared.questions, prepared.is_repaired, most
    )
    remembering, attempts = Remembering(model), list[Attempt]()  # attempts begin alike
    while not attempts or attempts[-1].verdict is Verdict.AGAIN:
        attempts.append(attempt(remembering, task, prepared, thoughts, cancel, floor=floor))
    best = attempts[-1] if attempts[-1].verdict is Verdict.SHOW else attempts[0]
    if best.verdict is Verdict.SHOW and not _is_enough(best) and thoughts.turn(best.run, best.stop):
        rival = attempt(remembering, task, prepared, thoughts, cancel, floor=best.score, rival=True)
        attempts.append(rival)
        if rival.verdict is Verdict.SHOW:
            best = rival
    return told(best, attempts, prepared, started)


def _is_enough(shown: Attempt) -> bool:
    """Whether no more probable text is looked for: it is hardly ever there, or would only be a shorter one."""
    return shown.score >= _LIKELY or "\n" in shown.text or shown.stop is Stop.UNSURE


def rank_names(
    model: Model,
    task: CompletionTask,
    names: Sequence[str],
    *,
    budget_forwards: int | None = None,
    cancel: Event | None = None,
) -> dict[str, float]:
    """The model's log-probability of each name at the cursor, in place of the word that is half-typed there.

    Names that the budget did not reach have an estimate; where `cancel` came first, none may have a value.
    """
    healed = heal(task.prefix)
    space = " " if healed.word.startswith(" ") else ""
    prompt = prompt_of(model, task, healed.prefix)
    spelled = {space + name: name for name in names}
    scores = rank(model, prompt, list(spelled), budget_forwards=budget_forwards, cancel=cancel)
    return {spelled[text]: score for text, score in scores.items()}
