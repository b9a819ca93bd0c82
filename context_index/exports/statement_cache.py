"""What top-level statements declare, cached by their text: between keystrokes most of them stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from context_index.exports.model import Export
from context_index.syntax import Node, Syntax
from context_index.text_cache import LONGEST, TextCache


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and what it declares."""

    node: Node
    exports: tuple[Export, ...]
    """What it declares, as if each name were exported."""
    tokens: frozenset[str]
    """The keywords and signs that are children of its node."""


@dataclass(frozen=True, slots=True)
class _CachedStatement:
    """What a statement declared when it was last read or moved; see `Statement`."""

    line: int
    exports: tuple[Export, ...]
    tokens: frozenset[str]


_recent: TextCache[_CachedStatement] = TextCache()
"""By language, type of node, and text."""


def statements_of(
    syntax: Syntax, nodes: Iterable[Node], read: Callable[[Syntax, Node], Iterable[Export]], kinds: frozenset[str]
) -> list[Statement]:
    """Each of some sibling nodes with what it declares.

    Args:
        read: what a node declares; the answer must depend on its text and its line alone.
        kinds: the types of nodes that are worth caching.
    """
    statements: list[Statement] = []
    for node in nodes:
        is_cached = node.type in kinds and not node.has_error
        declared = (_cached_or_read if is_cached else _read)(syntax, node, read)
        statements.append(Statement(node, declared.exports, declared.tokens))
    return statements


def _cached_or_read(syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterable[Export]]) -> _CachedStatement:
    """What a statement declares, from the cache if its text is there, with lines moved to where it is now."""
    start, end = syntax.span(node)
    if end - start > LONGEST:
        return _read(syntax, node, read)
    key = (syntax.language, node.type, syntax.document.text[start:end])
    line, cached = syntax.line(node), _recent.get(key)
    if cached is not None and cached.line == line:
        return cached
    if cached is None:
        cached = _read(syntax, node, read)
        _recent.make_room(len(syntax.document.text))
    else:
        cached = _CachedStatement(
            line, tuple(export.moved(line - cached.line) for export in cached.exports), cached.tokens
        )
    _recent.put(key, cached, end - start)
    return cached


def _read(syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterable[Export]]) -> _CachedStatement:
    tokens = frozenset(child.type for child in node.children if not child.is_named)
    return _CachedStatement(syntax.line(node), tuple(read(syntax, node)), tokens)
