"""Identifiers in one version of a parse: the unfinished one at its end, and the stacks after a complete one.

`decoder.constraint.scope` asks for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.lr import TokenEffect

if TYPE_CHECKING:
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.stack import StackNode
    from decoder.grammar.version import Version, Window


def unfinished_word(version: Version, window: Window) -> str | None:
    """The identifier that a version may end in, without white space before it.

    It is empty where a new token begins, and None where the text at the end is no identifier.
    """
    lexeme = version.lexeme
    start = version.position if lexeme is None else lexeme.start
    word = window.text[start:]
    if lexeme is None and word.strip():
        return None  # the external scanner is reading it
    word = word.lstrip()
    return word if not word or word.replace("$", "_").isidentifier() else None


def after_word(automaton: Automaton, top: StackNode) -> list[StackNode]:
    """The stacks after an identifier on top of the stack `top`; none where an identifier cannot follow."""
    stacks: list[StackNode] = []
    pending, seen = [top], {top}
    while pending:
        for outcome, node in automaton.stepper.step(pending.pop(), automaton.tables.word):
            if outcome is TokenEffect.SHIFTED:
                stacks.append(node)
            elif outcome is TokenEffect.REDUCED and node not in seen:
                seen.add(node)
                pending.append(node)
    return stacks
