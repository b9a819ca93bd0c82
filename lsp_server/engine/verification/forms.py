"""Has our parser read past forms of a language that its compiler reads and our grammar, which is older, does not.

At such a form our tree has an error, and below it the automaton has no state. The decoder proposes ways to read past
it: replacements of equal length. The checker decides whether there is an error at all, and which way is right: it must
report the same errors of its parser with the replacements. What is read is kept by lines, so that nothing is looked for
again while a person types. `Verifier.read` asks for whole documents, `Baseline` for texts.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
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
from lsp_server.engine.verification.spans import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Diagnostic, Document, Language, Node, Syntax, Workspace
    from decoder import Way
    from lsp_server.engine.verification.checked_files import CheckedFiles
    from lsp_server.engine.verification.reports import CheckerReport, Reports
    from lsp_server.engine.verification.spans import Span

    Ask = Callable[[Document, Iterable[int]], CheckerReport]
    """Asks a checker for its report on a document, with the definitions of the words at some offsets."""

_DOCUMENTS = 4
"""The most documents whose automaton states are kept."""
_LINES = 2_000
"""The most lines that are kept with what is read in their place."""
_FORMS = 100
"""The most forms that are looked for in one text at once."""
_OUTERMOST = 4
"""The most lines without indentation above an error from which reading may begin; else it begins with the file."""
_BELOW = 20_000
"""Characters below the cursor, or the first error, in which forms are looked for."""
_READ = 200_000
"""Characters that are read at most: so many take a second."""
_AROUND = 600
"""Characters before and after an error in which its tokens are looked for."""
_DECLARATION, _WORD = 6.0, 0.1
"""What it costs a way, in tokens that are left out, to hide a declaration, and any other word."""
_WAYS_ASKED = 6
"""The most ways to read past one form that the checker is asked about."""
_TYPESCRIPT_ONLY = range(8000, 9000)
"""TypeScript's numbers for errors at its own syntax in JavaScript."""


class Forms:
    """Reads past forms in the documents of one workspace. Thread-safe."""

    def __init__(self, workspace: Workspace, reports: Reports, checked: CheckedFiles) -> None:
        self._workspace, self._reports, self._checked = workspace, reports, checked
        self._lock = Lock()
        self._respellers: dict[tuple[str, Language], Respeller] = {}
        self._lines: dict[tuple[Language, str], tuple[tuple[int, str], ...]] = {}
        """By language and text of a line: the columns at which something else is read, and what."""
        self._given_up: dict[tuple[Language, str], None] = {}
        """The lines with a form for which no way was right; a dictionary as an ordered set."""

    def read(self, syntax: Syntax, offset: int, seconds: float | None = None, within: Span | None = None) -> Syntax:
        """The same document with a tree in which our parser has read past forms that only the checker knows.

        Without an answer of the checker, or if it does not check the file, only past those that were read before.

        Args:
            offset: The cursor; what is unfinished there is no such form.
            seconds: How long to wait for the checker; None waits for every answer, and with 0 it is not asked.
            within: The part of the text in which forms are looked for; None for all of it.
        """
        if not syntax.errors or syntax.language.record.lexis.directive:
            return syntax  # what a preprocessor reads is no form: files have hundreds of macros
        recalled = self._recall(syntax)
        if seconds == 0:
            return recalled
        clock = Clock(seconds)
        try:
            checker = self._workspace.checker_of(syntax.document)

            def ask(document: Document, names: Iterable[int]) -> CheckerReport:
                return self._reports.of(checker, document, Cancellation(), names).result(clock.left())

            if not recalled.errors or not self._checked.parses(checker, syntax).result(clock.left()):
                return recalled
            left = clock.left()
            if not self._lock.acquire(timeout=-1 if left is None else left):
                return recalled
            try:
                return self._read_past_all(recalled, offset, ask, within)
            finally:
                self._lock.release()
        except (CheckerAbsentError, CheckerError, CancelledError, TimeoutError):
            return recalled

    def _recall(self, syntax: Syntax) -> Syntax:
        """The document with each line read as it was read before, if that leaves fewer errors."""
        document, language = syntax.document, syntax.language
        edits = [
            Edit(start + column, start + column + len(text), text)
            for number, start in enumerate(document.lines)
            for column, text in (self._lines.get((language, document.line_text(number)), ()) if self._lines else ())
        ]
        recalled = syntax.respelled(edits) if edits else syntax
        return recalled if recalled.errors < syntax.errors else syntax

    def _read_past_all(self, syntax: Syntax, offset: int, ask: Ask, within: Span | None) -> Syntax:
        """The document with one form after the other read past; unchanged if that leaves no fewer errors."""
        key = syntax.document.uri, syntax.language
        respeller = self._respellers.get(key) or Respeller(syntax.language)
        remember(self._respellers, key, respeller, _DOCUMENTS)
        first, last = _first_error(syntax)
        begin = _beginning(syntax, first, respeller)
        end = min(max(offset, last) + _BELOW, begin + _READ)
        if first >= end:
            return syntax
        search = _Search(respeller, ask, offset, (begin, end), within)
        current = syntax
        for _ in range(_FORMS):
            further = self._read_past_first(current, search)
            if further is None:
                break
            current = further
        if current.errors >= syntax.errors:
            return syntax
        self._keep(current)
        return current

    def _read_past_first(self, syntax: Syntax, search: _Search) -> Syntax | None:
        """The document with its first form read past; None if there is no form, or no way past it is right."""
        document = syntax.document
        place, is_by_tree = search.first_refused(syntax)
        if not syntax.errors or _is_being_written(document, place, search.offset):
            return None
        line = document.line_text(document.position(place).line)
        if (syntax.language, line) in self._given_up or not (spans := _spans(syntax, place, search.within)):
            return None
        report = search.ask(document, ())  # kept while the document stays as it is
        broken, near = _of_parser(report), tokens_near(spans, place)
        if (is_by_tree and broken) or _are_near(_unread(report, syntax.language), near, place):
            return None  # the checker cannot read it either: it is an error, and no form
        for edits in _best_ways(syntax, search.ways(syntax, place, spans), near, search.ask, is_by_tree=is_by_tree):
            respelled = syntax.respelled(edits)
            reported = _of_parser(search.ask(replace(document, text=respelled.spelling), ()))
            if _places(reported) == _places(broken):
                return respelled
        remember(self._given_up, (syntax.language, line), None, _LINES)
        return None

    def _keep(self, syntax: Syntax) -> None:
        """Keep what is read in each line that is read otherwise than it is written."""
        document = syntax.document
        for number, start in enumerate(document.lines):
            line = document.line_text(number)
            read = syntax.spelling[start : start + len(line)]
            if read != line:
                remember(self._lines, (syntax.language, line), tuple(_differences(line, read)), _LINES)


@dataclass(frozen=True, slots=True)
class _Search:
    """Where forms are looked for in one document, and who is asked."""

    respeller: Respeller
    ask: Ask
    offset: int
    """The cursor."""
    part: Span
    """The part of the text that the tables read."""
    within: Span | None
    """The part whose tokens may be replaced; None for the whole text."""

    def first_refused(self, syntax: Syntax) -> tuple[int, bool]:
        """Where the tables refuse the text, and False. If they refuse nothing, only the tree has an error: then True.

        The place is then where the text's unfinished last token begins, or else where the tree's first error ends.
        """
        begin, end = self.part
        text = syntax.spelling[begin:end]
        refused = self.respeller.refused(text)
        if refused is not None:
            return begin + refused, False
        unended = self.respeller.unended(text)
        return _first_error(syntax)[1] if unended is None else begin + unended, True

    def ways(self, syntax: Syntax, place: int, spans: Sequence[Span]) -> Iterator[tuple[Way, Sequence[Edit]]]:
        """The ways past a refused place, the cheapest first (without their penalties), with their edits.

        Args:
            spans: The tokens around the place.
        """
        begin, end = self.part
        from_begin = [(start - begin, stop - begin) for start, stop in spans]
        for way in self.respeller.ways(syntax.spelling[begin:end], place - begin, from_begin):
            yield way, [Edit(begin + part.start, begin + part.end, part.text) for part in way.replacements]


def _best_ways(
    syntax: Syntax, ways: Iterable[tuple[Way, Sequence[Edit]]], near: Sequence[Span], ask: Ask, *, is_by_tree: bool
) -> Iterator[Sequence[Edit]]:
    """The edits of the best ways, best first: those that cost least, with their penalties and with what they hide.

    The first ways that only leave out signs, and after which the text is read to its end, are yielded at once. For
    others the checker is asked what the words declare: hiding a declaration costs most, and so does making a
    declaration a reference.

    Args:
        ways: The cheapest first, without penalties and the cost of what they hide.
        near: The tokens near the form.
        is_by_tree: Whether only the tree has an error, so that a way must leave fewer of them.
    """
    text = syntax.document.text
    words = [start for start, end in near if is_word(text[start:end])]
    best: list[tuple[float, int, Sequence[Edit]]] = []  # cost, how far it reads, edits
    definitions: Mapping[int, Sequence[int | None]] | None = None
    for way, edits in ways:
        if len(best) == _WAYS_ASKED and best[-1][0] <= way.cost:
            break  # all that follow cost as much before anything is added
        if is_by_tree and syntax.respelled(edits).errors >= syntax.errors:
            continue
        blanks = [edit for edit, part in zip(edits, way.replacements, strict=True) if not part.is_name]
        hidden = [word for word in words if any(blank.start <= word < blank.end for blank in blanks)]
        if not (best or hidden or way.penalty or len(blanks) < len(edits)):
            yield edits
            continue
        if definitions is None:
            definitions = ask(syntax.document, words).definitions
        cost = way.cost + way.penalty + _cost_of_hidden(hidden, words, definitions)
        if len(best) == _WAYS_ASKED and best[-1][0] <= cost:
            continue  # it is none of the best whatever it makes of the declarations
        declared = [word for word in words if word in definitions[word] and word not in hidden]
        cost += _DECLARATION * _references_made(syntax, edits, declared)
        best = sorted([*best, (cost, -way.reach, edits)], key=lambda ranked: ranked[:2])[:_WAYS_ASKED]
    yield from (edits for _, _, edits in best)


def _references_made(syntax: Syntax, edits: Sequence[Edit], declared: Sequence[int]) -> int:
    """How many of some declared words are references in the tree that edits give."""
    respelled = syntax.respelled(edits) if declared else syntax
    return sum(not _is_declared(respelled, word) for word in declared)


def _cost_of_hidden(
    hidden: Sequence[int], words: Sequence[int], definitions: Mapping[int, Sequence[int | None]]
) -> float:
    """What it costs to hide some words: declarations cost most.

    A word that the checker says is declared by a word after it is a part of that declaration, and costs nothing more.

    Args:
        definitions: The offsets of each word's definitions, by the word's offset.
    """
    cost = 0.0
    for word in hidden:
        places = definitions[word]
        if word in places:
            cost += _DECLARATION
        elif not any(place is not None and place > word and place in words for place in places):
            cost += _WORD
    return cost


def _is_declared(syntax: Syntax, word: int) -> bool:
    """Whether our scopes may take a word for a declaration: it is no reference to a name that they do not know.

    A word in an error may be anything: what follows has another form.
    """
    if any(node.is_error for node in ancestors(syntax.node_at(word, word + 1))):
        return True
    return not undefined_names(syntax, (), (word, word_end(syntax.document.text, word)))


def _spans(syntax: Syntax, place: int, within: Span | None) -> Sequence[Span]:
    """The tokens around a place, in order; none has a line end in it.

    Args:
        within: Tokens that are not wholly in this part of the text are left out.
    """
    text = syntax.document.text
    first, last = within or (0, len(text))
    around = leaves(syntax, max(first, place - _AROUND), min(last, place + _AROUND))
    return [part for span in around for part in _parts(text, span, place) if first <= part[0] and part[1] <= last]


def _parts(text: str, span: Span, place: int) -> Iterator[Span]:
    """A token's span; or the spans of its words and signs if the place or a line end is in it, or it is `>>`.

    The tree may take what is broken for one token; `>>` may close two brackets.
    """
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
    """The start of a line without indentation above an error from which the text can be read up to the error's line."""
    document = syntax.document
    number = document.position(error).line
    line_of_error = document.lines[number]
    starts = (document.lines[line] for line in range(number, -1, -1))
    outermost = (start for start in starts if document.text[start : start + 1].strip())
    for start in islice(outermost, _OUTERMOST):
        if start < line_of_error and respeller.refused(syntax.spelling[start:line_of_error]) is None:
            return start
    return 0


def _is_being_written(document: Document, place: int, offset: int) -> bool:
    """Whether an error is at the cursor: in the word there, or right after it."""
    text = document.text
    return word_start(text, offset) <= place <= offset or (offset <= place and not text[offset:place].strip())


def _first_error(syntax: Syntax) -> Span:
    """The span of a tree's first error, the innermost one there; the whole text if there is none."""
    node: Node | None = syntax.root
    error = syntax.root
    while node is not None and node.has_error:
        error = node if node.is_error or node.is_missing else error
        node = next((child for child in node.children if child.has_error), None)
    return syntax.span(error)


def _of_parser(report: CheckerReport) -> Sequence[Diagnostic]:
    """The errors of the checker's parser, and those at TypeScript's syntax in JavaScript."""
    errors = (error for error in report.diagnostics if error.is_error)
    return [error for error in errors if error.is_syntax or _is_of_typescript(error.code)]


def _unread(report: CheckerReport, language: Language) -> Sequence[Diagnostic]:
    """The errors at what a checker cannot read; all errors if it does not tell these from others."""
    if language.record.checker.tells_syntax_apart:
        return _of_parser(report)
    return [error for error in report.diagnostics if error.is_error]


def _are_near(errors: Iterable[Diagnostic], near: Sequence[Span], place: int) -> bool:
    """Whether an error is at the tokens near a place, up to the first token from the place on.

    At that token a parser has noticed what it cannot read; an error behind it has another cause.
    """
    noticed = next((end for start, end in near if start >= place), near[-1][1])
    return any(error.start < noticed and error.end >= near[0][0] for error in errors)


def _is_of_typescript(code: str) -> bool:
    return code.isdigit() and int(code) in _TYPESCRIPT_ONLY


def _places(errors: Iterable[Diagnostic]) -> Counter[tuple[str, int]]:
    return Counter((error.code, error.start) for error in errors)


def _differences(line: str, read: str) -> Iterable[tuple[int, str]]:
    """The stretches of a line that are read otherwise: their columns, and what is read."""
    column = 0
    while column < len(line):
        end = column
        while end < len(line) and line[end] != read[end]:
            end += 1
        if end > column:
            yield column, read[column:end]
        column = end + 1
