"""Whether a checker checks a file at all: it reports nothing of one that its project or the file's comments leave out.

The checker is asked about the file with an error of ours in it, a fault: if it reports the fault, it checks the file.
The fault is at the beginning of the file, after the comments that concern the whole file. There no syntax error comes
before it, and no statement has made the place unreachable.
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
"""Parts of the types of nodes that may come before the first statement. A fault stands after them: above a `preproc` it
would make clangd read its includes anew, and answer meanwhile from what it had read for another text."""
_BEFORE = "\n0;\n"
"""A statement before a fault. A comment above that concerns only the next line, such as `@ts-ignore`, concerns this."""
_UNDEFINED = "inscope_probe;\n"
"""A fault: a name that nothing defines."""
_UNREADABLE = ")\n"
"""A fault: no parser of a language reads it."""


class CheckedFiles:
    """Asks whether files are checked; asks again once files on disk, or the comments at a file's beginning, change."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cache: dict[tuple[str, str], tuple[tuple[Checker, int, str], Future[bool]]] = {}
        """By URI and fault: what the answer depends on (the checker, the number of changes on disk, the text up to the
        first statement), and the answer."""

    def includes(self, checker: Checker, syntax: Syntax) -> Future[bool]:
        """Whether the checker checks a document: it reports a name that nothing defines."""
        return self._reports(checker, syntax, _UNDEFINED)

    def parses(self, checker: Checker, syntax: Syntax) -> Future[bool]:
        """Whether the checker reports a document's syntax errors; in plain JavaScript it may report nothing else."""
        return self._reports(checker, syntax, _UNREADABLE)

    def _reports(self, checker: Checker, syntax: Syntax, fault: str) -> Future[bool]:
        """Whether the checker reports a fault that stands before the document's first statement."""
        document, key = syntax.document, (syntax.document.uri, fault)
        first = _after_first_comments(syntax)
        basis = checker, len(self._world.changes), document.text[:first]
        cached = self._cache.get(key)
        if cached is None or cached[0] != basis or has_failed(cached[1]):
            text = f"{document.text[:first]}{_BEFORE}{fault}{document.text[first:]}"
            with_fault = Document(document.uri, document.language, text, document.revision)
            start = first + len(_BEFORE)
            question = partial(_has_error, start=start, end=start + len(fault))
            cached = basis, checker.ask(with_fault, question, as_it_is=True)
        remember(self._cache, key, cached, _KEPT)
        return cached[1]


def _after_first_comments(syntax: Syntax) -> int:
    """The offset after the comments, `#!` line and preprocessor lines with which a file begins."""
    offset = 0
    for node in syntax.top_level:
        if not any(word in node.type for word in _ABOUT_THE_FILE):
            break
        offset = syntax.end(node)
    return offset


def _has_error(query: Query, start: int, end: int) -> bool:
    return any(error.is_error and error.start < end and error.end > start for error in query.diagnostics())
