"""The brackets that the line at a cursor must leave open, as lines below close them and nothing opens them.

Whoever writes the first line of a block anew has the block's end already. Which lines belong to it is read from the
layout: those that are indented deeper, and the next one if it begins with closing brackets. Where the layout leaves it
open which line is meant, none is.
"""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from context_index.symbols import CLOSES
from context_index.text import Edit
from context_index.tokens import TokenKind, closers, open_brackets, tokens_before

if TYPE_CHECKING:
    from context_index.syntax import Syntax
    from context_index.text import Document

_OPERANDS = ("_", "")
"""Before the brackets a value may be missing, or none."""
_TEXT = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.TEMPLATE})


def unopened(syntax: Syntax, offset: int) -> str:
    """The opening brackets, outermost first, that the line at a cursor should leave open; mostly none.

    Where some of them may as well be brackets around the line, the parser is asked which leaves the fewest errors.
    """
    document = syntax.document
    if not syntax.errors or document.text[offset:].partition("\n")[0].strip():
        return ""
    number = document.position(offset).line
    deeper, level = _closed_below(syntax, offset)
    if not (deeper or level) or _is_in_text(syntax, offset) or _is_in_block_of_its_level(document, number):
        return ""
    brackets, start = open_brackets(syntax, offset), document.lines[number]
    around = "".join(one.text[-1] for one in brackets if one.start < start)
    if deeper and around.endswith(deeper):
        return ""  # the end of an argument list that the line is in, or of a block that it is left of
    closed = level + deeper
    possible = [closed[count:] for count in range(len(closed)) if around.endswith(closed[:count])]
    if len(possible) < 2:  # noqa: PLR2004 - nothing to choose from
        return "".join(possible)
    own = [one for one in brackets if one.start >= start]

    def errors(opening: str) -> int:
        shared = sum(1 for _ in takewhile(lambda pair: pair[0].text[-1] == pair[1], zip(own, opening, strict=False)))
        text = f"{closers(reversed(own[shared:]))} {opening[shared:]}"
        edits = (Edit(offset, offset, operand + text) for operand in _OPERANDS)
        return min(syntax.edited(document.edited([edit], document.revision), [edit]).errors for edit in edits)

    return min(possible, key=errors)


def is_deeper_below(document: Document, number: int) -> bool:
    """Whether the next line that is not blank is indented deeper than a line."""
    below = filter(str.strip, map(document.line_text, range(number + 1, len(document.lines))))
    return _indentation(next(below, "")) > _indentation(document.line_text(number))


def _closed_below(syntax: Syntax, offset: int) -> tuple[str, str]:
    """The brackets, outermost first, that the lines of the cursor's block close and do not open.

    Apart: those that deeper lines close, and those that the line after them closes.
    """
    document = syntax.document
    found = _block_below(document, document.position(offset).line)
    if found is None:
        return "", ""
    last_line, end = found
    tokens = tokens_before(syntax, end)
    is_whole = bool(tokens.items) and tokens.items[0].start <= offset  # of a long block only the end is read
    closed = [
        (one, CLOSES[one.text])
        for index, one in enumerate(tokens.items)
        if one.kind is TokenKind.PUNCTUATION and one.text in CLOSES and one.start >= (offset if is_whole else last_line)
        if index not in tokens.partner or tokens.items[tokens.partner[index]].start < offset
    ]
    deeper, level = (
        [opening for one, opening in closed if (one.start < last_line) == is_deep] for is_deep in (True, False)
    )
    return "".join(reversed(deeper)), "".join(reversed(level))


def _block_below(document: Document, number: int) -> tuple[int, int] | None:
    """Where the line begins that ends the block below a line, and where the block ends; None where none is deeper."""
    if not is_deeper_below(document, number):
        return None
    own = _indentation(document.line_text(number))
    below = (one for one in range(number + 1, len(document.lines)) if document.line_text(one).strip())
    last = next(dropwhile(lambda one: _indentation(document.line_text(one)) > own, below), None)
    if last is None:
        return len(document.text), len(document.text)
    start, line = document.lines[last], document.line_text(last)
    is_end = _indentation(line) == own and line[own : own + 1] in CLOSES
    return start, start + len(line) * is_end


def _is_in_text(syntax: Syntax, offset: int) -> bool:
    """Whether a place is in a comment or a string, where nothing is opened."""
    items = tokens_before(syntax, offset).items
    last = next((one for one in reversed(items) if one.kind is not TokenKind.NEWLINE), None)
    is_comment = last is not None and last.kind is TokenKind.COMMENT and last.end == offset
    return is_comment or (last is not None and last.open and last.kind in _TEXT)


def _is_in_block_of_its_level(document: Document, number: int) -> bool:
    """Whether a line above that is not indented less has begun the block: `case 1:` on a level with its `switch {`."""
    own = _indentation(document.line_text(number))
    ended = int(document.line_text(number)[own : own + 1] in CLOSES)
    for above in range(number - 1, -1, -1):
        line = document.line_text(above).rstrip()
        if not line or _indentation(line) > own:
            continue
        if _indentation(line) < own:
            return False
        if line[-1] in CLOSES.values():
            if not ended:
                return True
            ended -= 1
        ended += line[own] in CLOSES
    return False


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
