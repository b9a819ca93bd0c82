"""What top-level statements declare, cached by their text: between keystrokes most of them stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from context_index.exports.model import Export
from context_index.recent import LONGEST, Recent
from context_index.syntax import Node, Syntax


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and what it declares."""

    node: Node
    exports: tuple[Export, ...]
    signs: frozenset[str]
    """The keywords and signs of its own."""


@dataclass(frozen=True, slots=True)
class _CachedStatement:
    """What a statement declared on the line on which it was."""

    line: int
    exports: tuple[Export, ...]
    signs: frozenset[str]


_recent: Recent[_CachedStatement] = Recent()
"""By language, kind and text."""


def result(
    syntax: Syntax, nodes: Iterable[Node], read: Callable[[Syntax, Node], Iterable[Export]], kinds: frozenset[str]
) -> list[Statement]:
    """What each of some sibling nodes declares; the answer may depend on its text alone.

    Args:
        kinds: the types of nodes that are worth remembering.
    """
    found: list[Statement] = []
    for node in nodes:
        is_kept = node.type in kinds and not node.has_error
        known = (_remembered if is_kept else _read)(syntax, node, read)
        found.append(Statement(node, known.exports, known.signs))
    return found


def _remembered(syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterable[Export]]) -> _CachedStatement:
    start, end = syntax.span(node)
    if end - start > LONGEST:
        return _read(syntax, node, read)
    key = (syntax.language, node.type, syntax.document.text[start:end])
    line, known = syntax.line(node), _recent.get(key)
    if known is not None and known.line == line:
        return known
    if known is None:
        known = _read(syntax, node, read)
        _recent.make_room(len(syntax.document.text))
    else:
        known = _CachedStatement(line, tuple(export.moved(line - known.line) for export in known.exports), known.signs)
    _recent.put(key, known, end - start)
    return known


def _read(syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterable[Export]]) -> _CachedStatement:
    signs = frozenset(child.type for child in node.children if not child.is_named)
    return _CachedStatement(syntax.line(node), tuple(read(syntax, node)), signs)
