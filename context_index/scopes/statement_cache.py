"""What single statements add to their scope, cached by their text.

After an edit most statements are unchanged, though on other lines, and are not read again. What a statement without
errors declares depends on its own text alone, so all trees and threads share the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from context_index.scopes.binding import Binding, Scope
from context_index.syntax import Node, Syntax
from context_index.text_cache import LONGEST, TextCache


@dataclass(frozen=True, slots=True)
class _Contribution:
    """What one statement adds to its scope; offsets and lines count from the statement's start."""

    bindings: tuple[Binding, ...]
    caveats: tuple[str, ...]


@dataclass(slots=True)
class _RecordingScope(Scope):
    """A scope that lists what is declared in it, in order."""

    declared: list[Binding] = field(default_factory=list)

    def declare(self, binding: Binding, _start: int = 0, _line: int = 0) -> None:
        """Record a declaration; the offset and the line that it is relative to are the statement's, 0."""
        self.declared.append(binding)


_recent: TextCache[_Contribution] = TextCache()
"""By question, language, type of node, and text."""


def forget_statements() -> None:
    """Read every statement again the next time, as if the program had just started."""
    _recent.clear()


def declare_cached(
    syntax: Syntax, statement: Node, scope: Scope, question: str, read: Callable[[Node, Scope], None]
) -> None:
    """Declare in a scope what a statement declares; it is not read again where its text was read before.

    Args:
        question: a name for what `read` declares: it must depend on this, the language and the statement alone.
        read: declares in a scope what a statement declares.
    """
    start, end = syntax.span(statement)
    if end - start > LONGEST or isinstance(scope, _RecordingScope) or statement.has_error:
        read(statement, scope)
        return
    key = (question, syntax.language, statement.type, syntax.document.text[start:end])
    known, line = _recent.get(key), -1
    if known is None:
        recording = _RecordingScope(is_class=scope.is_class)
        read(statement, recording)
        line = syntax.line(statement)
        bindings = tuple(binding.moved(-start, -line) for binding in recording.declared)
        known = _Contribution(bindings, recording.caveats)
        _recent.make_room(len(syntax.document.text))
        _recent.put(key, known, end - start)
    if known.bindings:
        line = syntax.line(statement) if line < 0 else line
        for binding in known.bindings:
            scope.declare(binding, start, line)
    if known.caveats:
        scope.caveats = (*scope.caveats, *known.caveats)
