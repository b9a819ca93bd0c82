"""Makes the constraint of a rewrite: the syntax of its whole file, the names in scope, its indentation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from context_index.symbols import Name, NameKind, Origin
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState

if TYPE_CHECKING:
    from decoder.rewriting.attempt import RegionFrame
    from decoder.rewriting.task import RewriteTask

_FARTHEST: Final = 10_000
"""The distance, in scopes, of a name that is visible everywhere."""


def rewrite_constraint(task: RewriteTask, frame: RegionFrame) -> ConstraintState:
    """The constraint at the beginning of the region's body.

    It has no rules in plain text, for an unconstrained task, and where the text above does not parse.
    """
    symbols = task.symbols
    if symbols is None or not task.constrained:
        return ConstraintState()
    before = task.prefix + frame.head
    text = task.prefix + task.text + task.suffix
    entry = DocumentStates().enter("", symbols.language, text, len(before))
    required_prefix = frame.indentation.encode()
    if entry.state is None:
        return ConstraintState(required_prefix=required_prefix)

    def rule_with(further_names: frozenset[str]) -> ScopeConstraint:
        visible = {word: Name(word, NameKind.CLASS, Origin.GLOBAL, _FARTHEST) for word in further_names}
        all_names = replace(symbols, names={**symbols.names, **visible})
        return ScopeConstraint.of(entry, all_names)

    strict = rule_with(task.names)
    if isinstance(strict.advance(frame.body), Refusal):
        # the original itself refers to names that no scope has, so all identifiers of the file are allowed
        return ConstraintState((rule_with(task.names | task.words),), required_prefix)
    return ConstraintState((strict,), required_prefix)
