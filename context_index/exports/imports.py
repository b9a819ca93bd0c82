"""The imports of single statements, cached: most statements are the same from keystroke to keystroke."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from context_index.exports.model import Import
from context_index.syntax import Node, Syntax
from context_index.text_cache import TextCache

_recent: TextCache[tuple[Import, ...]] = TextCache()
"""The imports of statements by language, text and line. Nothing else decides them, so all threads may share it."""


def imports_of_statement(
    syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterator[Import]]
) -> tuple[Import, ...]:
    """The imports of a statement, as `read` finds them, or as it found them for the same text on the same line."""
    if node.has_error:  # what the parser made of it depends on the text around it
        return tuple(read(syntax, node))
    key = (syntax.language, syntax.text(node), syntax.line(node))
    known = _recent.get(key)
    if known is None:
        known = tuple(read(syntax, node))
        _recent.put(key, known, len(key[1]))
    return known
