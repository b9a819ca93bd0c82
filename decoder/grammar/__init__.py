"""Syntax: the compiled tree-sitter parsers as an incremental automaton.

    state = Grammar.load(Language.PYTHON).start()
    state = state.advance("def f(")     # None as soon as no continuation could parse
    state.expected()                    # {"identifier", ")", "*", ...}
    state.complete()                    # whether it parses as it is

Knows nothing of a model's tokens, models or names. Besides `context_index.syntax` the only package that imports
tree_sitter.
"""

from decoder.grammar.compiled import GrammarError
from decoder.grammar.entry import Entries, Entry
from decoder.grammar.grammar import Grammar
from decoder.grammar.state import State

__all__ = ["Entries", "Entry", "Grammar", "GrammarError", "State"]
