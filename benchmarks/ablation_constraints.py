"""Constraints that hold a model to less than a task's own, for the rows of `benchmarks/ablation.py`."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.syntax_rule import SyntaxConstraint
from decoder import CompletionTask, Kept
from decoder.constraint.balance import Balance
from decoder.constraint.state import ConstraintState

Makes = Callable[[str], ConstraintState]
"""Makes the constraint of an output from the text before the cursor."""


def hold_to_nothing(_task: CompletionTask, _kept: Kept) -> Makes:
    """No rule: the output must only begin with the half-typed word, which the decoder adds itself."""
    return lambda _prefix: ConstraintState()


def hold_to_syntax(task: CompletionTask, kept: Kept) -> Makes:
    """Brackets and the grammar's tables, but not names; brackets alone where the text above is in no state."""

    def make(prefix: str) -> ConstraintState:
        text, language = task.prefix + task.suffix, task.symbols.language
        entry = kept.documents.enter(task.document, language, text, len(prefix))
        balance = Balance.at(prefix, task.suffix, language=language)
        syntax = SyntaxConstraint.of(entry)
        return ConstraintState((balance,) if syntax is None else (balance, syntax))

    return make
