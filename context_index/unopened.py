"""The brackets that the line at a cursor must leave open, as lines below close them and nothing opens them.

When the first line of a block is written anew, the block's end is there already:

    function total(cart) ^
        return cart.sum;
    }

Here the answer is `{`. The layout says which lines belong to the block: those that are indented deeper than the
cursor's line, and the next one if it is on the level of the cursor's line and begins with a closing bracket. Where the
layout does not say that the cursor's line opens the brackets, the answer is empty.

`Site.opening` asks, and the decoder's constraint `Opening` holds a suggestion to the answer.
"""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from context_index.symbols import CLOSES
from context_index.text import Edit
from context_index.tokens import TokenKind, closers, open_brackets, tokens_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index.syntax import Syntax
    from context_index.text import Document
    from context_index.tokens import Token

_OPERANDS = ("_", "")
"""What `_errors_with` tries before the brackets: a value, which may be missing there (`total(a, ^`), and nothing."""
_TEXT = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.TEMPLATE})


def unopened(syntax: Syntax, offset: int) -> str:
    """The opening brackets, outermost first, that the line at a cursor should leave open; mostly none, "".

    There are none in a text without errors, before other text on the line, and in a comment or a string.

    Some of the brackets that lines below close may be open around the line already. Then the parser decides how many
    are: the answer with the fewest errors wins, and the longest answer if several have equally few.
    """
    document = syntax.document
    if not syntax.errors or document.text[offset:].partition("\n")[0].strip():
        return ""
    line = document.position(offset).line
    deeper, level = _closed_below(syntax, offset)
    if not (deeper or level) or _is_in_text(syntax, offset) or _is_in_block_of_its_level(document, line):
        return ""
    brackets, start = open_brackets(syntax, offset), document.lines[line]
    around = "".join(bracket.text[-1] for bracket in brackets if bracket.start < start)
    if deeper and around.endswith(deeper):
        # all are open around: the line is in their argument list, or left of the block `})` that ends there
        return ""
    closed = level + deeper
    # The outermost of them may be open around the line; the line opens the rest, which is one at least: that it opens
    # none was excluded above.
    possible = [closed[count:] for count in range(len(closed)) if around.endswith(closed[:count])]
    if len(possible) < 2:  # noqa: PLR2004 - nothing to choose from
        return "".join(possible)
    on_line = [bracket for bracket in brackets if bracket.start >= start]
    return min(possible, key=lambda opening: _errors_with(syntax, offset, on_line, opening))


def _errors_with(syntax: Syntax, offset: int, on_line: Sequence[Token], opening: str) -> int:
    """How many errors the tree has if the line leaves only `opening` open.

    So it closes those of its brackets with which `opening` does not begin, and opens the rest of `opening`. That is
    tried after each of `_OPERANDS`, and the fewer errors count.

    Args:
        on_line: The brackets that the line has open so far, outermost first.
    """
    document = syntax.document
    pairs = zip(on_line, opening, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0].text[-1] == pair[1], pairs))
    text = f"{closers(reversed(on_line[shared:]))} {opening[shared:]}"
    edits = (Edit(offset, offset, operand + text) for operand in _OPERANDS)
    return min(syntax.edited(document.edited([edit], document.revision), [edit]).errors for edit in edits)


def is_deeper_below(document: Document, line: int) -> bool:
    """Whether the next line that is not blank is indented deeper than a line."""
    below = filter(str.strip, map(document.line_text, range(line + 1, len(document.lines))))
    return _indentation(next(below, "")) > _indentation(document.line_text(line))


def _closed_below(syntax: Syntax, offset: int) -> tuple[str, str]:
    """The opening brackets, outermost first, that the block below the cursor's line closes and does not open.

    Returns:
        Those that its deeper lines close, and those that the line after them closes. Both are "" without a block.
    """
    document = syntax.document
    block = _block_below(document, document.position(offset).line)
    if block is None:
        return "", ""
    last_line, end = block
    tokens = tokens_before(syntax, end)
    is_whole = bool(tokens.items) and tokens.items[0].start <= offset  # of a long block only the end is read
    first = offset if is_whole else last_line
    closing = [
        token
        for index, token in enumerate(tokens.items)
        if token.kind is TokenKind.PUNCTUATION and token.text in CLOSES and token.start >= first
        if index not in tokens.partner or tokens.items[tokens.partner[index]].start < offset
    ]
    deeper = [CLOSES[token.text] for token in closing if token.start < last_line]
    level = [CLOSES[token.text] for token in closing if token.start >= last_line]
    return "".join(reversed(deeper)), "".join(reversed(level))


def _block_below(document: Document, line: int) -> tuple[int, int] | None:
    """The block of the lines below `line` that are deeper: the offset of the line after them, and where the block ends.

    The block includes the line after them if a closing bracket begins it on the level of `line`. Then the second offset
    is that of its end, else it is the first. None if the next line is not deeper.
    """
    if not is_deeper_below(document, line):
        return None
    indentation = _indentation(document.line_text(line))
    below = (number for number in range(line + 1, len(document.lines)) if document.line_text(number).strip())
    last = next(dropwhile(lambda number: _indentation(document.line_text(number)) > indentation, below), None)
    if last is None:
        return len(document.text), len(document.text)
    start, text = document.lines[last], document.line_text(last)
    is_end = _indentation(text) == indentation and text[indentation : indentation + 1] in CLOSES
    return start, start + len(text) * is_end


def _is_in_text(syntax: Syntax, offset: int) -> bool:
    """Whether a place is in a comment or a string, where nothing is opened."""
    items = tokens_before(syntax, offset).items
    last = next((token for token in reversed(items) if token.kind is not TokenKind.NEWLINE), None)
    is_comment = last is not None and last.kind is TokenKind.COMMENT and last.end == offset
    return is_comment or (last is not None and last.open and last.kind in _TEXT)


def _is_in_block_of_its_level(document: Document, line: int) -> bool:
    """Whether a line above on the same level has opened the block that a line is in: `case 1:` below its `switch {`.

    The lines above are read upwards, until one is indented less. Deeper ones say nothing.
    """
    indentation = _indentation(document.line_text(line))
    # blocks of this level whose first line is still to come, as their last line was read
    ended = int(document.line_text(line)[indentation : indentation + 1] in CLOSES)
    for above in range(line - 1, -1, -1):
        text = document.line_text(above).rstrip()
        if not text or _indentation(text) > indentation:
            continue
        if _indentation(text) < indentation:
            return False
        if text[-1] in CLOSES.values():
            if not ended:
                return True
            ended -= 1
        ended += text[indentation] in CLOSES
    return False


def _indentation(line: str) -> int:
    """The number of white characters at a line's start."""
    return len(line) - len(line.lstrip())
