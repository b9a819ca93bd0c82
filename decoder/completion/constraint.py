"""What a completion is held to: brackets, syntax and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.balance import Balance
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState, Line
from decoder.stops import Until

if TYPE_CHECKING:
    from decoder.completion.task import CompletionTask
    from decoder.constraint.documents import DocumentStates
    from decoder.constraint.protocol import Constraint
    from decoder.grammar import Entry


def constraint_at(
    task: CompletionTask, prefix: str, required_prefix: str, states: DocumentStates
) -> tuple[ConstraintState, Entry | None]:
    """The constraint at the end of `prefix`, and how the syntax automaton got there; None where nothing is asked of it.

    Args:
        prefix: The beginning of the task's, up to where the output begins.
        required_prefix: What the output must begin with.
    """
    if not task.constrained:
        return ConstraintState(required_prefix=required_prefix.encode()), None
    symbols = task.symbols
    text, cursor = task.prefix + task.suffix, len(task.prefix)
    entry = states.enter(task.document, symbols.language, text, len(prefix), cursor, known_faults=task.syntax_errors)
    rules: list[Constraint] = [Balance.at(prefix, task.suffix, python=symbols.language.is_python)]
    if entry.state is not None:
        scope = ScopeConstraint.of(entry, symbols, suffix=task.suffix, imports=task.imports)
        rules.append(scope)
    line = Line.BLANK if task.until is Until.LINE else Line.ANY
    return ConstraintState(tuple(rules), required_prefix=required_prefix.encode(), line=line), entry
