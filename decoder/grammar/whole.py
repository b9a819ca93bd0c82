"""Whether a text inserted at the cursor leaves the whole file no worse than it was.

Asked of tree-sitter itself, which recovers from what is broken elsewhere; parsing again after a small insertion is
incremental. The automaton says what may come next; this says where one may stop.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

_MOST = 1000
"""Faults beyond so many are not told apart: such a file is not worth counting."""


class Surroundings:
    """The text before and after an insertion. Not for several threads at once.

    Args:
        parser: Of the text's language.
        before: What stands above.
        after: What stands below.
        replaced: What stands between the two now: a half-typed word that the insertion writes anew.
    """

    def __init__(self, parser: tree_sitter.Parser, before: str, after: str, replaced: str = "") -> None:
        self._parser = parser
        self._before = before.encode("utf-8", "surrogatepass")
        self._after = after.encode("utf-8", "surrogatepass")
        self._replaced = replaced.encode("utf-8", "surrogatepass")

    def accept(self, inserted: str) -> bool:
        """Whether the file with `inserted` has no more syntax errors than it has now."""
        new = inserted.encode("utf-8", "surrogatepass")
        tree = self._tree.copy()
        start = len(self._before)
        row = self._before.count(b"\n")
        column = start - (self._before.rfind(b"\n") + 1)
        old = self._replaced
        tree.edit(
            start, start + len(old), start + len(new), (row, column), _after(row, column, old), _after(row, column, new)
        )
        changed = self._parser.parse(self._before + new + self._after, tree)
        return faults(changed.root_node) <= self.faults

    @cached_property
    def faults(self) -> int:
        """ERROR and MISSING nodes in the file as it stands."""
        return faults(self._tree.root_node)

    @cached_property
    def _tree(self) -> tree_sitter.Tree:
        return self._parser.parse(self._before + self._replaced + self._after)


def _after(row: int, column: int, text: bytes) -> tuple[int, int]:
    """The row and column, in bytes, where `text` ends that begins at the ones given."""
    line = text.rfind(b"\n")
    return row + text.count(b"\n"), len(text) - line - 1 if line >= 0 else column + len(text)


def faults(root: tree_sitter.Node) -> int:
    """How many ERROR and MISSING nodes a tree has; only branches that hold one are walked."""
    count = 0
    work = [root]
    while work and count < _MOST:
        node = work.pop()
        if not node.has_error:
            continue
        count += node.is_error or node.is_missing
        work += node.children
    return count
