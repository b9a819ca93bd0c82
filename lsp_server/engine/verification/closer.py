"""Closes a document at each text that is tried in it: proposals of the decoder's grammar are parsed and compared.

`Verifier` keeps a `DocumentCloser` for each document. `Baseline` asks it for the closings of each candidate. A closing
is the insertions that finish what the text leaves open: `)` for `f(a`. Each comes from a proposal of the grammar, and
from what the language's record adds to it as `required`. In the examples, `|` is the end of the text.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain, filterfalse, islice, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from context_index import CLOSES, Edit, continues_identifier, open_brackets, remember
from decoder import Closer
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.opened import Opened, closers_from
from lsp_server.engine.verification.regions import leaves_open, region_closings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Document, Language, Syntax
    from lsp_server.engine.verification.candidate import Candidate

_TAG_ENDS = (">", "/>")
"""What ends the tag that a text is in."""
_PARSED = 16
"""The most proposals that are parsed at one place, and the most closing brackets that are looked at after a text."""
_NEAREST = 3
"""The most lines above a text, nearest first, from which the grammar tries to read on to it."""
_FLUSH = 12
"""If a line that is not indented may be within a block: how many such lines are looked at to find the nearest."""
_BASES = 3
"""How many of the documents that are closed at the text's end are tried to be closed at the end of its line, too."""
_KEPT = 4
"""The most places whose documents without a text are kept."""


class DocumentCloser:
    """Finds the closings of texts in one document, in all its versions. Thread-safe."""

    def __init__(self, language: Language) -> None:
        self._language, self._closer = language, Closer(language)
        self._record = record_of(language)
        self._lock = Lock()
        self._neutral: dict[tuple[Document, str, Candidate], Applied] = {}
        """What `without` returns, by the document, what the parser reads of it, and a candidate with an empty text."""

    def closed(self, applied: Applied) -> Applied:
        """The candidate's document in the first of its `closings`."""
        return next(self.closings(applied))

    def closings(self, applied: Applied) -> Iterator[Applied]:
        """The candidate's document in each closing that may be right; a checker decides.

        There is one at least. First come those of `_by_tree`. If all of them have faults in a language with a
        preprocessor, our tree may be torn by it; then those of `_by_blocks` come as well.

        Args:
            applied: Without a closing.
        """
        seen = set[tuple[Edit, ...]]()
        closed = applied
        for closed in self._by_tree(applied):
            seen.add(closed.closing)
            yield closed
        if self.is_torn(closed):
            yield from (other for other in self._by_blocks(applied) if other.closing not in seen)

    def continuations(self, applied: Applied) -> Iterator[Applied]:
        """The candidate's document with what may come next in its statement, once for each kind of code that this is.

        There is none unless the text ends with a blank. Then more must come on its line: `const x ` is not whole,
        though `const x` parses.

        Args:
            applied: Without a closing.
        """
        text, offset = applied.candidate.text, applied.candidate.offset
        if not text.rpartition("\n")[2].strip() or text == text.rstrip() or not _may_be_open(applied):
            return
        end = offset + len(text)
        seen = set[tuple[str, bool]]()
        spelling = applied.with_text.spelling
        for begin in _beginnings(applied.before, offset, flush_in_blocks=self._record.flush_in_blocks):
            proposals = self._closer.continuations(spelling[begin:offset], spelling[offset:end], spelling[end:])
            for proposal in _made_under_lock(proposals, self._lock):
                closed = self._complete(applied.closed([Edit(end, end, proposal)]))
                kind = closed.kind_of_next, closed.ends_with_name
                if kind not in seen and not self._faults(closed) and self.keeps_boundaries(closed):
                    seen.add(kind)
                    yield closed
            if seen:
                return

    def _by_tree(self, applied: Applied) -> Iterator[Applied]:
        """The candidate's document in each closing that leaves the fewest faults of syntax.

        There is one at least. The document itself, without a proposal, is the first if it has no fault and keeps the
        tokens after the text. Then it is closed at up to three places, one after the other. At each place the best
        closings so far are continued:

        - the text's end (`f(a|`), if the text may be open there;
        - the end of its line (`f(a, |b` with an open `f(`, gets `)` there);
        - the end of the closing brackets that follow the text, also on lines below, if there is still a fault.

        Closings without a fault come as they are found, the grammar's cheapest first, before others are looked for. If
        there is none, `_close_stepwise` is tried, and those with the fewest faults come, the shortest first.

        Args:
            applied: Without a closing.
        """
        best = self._complete(applied)
        is_whole = not self._faults(best) and (applied.before.errors > 0 or self.keeps_boundaries(best))
        if is_whole:
            yield best
        tried, yielded = [best], {best.closing} if is_whole else set()
        text, text_end = applied.with_text.document.text, applied.candidate.offset + len(applied.candidate.text)
        newline, may_be_open = text.find("\n", text_end), _may_be_open(applied)
        line_end = len(text) if newline < 0 else newline
        *_, brackets_end = line_end, *islice(closers_from(text, text_end), _PARSED)
        without = self.without(applied) if applied.candidate.text else None
        bases = [applied]
        for place in dict.fromkeys((*([text_end] if may_be_open else ()), line_end, brackets_end)):
            if not self._faults(best) and place == brackets_end != line_end:
                break  # nothing is open that could be closed after the brackets below
            for closed in chain.from_iterable(self._try_proposals(base, place, without) for base in bases):
                if not self._faults(closed) and closed.closing not in yielded:
                    yielded.add(closed.closing)
                    yield closed
                tried.append(closed)
            best = min(tried, key=self._order)
            bases = list(dict.fromkeys((best, *tried[1:_BASES])))
        if self._faults(best) and may_be_open and (stepwise := self._close_stepwise(applied)) is not None:
            best = min(best, stepwise, key=self._order)
            tried.append(stepwise)
        for closed in sorted(tried, key=self._order):
            if self._faults(closed) == self._faults(best) and closed.closing not in yielded:
                yielded.add(closed.closing)
                yield closed

    def _by_blocks(self, applied: Applied) -> Iterator[Applied]:
        """The document closed at the text's end, or at its line's end, by what is open in the block around it."""
        document, candidate = applied.with_text.document, applied.candidate
        place = candidate.offset + len(candidate.text)
        if not _may_be_open(applied):
            place = document.text.find("\n", place)
            place = len(document.text) if place < 0 else place
        for proposal in _made_under_lock(region_closings(self._closer, document, candidate.offset, place), self._lock):
            yield applied.closed([Edit(place, place, proposal)])

    def is_torn(self, closed: Applied) -> bool:
        """Whether a document that is closed as well as can be has faults that may be due to a preprocessor."""
        return bool(self._language.record.lexis.directive) and self._faults(closed) > 0

    @staticmethod
    def leaves_block_open(closed: Applied) -> bool:
        """Whether a bracket of the block around the text is open at the block's end, by the tokens."""
        return leaves_open(closed.document, *closed.inserted)

    def _faults(self, closed: Applied) -> int:
        """How many syntax errors there are, and how many mismatches that only a compiler sees."""
        return closed.syntax.errors + self._record.mismatches(Opened(closed))

    def _order(self, closed: Applied) -> tuple[int, int]:
        """The key by which closings are sorted, the best first: the fewest faults, then the shortest document."""
        return self._faults(closed), len(closed.document.text)

    def _complete(self, closed: Applied) -> Applied:
        """The document with what a compiler requires at the text as well; a broken one, only if that mends a fault."""
        required = self._record.required(Opened(closed))
        completed = closed.closed(required) if required else closed
        is_better = not closed.syntax.errors or self._faults(completed) < self._faults(closed)
        return completed if is_better else closed

    def keeps_boundaries(self, applied: Applied) -> bool:
        """Whether the tokens after a text are those of the document without it, be that closed or not."""
        return applied.keeps_boundaries() or (
            applied.candidate.text != "" and applied.keeps_boundaries(self.without(applied))
        )

    def without(self, applied: Applied) -> Applied:
        """The same document closed, with no text at the place; kept for the next texts there.

        It shows what the document leaves open by itself. What the closing of a text has beyond that is the text's.
        """
        no_text = replace(applied.candidate, text="", edits=(), spelling="")
        key = applied.before.document, applied.before.spelling, no_text
        closed = self._neutral.get(key)
        if closed is None:
            closed = self.closed(Applied(applied.before, no_text))
            with self._lock:
                remember(self._neutral, key, closed, _KEPT)
        return closed

    def _close_stepwise(self, applied: Applied) -> Applied | None:
        """The document with the cheapest proposal before each of the closing brackets that follow, and after the last.

        So a header's body, or what must follow a bracket, may come after brackets that are in the file already: in
        `if (f(a|))` something must follow the last one. None if the grammar proposes nothing at one of these places, or
        if the closing goes on with the text's last sign. (An empty proposal says that nothing is missing.)
        """
        text, text_end = applied.with_text.document.text, applied.candidate.offset + len(applied.candidate.text)
        closed = applied
        ends = list(islice(closers_from(text, text_end), _PARSED))
        for place, end in pairwise((text_end, *ends, text_end)):  # the last pair goes back, so that it has no view
            view = None if end <= place else end - place  # one bracket is read, and after the last one all
            proposal = next(self._proposals(closed, place, view), None)
            if proposal is None:
                return None
            if proposal:
                start = closed.place(place)
                closed = closed.closed([Edit(start, start, proposal)])
        return None if closed.ends_amid_sign else self._complete(closed)

    def _try_proposals(self, closed: Applied, place: int, without: Applied | None) -> Iterator[Applied]:
        """A document with each proposal for one more place, completed, if the text may be closed so.

        It may not if the tokens after the text change, or if `_may_end_so` says no.

        Args:
            closed: The document, closed at earlier places or not at all.
            place: An offset of the document with the text.
            without: The document without the text, closed; None if it is this one.
        """
        start, text = closed.place(place), closed.with_text.document.text
        is_below = place > closed.candidate.offset + len(closed.candidate.text)
        ends_word = is_below and continues_identifier(text[place - 1])
        for proposal in filter(None, islice(self._proposals(closed, place), _PARSED)):
            if ends_word and continues_identifier(proposal[0]):
                continue  # only the text's own last word may be half written
            tried = self._complete(closed.closed([Edit(start, start, proposal)]))
            if without is None or (tried.keeps_boundaries(without) and self._may_end_so(tried, without)):
                yield tried

    @staticmethod
    def _may_end_so(closed: Applied, without: Applied) -> bool:
        """Whether a text keeps its last sign, and leaves open what it opens only where that may go on after it.

        A text before more code on its line must close what it opens: `[` before `b`, as in `f(b)`, is no text to show.
        """
        return not closed.ends_amid_sign and (_may_be_open(closed) or not closed.opens_more_than(without))

    def _proposals(self, closed: Applied, place: int, view: int | None = None) -> Iterator[str]:
        """The texts that the grammar proposes at a place of the document with the text, the cheapest first.

        They come from the nearest of the `_beginnings` from which the grammar can read on to the text and proposes
        anything; none if there is none.

        Args:
            view: How many characters after the place it reads; None for its default.
        """
        offset = closed.candidate.offset
        closed_here = sum(len(edit.text) for edit in closed.closing if edit.start == place)  # an earlier proposal's
        text, end = closed.syntax.spelling, closed.place(place) + closed_here
        for begin in _beginnings(closed.before, offset, flush_in_blocks=self._record.flush_in_blocks):
            options = {} if view is None else {"view": view}
            proposals = self._closer.proposals(text[begin:offset], text[offset:end], text[end:], **options)
            with self._lock:  # the first reads the text above, whose states are shared; the others do not
                first = next(proposals, None)
            if first is not None:
                yield first
                yield from proposals
                return


def _made_under_lock(items: Iterator[str], lock: Lock) -> Iterator[str]:
    """The same items; a lock is held while each is made."""
    while True:
        with lock:
            item = next(items, None)
        if item is None:
            return
        yield item


def _may_be_open(applied: Applied) -> bool:
    """Whether a text may leave open what it is in: it ends its line, or a closing bracket follows, or it is empty.

    In `f(a|, b)` it may not: the rest of the line goes on with what the text is in.
    """
    text, place = applied.before.document.text, applied.candidate.offset + applied.candidate.replaces
    rest = text[place:].partition("\n")[0].strip()
    return not applied.candidate.text or not rest or rest[0] in CLOSES or rest.startswith(_TAG_ENDS)


def _beginnings(syntax: Syntax, offset: int, *, flush_in_blocks: bool) -> Iterator[int]:
    """Starts of lines from which the text above a place may be read: the nearest not indented, then the file's start.

    A line that is not indented begins a statement, unless it closes one or goes on with it; then it cannot be read.

    Args:
        flush_in_blocks: Whether such a line may be within brackets as well; those that are come last.
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
