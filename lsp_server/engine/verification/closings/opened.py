"""The nodes of a closed document that are unfinished at the text: what the closing ends, or closers right below do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import CLOSES, ancestors

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from context_index import Node, Syntax
    from lsp_server.engine.verification.candidate import Applied

_TAGS = (">", "/>")
_BLANKS = " \t\r\n"


class Opened:
    """What is open at the end of a text, in a document that its closing closes."""

    def __init__(self, closed: Applied) -> None:
        self.closed = closed
        self.text_end = closed.inserted[1]
        self.end = max([self.text_end, *(end for start, end in closed.closings if start == self.text_end)])
        """Where the closing ends."""
        self.reach = self._reach()
        """Where the closing brackets that follow it end, with what closes the document among them."""

    def _reach(self) -> int:
        reach, text = self.end, self.closed.document.text
        closings = dict(self.closed.closings)
        while (further := closings.get(reach) or next(closers_from(text, reach), None)) is not None:
            reach = further
        return reach

    @property
    def syntax(self) -> Syntax:
        """The closed document's tree."""
        return self.closed.syntax

    def around(self) -> Iterator[Node]:
        """The nodes around the last character of the text, or before it, innermost first."""
        last = len(self.closed.document.text[: self.text_end].rstrip()) - 1
        if last >= 0:
            node = self.syntax.node_at(last, last + 1)
            yield node
            yield from ancestors(node)

    def bracketed(self) -> Iterator[tuple[Node, int]]:
        """Those that a closing bracket ends after the text, innermost first, each with the bracket's place.

        A body that the closing brings is one of them.
        """
        for node in self.around():
            for one in filter(None, (node.child_by_field_name("body"), node)):
                last = one.children[-1] if one.child_count else None
                if last is None or (last.type not in CLOSES and last.type not in _TAGS):
                    continue
                place, start = self.syntax.start(last), self.syntax.start(one)
                if self.text_end <= place < self.reach and (one is node or start >= self.text_end):
                    yield one, place

    def tag(self) -> tuple[Node, int] | None:
        """The innermost tag that the text is in, with where it ends."""
        return self._innermost(_TAGS)

    def brackets(self) -> tuple[Node, int] | None:
        """The innermost brackets that the text leaves open, with where they end, wherever that is."""
        return self._innermost(CLOSES)

    def _innermost(self, ends: Container[str]) -> tuple[Node, int] | None:
        for node in self.around():
            last = node.children[-1] if node.child_count else None
            if last is not None and last.type in ends and self.text_end <= self.syntax.start(last):
                return node, self.syntax.start(last)
        return None

    def ended(self) -> Iterator[Node]:
        """Those that end with the closing, innermost first: nothing of them is below."""
        for node in self.around():
            start, end = self.syntax.span(node)
            if start < self.text_end <= end <= self.reach or self._is_blank_after(node):
                yield node

    def separated(self, node: Node, place: int) -> str:
        """What stands between the last of a node's parts and one more, before its closing bracket."""
        written = self.closed.document.text[self.syntax.start(node) : place].rstrip()
        is_first = not any(one.is_named for one in node.children[:-1])
        return " " if is_first or written.endswith(",") else ", "

    def _is_blank_after(self, node: Node) -> bool:
        """Whether a node ends before the text's end, and nothing but blanks is between them."""
        end = self.syntax.end(node)
        return end < self.text_end and not self.closed.document.text[end : self.text_end].strip()


def closers_from(text: str, place: int) -> Iterator[int]:
    """The ends of the closing brackets and tags from a place on, as long as only blanks are between them."""
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
    """The characters of a closing bracket or tag, or of the end of a tag; 0 where there is none."""
    if text[place] in CLOSES or text[place] == ">":
        return 1
    if text.startswith("/>", place):
        return 2
    end = text.find(">", place) + 1 if text.startswith("</", place) else 0
    return end - place if "\n" not in text[place:end] and end else 0
