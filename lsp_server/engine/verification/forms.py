"""Forms of a language that are newer than its grammar: what the compiler reads, our parser is to read past.

Our tree has an error there, and below it the automaton has no state. The decoder proposes what may be read instead; the
compiler decides whether there is an error at all, and what is declared there. What is read is kept by lines, so that
while one types nothing is looked for again.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import CancelledError
from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from context_index import (
    Cancellation,
    CheckerAbsentError,
    CheckerError,
    Edit,
    ancestors,
    continues_identifier,
    remember,
    undefined_names,
    word_end,
    word_start,
)
from decoder import Respeller, is_word, tokens_near
from lsp_server.engine.clock import Clock
from lsp_server.engine.verification.candidate import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Diagnostic, Document, Language, Node, Syntax, Workspace
    from decoder import Way
    from lsp_server.engine.verification.candidate import Span
    from lsp_server.engine.verification.checked_files import CheckedFiles
    from lsp_server.engine.verification.reports import CheckerReport, Reports

    Ask = Callable[[Document, Iterable[int]], CheckerReport]
    """Asks a checker about a document, and where the words at some offsets are defined."""

_DOCUMENTS = 4
"""The most documents whose automaton states are kept."""
_LINES = 2_000
"""The most lines that are kept with what is read in their place."""
_FORMS = 100
"""The most forms that are looked for in one text at once."""
_OUTERMOST = 4
"""Lines of the outermost level above an error from which it is tried to be read; then the file is, from its start."""
_BELOW = 20_000
"""Characters below the cursor, or the first error, in which forms are looked for."""
_READ = 200_000
"""Characters that are read at most: so many take a second."""
_AROUND = 600
"""Characters before and after an error in which its tokens are looked for."""
_DECLARATION, _WORD = 6.0, 0.1
"""What it costs, in tokens that are left out, to hide a declaration, and any other word."""
_TRIED = 6
"""Ways that the checker's parser is asked about, for one form: it must find what it finds in the text as it is."""
_TYPESCRIPT_ONLY = range(8000, 9000)
"""TypeScript's numbers for its own syntax in JavaScript."""


class Forms:
    """The forms in the documents of one workspace. Thread-safe."""

    def __init__(self, workspace: Workspace, reports: Reports, checked: CheckedFiles) -> None:
        self._workspace, self._reports, self._checked = workspace, reports, checked
        self._lock = Lock()
        self._respellers: dict[tuple[str, Language], Respeller] = {}
        self._lines: dict[tuple[Language, str], tuple[tuple[int, str], ...]] = {}
        """By the text of a line: the columns at which others are read, and what is."""
        self._given_up: dict[tuple[Language, str], None] = {}
        """The lines at which nothing was found."""

    def read(self, syntax: Syntax, offset: int, seconds: float | None = None, within: Span | None = None) -> Syntax:
        """The same document, in which our parser reads past forms that only the compiler knows.

        Without an answer of the checker, or where it does not read the file, only past those that were read before.

        Args:
            offset: The cursor; what is unfinished there is no such form.
            seconds: How long to wait for the checker; None waits for every answer.
            within: The part of the text in which they are looked for; None for all of it.
        """
        if not syntax.errors:
            return syntax
        known = self._recalled(syntax)
        clock = Clock(seconds)
        try:
            checker = self._workspace.checker_of(syntax.document)

            def ask(document: Document, names: Iterable[int]) -> CheckerReport:
                return self._reports.of(checker, document, Cancellation(), names).result(clock.left())

            if not known.errors or not self._checked.parses(checker, syntax).result(clock.left()):
                return known
            left = clock.left()
            if not self._lock.acquire(timeout=-1 if left is None else left):
                return known
            try:
                return self._found(known, offset, ask, within)
            finally:
                self._lock.release()
        except (CheckerAbsentError, CheckerError, CancelledError, TimeoutError):
            return known

    def _recalled(self, syntax: Syntax) -> Syntax:
        document, language = syntax.document, syntax.language
        edits = [
            Edit(start + column, start + column + len(text), text)
            for number, start in enumerate(document.lines)
            for column, text in (self._lines.get((language, document.line_text(number)), ()) if self._lines else ())
        ]
        recalled = syntax.respelled(edits) if edits else syntax
        return recalled if recalled.errors < syntax.errors else syntax

    def _found(self, syntax: Syntax, offset: int, ask: Ask, within: Span | None) -> Syntax:
        document = syntax.document
        key = document.uri, syntax.language
        respeller = self._respellers.get(key) or Respeller(syntax.language)
        remember(self._respellers, key, respeller, _DOCUMENTS)
        first, last = _first_error(syntax)
        begin = _beginning(syntax, first, respeller)
        end = min(max(offset, last) + _BELOW, begin + _READ)
        if first >= end:
            return syntax
        current = syntax
        for _ in range(_FORMS):
            text = current.spelling[begin:end]
            refused = respeller.refused(text)
            is_by_tree = refused is None
            if refused is None:
                refused = respeller.unended(text)
            place = _first_error(current)[1] if refused is None else begin + refused
            if not current.errors or _is_being_written(document, place, offset):
                break
            line = document.line_text(document.position(place).line)
            if (syntax.language, line) in self._given_up or not (spans := _spans(current, place, within)):
                break
            report = ask(document, ())  # kept while the document stays as it is
            broken, unread = _of_parser(report), _unread(report, syntax.language)
            near = tokens_near(spans, place)
            noticed = next((end for start, end in near if start >= place), near[-1][1])
            if (is_by_tree and broken) or _are_near(unread, near, noticed):
                break
            wanted = _places(broken)
            ways = respeller.ways(text, place - begin, [(start - begin, stop - begin) for start, stop in spans])
            for edits in _ways(current, ways, begin, near, ask, is_by_tree=is_by_tree):
                tried = current.respelled(edits)
                if _places(_of_parser(ask(replace(document, text=tried.spelling), ()))) == wanted:
                    current = tried
                    break
            else:
                remember(self._given_up, (syntax.language, line), None, _LINES)
                break
        if current.errors >= syntax.errors:
            return syntax
        self._keep(current)
        return current

    def _keep(self, syntax: Syntax) -> None:
        document = syntax.document
        for number, start in enumerate(document.lines):
            line = document.line_text(number)
            read = syntax.spelling[start : start + len(line)]
            if read != line:
                remember(self._lines, (syntax.language, line), tuple(_differences(line, read)), _LINES)


def _ways(
    syntax: Syntax, ways: Iterable[Way], begin: int, near: Sequence[Span], ask: Ask, *, is_by_tree: bool
) -> Iterator[Sequence[Edit]]:
    """The replacements of the best ways, best first: they cost least, with all that they hide."""
    text = syntax.document.text
    words = [start for start, end in near if is_word(text[start:end])]
    found: list[tuple[float, int, Sequence[Edit]]] = []
    definitions: Mapping[int, Sequence[int | None]] | None = None
    for way in ways:
        if len(found) == _TRIED and found[-1][0] <= way.cost:
            break
        edits = [Edit(begin + one.start, begin + one.end, one.text) for one in way.replacements]
        blanks = [edit for edit, one in zip(edits, way.replacements, strict=True) if not one.is_name]
        hidden = [word for word in words if any(one.start <= word < one.end for one in blanks)]
        if is_by_tree and syntax.respelled(edits).errors >= syntax.errors:
            continue
        if not (found or hidden or way.penalty or len(blanks) < len(edits)):
            yield edits
            continue
        if definitions is None:
            definitions = ask(syntax.document, words).definitions
        cost = way.cost + way.penalty + _cost_of_hidden(hidden, words, definitions)
        if len(found) < _TRIED or cost < found[-1][0]:
            declared = [one for one in words if one in definitions[one] and one not in hidden]
            tried = syntax.respelled(edits) if declared else syntax
            cost += _DECLARATION * sum(not _is_declared(tried, one) for one in declared)
            found = sorted([*found, (cost, -way.reach, edits)], key=lambda one: one[:2])[:_TRIED]
    yield from (edits for _, _, edits in found)


def _cost_of_hidden(
    hidden: Sequence[int], words: Sequence[int], definitions: Mapping[int, Sequence[int | None]]
) -> float:
    """Declarations cost most; a word that the compiler takes to the declaration after it is a part of that."""
    cost = 0.0
    for word in hidden:
        places = definitions[word]
        if word in places:
            cost += _DECLARATION
        elif not any(place is not None and place > word and place in words for place in places):
            cost += _WORD
    return cost


def _is_declared(syntax: Syntax, word: int) -> bool:
    """Whether a word that declares something is no reference to what our scopes do not know.

    Nothing is known of one in an error: what follows has another form.
    """
    if any(one.is_error for one in ancestors(syntax.node_at(word, word + 1))):
        return True
    return not undefined_names(syntax, (), (word, word_end(syntax.document.text, word)))


def _spans(syntax: Syntax, place: int, within: Span | None) -> Sequence[Span]:
    """The tokens around a place that are in one line each."""
    text = syntax.document.text
    first, last = within or (0, len(text))
    around = leaves(syntax, max(first, place - _AROUND), min(last, place + _AROUND))
    return [part for one in around for part in _parts(text, one, place) if first <= part[0] and part[1] <= last]


def _parts(text: str, span: Span, place: int) -> Iterator[Span]:
    """A token; each bracket of `>>`, which closes two; the words and signs of one with a place or line ends in it."""
    start, end = span
    token = text[start:end]
    if not (start <= place < end or "\n" in token or set(token) == {">"}):
        yield span
        return
    while start < end:
        stop = start + 1
        while stop < end and all(map(continues_identifier, text[start : stop + 1])):
            stop += 1
        if not text[start].isspace():
            yield start, stop
        start = stop


def _beginning(syntax: Syntax, error: int, respeller: Respeller) -> int:
    """The start of a line of the outermost level above an error, from which the text can be read up to its line."""
    document = syntax.document
    number = document.position(error).line
    upto = document.lines[number]
    starts = (document.lines[line] for line in range(number, -1, -1))
    outermost = (start for start in starts if document.text[start : start + 1].strip())
    for start in islice(outermost, _OUTERMOST):
        if start < upto and respeller.refused(syntax.spelling[start:upto]) is None:
            return start
    return 0


def _is_being_written(document: Document, place: int, offset: int) -> bool:
    """Whether an error is at the cursor: in the word there, or right after it."""
    text = document.text
    return word_start(text, offset) <= place <= offset or (offset <= place and not text[offset:place].strip())


def _first_error(syntax: Syntax) -> Span:
    """Where the first of the innermost errors of a tree begins and ends; the whole text where there is none."""
    node: Node | None = syntax.root
    found = syntax.root
    while node is not None and node.has_error:
        found = node if node.is_error or node.is_missing else found
        node = next((one for one in node.children if one.has_error), None)
    return syntax.span(found)


def _of_parser(report: CheckerReport) -> Sequence[Diagnostic]:
    return [one for one in report.diagnostics if one.is_error and (one.is_syntax or _is_of_typescript(one.code))]


def _unread(report: CheckerReport, language: Language) -> Sequence[Diagnostic]:
    """The errors at what a checker does not read; where it does not tell them apart, all of them."""
    if language.record.checker.tells_syntax_apart:
        return _of_parser(report)
    return [one for one in report.diagnostics if one.is_error]


def _are_near(errors: Iterable[Diagnostic], near: Sequence[Span], noticed: int) -> bool:
    return any(one.start < noticed and one.end >= near[0][0] for one in errors)


def _is_of_typescript(code: str) -> bool:
    return code.isdigit() and int(code) in _TYPESCRIPT_ONLY


def _places(errors: Iterable[Diagnostic]) -> Counter[tuple[str, int]]:
    return Counter((one.code, one.start) for one in errors)


def _differences(line: str, read: str) -> Iterable[tuple[int, str]]:
    """The stretches in which a line is read otherwise."""
    column = 0
    while column < len(line):
        end = column
        while end < len(line) and line[end] != read[end]:
            end += 1
        if end > column:
            yield column, read[column:end]
        column = end + 1
