"""Syntax and names in one rule: the text parses, and refers only to names that are visible where they are used.

rule = ScopeConstraint.of(entry, symbols)
rule = rule.advance("return tot")      # or the refusal
"""

from decoder.constraint.scope.constraint import ScopeConstraint
from decoder.constraint.scope.request import prepare

__all__ = ["ScopeConstraint", "prepare"]
