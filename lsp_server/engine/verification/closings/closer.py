"""Closes one document at the texts that are tried in it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain, filterfalse, islice, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from context_index import CLOSES, Edit, continues_identifier, open_brackets, remember
from decoder import Closer
from lsp_server.engine.verification.candidate import Applied
from lsp_server.engine.verification.closings.languages import closing_record
from lsp_server.engine.verification.closings.opened import Opened, closers_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Document, Language, Syntax
    from lsp_server.engine.verification.candidate import Candidate

_TAG_ENDS = (">", "/>")
_PARSED = 16
"""Proposals that are parsed for one text, at most."""
_NEAREST = 3
"""Lines of the outermost level above a text from which it is tried to be read."""
_FLUSH = 12
"""Lines that are not indented among which those are looked for, where such a line may stand within a block."""
_BEGUN = 3
"""How many of the documents that are closed where the text ends are closed at the end of its line, too."""
_KEPT = 4
"""The most places whose documents without a text are kept."""


class DocumentCloser:
    """Finds the closing of each text in a document, as it is edited. Thread-safe."""

    def __init__(self, language: Language) -> None:
        self._closer = Closer(language)
        self._record = closing_record(language)
        self._lock = Lock()
        self._neutral: dict[tuple[Document, str, Candidate], Applied] = {}
        """By document, what the parser reads of it, and place: the document closed without a text."""

    def closed(self, applied: Applied) -> Applied:
        """The candidate's document closed: with the fewest faults of syntax, by the shortest closing of these.

        The document itself where nothing makes it better.
        """
        return next(self.closings(applied))

    def closings(self, applied: Applied) -> Iterator[Applied]:
        """The same, and after it the others with as few faults; between these a checker's own parser decides."""
        best = self._completed(applied)
        is_whole = not self._faults(best) and (applied.before.errors > 0 or self.keeps_boundaries(best))
        if is_whole:
            yield best
        found, given = [best], {best.closing} if is_whole else set()
        text, place = applied.with_text.document.text, applied.candidate.offset + len(applied.candidate.text)
        end = text.find("\n", place)
        places = [place] if _may_be_open(applied) else []
        ends = [len(text) if end < 0 else end, *islice(closers_from(text, place), _PARSED)]
        without = self.without(applied) if applied.candidate.text else None
        begun = [applied]
        for at in dict.fromkeys((*places, ends[0], ends[-1])):
            if not self._faults(best) and at == ends[-1] != ends[0]:
                break  # only what is still open stands behind closers that are below
            for tried in chain.from_iterable(self._tried(one, at, without) for one in begun):
                if not self._faults(tried) and tried.closing not in given:
                    given.add(tried.closing)
                    yield tried
                found.append(tried)
            best = min(found, key=self._order)
            begun = list(dict.fromkeys((best, *found[1:_BEGUN])))
        if self._faults(best) and places and (stepped := self._stepwise(applied)) is not None:
            best = min(best, stepped, key=self._order)
            found.append(stepped)
        for tried in sorted(found, key=self._order):
            if self._faults(tried) == self._faults(best) and tried.closing not in given:
                given.add(tried.closing)
                yield tried

    def _faults(self, closed: Applied) -> int:
        """Errors of syntax, and what only a compiler sees: tags around the text that close others."""
        return closed.syntax.errors + self._record.mismatches(Opened(closed))

    def _order(self, closed: Applied) -> tuple[int, int]:
        return self._faults(closed), len(closed.document.text)

    def _completed(self, closed: Applied) -> Applied:
        """With what a compiler misses at the text besides: the parser accepts a header without a body."""
        required = self._record.required(Opened(closed))
        completed = closed.closed(required) if required else closed
        is_better = not closed.syntax.errors or self._faults(completed) < self._faults(closed)
        return completed if is_better else closed

    def keeps_boundaries(self, applied: Applied) -> bool:
        """Whether what follows a text is read as it is without it, where that is closed or as it is."""
        return applied.keeps_boundaries() or (
            applied.candidate.text != "" and applied.keeps_boundaries(self.without(applied))
        )

    def without(self, applied: Applied) -> Applied:
        """The same document with no text, closed; kept for the next texts at the place."""
        nothing = replace(applied.candidate, text="", edits=(), spelling="")
        key = applied.before.document, applied.before.spelling, nothing
        known = self._neutral.get(key)
        if known is None:
            known = self.closed(Applied(applied.before, nothing))
            with self._lock:
                remember(self._neutral, key, known, _KEPT)
        return known

    def _stepwise(self, applied: Applied) -> Applied | None:
        """A document with the cheapest closing before each of the closing brackets that follow, one after the other.

        A header's body, and what a bracket must be followed by, stand behind brackets that are below already.
        """
        text, place = applied.with_text.document.text, applied.candidate.offset + len(applied.candidate.text)
        closed = applied
        ends = list(islice(closers_from(text, place), _PARSED))
        for start, end in pairwise((place, *ends, place)):
            view = None if end <= start else end - start
            proposal = next(self._proposals(closed, start, view), None)
            if proposal is None:
                return None
            if proposal:
                at = closed.place(start)
                closed = closed.closed([Edit(at, at, proposal)])
        return None if closed.ends_amid_sign else self._completed(closed)

    def _tried(self, closed: Applied, place: int, without: Applied | None) -> Iterator[Applied]:
        """A document with closings at one more place.

        Args:
            place: An offset of the document with the text.
        """
        at, text = closed.place(place), closed.with_text.document.text
        is_below = place > closed.candidate.offset + len(closed.candidate.text)
        ends_word = is_below and continues_identifier(text[place - 1])
        for proposal in filter(None, islice(self._proposals(closed, place), _PARSED)):
            if ends_word and continues_identifier(proposal[0]):
                continue  # only the text's own last word may be half written
            tried = self._completed(closed.closed([Edit(at, at, proposal)]))
            if without is None or (tried.keeps_boundaries(without) and self._may_be_tried(tried, without)):
                yield tried

    @staticmethod
    def _may_be_tried(tried: Applied, without: Applied) -> bool:
        """Whether a text keeps its last sign, and leaves open what it opens only where that may go on after it."""
        return not tried.ends_amid_sign and (_may_be_open(tried) or not tried.opens_more_than(without))

    def _proposals(self, closed: Applied, place: int, view: int | None = None) -> Iterator[str]:
        offset = closed.candidate.offset
        own = sum(len(edit.text) for edit in closed.closing if edit.start == place)
        text, end = closed.syntax.spelling, closed.place(place) + own
        for begin in _beginnings(closed.before, offset, flush_in_blocks=self._record.flush_in_blocks):
            seen = {} if view is None else {"view": view}
            proposals = self._closer.proposals(text[begin:offset], text[offset:end], text[end:], **seen)
            with self._lock:  # the states of the text above are kept; what is proposed from there depends on nothing
                first = next(proposals, None)
            if first is not None:
                yield first
                yield from proposals
                return


def _may_be_open(applied: Applied) -> bool:
    """Whether a text may leave open what it stands in: at a line's end, or before a closing bracket."""
    text, place = applied.before.document.text, applied.candidate.offset + applied.candidate.replaces
    rest = text[place:].partition("\n")[0].strip()
    return not applied.candidate.text or not rest or rest[0] in CLOSES or rest.startswith(_TAG_ENDS)


def _beginnings(syntax: Syntax, offset: int, *, flush_in_blocks: bool) -> Iterator[int]:
    """Starts of lines from which the text above a place may be read: the nearest that are not indented, and the file's.

    A line of the outermost level begins a statement, unless it closes one or goes on with it; then it cannot be read.

    Args:
        flush_in_blocks: Whether such a line may stand within brackets as well; those that do come last.
    """
    number, text = syntax.document.position(offset).line, syntax.document.text
    lines = (syntax.document.lines[line] for line in range(number, 0, -1))
    flush = (start for start in lines if start < offset and text[start : start + 1].strip())
    if not flush_in_blocks:
        yield from islice(flush, _NEAREST)
        yield 0
        return
    nearest = [*islice(flush, _FLUSH)]
    is_within = cache(lambda start: bool(open_brackets(syntax, start)))  # a line is read only when it is its turn
    yield from islice(filterfalse(is_within, nearest), _NEAREST)
    yield 0
    yield from islice(filter(is_within, nearest), _NEAREST)
