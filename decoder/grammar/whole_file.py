"""Whether a text inserted at the cursor leaves the whole file with no more errors than before.

Tree-sitter answers, as it recovers from errors elsewhere; parsing again after a small insertion is incremental. The
automaton says what may come next, this module where a text may end.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, AnyStr, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    import tree_sitter

    from decoder.grammar.state import State

_CLOSERS: Final = (")", "]", "}", ";")
"""What may close or end what stands open, wherever that is finished: no operand or body is missing before it."""
_MOST = 1000
"""More errors than this are not counted."""


class LatestTree:
    """The tree of a document's latest text; a later text is parsed only where it differs. Not for several threads."""

    def __init__(self, parser: tree_sitter.Parser) -> None:
        self._parser = parser
        self._source = b""
        self._tree = parser.parse(b"")

    def of(self, source: bytes) -> tree_sitter.Tree:
        """The tree of `source`, which is the latest text from now on."""
        if source != self._source:
            start = common_prefix(self._source, source)
            end = _common_suffix(self._source, source, min(len(self._source), len(source)) - start)
            replaced = (start, len(self._source) - end, len(source) - end)
            self._tree = self._parser.parse(source, _edited(self._tree, self._source, source, replaced))
            self._source = source
        return self._tree


class Surroundings:
    """The text before and after an insertion. Not for several threads at once.

    Args:
        latest: Trees of the document.
        before: What is above.
        after: What is below.
        replaced: What is between the two now: a half-typed word that the insertion replaces.
        known_faults: The number of ERROR and MISSING nodes in the file as it is, if it is known.
    """

    def __init__(
        self, latest: LatestTree, before: str, after: str, replaced: str = "", known_faults: int | None = None
    ) -> None:
        self._latest = latest
        self._start = len(before.encode("utf-8", "surrogatepass"))
        self._end = self._start + len(replaced.encode("utf-8", "surrogatepass"))
        self._source = (before + replaced + after).encode("utf-8", "surrogatepass")
        self._known_faults = known_faults
        self._ends_line = not after.partition("\n")[0].strip()
        end = after.find("\n", len(after) - len(after.lstrip()))
        self._to_next_line = after[: end if end >= 0 else None]
        """The text below up to the end of the first line that says something."""
        self._ends_file = not after.strip()
        self._verdicts: dict[str, bool] = {}

    def accept(self, inserted: str, state: State) -> bool:
        """Whether the file with `inserted` has no more syntax errors than it has now.

        Where it has some, a line may not end in the middle of an expression either, unless the next one goes on with
        it: what tree-sitter forgives there the checkers do not. Nothing may always be said.
        """
        if inserted not in self._verdicts:
            now = self._faults_with(inserted)
            finished = not now or not self._ends_line or not inserted.strip() or self._is_finished(state)
            self._verdicts[inserted] = now <= self.faults and finished
        return self._verdicts[inserted]

    def _is_finished(self, state: State) -> bool:
        """Whether nothing is missing at the end of a line: it could be closed, or what follows goes on with it."""
        if any(state.advance(closer) is not None for closer in _CLOSERS):
            return True
        return state.complete() if self._ends_file else state.advance(self._to_next_line) is not None

    def _faults_with(self, inserted: str) -> int:
        new = inserted.encode("utf-8", "surrogatepass")
        return faults(self._latest.of(self._source[: self._start] + new + self._source[self._end :]).root_node)

    @cached_property
    def faults(self) -> int:
        """ERROR and MISSING nodes in the file as it is."""
        if self._known_faults is not None:
            return min(self._known_faults, _MOST)
        return faults(self._latest.of(self._source).root_node)


def _edited(tree: tree_sitter.Tree, before: bytes, after: bytes, replaced: tuple[int, int, int]) -> tree_sitter.Tree:
    """A copy of a tree that knows which bytes changed: those between a start, an old and a new end."""
    start, old_end, new_end = replaced
    row, column = before.count(b"\n", 0, start), start - (before.rfind(b"\n", 0, start) + 1)
    copy = tree.copy()
    old, new = _after(row, column, before[start:old_end]), _after(row, column, after[start:new_end])
    copy.edit(start, old_end, new_end, (row, column), old, new)
    return copy


def _after(row: int, column: int, text: bytes) -> tuple[int, int]:
    """The row and column, in bytes, where `text` ends that begins at the ones given."""
    line = text.rfind(b"\n")
    return row + text.count(b"\n"), len(text) - line - 1 if line >= 0 else column + len(text)


def common_prefix(first: AnyStr, second: AnyStr) -> int:
    """How many characters or bytes two texts share at their beginning."""
    return _longest(min(len(first), len(second)), lambda low, high: first[low:high] == second[low:high])


def _common_suffix(first: bytes, second: bytes, most: int) -> int:
    """How many bytes two texts share at their end, at most `most`."""
    one, other = len(first), len(second)
    return _longest(most, lambda low, high: first[one - high : one - low] == second[other - high : other - low])


def _longest(most: int, are_equal: Callable[[int, int], bool]) -> int:
    """By bisection, as comparing slices is fast. As in `context_index.text`, which this room may not import."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if are_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def faults(root: tree_sitter.Node) -> int:
    """How many ERROR and MISSING nodes a tree has; only branches that hold one are walked."""
    count = 0
    work = [root]
    while work and count < _MOST:
        node = work.pop()
        count += node.is_error or node.is_missing
        if node.has_error:  # an error may have none within
            work += node.children
    return count
