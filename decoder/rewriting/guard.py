"""What holds a rewrite while it is written: the syntax of its whole file, names in scope, its indentation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from context_index.symbols import Name, NameKind, Origin
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint

if TYPE_CHECKING:
    from decoder.rewriting.frame import Frame
    from decoder.rewriting.task import RewriteTask

_FARTHEST: Final = 10_000
"""Scopes away: a name that is visible wherever one is."""


def rewrite_guard(task: RewriteTask, frame: Frame) -> Guard:
    """What holds a rewrite; nothing in plain text, and where its task is not constrained."""
    symbols = task.symbols
    if symbols is None or not task.constrained:
        return Guard()
    before, after = task.prefix + frame.head, frame.tail + task.suffix
    text = task.prefix + task.text + task.suffix
    entry = DocumentStates().enter("", symbols.language, text, len(before), len(text) - len(after))
    required_prefix = frame.indentation.encode()

    def rule(names: frozenset[str]) -> ScopeConstraint:
        visible = {word: Name(word, NameKind.CLASS, Origin.GLOBAL, _FARTHEST) for word in names}
        known = replace(symbols, names={**symbols.names, **visible})
        return ScopeConstraint.of(entry, known, prefix=before, suffix=after)

    if entry.state is None:
        return Guard(required_prefix=required_prefix)
    strict = rule(task.names)
    unchanged = strict.feed(frame.body)
    if not isinstance(unchanged, Refusal) and unchanged.may_stop() is None:
        return Guard((strict,), required_prefix)
    return Guard(
        (rule(task.names | task.words),), required_prefix
    )  # the original itself needs names that we cannot place
