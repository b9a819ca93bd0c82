"""The errors that edits of a whole document would bring (`errors_of_edits`), by the checker; rewrites ask for them.

All of the edited document counts: nothing in it is unfinished, so nothing is closed or filled in.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from context_index import CheckerError, Edit, parse, undefined_names
from lsp_server.engine.edits import counterpart, moved
from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification.checked_document import wait
from lsp_server.engine.verification.comments import without_comments
from lsp_server.engine.verification.comparison import without_counterpart
from lsp_server.engine.verification.rejecting_codes import rejecting_errors
from lsp_server.engine.verification.rejections import not_defined
from lsp_server.engine.verification.results import NewErrors, Rejection, Unverified
from lsp_server.engine.verification.spans import is_about_code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Syntax
    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.spans import Span


def errors_of_edits(
    checked: CheckedDocument, edits: Sequence[Edit], seconds: float | None = None
) -> NewErrors | Unverified:
    """The errors that a document would have after edits of it, and does not have.

    Args:
        edits: In order and without overlap.
        seconds: How long it may take; None waits for every answer.
    """
    if checked.checker is None:
        return Unverified(checked.absent)
    document, until = checked.syntax.document, None if seconds is None else time.monotonic() + seconds
    syntax = parse(document.edited(edits[::-1], document.revision))
    changed = [*_changed(edits)]
    shown = without_comments(syntax, changed)
    try:
        reports = [checked.uncancelled_report(text) for text in (shown, document)]
        after, before = (wait(report, until).diagnostics for report in reports)
        is_unchecked = checked.is_unchecked_javascript(until)
        level = Level.TYPES if checked.is_checked(until) else Level.NAMES
    except (TimeoutError, CheckerError, CancelledError) as error:
        return Unverified(f"{checked.checker.title}: {error}")
    known = Counter((error.code, error.message, moved(error.start, edits)) for error in before)
    errors = rejecting_errors(after, is_unchecked=is_unchecked)
    new = without_counterpart(errors, known, lambda error: counterpart(error.start, edits))
    rejections = [Rejection(error.code, error.message, error.start, error.end, None) for error in new]
    result = NewErrors((*rejections, *(_new_names(checked, syntax) if is_unchecked else ())), level)
    unnecessary = [hint for hint in after if hint.is_unnecessary]
    is_unreachable = any(is_about_code(hint, syntax, span) for hint in unnecessary for span in changed)
    why_unreachable = checked.traits.checker.reports_unreachable  # empty for a checker that says nothing of it
    return Unverified(why_unreachable) if why_unreachable and is_unreachable and not result.errors else result


def _new_names(checked: CheckedDocument, after: Syntax) -> Iterator[Rejection]:
    """Names that the document newly refers to and nothing defines, by our own scopes."""
    old, new = (
        undefined_names(syntax, checked.workspace.names_at(syntax, len(syntax.document.text)))
        for syntax in (checked.syntax, after)
    )
    for name, (start, end) in new.items():
        if name not in old:
            yield not_defined(name, start, end, None)


def _changed(edits: Sequence[Edit]) -> Iterator[Span]:
    """The spans of the edits' texts in the document after all edits. The edits are in order."""
    return ((start := moved(edit.start, edits), start + len(edit.text)) for edit in edits if edit.text)
