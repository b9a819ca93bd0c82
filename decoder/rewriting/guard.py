"""What a rewrite is held to: the syntax of its whole file, names that can be meant, words that somebody said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from context_index.symbols import Name, NameKind, Origin
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard
from decoder.constraint.protocol import Refusal
from decoder.constraint.said import SaidWords
from decoder.constraint.scope import ScopeConstraint
from decoder.rewriting.instruction import names, words

if TYPE_CHECKING:
    from decoder.rewriting.frame import Frame
    from decoder.rewriting.task import RewriteTask

_FARTHEST: Final = 10_000
"""Scopes away: a name that is visible wherever one is."""
_DECLARED: Final = re.compile(
    r"\b(?:function\s*\*?|class|interface|type|enum|namespace|const|let|var)\s+([A-Za-z_$][\w$]*)"
)
"""Names that a text of JavaScript declares, which may stand above that."""


def rewrite_guard(task: RewriteTask, frame: Frame) -> Guard:
    """What holds a rewrite; nothing where its task is not constrained."""
    if not task.constrained:
        return Guard()
    before, after = task.prefix + frame.head, frame.tail + task.suffix
    text = task.prefix + task.text + task.suffix
    entry = DocumentStates().enter("", task.symbols.language, text, len(before), len(text) - len(after))
    in_file, in_instruction = words(text), words(task.instruction)
    named = names(task.instruction)
    heard = in_file - (in_instruction - named) | words(task.text)  # `it` in a comment far away makes no name of `it`
    said = SaidWords.of(task.symbols.language, (" ".join((*heard, *named, *task.symbols.names)),))

    declared = frozenset() if task.symbols.language.is_python else frozenset(_DECLARED.findall(task.text))

    def rule(outer: frozenset[str]) -> ScopeConstraint:
        visible = {word: Name(word, NameKind.CLASS, Origin.GLOBAL, _FARTHEST) for word in outer}
        symbols = replace(task.symbols, names={**task.symbols.names, **visible})
        return ScopeConstraint.of(entry, symbols, prefix=before, suffix=after, promised=declared)

    if entry.state is None:
        return Guard((said,))
    if task.outer is not None:
        strict = rule(task.outer | (in_instruction - in_file))
        unchanged = strict.feed(frame.body)
        if not isinstance(unchanged, Refusal) and unchanged.may_stop() is None:
            return Guard((strict, said))  # else the original itself is not understood well enough
    return Guard((rule(in_file | in_instruction), said))
