"""Makes rejections of what a checker, our parser or our scopes find wrong with a text, and says what kind one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import is_syntax_code, word_end
from lsp_server.engine.verification.results import DECLARED_TWICE, SYNTAX, UNDEFINED_NAME, Rejection

if TYPE_CHECKING:
    from context_index import Diagnostic
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.languages.record import Record
    from lsp_server.engine.verification.reports import CheckerReport
    from lsp_server.engine.verification.results import Rejected
    from lsp_server.engine.verification.spans import Span


def is_unresolved(code: str, record: Record) -> bool:
    """Whether a code is of an error at a name that nothing defines."""
    return code == UNDEFINED_NAME or code in record.unresolved


def does_not_parse(applied: Applied) -> Rejection:
    """The rejection of a whole text: a tree does not say which part of it is wrong."""
    start, end = applied.inserted
    place = applied.without_edits(start), applied.without_edits(end)
    return Rejection(SYNTAX, "it breaks the file's syntax", *place, (0, end - start))


def is_of_syntax(rejected: Rejected) -> bool:
    """Whether a parser of a checker rejects a text."""
    return any(is_syntax_code(error.code) for error in rejected.rejections)


def not_defined(name: str, start: int, end: int, inside: Span | None) -> Rejection:
    """The rejection for a name that our own scopes do not know; the arguments are those of `Rejection`."""
    return Rejection(UNDEFINED_NAME, f"'{name}' is not defined here", start, end, inside)


def is_declared(name: int, applied: Applied, report: CheckerReport) -> bool:
    """Whether the document has another declaration of the name at an offset, outside of comments."""
    places = (place for place in report.definitions[name] if place is not None and not applied.is_in_comment(place))
    return any(place != name for place in places)


def declared_again(name: int, applied: Applied) -> Rejection:
    """The rejection of a text that declares the name at an offset, which the file declares already."""
    start, end = applied.inserted
    stop = word_end(applied.document.text, name)
    place = applied.without_edits(name), applied.without_edits(stop)
    message = f"'{applied.document.text[name:stop]}' is declared in this file already"
    return Rejection(DECLARED_TWICE, message, *place, (max(name, start) - start, min(stop, end) - start))


def rejection_of(error: Diagnostic, applied: Applied) -> Rejection:
    """A checker's error as a rejection."""
    start, end = applied.inserted
    first, last = max(error.start, start), min(error.end, end)
    inside = (first - start, last - start) if first < last or (first == last and start <= first < end) else None
    place = applied.without_edits(error.start), applied.without_edits(error.end)
    return Rejection(error.code, error.message, *place, inside)
