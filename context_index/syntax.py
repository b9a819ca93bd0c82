"""A document and its syntax tree, as one immutable value.

The only place that knows tree-sitter's bytes and points: nodes come out, but what is asked about them is told
in code points. Trees recover from errors and are used as they stand. Knows nothing of names.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

import tree_sitter
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Node

from context_index.symbols import Language
from context_index.text import Document, Edit

__all__ = ["Node", "Syntax", "ancestors", "count_errors", "parse"]

_EQUAL_WIDTH = re.compile("[\x00-\x7f]+|[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")
_local = threading.local()


class Syntax:
    """A document and its tree. Immutable, so any thread may read it."""

    __slots__ = ("__dict__", "_tree", "document")

    def __init__(self, document: Document, tree: tree_sitter.Tree) -> None:
        self.document = document
        self._tree = tree

    @property
    def language(self) -> Language:
        """The grammar that the tree follows."""
        return self.document.language

    @cached_property
    def root(self) -> Node:
        """The whole file."""
        return self._tree.root_node

    @cached_property
    def errors(self) -> int:
        """How many ERROR and MISSING nodes the tree has."""
        return _errors_below(self._tree)

    @cached_property
    def memo(self) -> dict[tuple[int, str], object]:
        """What readers of the tree remember, by node id and a word of their own; it goes when the tree goes."""
        return {}

    def edited(self, document: Document, edits: Sequence[Edit]) -> Syntax:
        """The syntax of `document`, which is ours after `edits`; only what they touched is parsed again.

        A text without errors has one tree, whichever way it came about. In a broken one, recovery sees other
        states than it would from scratch and very rarely settles for another tree.
        """
        return Syntax(document, _parser(document.language).parse(_encode(document.text), self._shifted(edits)))

    def changed_ranges(self, newer: Syntax, edits: Sequence[Edit]) -> list[tuple[int, int]]:
        """Where the structure of `newer`, which is ours after `edits`, differs; in its offsets."""
        changed = self._shifted(edits).changed_ranges(newer._tree)
        return [(newer.offset(place.start_byte), newer.offset(place.end_byte)) for place in changed]

    def _shifted(self, edits: Sequence[Edit]) -> tree_sitter.Tree:
        """A copy of our tree that knows which of its nodes the edits moved or touched."""
        tree = self._tree.copy()
        text = self.document.text
        for edit in edits:
            start, start_point = _place(text, edit.start)
            old_end, old_end_point = _place(text, edit.end)
            text = text[: edit.start] + edit.text + text[edit.end :]
            new_end, new_end_point = _place(text, edit.start + len(edit.text))
            tree.edit(start, old_end, new_end, start_point, old_end_point, new_end_point)
        return tree

    def start(self, node: Node) -> int:
        """The offset at which a node begins."""
        return self.offset(node.start_byte)

    def end(self, node: Node) -> int:
        """The offset behind a node's last character."""
        return self.offset(node.end_byte)

    def text(self, node: Node) -> str:
        """What the source says there."""
        return self.document.text[self.offset(node.start_byte) : self.offset(node.end_byte)]

    def line(self, node: Node) -> int:
        """The 0-based line at which a node begins."""
        return bisect_right(self.document.lines, self.offset(node.start_byte)) - 1

    def node_at(self, offset: int, end: int | None = None, *, named: bool = False) -> Node:
        """The smallest node that spans the offset, or the characters up to `end`."""
        first = self.byte(offset)
        last = first if end is None else self.byte(end)
        find = self.root.named_descendant_for_byte_range if named else self.root.descendant_for_byte_range
        return find(first, last) or self.root

    def path(self, node: Node) -> list[Node]:
        """A node and all around it, innermost first: cheaper than asking each for its parent."""
        path = [self.root]
        while path[-1] != node and (inner := path[-1].child_with_descendant(node)) is not None:
            path.append(inner)
        return path[::-1]

    def offset(self, byte: int) -> int:
        """The code points before a byte of the UTF-8 text."""
        if self._runs is None:
            return byte
        starts, bytes_, widths = self._runs
        run = bisect_right(bytes_, byte) - 1
        return starts[run] + (byte - bytes_[run]) // widths[run]

    def byte(self, offset: int) -> int:
        """The bytes before a code point in the UTF-8 text."""
        if self._runs is None:
            return offset
        starts, bytes_, widths = self._runs
        run = bisect_right(starts, offset) - 1
        return bytes_[run] + (offset - starts[run]) * widths[run]

    @cached_property
    def _runs(self) -> tuple[list[int], list[int], list[int]] | None:
        """Runs of equal UTF-8 width: their first offsets, first bytes and widths. None if all is ASCII."""
        text = self.document.text
        if text.isascii():
            return None
        starts, bytes_, widths = [], [], []
        byte = 0
        for run in _EQUAL_WIDTH.finditer(text):
            width = len(_encode(run[0][0]))
            starts.append(run.start())
            bytes_.append(byte)
            widths.append(width)
            byte += width * len(run[0])
        return starts, bytes_, widths


def parse(document: Document) -> Syntax:
    """The syntax of a document, from scratch."""
    return Syntax(document, _parser(document.language).parse(_encode(document.text)))


def count_errors(text: str, language: Language) -> int:
    """How many ERROR and MISSING nodes a text's tree has; 0 is a text that follows the grammar."""
    return _errors_below(_parser(language).parse(_encode(text)))


def ancestors(node: Node) -> Iterator[Node]:
    """The nodes around a node, innermost first, without itself."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _errors_below(tree: tree_sitter.Tree) -> int:
    """Descends only where the parser noted an error, so a clean tree costs one question."""
    errors = 0
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.has_error:
            errors += node.is_error or node.is_missing
            pending.extend(node.children)
    return errors


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _place(text: str, offset: int) -> tuple[int, tuple[int, int]]:
    r"""Byte, and row and byte column as tree-sitter counts them (lines end at "\n" only)."""
    line_start = text.rfind("\n", 0, offset) + 1
    column = len(_encode(text[line_start:offset]))
    byte = offset if text.isascii() else len(_encode(text[:offset]))
    return byte, (text.count("\n", 0, offset), column)


@cache
def _grammar(language: Language) -> tree_sitter.Language:
    pointers = {
        Language.JAVASCRIPT: tree_sitter_javascript.language,
        Language.TYPESCRIPT: tree_sitter_typescript.language_typescript,
        Language.TSX: tree_sitter_typescript.language_tsx,
        Language.PYTHON: tree_sitter_python.language,
    }
    return tree_sitter.Language(pointers[language]())


def _parser(language: Language) -> tree_sitter.Parser:
    """This thread's parser: a parser holds state while it works, so threads do not share one."""
    parsers: dict[Language, tree_sitter.Parser] = _local.__dict__.setdefault("parsers", {})
    if language not in parsers:
        parsers[language] = tree_sitter.Parser(_grammar(language))
    return parsers[language]
