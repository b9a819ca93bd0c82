"""What a computed name is by its constant parts: `"on" + event` begins with `on`, whatever the event is.

Knows how a name is put together, and by which variables. The language says what the parts of an expression are.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.mentions.forms import NamePattern
from context_index.mentions.rules import MentionRules
from context_index.syntax import Node

_ANY = NamePattern("")
"""Any name."""


def name_patterns(rules: MentionRules, key: Node) -> tuple[NamePattern, ...]:
    """The patterns of the names that an expression may be; empty if it may be any."""
    found = set(_patterns(rules, key, frozenset()))
    return () if _ANY in found else tuple(sorted(found, key=str))


def _patterns(rules: MentionRules, key: Node, variables: frozenset[str]) -> Iterator[NamePattern]:
    """As `name_patterns`, with `_ANY` for any name.

    Args:
        variables: Those of which this is a value.
    """
    if choices := rules.choices(key):
        for choice in choices:
            yield from _patterns(rules, choice, variables)
    elif key.type != "identifier":
        yield NamePattern.of_parts(rules.text_parts(key))
    else:
        name = rules.syntax.text(key)
        values = () if name in variables else rules.values_of(key)
        yield from () if values else [_ANY]
        for value in values:
            yield from _patterns(rules, value, variables | {name})
