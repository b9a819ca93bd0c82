"""What CPython's compiler refuses of a text, which a grammar for editors forgives.

Who writes from top to bottom has no block yet below a header, and no handler below `try`: these are stood in for.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from warnings import catch_warnings, simplefilter

from context_index import Edit, Language, ancestors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_LARGEST: Final = 200_000
"""Characters that CPython reads in some 50 ms."""
_HANDLERS: Final = frozenset({"except_clause", "except_group_clause", "finally_clause"})
_NAMED_ONCE: Final = {"argument_list": "keyword_argument", "parameters": "", "lambda_parameters": ""}
"""What names things, none of them twice; and which of its parts alone do."""


def breaks_python(before: Syntax, after: Syntax, place: int, end: int) -> bool:
    """Whether CPython read the text without what stands between two places, and reads it no more.

    Only such texts are judged as it took before, apart from the statement of the module that holds the place, which
    may have been unfinished: others may be for another version of Python. Of that statement all is asked that a
    compiler refuses, of the rest whether it parses.
    """
    if before.language is not Language.PYTHON or len(after.document.text) > _LARGEST:
        return False
    if not _parses(before, place, place):
        if after.errors:
            return _names_twice(after, place, end)
        statement = _statement(after, place)
        rest = after.document.text.replace(statement, "", 1)
        is_whole = _compiles(statement, 0) or _compiles(_statement(_gone_on(after, place, end), place), 0)
        return not is_whole and _compiles(rest, ast.PyCF_ONLY_AST)
    if not _parses(after, place, end):
        return True
    return not _compiles(_statement(after, place), 0) and _compiles(_statement(before, place), 0)


def _parses(syntax: Syntax, place: int, end: int) -> bool:
    """Whether CPython's parser takes a text: what is above the lines at two places, these, and what is below them.

    As most of a text stays the same from key to key, most of it is read once. Each part must be a text of its own, or
    the statements are not those that they seem to be.
    """
    start, stop = _lines(syntax, place, end)
    text, parser = syntax.document.text, ast.PyCF_ONLY_AST
    return all(_compiles(part, parser) for part in (text[start:stop], text[:start], text[stop:]))


def _lines(syntax: Syntax, place: int, end: int) -> tuple[int, int]:
    """The lines between two places, as many as the module's statements there take, and those that begin beside them."""
    text, spans = syntax.document.text, [syntax.span(node) for node in syntax.root.children]
    start, stop = place, end
    while True:
        touched = [(start, stop), *(span for span in spans if span[0] <= stop and span[1] >= start)]
        first, last = min(one for one, _ in touched), max(other for _, other in touched)
        wider = text.rfind("\n", 0, first) + 1, line if (line := text.find("\n", last)) >= 0 else len(text)
        if wider == (start, stop):
            return wider
        start, stop = wider


def compiles_no_more(before: Syntax, after: Syntax) -> bool:
    """Whether CPython's compiler took a whole file, and takes it no more."""
    if not before.language.is_python or len(after.document.text) > _LARGEST:
        return False
    return _compiles(before.document.text, 0) and not _compiles(after.document.text, 0)


def _gone_on(syntax: Syntax, place: int, end: int) -> Syntax:
    """The text as whoever wrote it up to `end` may go on: with a block below a header, and a handler below a `try`."""
    text, added = syntax.document.text, dict[int, str]()
    if not text[end:].partition("\n")[0].strip():
        if text[end - 1] == ":":
            added[end] = " pass"
        elif syntax.node_at(end - 1).type == "comment":
            added[end] = f"\n{_indentation(text, place)}pass"
    last = max(end - 1, place)
    for node in (around for around in ancestors(syntax.node_at(last)) if around.type == "try_statement"):
        if not any(child.type in _HANDLERS for child in node.children):
            stop = max(syntax.end(node), end)
            stop = line if (line := text.find("\n", stop)) >= 0 else len(text)
            stop = end if stop == end else stop
            added[stop] = f"{added.get(stop, '')}\n{_indentation(text, syntax.span(node)[0])}finally: pass"
    edits = [Edit(where, where, said) for where, said in sorted(added.items(), reverse=True)]
    return syntax.edited(syntax.document.edited(edits, syntax.document.revision), edits) if edits else syntax


def _indentation(text: str, place: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
    return line[: len(line) - len(line.lstrip())]


def _names_twice(syntax: Syntax, place: int, end: int) -> bool:
    """Whether an argument or a parameter that was inserted has the name of another one beside it."""
    first, last = syntax.byte(place), syntax.byte(end)
    for row in _rows(syntax.root, first, last):
        names = [_name(one, _NAMED_ONCE[row.type]) for one in row.named_children]
        counts = Counter(name.text for name in names if name is not None)
        if any(first <= name.start_byte < last and counts[name.text] > 1 for name in names if name is not None):
            return True
    return False


def _rows(root: Node, first: int, last: int) -> Iterator[Node]:
    """The lists of arguments and parameters that touch a stretch."""
    work = [root]
    while work:
        node = work.pop()
        if node.type in _NAMED_ONCE:
            yield node
        work += (child for child in node.named_children if child.start_byte <= last and child.end_byte >= first)


def _name(node: Node, kind: str) -> Node | None:
    """What names an argument (`kind` says which do) or a parameter."""
    if kind:
        return node.child_by_field_name("name") if node.type == kind else None
    if node.type == "typed_parameter":
        return next((child for child in node.named_children if child.type == "identifier"), None)
    return node if node.type == "identifier" else node.child_by_field_name("name")


def _statement(syntax: Syntax, place: int) -> str:
    """The statement of the module that a place is in, or at the end of."""
    found = [
        node
        for node in syntax.root.children
        if node.start_byte <= syntax.byte(place) <= node.end_byte and node.type != "comment"
    ]
    return "\n".join(syntax.text(node) for node in found)


@lru_cache(maxsize=16)
def _compiles(text: str, flags: int) -> bool:
    with catch_warnings():
        simplefilter("ignore")
        try:
            compile(text, "suggestion.py", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
