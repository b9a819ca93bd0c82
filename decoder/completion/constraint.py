"""Makes the constraint of a completion: brackets, syntax and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.balance import Balance
from decoder.constraint.opening import Opening
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState

if TYPE_CHECKING:
    from decoder.completion.task import CompletionTask
    from decoder.constraint.documents import DocumentStates
    from decoder.constraint.protocol import Constraint
    from decoder.grammar import Entry


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
