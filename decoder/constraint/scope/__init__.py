"""Syntax and names in one rule: the text parses, and refers only to names that are visible where they are used.

    rule = ScopeConstraint.of(entry, symbols)
    rule = rule.advance("return tot")      # or a refusal

Read `constraint` first: the automaton's state with facts about names. `semantics` updates the facts at each step of the
automaton. For this, `uses` says what an identifier is for, and `bindings` looks names up and binds them. `languages`
has the tables of the languages.
"""

from decoder.constraint.scope.constraint import ScopeConstraint
from decoder.constraint.scope.request import prepare

__all__ = ["ScopeConstraint", "prepare"]
