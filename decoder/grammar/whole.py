"""Whether a text inserted at the cursor leaves the whole file with no more errors than before.

Tree-sitter answers, as it recovers from errors elsewhere; parsing again after a small insertion is incremental. The
automaton says what may come next, this module where a text may end.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    import tree_sitter

    from decoder.grammar.state import State

_TO_NEXT_LINE = re.compile(r"[^\n]*\n?(?:[^\S\n]*(?:(?://|#)[^\n]*|/\*.*?\*/[^\S\n]*)?\n)*[^\n]*\n?", re.DOTALL)
"""The rest of a line, then lines that are blank or a comment, and one more."""
_CLOSERS = (")", "]", "}", ";")
"""What may close or end an open construct, wherever that is finished: no operand or body is missing before it."""
_FARTHEST = 4_000
"""Characters in which the next line is looked for."""
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
            kept = common_prefix(self._source[start:][::-1], source[start:][::-1])
            replaced = (start, len(self._source) - kept, len(source) - kept)
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
        entered: The automaton's state at the end of `before`, if it has one.
    """

    def __init__(  # noqa: PLR0917 - in the order of the file, then what is known of it
        self,
        latest: LatestTree,
        before: str,
        after: str,
        replaced: str = "",
        known_faults: int | None = None,
        entered: State | None = None,
    ) -> None:
        self._latest = latest
        self._start = len(before.encode("utf-8", "surrogatepass"))
        self._end = self._start + len(replaced.encode("utf-8", "surrogatepass"))
        rest = _TO_NEXT_LINE.match(after, 0, _FARTHEST)
        self._rest_of_line = after if rest is None else rest.group()
        self._source = (before + replaced + after).encode("utf-8", "surrogatepass")
        self._known_faults = known_faults
        self._rest_now = replaced + self._rest_of_line
        self._own_line = after.partition("\n")[0]
        self._ends_line = not after.partition("\n")[0].strip()
        self._ends_file = not after.strip()
        self._entered = entered
        self._accepted: dict[str, bool] = {}

    def accept(self, inserted: str, state: State) -> bool:
        """Whether the file with `inserted` has no more syntax errors than it has now.

        Where it has just as many, one may hide another, and what tree-sitter forgives the automaton may not; so the
        rest of the line must follow from `state`, too, and the next line that says something: it shows how the one
        before ended. Of lines that do not follow now that is asked only where the file has errors. In such a file a
        line may not end in the middle of an expression either, unless the next one goes on with it; an empty text is
        always accepted. A bracket or a quote after the cursor may have been inserted by an editor before the line was
        finished (`import { ‸}`): it is then enough that the rest of the line follows.
        """
        if inserted not in self._accepted:
            now = self._faults_with(inserted)
            asked = now >= self.faults and (now > 0 or self._follows_now)
            follows = not asked or self._is_followed(state)
            finished = not now or not self._ends_line or not inserted.strip() or self._is_finished(state)
            self._accepted[inserted] = now <= self.faults and follows and finished
        return self._accepted[inserted]

    def _is_followed(self, state: State) -> bool:
        """Whether what is after the cursor follows: its line, and where that is blank the next one."""
        return state.advance(self._rest_of_line if self._ends_line else self._own_line) is not None

    def _is_finished(self, state: State) -> bool:
        """Whether nothing is missing at the end of a line: what follows goes on with it, or it could be closed."""
        if any(state.advance(closer) is not None for closer in _CLOSERS):
            return True
        return state.complete() if self._ends_file else state.advance(self._rest_of_line) is not None

    @cached_property
    def _follows_now(self) -> bool:
        return self._entered is not None and self._entered.advance(self._rest_now) is not None

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
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
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
