"""The brackets that the line at a cursor must leave open, as lines below close them and nothing opens them.

Whoever writes the first line of a block anew has the block's end already. Which lines belong to it is read from the
layout: those that are indented deeper, and the brackets with which the next line begins.
"""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from context_index.symbols import CLOSES
from context_index.text import Edit
from context_index.tokens import closers, open_brackets, tokens_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index.syntax import Syntax
    from context_index.text import Document

_OPERANDS = ("_", "")
"""What may lack before the brackets."""


def unopened(syntax: Syntax, offset: int) -> str:
    """The opening brackets, outermost first, that the line at a cursor should leave open; mostly none.

    Where a bracket that encloses the line may as well be the one that is closed, the parser is asked which leaves fewer
    errors.
    """
    document = syntax.document
    if not syntax.errors or document.text[offset:].partition("\n")[0].strip():
        return ""
    number = document.position(offset).line
    start = document.lines[number]
    closed = "".join(_closed_below(syntax, offset))[::-1]
    brackets = open_brackets(syntax, offset)
    outer, own = ([one for one in brackets if (one.start < start) == is_outer] for is_outer in (True, False))
    around = "".join(one.text[-1] for one in outer)
    if closed and around.endswith(closed) and _is_level(document, outer[-len(closed)].start, number):
        return ""  # `case 1:` on a level with its `switch {`
    possible = [closed[count:] for count in range(len(closed)) if around.endswith(closed[:count])]
    if len(possible) < 2:  # noqa: PLR2004 - nothing to choose from
        return "".join(possible)

    def errors(opening: str) -> int:
        shared = sum(1 for _ in takewhile(lambda pair: pair[0].text[-1] == pair[1], zip(own, opening, strict=False)))
        text = f"{closers(reversed(own[shared:]))} {opening[shared:]}"
        edits = (Edit(offset, offset, operand + text) for operand in _OPERANDS)
        return min(syntax.edited(document.edited([edit], document.revision), [edit]).errors for edit in edits)

    return min(possible, key=errors)


def _closed_below(syntax: Syntax, offset: int) -> Iterator[str]:
    """The opening brackets of those that close nothing of the lines that belong to the cursor's, innermost first."""
    document = syntax.document
    end = _end(document, document.position(offset).line)
    if end is None:
        return
    tokens = tokens_before(syntax, end)
    last_line = document.lines[document.position(end).line]
    # where only the end of a long block was read, what its last line begins with
    first = offset if not tokens.items or tokens.items[0].start <= offset else last_line
    for index, one in enumerate(tokens.items):
        opening = tokens.partner.get(index)
        if one.text in CLOSES and one.start >= first and (opening is None or tokens.items[opening].start < offset):
            yield CLOSES[one.text]


def _end(document: Document, number: int) -> int | None:
    """The end of the lines that belong to a line: after the closing brackets with which the next one begins.

    None where no deeper line follows.
    """
    own = _indentation(document.line_text(number))
    below = (one for one in range(number + 1, len(document.lines)) if document.line_text(one).strip())
    following = next(below, None)
    if following is None or _indentation(document.line_text(following)) <= own:
        return None
    following = next(dropwhile(lambda one: _indentation(document.line_text(one)) > own, below), None)
    if following is None:
        return len(document.text)
    line = document.line_text(following)
    closing = takewhile(CLOSES.__contains__, line[own:]) if _indentation(line) == own else ()
    count = sum(1 for _ in closing)
    return document.lines[following] + (own + count if count else 0)


def _is_level(document: Document, offset: int, number: int) -> bool:
    """Whether the line around an offset is indented as another line is, or deeper."""
    lines = document.position(offset).line, number
    one, other = (_indentation(document.line_text(line)) for line in lines)
    return one >= other


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
