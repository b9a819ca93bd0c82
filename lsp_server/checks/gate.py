"""The last look at a suggestion: does the file still parse with it, and does it say anything?

A suggestion that fails as a whole may pass up to the end of one of its lines. Knows nothing of tokens or editors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import Edit, continues_identifier
from lsp_server.checks.compiled import breaks_python
from lsp_server.checks.pointless import pointless
from lsp_server.checks.refused import is_refused
from lsp_server.checks.unfinished import PROSE, is_unfinished
from lsp_server.suggestion import Withheld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_ECHO = 3
"""Characters from which a shared beginning counts as an echo: brackets recur everywhere."""

_FUTURE = "__future__"
_COMMENTS = frozenset({"#", "//"})
_TRIVIAL = frozenset(";,:.()[]{}<>|&+-*/%=!?^~@#") | _COMMENTS

_NO_CALLEE = re.compile(
    r"(?<![\w$.])(?:if|for|while|switch|catch|with|function|return|in|of|and|or|not|await|def|class)$"
)
"""What stands before a bracket and calls nothing."""
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`]*`")
_CLOSERS = tuple(")]}")
_ROWS = frozenset(
    {
        *("arguments", "argument_list", "array", "list", "set", "dictionary", "object", "parameters"),
        *("formal_parameters", "object_pattern", "named_imports", "export_clause", "type_arguments"),
    }
)
"""Where a comma in front of the end says nothing; it makes a tuple of one element, and a hole in a pattern."""
_SAID = re.compile(r"\w{2,}")
_WORDS = 2
"""Words that a comment must have to be worth an end."""
_NEARBY = 4_000
"""Characters after the cursor in which an echo is looked for; no suggestion is that long."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be shown: `text`, or nothing and why."""

    text: str = ""
    withheld: Withheld | None = None
    reason: str = ""


def judge(syntax: Syntax, offset: int, text: str, *, parses: bool = False) -> Verdict:
    """The longest beginning of `text`, cut at a line's end, that may stand at `offset`.

    Args:
        parses: The file with all of `text` in it was parsed already, and has no more errors than before.
    """
    document = syntax.document
    following = document.text[offset : offset + _NEARBY]
    candidates = [
        candidate
        for beginning in _beginnings(_aligned(syntax, offset, text.rstrip()))
        for candidate in _ways(syntax, offset, beginning, following.split("\n", 1)[0].strip())
        if candidate.strip()
    ]
    said_anew = [candidate for candidate in dict.fromkeys(candidates) if not _echoes(following, candidate)]
    said = ""
    for candidate in said_anew:
        if _is_trivial(candidate):
            continue
        finished = _with(syntax, offset, candidate)
        whole = (parses and candidate == text) or finished.errors <= syntax.errors
        place = offset, offset + len(candidate)
        refused = is_unfinished(finished, *place) or is_refused(finished, *place)
        refused = refused or breaks_python(syntax, finished, *place) or _has_late_future(finished, *place)
        if whole and not refused:
            if (sentence := pointless(finished, *place)) is None:
                return Verdict(_trimmed(finished, *place))
            said = said or sentence
    if said:
        return Verdict(withheld=Withheld.EMPTY, reason=said)
    if said_anew and all(_is_trivial(candidate) for candidate in said_anew):
        return Verdict(withheld=Withheld.TRIVIAL, reason="It is a single bracket, separator or sign.")
    if said_anew:
        return Verdict(withheld=Withheld.SYNTAX_ERROR, reason="The file would have a new syntax error with it.")
    if candidates:
        return Verdict(withheld=Withheld.REPEATS_FOLLOWING, reason="It repeats what stands after the cursor.")
    return Verdict(withheld=Withheld.EMPTY, reason="The model had nothing to say here.")


def _with(syntax: Syntax, offset: int, text: str) -> Syntax:
    edit = Edit(offset, offset, text)
    return syntax.edited(syntax.document.edited([edit], syntax.document.revision), [edit])


def _ways(syntax: Syntax, offset: int, text: str, rest: str) -> tuple[str, ...]:
    """A text without an end that the rest of the line begins with, and with it; what parses better before the other.

    Arguments stand where the rest begins with some: `parser.‸("-o")` gets no `add_argument("infile")`.

    In a torn file neither may be worse than nothing: `a[‸]` would get `b[0` for `b[0]`. A comment that lacks its end
    gets one, where it is not the beginning of what stands below.
    """
    if rest.startswith("(") and (callee := without_arguments(text)):
        return callee, callee
    cut = without_overlap(text, rest)
    closed = () if syntax.language.is_python else with_comment_closed(text)
    if cut == text or _with(syntax, offset, cut).errors <= _with(syntax, offset, text).errors:
        return cut, text, *closed
    return text, cut, *closed


def _aligned(syntax: Syntax, offset: int, text: str) -> str:
    """A text without blanks at its beginning where the line has some already; in Python they may say what it is in."""
    above = syntax.document.text[max(0, offset - _NEARBY) : offset].rpartition("\n")[2]
    if not above.endswith((" ", "\t")) or (syntax.language.is_python and not above.strip()):
        return text
    return text if syntax.node_at(offset - 1).type in PROSE else text.lstrip(" \t")


def with_comment_closed(text: str) -> tuple[str, ...]:
    """A text that ends within a comment of several words, with the comment's end; nothing where there is none."""
    opened = text.rfind("/*")
    said = text[opened:]
    if opened < 0 or "*/" in said or len(_SAID.findall(said)) < _WORDS:
        return ()
    *lines, last = said.rstrip(" \t*").rstrip().split("\n")
    margin = last[: len(last) - len(last.lstrip())]
    return (text[:opened] + "\n".join([*lines, last]) + (f"\n{margin}*/" if lines else " */"),)


def _has_late_future(syntax: Syntax, start: int, end: int) -> bool:
    """Python: whether an import from `__future__`, at the place or behind it, follows something else because of it."""
    if not syntax.language.is_python or syntax.document.text.find(_FUTURE, start) < 0:
        return False
    first, last = syntax.byte(start), syntax.byte(end)
    is_written, is_early = False, True
    for number, node in enumerate(node for node in syntax.root.named_children if node.type != "comment"):
        if node.type == "future_import_statement":
            if not is_early and (is_written or (first < node.end_byte and node.start_byte < last)):
                return True
        elif number or not _is_string(node):
            is_written = is_written or (is_early and first <= node.start_byte < last)
            is_early = False
    return False


def _is_string(node: Node) -> bool:
    return node.type == "expression_statement" and [child.type for child in node.named_children] == ["string"]


def _is_trivial(text: str) -> bool:
    """Whether it is one bracket, separator or sign: typed faster than read, and hardly ever all that is missing."""
    return text.strip() in _TRIVIAL


def without_overlap(text: str, rest: str) -> str:
    """`text` without an end that the rest of the line begins with."""
    overlap = next((n for n in range(min(len(text), len(rest)), 0, -1) if text.endswith(rest[:n])), 0)
    return text[: len(text) - overlap].rstrip() if overlap else text


def without_arguments(text: str) -> str:
    """What is called by the call that a text ends with; nothing where it ends with none."""
    depth, code = 0, _QUOTED.sub(lambda quoted: "'" * len(quoted[0]), text)
    for place in range(len(code) - 1, -1, -1) if code.endswith(")") else ():
        depth += (code[place] == ")") - (code[place] == "(")
        if not depth:
            callee = text[:place]
            return callee if callee and continues_identifier(callee[-1]) and not _NO_CALLEE.search(callee) else ""
    return ""


def _trimmed(syntax: Syntax, start: int, end: int) -> str:
    """What was inserted without an end that says nothing: a comment without words, a comma before a closing bracket."""
    document = syntax.document
    text = document.text[start:end]
    last = syntax.node_at(end - 1)
    if last.type == "comment" and (sign := syntax.text(last)) in _COMMENTS and text.endswith(sign):
        return text[: -len(sign)].rstrip()
    if not text.endswith(",") or document.text[end : end + 1] not in _CLOSERS:
        return text
    row = last.parent
    is_needless = row is not None and (row.type in _ROWS or (row.type == "tuple" and row.named_child_count > 1))
    return text[:-1].rstrip() if is_needless else text


def _beginnings(text: str) -> Iterator[str]:
    """The text, then ever shorter beginnings of whole lines."""
    while text.strip():
        yield text
        text = text[: text.rfind("\n")].rstrip() if "\n" in text else ""


def _echoes(following: str, text: str) -> bool:
    """Whether the text says what the file says after the cursor: how the line goes on, or the lines below."""
    rest = following.split("\n", 1)[0].strip()
    same = _same_tokens(text.strip(), rest)
    if rest and same and (len(same) >= _ECHO or same in (text.strip(), rest)):
        return True
    said = [line.strip() for line in text.strip().split("\n")]
    below = [line.strip() for line in following.split("\n") if line.strip()]
    return len("".join(said)) > _ECHO and below[: len(said)] == said


def _same_tokens(one: str, other: str) -> str:
    """The beginning that two texts share, up to the end of a token in both."""
    length = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    inside = [text[length - 1 : length + 1] for text in (one, other)]
    while length and any(_in_word(pair) for pair in inside):
        length -= 1
        inside = [text[length - 1 : length + 1] for text in (one, other)]
    return one[:length].rstrip()


def _in_word(pair: str) -> bool:
    return len(pair) == len("ab") and all(map(continues_identifier, pair))
