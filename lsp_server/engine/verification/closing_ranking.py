"""Ranks the closings of a document by what the checker's parser says of them (`ClosingRanking`).

That is needed only where our tree is torn by a preprocessor; elsewhere `DocumentCloser` has ranked them by the tree.
"""

from __future__ import annotations

from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING

from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.spans import touches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.closer import DocumentCloser

_CLOSINGS_RANKED = 12
"""The most closings that a checker's parser is asked about."""
_Faults = tuple[int, bool, int]
"""See `ClosingRanking._faults`."""
_first = itemgetter(0)


class ClosingRanking:
    """Ranks closings of one document; `until` is when the checker's answers must be there, see `checked_document`."""

    def __init__(self, document: CheckedDocument, closer: DocumentCloser) -> None:
        self._document, self._closer = document, closer
        self._without_text: dict[Candidate, Applied] = {}
        """What `without` has closed."""

    def is_torn(self, closed: Applied) -> bool:
        """Whether our tree may be wrong because of a preprocessor, so that only the checker's parser can read it."""
        return self._document.checker is not None and self._closer.is_torn(closed)

    def ranked(self, closings: Iterator[Applied], until: float | None) -> Iterator[Applied]:
        """The same closings; where our tree is torn, those in which the checker's parser finds no fault come first.

        A fault is one that the document without the text has not, in its best closing. Where there is no text, each is.
        """
        first = next(closings)
        if not self.is_torn(first):
            yield from chain((first,), closings)
            return
        candidates = islice(chain((first,), closings), _CLOSINGS_RANKED)
        least = self._least_faults(first, until)
        with_openness = ((self._closer.leaves_block_open(closed), closed) for closed in candidates)
        likeliest_first = sorted(with_openness, key=_first)
        others: list[tuple[_Faults, Applied]] = []
        for leaves_block_open, closed in likeliest_first:
            faults = self._faults(closed, until, leaves_block_open=leaves_block_open)
            if faults <= least:
                yield closed
            else:
                others.append((faults, closed))
        yield from (closed for _, closed in sorted(others, key=_first))

    def without(self, closed: Applied, until: float | None) -> Applied:
        """See `DocumentCloser.without`; where our tree is torn, in the closing that the checker's parser reads best."""
        without = self._closer.without(closed)
        if not self.is_torn(without):
            return without
        candidate = without.candidate
        if candidate not in self._without_text:
            closings = self._closer.closings(Applied(self._document.syntax, candidate))
            self._without_text[candidate] = next(self.ranked(closings, until))
        return self._without_text[candidate]

    def _least_faults(self, closed: Applied, until: float | None) -> _Faults:
        """The faults of the document without the text, in its best closing; none where there is no text."""
        if not closed.candidate.text:
            return self._no_faults
        without = self.without(closed, until)
        return self._faults(without, until, leaves_block_open=self._closer.leaves_block_open(without))

    @property
    def _no_faults(self) -> _Faults:
        """What `_faults` says of a document without faults: the first one is behind its end."""
        return -len(self._document.syntax.document.text) - 1, False, 0

    def _faults(self, closed: Applied, until: float | None, *, leaves_block_open: bool) -> _Faults:
        """How badly the checker's parser reads a closed document from the text on; the least is the best closing.

        Three things are compared, one after the other:

        - The negative place of the first fault. If a block is left open, or closed twice, the next function is a fault,
          and the parser may give up there. So the number of faults says little.
        - Whether the block is left open, by its tokens.
        - How many errors there are outside of the text.
        """
        errors = [error for error in self._document.diagnostics(closed.overlay, until) if error.is_error]
        faults = [
            closed.before_edits(error.start) for error in errors if error.is_syntax and error.end > closed.inserted[0]
        ]
        places = (closed.candidate.offset if place is None else place for place in faults)
        first = -min(places, default=-self._no_faults[0])
        elsewhere = sum(not touches(error, closed.inserted) for error in errors)
        return first, leaves_block_open, elsewhere
