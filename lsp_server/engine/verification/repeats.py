"""Texts that repeat what the file has after the cursor: how much of them does, so that `judge` can cut it off.

In the examples, `|` is the cursor.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from context_index import continues_identifier
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.spans import leaves

if TYPE_CHECKING:
    from context_index import Syntax
    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.spans import Span


_CLOSING = ")]}>\"'`; \t\r\n"
"""Signs that close something or end a statement, and white space."""
_REPEATABLE = 4_000
"""Characters after the cursor that a text may repeat; no suggestion is that long."""


def repeated_length(before: Syntax, candidate: Candidate) -> int:
    """How many characters at the end of a text repeat what comes after it, token by token; 0 if none do.

    On the line where the text ends any number of tokens count: the `)` of `a)` before `|)`. If what comes after it
    begins on a line below, only whole lines count. The first repeated token may have begun before the text, but not
    amid a word: in `"a |b"` the text `b"` repeats the rest of the string.
    """
    text, start, after = candidate.text.rstrip(), candidate.offset, candidate.offset + candidate.replaces
    given = before.document.text
    spans_after = ((max(first, after), last) for first, last in leaves(before, after, after + _REPEATABLE))
    nearest = next(spans_after, None)
    if nearest is None or (gap := given[after : nearest[0]]).strip() or given[slice(*nearest)] not in text:
        return 0
    # with a blank after the text, its last word and the word after the cursor stay two tokens
    apart = Applied(before, replace(candidate, text=f"{text} ", edits=(), spelling=""))
    written, end = apart.document.text, start + len(text)
    spans = [(max(first, start), min(last, end)) for first, last in leaves(apart.syntax, start, end)]
    if not spans or spans[-1][1] < end:
        return 0
    following = [nearest, *islice(spans_after, len(spans) - 1)]
    texts_after = [given[slice(*span)] for span in following]
    for count in range(len(following), 0, -1):  # `f(a, b)` before `, b)`: three tokens, then two, then one
        (first_start, first_end), *others = spans[-count:]
        repeated = first_end - len(texts_after[0])
        texts = [written[slice(*span)] for span in ((repeated, first_end), *others)]
        if texts != texts_after[:count] or repeated < first_start or _is_in_word(written, repeated):
            continue
        if "\n" not in gap or (_begins_line(written, repeated) and _ends_line(given, following[count - 1][1])):
            return len(candidate.text) - (repeated - start)
    return 0


def only_repeats(text: str, repeated: int) -> bool:
    """Whether a text is nothing but a repetition of what comes after it: `, b` before `|, b)`.

    Closing brackets and quotes alone may all be needed.

    Args:
        repeated: The text's `repeated_length`.
    """
    return repeated > 0 and not text[:-repeated].strip() and bool(text.strip(_CLOSING))


def doubled_length(before: Syntax, candidate: Candidate) -> int:
    """How many characters at the end of a text are a group in brackets that the file opens again right after it; or 0.

    A group is the arguments of a call, an index, or a list of types: `helper()` in place of the name in `helpe(5)`.
    """
    text, start, after = candidate.text.rstrip(), candidate.offset, candidate.offset + candidate.replaces
    opened = next(leaves(before, after, after + 1), None)
    if opened is None or opened[0] != after or text != candidate.text:
        return 0
    end = start + len(text)
    written = Applied(before, replace(candidate, edits=(), spelling="")).syntax
    closing = written.node_at(end - 1, end)
    group = None if closing.child_count else closing.parent
    if group is None or group.children[-1] != closing or written.end(closing) != end:
        return 0
    opening = before.document.text[slice(*opened)].encode()
    starts = (written.start(child) for child in group.children[:-1] if child.text == opening)
    first = next((child_start for child_start in starts if child_start > start), None)
    return 0 if first is None else end - first


def says_next_line(before: Syntax, candidate: Candidate) -> bool:
    """Whether the cursor's line, with a text of one line in it, is what the next line that is not blank begins with.

    At least two tokens must be the same. Of 4,186 rests of lines that people wrote, three do so.
    """
    text, offset = before.document.text, candidate.offset
    below = _next_line(text, offset + candidate.replaces)
    if below is None or "\n" in candidate.text.strip():
        return False
    applied = Applied(before, candidate)
    written = applied.document.text
    start = written.rfind("\n", 0, applied.inserted[0]) + 1
    stop = written.find("\n", applied.inserted[1])
    tokens_here = [written[slice(*span)] for span in leaves(applied.syntax, start, stop)]
    tokens_below = [text[slice(*span)] for span in islice(leaves(before, *below), len(tokens_here))]
    return len(tokens_here) > 1 and tokens_here == tokens_below


def _next_line(text: str, offset: int) -> Span | None:
    """The next line after an offset's that is not blank; None if there is none."""
    start = text.find("\n", offset) + 1
    while start:
        stop = text.find("\n", start)
        if text[start : stop if stop >= 0 else None].strip():
            return start, stop if stop >= 0 else len(text)
        start = stop + 1
    return None


def _is_in_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and all(map(continues_identifier, text[offset - 1 : offset + 1]))


def _begins_line(text: str, offset: int) -> bool:
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()


def _ends_line(text: str, offset: int) -> bool:
    return not text[offset:].partition("\n")[0].strip()
