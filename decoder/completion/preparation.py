"""Prepares what all outputs of a completion have in common: the prompt, the constraint, the bias, and the endings.

`filling` calls `prepare`. While a word is typed, all of this stays the same, so `Kept` keeps it from request to
request: the half-typed word is not in the prompt, and the output must begin with it (`decoder.prompt.healing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder.constraint.balance import Balance
from decoder.constraint.documents import DocumentStates
from decoder.constraint.opening import Opening
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState
from decoder.errors import constraint_faults
from decoder.lexical import at_cursor
from decoder.ngrams import NgramBias
from decoder.prompt.families import PromptSource
from decoder.prompt.healing import heal
from decoder.prompt.packing import pack
from decoder.stops import Ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoder.completion.task import CompletionTask
    from decoder.constraint.protocol import Constraint
    from decoder.controller.control import Control
    from decoder.controller.session import ProgramSession
    from decoder.grammar import Entry
    from decoder.models.model import Model
    from decoder.models.vocabulary import Vocabulary
    from decoder.prompt.healing import Healed

_NEARBY = 4_000
"""The characters before and after the cursor in which the lines above and below are looked for."""


@dataclass(frozen=True, slots=True)
class PreparedPlace:
    """What all requests have in common while a word is typed; the word itself is no part of it."""

    prompt: Sequence[int]
    """The prompt's tokens."""
    constraint: ConstraintState
    """The state where the word begins."""
    entry: Entry | None
    """The syntax automaton's entry there; None where the request is unconstrained, or has a constraint of its own."""
    bias: NgramBias | None
    """The bias of the n-grams; None where they are not used."""
    ends: Ends
    """The reader of outputs, which has read nothing; see `Preparation.endings`."""
    vocabulary: Vocabulary
    """The model's vocabulary, with the tokens that end what it fills in."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What all texts of one request have in common."""

    healed: Healed
    """The text before the cursor, divided into the part for the prompt and the half-typed word."""
    place: PreparedPlace
    constraint: ConstraintState
    """The state before the first token, with the prefix that the output must begin with."""
    control: Control | None
    """The request's controller, if it is asked at each token; None for one with a main."""
    is_open_ended: bool
    """Whether the controller decides where the output ends."""

    def endings(self) -> Ends | None:
        """A fresh reader that finds where one output ends; None where the controller decides."""
        return None if self.is_open_ended else self.place.ends.restarted()


class Kept:
    """What is kept from request to request. Used on the model's thread only."""

    def __init__(self) -> None:
        self.documents = DocumentStates()
        """The syntax automaton's states of the documents asked about last."""
        self._made_from: object = None
        self._place: PreparedPlace | None = None

    def place(self, made_from: object, make: Callable[[], PreparedPlace]) -> PreparedPlace:
        """The last place if `made_from` equals that of the call before; else a new one from `make`."""
        if self._place is None or self._made_from != made_from:
            self._made_from, self._place = made_from, make()
        return self._place


def prepare(
    model: Model,
    task: CompletionTask,
    kept: Kept,
    make_constraint: Callable[[str], ConstraintState] | None,
    session: ProgramSession | None,
) -> Preparation:
    """Prepare the place of a task, once for all outputs.

    Args:
        kept: What was kept from the requests before; it is updated.
        make_constraint: Makes another constraint than the task's own, from the text above.
        session: The task's controller, loaded; None where it has none.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        ProgramError: the request's controller was stopped, or gave an answer that cannot be followed.
    """
    healed = heal(task.prefix)
    place = _place(model, task, healed.prefix, kept, make_constraint)
    required_prefix = healed.word + task.beginning
    held_to_prefix = replace(place.constraint, required_prefix=required_prefix.encode())
    constraint, control, is_open_ended = _controlled(model, held_to_prefix, session, task)
    return Preparation(healed, place, constraint, control, is_open_ended)


def _place(
    model: Model,
    task: CompletionTask,
    prefix: str,
    kept: Kept,
    make_constraint: Callable[[str], ConstraintState] | None,
) -> PreparedPlace:
    """The place at the end of a prefix; that of the request before if nothing it is made from has changed."""
    card, vocabulary = model.card, model.vocabulary
    mixture = card.mixture if task.ngrams else None
    read_workspace = None if mixture is None else task.workspace_tokens
    workspace_tokens = None if read_workspace is None else read_workspace(vocabulary)

    def make() -> PreparedPlace:
        with constraint_faults():
            if make_constraint is None:
                constraint, entry = constraint_at(task, prefix, kept.documents)
            else:
                constraint, entry = make_constraint(prefix), None
        bias = None
        if mixture is not None:
            bias = NgramBias(mixture, vocabulary, prefix, task.suffix, workspace_tokens)
        prompt, ends = prompt_of(model, task, prefix), _ends(task, prefix)
        return PreparedPlace(prompt, constraint, entry, bias, ends, card.filling)

    symbols = task.symbols
    names = symbols.language, symbols.names.keys(), symbols.complete, symbols.importable, symbols.snippets
    text = prefix, task.suffix, task.spelling, task.path, task.document, task.opening
    options = task.until, task.constrained, task.max_tokens, task.imports, task.ngrams
    # not the model itself: `kept` would hold its weights in memory after it is unloaded
    return kept.place((vocabulary, model.context, workspace_tokens, make_constraint, names, text, options), make)


def constraint_at(task: CompletionTask, prefix: str, states: DocumentStates) -> tuple[ConstraintState, Entry | None]:
    """The constraint at the end of `prefix`, and the syntax automaton's entry there; None for an unconstrained task.

    Args:
        prefix: The task's prefix, up to where the output begins: without the half-typed word.
        states: The automaton's states of documents, kept from the requests before.
    """
    if not task.constrained:
        return ConstraintState(), None
    symbols = task.symbols
    text = task.spelling or task.prefix + task.suffix
    entry = states.enter(task.document, symbols.language, text, len(prefix))
    rules: list[Constraint] = [Balance.at(prefix, task.suffix, language=symbols.language)]
    if task.opening:
        rules.append(Opening.at(prefix, task.opening, language=symbols.language))
    if entry.state is not None:
        rules.append(ScopeConstraint.of(entry, symbols, imports=task.imports))
    return ConstraintState(tuple(rules)), entry


def prompt_of(model: Model, task: CompletionTask, prefix: str) -> Sequence[int]:
    """The prompt's tokens for the text before the cursor up to `prefix`; room for the output is left in the context."""
    source = PromptSource(task.symbols.language, prefix, task.suffix, task.path, task.symbols.snippets, task.repository)
    room_to_write = min(task.max_tokens, model.context // 4)
    return pack(model.card, source, model.context - room_to_write).tokens


def _controlled(
    model: Model, constraint: ConstraintState, session: ProgramSession | None, task: CompletionTask
) -> tuple[ConstraintState, Control | None, bool]:
    """The constraint, the control, and whether the controller decides where the output ends.

    A controller has a main, which becomes a rule of the constraint and decides the end; or it has steps, and the
    control asks it at each token.
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


def _ends(task: CompletionTask, prefix: str) -> Ends:
    """The reader that finds where an output ends that begins after `prefix`."""
    lines = prefix[-_NEARBY:].split("\n")
    current = lines[-1]
    above = next((line for line in reversed(lines[:-1]) if line.strip()), "")
    below = next((line for line in task.suffix[:_NEARBY].split("\n")[1:] if line.strip()), "")
    place = at_cursor(prefix, language=task.symbols.language)
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
