"""Finds the nodes of a closed document that the text leaves unfinished: the closing ends them, or brackets after it do.

The records of the languages ask here where to insert what is still to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import CLOSES, ancestors

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from context_index import Node, Syntax
    from lsp_server.engine.verification.applied import Applied

_TAGS = (">", "/>")
_BLANKS = " \t\r\n"


class Opened:
    """What is open at the end of a text, in a document that is closed. Offsets are of this document."""

    def __init__(self, closed: Applied) -> None:
        self.closed = closed
        self.text_end = closed.inserted[1]
        self.end = max([self.text_end, *(end for start, end in closed.closings if start == self.text_end)])
        """The end of what closes the document right after the text."""
        self.reach = self._reach()
        """The end of the closing brackets and tags after that, be they of the file or of the closing."""

    def _reach(self) -> int:
        reach, text = self.end, self.closed.document.text
        end_of_closing = dict(self.closed.closings)
        while (further := end_of_closing.get(reach) or next(closers_from(text, reach), None)) is not None:
            reach = further
        return reach

    @property
    def syntax(self) -> Syntax:
        """The closed document's tree."""
        return self.closed.syntax

    def around(self) -> Iterator[Node]:
        """The nodes around the last character up to the text's end that is not blank, innermost first."""
        last = len(self.closed.document.text[: self.text_end].rstrip()) - 1
        if last >= 0:
            node = self.syntax.node_at(last, last + 1)
            yield node
            yield from ancestors(node)

    def bracketed(self) -> Iterator[tuple[Node, int]]:
        """The nodes around the text that end with a closing bracket between its end and `reach`, innermost first.

        Each comes with the bracket's offset. A body that begins in the closing is among them.
        """
        for around in self.around():
            for node in filter(None, (around.child_by_field_name("body"), around)):
                last = node.children[-1] if node.child_count else None
                if last is None or (last.type not in CLOSES and last.type not in _TAGS):
                    continue
                place, start = self.syntax.start(last), self.syntax.start(node)
                if self.text_end <= place < self.reach and (node is around or start >= self.text_end):
                    yield node, place

    def tag(self) -> tuple[Node, int] | None:
        """The innermost tag that the text is in, with the offset of its end sign."""
        return self._innermost(_TAGS)

    def brackets(self) -> tuple[Node, int] | None:
        """The innermost node in brackets that the text is in, with its closing bracket's offset, wherever that is."""
        return self._innermost(CLOSES)

    def _innermost(self, ends: Container[str]) -> tuple[Node, int] | None:
        for node in self.around():
            last = node.children[-1] if node.child_count else None
            if last is not None and last.type in ends and self.text_end <= self.syntax.start(last):
                return node, self.syntax.start(last)
        return None

    def ended(self) -> Iterator[Node]:
        """The nodes around the text that end before `reach`, innermost first: no code below belongs to them."""
        for node in self.around():
            start, end = self.syntax.span(node)
            if start < self.text_end <= end <= self.reach or self._is_blank_after(node):
                yield node

    def separated(self, node: Node, place: int) -> str:
        """What must separate the last of a node's parts from one more that is inserted at a place."""
        written = self.closed.document.text[self.syntax.start(node) : place].rstrip()
        is_first = not any(child.is_named for child in node.children[:-1])
        return " " if is_first or written.endswith(",") else ", "

    def _is_blank_after(self, node: Node) -> bool:
        """Whether a node ends before the text's end, and nothing but blanks is between them."""
        end = self.syntax.end(node)
        return end < self.text_end and not self.closed.document.text[end : self.text_end].strip()


def closers_from(text: str, place: int) -> Iterator[int]:
    """The offsets of the ends of the closing brackets and tags from a place on, while only blanks are between them."""
    while place < len(text):
        if text[place] in _BLANKS:
            place += 1
            continue
        length = _length_of_closer(text, place)
        if not length:
            return
        place += length
        yield place


def _length_of_closer(text: str, place: int) -> int:
    """How many characters a closing bracket or tag, or the end of a tag, has at a place; 0 if there is none."""
    if text[place] in CLOSES or text[place] == ">":
        return 1
    if text.startswith("/>", place):
        return 2
    end = text.find(">", place) + 1 if text.startswith("</", place) else 0
    return end - place if "\n" not in text[place:end] and end else 0
