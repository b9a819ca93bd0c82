"""What single statements add to their scope, cached by their text.

After an edit most statements are unchanged, though on other lines, and are not read again. What a statement without
errors declares depends on its own text alone, so all trees and threads share the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from context_index.recent import LONGEST, Recent
from context_index.scopes.binding import Binding, Scope
from context_index.syntax import Node, Syntax


@dataclass(frozen=True, slots=True)
class _Contribution:
    """What one statement adds, counted from its start."""

    bindings: tuple[Binding, ...]
    caveats: tuple[str, ...]


@dataclass(slots=True)
class _Recorded(Scope):
    """A scope that lists what is declared in it, in order."""

    declared: list[Binding] = field(default_factory=list)

    def declare(self, binding: Binding, _start: int = 0, _line: int = 0) -> None:
        """Note a declaration."""
        self.declared.append(binding)


_recent: Recent[_Contribution] = Recent()
"""By question, language, kind and text."""


def forget_statements() -> None:
    """Read every statement again the next time, as if the program had just started."""
    _recent.clear()


def declare_cached(
    syntax: Syntax, statement: Node, scope: Scope, question: str, read: Callable[[Node, Scope], None]
) -> None:
    """Declare in a scope what a statement declares; it is not read again where its text was read before.

    Args:
        question: what `read` looks for; the answer must depend on it, the language and the statement alone.
    """
    start, end = syntax.span(statement)
    if end - start > LONGEST or isinstance(scope, _Recorded) or statement.has_error:
        read(statement, scope)
        return
    key = (question, syntax.language, statement.type, syntax.document.text[start:end])
    known, line = _recent.get(key), -1
    if known is None:
        recorded = _Recorded(is_class=scope.is_class)
        read(statement, recorded)
        line = syntax.line(statement)
        bindings = tuple(one.moved(-start, -line) for one in recorded.declared)
        known = _Contribution(bindings, recorded.caveats)
        _recent.make_room(len(syntax.document.text))
        _recent.put(key, known, end - start)
    if known.bindings:
        line = syntax.line(statement) if line < 0 else line
        for binding in known.bindings:
            scope.declare(binding, start, line)
    if known.caveats:
        scope.caveats = (*scope.caveats, *known.caveats)
