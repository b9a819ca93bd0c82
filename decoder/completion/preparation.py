"""What all outputs of one completion begin with: the prompt, the constraint, the bias, and where an output ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.completion.constraint import constraint_at
from decoder.errors import constraint_faults
from decoder.lexical import at_cursor
from decoder.ngrams import NgramBias
from decoder.prompt.families import Source
from decoder.prompt.healing import heal
from decoder.prompt.packing import packer_for
from decoder.stops import Ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoder.completion.task import CompletionTask
    from decoder.constraint.documents import DocumentStates
    from decoder.constraint.state import ConstraintState
    from decoder.controller.control import Control
    from decoder.controller.session import Session
    from decoder.grammar import Entry
    from decoder.models.model import Model
    from decoder.prompt.healing import Healed

_NEARBY = 4_000
"""Characters around the cursor in which the lines above and below are looked for."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What all texts of one request have in common."""

    healed: Healed
    """The text before the cursor in the prompt, and the half-typed word that the output must begin with."""
    prompt: Sequence[int]
    constraint: ConstraintState
    """The state before the first token."""
    entry: Entry | None
    """How the syntax automaton got to the cursor; None where the request is unconstrained, or brings its constraint."""
    bias: NgramBias | None
    control: Control | None
    """The request's controller, if it has one that is asked at each token."""
    ends: Ends | None
    """The reader of outputs before anything is read; None where the controller decides where the output ends."""

    def endings(self) -> Ends | None:
        """Finds where an output ends; a new object for each output."""
        return None if self.ends is None else self.ends.restarted()


def prepare(
    model: Model,
    task: CompletionTask,
    states: DocumentStates,
    make_constraint: Callable[[str, str], ConstraintState] | None,
    session: Session | None,
) -> Preparation:
    """Look at a place once, for all outputs.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        ProgramError: the request's own program was stopped, or answered what cannot be done.
    """
    healed = heal(task.prefix)
    required_prefix = healed.word + task.beginning
    with constraint_faults():
        if make_constraint is None:
            constraint, entry = constraint_at(task, healed.prefix, required_prefix, states)
        else:
            constraint, entry = make_constraint(healed.prefix, required_prefix), None
    constraint, control, open_ended = _controlled(model, constraint, session, task)
    return Preparation(
        healed,
        prompt_of(model, task, healed.prefix),
        constraint,
        entry,
        _ngrams(model, task, healed.prefix),
        control,
        None if open_ended else _ends(task, healed.prefix),
    )


def prompt_of(model: Model, task: CompletionTask, prefix: str) -> Sequence[int]:
    """The prompt's tokens, with room after them to write."""
    source = Source(task.symbols.language, prefix, task.suffix, path=task.path, snippets=task.symbols.snippets)
    room_to_write = min(task.max_tokens, model.context // 4)
    return packer_for(model.vocabulary).pack(source, model.context - room_to_write).tokens


def _controlled(
    model: Model, constraint: ConstraintState, session: Session | None, task: CompletionTask
) -> tuple[ConstraintState, Control | None, bool]:
    """The constraint, narrowed by a controller's main; a control of its steps; whether a main decides the end.

    A controller has a main or steps.
    """
    if session is None:
        return constraint, None, False
    from decoder.controller.control import (  # noqa: PLC0415 - it loads machines that few requests need
        Control,
        held_to_main,
    )

    if session.has_steps:
        return constraint, Control(session, model.vocabulary), False
    return held_to_main(constraint, session, task.symbols), None, True


def _ngrams(model: Model, task: CompletionTask, prefix: str) -> NgramBias | None:
    """What makes more probable what the file and the workspace have after the same tokens."""
    mixture = model.vocabulary.mixture
    if not task.ngrams or mixture is None:
        return None
    workspace_tokens = None if task.workspace_tokens is None else task.workspace_tokens(model.vocabulary)
    return NgramBias(mixture, model.vocabulary, prefix, task.suffix, workspace_tokens)


def _ends(task: CompletionTask, prefix: str) -> Ends:
    lines = prefix[-_NEARBY:].split("\n")
    current = lines[-1]
    above = next((line for line in reversed(lines[:-1]) if line.strip()), "")
    below = next((line for line in task.suffix[:_NEARBY].split("\n")[1:] if line.strip()), "")
    place = at_cursor(prefix, python=task.symbols.language.is_python)
    indentation = len(current) - len(current.lstrip())
    return Ends(
        task.until,
        place,
        indentation=indentation,
        line=current,
        rest=task.suffix.split("\n", 1)[0],
        above=above if not current.strip() else "",
        below=below,
    )
