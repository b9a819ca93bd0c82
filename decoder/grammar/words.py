"""Identifiers in one version of a parse: the unfinished one at its end, and the stacks after a complete one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.lr import TokenEffect

if TYPE_CHECKING:
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.stack import Node
    from decoder.grammar.version import Version, Window


def unfinished_word(version: Version, window: Window) -> str | None:
    """The unfinished identifier at the end of the window, perhaps empty; None where there can be none."""
    lexeme = version.lexeme
    start = version.position if lexeme is None else lexeme.start
    written = window.text[start:]
    if lexeme is None and written.strip():
        return None  # the external scanner is reading it
    written = written.lstrip()
    return written if not written or written.replace("$", "_").isidentifier() else None


def after_word(automaton: Automaton, top: Node) -> list[Node]:
    """The stacks after an identifier on top of `top`: none where it cannot follow."""
    found: list[Node] = []
    pending, seen = [top], {top}
    while pending:
        for outcome, node in automaton.stepper.step(pending.pop(), automaton.tables.word):
            if outcome is TokenEffect.SHIFTED:
                found.append(node)
            elif outcome is TokenEffect.REDUCED and node not in seen:
                seen.add(node)
                pending.append(node)
    return found
