"""Names and syntax together: what is written parses, and refers only to what is visible where it stands.

rule = ScopeConstraint.of(entry, symbols, prefix=prefix, suffix=suffix)
rule = rule.advance("return tot")      # or the refusal
"""

from decoder.constraint.scope.constraint import ScopeConstraint
from decoder.constraint.scope.request import prepare

__all__ = ["ScopeConstraint", "prepare"]
