"""Whether a checker checks a file at all: of one that its project or its own comments leave out, it reports nothing.

Asked by a fault of ours at the beginning of the file, after the comments that concern the whole file: there no syntax
error comes before it, and nothing has made the place unreachable.
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from context_index import Document, remember
from lsp_server.engine.verification.reports import has_failed

if TYPE_CHECKING:
    from context_index import Checker, Query, Syntax, World

_KEPT = 16
"""The most files whose answer is kept; the least recently used is dropped."""
_ABOUT_THE_FILE = ("comment", "hash_bang", "preproc")
"""Parts of the types of nodes that may come before the first statement. (With a probe above them, clangd would read its
includes anew, and answer meanwhile from what it had read for another text.)"""
_BEFORE, _UNDEFINED, _UNREADABLE = "\n0;\n", "inscope_probe;\n", ")\n"
"""The statement before a fault absorbs a comment above it that concerns only the next line. The faults are a name that
nothing defines and what no parser of a language reads."""


class CheckedFiles:
    """Asks about files, and asks again once the comments at their beginning or files on disk have changed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cache: dict[tuple[str, str], tuple[tuple[Checker, int, str], Future[bool]]] = {}
        """By document and fault, what its answer depends on (the checker, the changes on disk, the first comments), and
        it."""

    def includes(self, checker: Checker, syntax: Syntax) -> Future[bool]:
        """Whether the checker checks a document."""
        return self._reports(checker, syntax, _UNDEFINED)

    def parses(self, checker: Checker, syntax: Syntax) -> Future[bool]:
        """Whether the checker's parser says what it does not read; of plain JavaScript it says only that."""
        return self._reports(checker, syntax, _UNREADABLE)

    def _reports(self, checker: Checker, syntax: Syntax, fault: str) -> Future[bool]:
        document, key = syntax.document, (syntax.document.uri, fault)
        first = _after_first_comments(syntax)
        basis = checker, len(self._world.changes), document.text[:first]
        known = self._cache.get(key)
        if known is None or known[0] != basis or has_failed(known[1]):
            text = f"{document.text[:first]}{_BEFORE}{fault}{document.text[first:]}"
            probe = Document(document.uri, document.language, text, document.revision)
            start = first + len(_BEFORE)
            known = basis, checker.ask(probe, partial(_has_error, start=start, end=start + len(fault)), as_it_is=True)
        remember(self._cache, key, known, _KEPT)
        return known[1]


def _after_first_comments(syntax: Syntax) -> int:
    """Where the first statement may stand."""
    offset = 0
    for node in syntax.top_level:
        if not any(word in node.type for word in _ABOUT_THE_FILE):
            break
        offset = syntax.end(node)
    return offset


def _has_error(asked: Query, start: int, end: int) -> bool:
    return any(one.is_error and one.start < end and one.end > start for one in asked.diagnostics())
