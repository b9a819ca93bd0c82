"""Syntax: the compiled tree-sitter parsers as an incremental automaton.

    state = Grammar.load(Language.PYTHON).start()
    state = state.advance("def f(")     # None as soon as no continuation could parse
    state.expected()                    # {"identifier", ")", "*", ...}
    state.complete()                    # whether it parses as it is

`state` is the interface. `reader` reads tokens, `lr` applies one token to one stack, and `automaton` drives all ways to
parse the text. Knows nothing of models, their tokens or names in scope. Besides `context_index.syntax` this is the only
package that imports tree_sitter.
"""

from decoder.grammar.compiled import GrammarError
from decoder.grammar.entry import Entries, Entry
from decoder.grammar.grammar import Grammar
from decoder.grammar.state import State

__all__ = ["Entries", "Entry", "Grammar", "GrammarError", "State"]
