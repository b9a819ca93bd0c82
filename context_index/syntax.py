"""A document and its syntax tree, as one value that does not change.

The only place that knows tree-sitter's bytes and points: readers get its nodes, and offsets in code points. Where a
text does not parse, the tree that tree-sitter recovers is used as it is, with ERROR nodes. Knows nothing of names.

All of `context_index` reads code through it. `parse` makes a document's first tree, `Syntax.edited` one for each edit.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import NamedTuple

import tree_sitter
from tree_sitter import Node

from context_index.symbols import Language
from context_index.text import EQUAL_WIDTH, Document, Edit

__all__ = [
    "STATEMENTS", "Node", "Syntax", "Trees", "ancestors", "grammar_words", "nodes_of", "parse", "parts_of",
    "without_errors",
]  # fmt: skip

STATEMENTS = ("_statement", "_declaration", "_definition")
"""The endings of the grammars' names for statements."""

_DEEPEST = 100
"""Characters of indentation from which on no line counts as a block's end in `_block_ends`."""
_NEXT_LINES = 8
"""Lines after an edit that always count as block ends in `_block_ends`: an edited header makes blocks that the old tree
does not have, and most functions end within so many lines."""
_local = threading.local()
"""Holds the parsers of each thread."""


class _Place(NamedTuple):
    """A place in a text, in code points and in tree-sitter's units."""

    offset: int
    byte: int
    point: tuple[int, int]
    r"""Row and byte column; tree-sitter's rows end at "\n" only."""


_ORIGIN = _Place(0, 0, (0, 0))


class Syntax:
    """A document and its tree. They never change, and its caches need no lock, so any thread may read it."""

    def __init__(self, document: Document, tree: tree_sitter.Tree, spelling: str | None = None) -> None:
        self.document = document
        self.spelling = document.text if spelling is None else spelling
        """The text that the parser reads: the document's, or with other characters in it after `respelled`."""
        self._tree = tree
        self._latest: tuple[list[Edit], Syntax] | None = None
        """The last edits and their result in `edited`: several checks parse the text with one suggestion in it. It is
        replaced as a whole, so threads need no lock."""

    @property
    def language(self) -> Language:
        """The grammar that the tree follows."""
        return self.document.language

    @cached_property
    def root(self) -> Node:
        """The whole file."""
        return self._tree.root_node

    @cached_property
    def top_level(self) -> list[Node]:
        """The nodes at the top level. An ERROR node, even at the root, is replaced by its children in column 0.

        Its indented children were mostly torn out of deeper code, so they are left out.
        """
        if not self.root.has_error:
            return self.root.children
        nodes = without_errors(self.root)
        return [node for node, is_in_error in nodes if not is_in_error or node.start_point.column == 0]

    @cached_property
    def errors(self) -> int:
        """How many ERROR and MISSING nodes the tree has."""
        errors, pending = 0, [self.root]
        while pending:
            node = pending.pop()
            errors += node.is_error or node.is_missing
            if node.has_error:  # it is an error, or there is one in it
                pending.extend(node.children)
        return errors

    @cached_property
    def memo(self) -> dict[tuple[int, str], object]:
        """A cache for readers of the tree, by node id and a key of their own; it lives as long as the tree."""
        return {}

    def edited(self, document: Document, edits: Sequence[Edit]) -> Syntax:
        """The syntax of `document`, which must be our document after `edits`; only what they touched is parsed again.

        A text without errors has the same tree as if it were parsed from scratch. In a broken text, error recovery
        very rarely chooses another tree.
        """
        latest = self._latest
        if latest is not None and latest[0] == list(edits) and latest[1].document == document:
            return latest[1]
        tree = self._edited_tree(edits, at_block_ends=self.language.record.is_indented)
        spelling = document.text if self.spelling is self.document.text else _apply_edits(self.spelling, edits)
        edited = _parse_as(document, spelling, tree)
        self._latest = list(edits), edited
        return edited

    def respelled(self, edits: Sequence[Edit]) -> Syntax:
        """The same document, with the tree of another spelling, so that a form unknown to the grammar gets a tree.

        A newer syntax may be an error to the grammar only for one sign. The tree of the text with a blank in place of
        the sign has no error, and its nodes have the same places. `text` still returns the document's own text.

        Args:
            edits: What is spelled otherwise. Each must insert as many bytes as it removes.
        """
        return _parse_as(
            self.document, _apply_edits(self.spelling, edits), self._edited_tree(edits, at_block_ends=False)
        )

    def changed_ranges(self, newer: Syntax, edits: Sequence[Edit]) -> list[tuple[int, int]]:
        """The ranges of `newer`, our document after `edits`, in which the trees differ: pairs of offsets."""
        changed = self._edited_tree(edits, at_block_ends=False).changed_ranges(newer._tree)
        return [(newer.offset(place.start_byte), newer.offset(place.end_byte)) for place in changed]

    def _edited_tree(self, edits: Sequence[Edit], *, at_block_ends: bool) -> tree_sitter.Tree:
        """A copy of our tree that knows which of its nodes the edits moved or touched.

        Args:
            at_block_ends: Whether the places where blocks may end after an edit count as edited, see `_block_ends`.
        """
        tree = self._tree.copy()
        text = self.document.text
        for edit in edits:
            first = _place(text, edit.start, _ORIGIN)
            old_end = _place(text, edit.end, first)
            text = text[: edit.start] + edit.text + text[edit.end :]
            new_end = _place(text, edit.start + len(edit.text), first)
            tree.edit(first.byte, old_end.byte, new_end.byte, first.point, old_end.point, new_end.point)
            for start, end in _block_ends(text, new_end.offset) if at_block_ends else ():
                first = _place(text, start, first if start >= first.offset else _ORIGIN)
                last = _place(text, end, first)
                tree.edit(first.byte, last.byte, last.byte, first.point, last.point, last.point)
        return tree

    def start(self, node: Node) -> int:
        """The offset at which a node begins."""
        return self.offset(node.start_byte)

    def end(self, node: Node) -> int:
        """The offset after a node's last character."""
        return self.offset(node.end_byte)

    def span(self, node: Node) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        if self._runs is None:
            return node.start_byte, node.end_byte
        return self.offset(node.start_byte), self.offset(node.end_byte)

    def text(self, node: Node) -> str:
        """A node's source text."""
        start, end = self.span(node)
        return self.document.text[start:end]

    def line(self, node: Node) -> int:
        """The 0-based line at which a node begins."""
        return bisect_right(self.document.lines, self.start(node)) - 1

    def node_at(self, offset: int, end: int | None = None, *, named: bool = False) -> Node:
        """The smallest node, or the smallest named one, that spans the characters from `offset` to `end`.

        Args:
            end: Without it, the node spans the place at `offset`.
        """
        first = self.byte(offset)
        last = first if end is None else self.byte(end)
        find = self.root.named_descendant_for_byte_range if named else self.root.descendant_for_byte_range
        return find(first, last) or self.root

    def path(self, node: Node) -> list[Node]:
        """A node and its ancestors, innermost first; cheaper than asking each for its parent."""
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
        for run in EQUAL_WIDTH.finditer(text):
            width = len(_encode(run[0][0]))
            starts.append(run.start())
            bytes_.append(byte)
            widths.append(width)
            byte += width * len(run[0])
        return starts, bytes_, widths


def parse(document: Document) -> Syntax:
    """The syntax of a document, from scratch."""
    return _parse_as(document, document.text)


class Trees:
    """The trees of documents that are read again and again, each parsed once."""

    def __init__(self, known: Iterable[Syntax] = ()) -> None:
        self._trees = {syntax.document: syntax for syntax in known}

    def of(self, document: Document) -> Syntax:
        """The tree of a document."""
        if document not in self._trees:
            self._trees[document] = parse(document)
        return self._trees[document]


def ancestors(node: Node) -> Iterator[Node]:
    """The nodes around a node, innermost first, without itself."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def parts_of(node: Node) -> list[Node]:
    """The named children of a node, without comments, which may be anywhere: `cart` of `(/* what is sold */ cart)`."""
    return [child for child in node.named_children if not child.is_extra]


def first_part(node: Node | None) -> Node | None:
    """The first of `parts_of` a node; None where there is no node or no part of it."""
    return None if node is None else next(iter(parts_of(node)), None)


def nodes_of(syntax: Syntax, *kinds: str, within: Node | None = None) -> Iterator[Node]:
    """The nodes of some types, in no order.

    Args:
        within: The node that is searched, itself included; None for the whole tree.
    """
    pending = [within or syntax.root]
    while pending:
        node = pending.pop()
        pending += node.children
        if node.type in kinds:
            yield node


def without_errors(node: Node) -> Iterator[tuple[Node, bool]]:
    """The children of a node, ERROR nodes replaced by their children; each with whether its parent is an ERROR node."""
    for child in node.children:
        if child.is_error:
            yield from ((inner, True) for inner, _ in without_errors(child))
        else:
            yield child, node.is_error


def _parse_as(document: Document, spelling: str, earlier: tree_sitter.Tree | None = None) -> Syntax:
    """The syntax of a document that its parser reads as `spelling`; `earlier` is the edited tree to start from."""
    parser, text = _parser(document.language), _encode(spelling)
    return Syntax(document, parser.parse(text) if earlier is None else parser.parse(text, earlier), spelling)


def _apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits, applied in order, each to the result of the one before."""
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _encode(text: str) -> bytes:
    """UTF-8; lone surrogates, which editors may send, are kept."""
    return text.encode("utf-8", "surrogatepass")


def _block_ends(text: str, offset: int) -> Iterator[tuple[int, int]]:
    """Where blocks of Python may end after an edit, as ranges from a statement's last character to the next's first.

    Those are the ends of the next `_NEXT_LINES` lines, and then of each line before one that is indented by less than
    all so far:

        if paid:      # edited
            ...       # the next lines
            send()    # a range from `)` to the `c` of `close`
        close()

    At a block's end the grammar has tokens without characters. There the parser gives up the old tree and reads the
    rest again: in 5,000 lines 10 ms instead of 2. If the characters before and after such a token count as edited, the
    parser looks into the old nodes after them instead. Too many such places only cost some time.

    Args:
        offset: Where the edit ends in `text`, the text after it.
    """
    indentation = _DEEPEST  # the least so far
    lines_left = _NEXT_LINES  # of those that count whatever their indentation
    while indentation or lines_left:  # after a line at the margin, none is indented by less
        line = _less_indented_line(_DEEPEST if lines_left else indentation).search(text, offset)
        if line is None:
            return
        start = line.start()
        while start > 1 and text[start - 1].isspace():
            start -= 1
        offset = line.end()
        yield start - 1, offset
        indentation = min(indentation, line.end(1) - line.start(1))
        lines_left = max(lines_left - 1, 0)


@cache
def _less_indented_line(indentation: int) -> re.Pattern[str]:
    """A line that is indented by fewer characters, up to the first of its statement; the group is its indentation.

    Blank lines and comments end no block.
    """
    return re.compile(rf"\n([ \t]{{0,{indentation - 1}}})[^\s#]")


def _place(text: str, offset: int, before: _Place) -> _Place:
    """The place at an offset, counted from an earlier one: that costs only the text between them."""
    start, byte, (row, _) = before
    column = len(_encode(text[text.rfind("\n", 0, offset) + 1 : offset]))
    byte += offset - start if text.isascii() else len(_encode(text[start:offset]))
    return _Place(offset, byte, (row + text.count("\n", start, offset), column))


def grammar_words(language: Language) -> list[str]:
    """The words that the language's grammar spells out, sorted: keywords, and words such as `async`."""
    grammar = _grammar(language)
    kinds = range(grammar.node_kind_count)
    spelled = (grammar.node_kind_for_id(kind) for kind in kinds if not grammar.node_kind_is_named(kind))
    return sorted({word for word in spelled if word and word.isidentifier()})


@cache
def _grammar(language: Language) -> tree_sitter.Language:
    module, function = language.record.parser
    return tree_sitter.Language(getattr(import_module(module), function)())


def _parser(language: Language) -> tree_sitter.Parser:
    """This thread's parser: a parser holds state while it works, so threads do not share one."""
    parsers: dict[Language, tree_sitter.Parser] = _local.__dict__.setdefault("parsers", {})
    if language not in parsers:
        parsers[language] = tree_sitter.Parser(_grammar(language))
    return parsers[language]
