"""Decides in which ways a text is closed before it is judged: `f(a` may be closed as `f(a)`, or as `f(a=inscope_any)`.

The likeliest closing is judged first. Which others are worth asking a checker about depends on its answer on the first.
`ClosedJudge` judges each.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from context_index import CLOSES
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.rejections import is_of_syntax, is_unresolved
from lsp_server.engine.verification.results import Rejected, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.closed_judge import ClosedJudge
    from lsp_server.engine.verification.closer import DocumentCloser
    from lsp_server.engine.verification.results import Answered

_CLOSINGS_ASKED = 3
"""The most closings of one text that a checker is asked about."""
_CLOSINGS_COMPARED = 8
"""The most further closings that are compared with the first, to find those worth asking about."""
_CONTINUATIONS_ASKED = 12
"""The most kinds of code a checker is asked about that may come after a text that ends with a blank."""


class ClosingChoice:
    """Judges a text of one document by closing it in one way after the other."""

    def __init__(self, document: CheckedDocument, closer: DocumentCloser, judge: ClosedJudge) -> None:
        self._closer, self._judge = closer, judge
        self._record = record_of(document.syntax.language)
        self._has_preprocessor = bool(document.traits.lexis.directive)

    def answer(self, closings: Iterator[Applied], until: float | None) -> Answered:
        """The answer on a text: that on the first closing that is settled, else the best of all answers.

        Args:
            closings: From `DocumentCloser.closings`; there is one at least.
            until: As in `checked_document`, whose errors may be raised.
        """
        first = next(closings)
        answer = self._judge.answer(first, until)
        if _is_settled(answer, first):
            return answer
        answers = [answer]
        for closed in islice(self._worth_asking(closings, first, answer), _CLOSINGS_ASKED - 1):
            other = self._judge.answer(closed, until)
            if _is_settled(other, closed):
                return other
            answers.append(other)
        if isinstance(answer, Rejected) and (continued := self._continued(first, answer, until)) is not None:
            return continued
        return min(answers, key=_rank)

    def _worth_asking(self, closings: Iterator[Applied], first: Applied, answer: Answered) -> Iterator[Applied]:
        """The further closings that a checker may accept, after its answer on the first.

        After an acceptance they are all. After a rejection that depends on the error:

        - A syntax error: closings that close a bracket, or with which the text is read as with the first.
        - A name that nothing defines: those that close a bracket and with which the text is read otherwise, as the name
          may become a parameter: `(a` with `) => {}`.
        - Another error: those that close a bracket and put the text into a comprehension: `[row.id` may go on with
          `for`.
        """
        compared = islice(closings, _CLOSINGS_COMPARED)
        if not isinstance(answer, Rejected):
            yield from compared
        elif is_of_syntax(answer):
            yield from (closed for closed in compared if _closes_bracket(closed) or closed.reading == first.reading)
        elif any(is_unresolved(error.code, self._record) for error in answer.rejections):
            yield from (closed for closed in compared if _closes_bracket(closed) and closed.reading != first.reading)
        elif first.closing and self._record.comprehensions:
            outside = self._comprehensions(first)
            yield from (
                closed for closed in compared if _closes_bracket(closed) and self._comprehensions(closed) - outside
            )

    def _comprehensions(self, closed: Applied) -> set[str]:
        """The types of the comprehensions that the text is in."""
        _, around = closed.reading
        return {kind for kind in around if kind.endswith(self._record.comprehensions)}

    def _continued(self, first: Applied, rejected: Rejected, until: float | None) -> Verified | None:
        """The answer on a rejected text that goes on; None if nothing that may come next makes it right.

        If the text has a name that nothing defines, only what changes how the text is read may help, and no text that
        ends with a name: `async ` before `()` is a keyword, and `(row) ` before `=>` declares `row`. `row ` before `=>`
        would declare it, too, but so would each name.

        Languages with a preprocessor are left out: clang checks nothing of an initialiser that has a name it does not
        know, such as our placeholder, so `{ .no_such_field = 1, ` would become right.
        """
        if self._has_preprocessor:
            return None
        lacks_name, (tokens, _) = self._judge.lacks_name(rejected), first.reading
        continuations = (
            closed
            for closed in self._closer.continuations(Applied(first.before, first.candidate))
            if not lacks_name or (closed.reading[0] != tokens and not closed.ends_with_name)
        )
        for closed in islice(continuations, _CONTINUATIONS_ASKED):
            other = self._judge.answer(closed, until)
            if isinstance(other, Verified) and other.closed_parses:
                return other
        return None


def _is_settled(answer: Answered, closed: Applied) -> bool:
    """Whether no other closing is tried: the checker accepts this one, and its parser finds no fault in it."""
    if isinstance(answer, Rejected):
        return False
    return not isinstance(answer, Verified) or answer.closed_parses or not closed.closing


def _rank(answer: Answered) -> int:
    """The better an answer, the lower: an acceptance, a rejection of what the text means, one of its syntax."""
    if not isinstance(answer, Rejected):
        return 0
    return 2 if is_of_syntax(answer) else 1


def _closes_bracket(closed: Applied) -> bool:
    """Whether an insertion that closes the text begins with a closing bracket."""
    return any(edit.text.lstrip()[:1] in (*CLOSES, ">") for edit in closed.closing)
