"""A text for a place in a document, and the document with the text in it: what the text became part of.

Knows the tree and no checker. Offsets are code points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, islice, takewhile
from typing import TYPE_CHECKING

from context_index import (
    CLOSES,
    STATEMENTS,
    Document,
    Edit,
    Syntax,
    ancestors,
    continues_identifier,
    identifiers,
    is_deeper_below,
    open_brackets,
    undefined_names,
    word_end,
    word_start,
)
from decoder import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from context_index import Diagnostic, Node

_COMMENT = "comment"
_DOCUMENTATION = "/**"
"""Begins JSDoc, which holds types, so that it is no mere comment."""
_DIRECTIVE = "@ts-"
BOUNDARIES = 400
"""Characters after the text in which tokens must keep their boundaries: what goes wrong there goes wrong at once."""
_AFTER = 4_000
"""Characters after the cursor that a text may repeat; no suggestion is that long."""

_FUNCTION = "function_declaration"
"""Suffix of the types of nodes that declare a function in ECMAScript."""
_NAMING = ("_declaration", "_declarator")
"""Suffixes of the types of nodes that declare a name, or a pattern of names."""
_IMPORT = "import"
_NEVER = "(/**"
"""Begins a placeholder of JavaScript that has its type in a comment."""
_IMPORTING = frozenset({"import_statement", "import_from_statement", "export_statement"})
_BODY = "..."
"""Python's empty body."""
_BEFORE_VALUE = ("(", "[")
_QUOTES = ("'", '"', "`")
_GOES_ON = (*CLOSES.values(), ",")
"""What a line may end with amid a bracket."""
_BLOCKS = ("block", "body", "clause")
"""Suffixes of the types of nodes that hold statements. (A label has one statement, which is no block.)"""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text for a place, and edits elsewhere in the same document that come with it."""

    offset: int
    text: str
    replaces: int = 0
    """Characters after the offset that the text replaces."""
    edits: tuple[Edit, ...] = ()
    """With offsets of the document without the text; none touches the place."""
    importable: frozenset[str] | None = None
    """The names that edits may import; None for all."""
    spelling: str = ""
    """The text as our parser is to read it, of equal length, where it has a form that only a compiler knows."""

    def spelled(self, before: Document, span: Span) -> str:
        """What a span of the text says, with what of the document without the text goes on before it or after it.

        Args:
            span: Offsets from the text's beginning; a word that was begun before it has a negative one.
        """
        start, end = span
        after = self.offset + self.replaces
        begun = before.text[self.offset + min(start, 0) : self.offset]
        continued = before.text[after : after + max(0, end - len(self.text))]
        return begun + self.text[max(0, start) : end] + continued

    def may_import(self, name: str) -> bool:
        """Whether edits may import a name."""
        return self.importable is None or name in self.importable


@dataclass(frozen=True)
class Applied:
    """A document with a candidate in it, and with what closes it where it is unfinished.

    Offsets are those of the document with all that is inserted, unless said otherwise.
    """

    before: Syntax
    candidate: Candidate
    closing: tuple[Edit, ...] = ()
    """Insertions of the document with the text and nothing else, in order. They are never shown."""

    @cached_property
    def _own(self) -> Edit:
        """The edit that inserts the text."""
        return Edit(self.candidate.offset, self.candidate.offset + self.candidate.replaces, self.candidate.text)

    @cached_property
    def with_text(self) -> Syntax:
        """The document with the text and nothing else."""
        before, own = self.before.document, self._own
        written = self.before.edited(before.edited([own], before.revision), [own])
        spelling = self.candidate.spelling
        return written.respelled([Edit(own.start, own.start + len(spelling), spelling)]) if spelling else written

    @cached_property
    def _others(self) -> Sequence[tuple[Edit, int, bool]]:
        """The other edits, the first place first, each as one of the document with the text.

        With where its text begins in the end, and whether it closes the document.
        """
        grown = len(self._own.text) - self.candidate.replaces
        own = (
            replace(one, start=one.start + grown, end=one.end + grown) if one.start > self._own.start else one
            for one in self.candidate.edits
        )
        edits = [*((one, False) for one in own), *((one, True) for one in self.closing)]
        edits.sort(key=lambda one: (one[0].start, one[0].end))
        moved = accumulate((len(edit.text) - (edit.end - edit.start) for edit, _ in edits), initial=0)
        return [(edit, edit.start + more, is_closing) for (edit, is_closing), more in zip(edits, moved, strict=False)]

    @cached_property
    def document(self) -> Document:
        """The document after all edits."""
        return self.syntax.document

    @cached_property
    def syntax(self) -> Syntax:
        """The tree of that document."""
        edits = [edit for edit, _, _ in self._others][::-1]  # the last place first, so that no edit moves another
        written = self.with_text.document
        return self.with_text.edited(written.edited(edits, written.revision), edits) if edits else self.with_text

    @cached_property
    def inserted(self) -> Span:
        """Where the text stands."""
        start = self.candidate.offset
        return self.place(start), self.place(start + len(self.candidate.text))

    @property
    def other_edits(self) -> tuple[Span, ...]:
        """The texts of the candidate's edits; errors there count against it."""
        return tuple(
            (start, start + len(edit.text)) for edit, start, is_closing in self._others if edit.text and not is_closing
        )

    @property
    def closings(self) -> tuple[Span, ...]:
        """What closes the document."""
        return tuple((start, start + len(edit.text)) for edit, start, is_closing in self._others if is_closing)

    def opens_more_than(self, without: Applied) -> bool:
        """Whether more is closed than in another document: brackets that no closing opens, strings, Python's bodies."""

        def count(closed: Applied, signs: Iterable[str]) -> int:
            return sum(edit.text.count(sign) for edit in closed.closing for sign in signs)

        brackets = [count(one, CLOSES) - count(one, CLOSES.values()) for one in (self, without)]
        others = [count(one, (*_QUOTES, _BODY)) for one in (self, without)]
        return brackets[0] > brackets[1] or others[0] > others[1]

    @property
    def is_above_code(self) -> bool:
        """Whether more than closing brackets follows the text."""
        after = self.with_text.document.text[self._end_of_text :]
        return bool(after.strip("".join(CLOSES) + "; \t\r\n"))

    @cached_property
    def specifier(self) -> Span | None:
        """The module's specifier of the import that the text stands in: the two are judged together."""
        written, start = self.with_text, self.candidate.offset
        node = written.node_at(start, max(start, start + len(self.candidate.text) - 1))
        statement = next((one for one in ancestors(node) if one.type in _IMPORTING), None)
        if statement is None:
            return None
        named = (statement.child_by_field_name(field) for field in ("source", "module_name"))
        module = next((one for one in named if one is not None and written.text(one).strip("".join(_QUOTES))), None)
        return None if module is None else (self.place(written.start(module)), self.place(written.end(module)))

    def is_in_closing(self, first: int, last: int) -> bool:
        """Whether a part of the document is nothing but what closes it."""
        return any(start <= first and last <= end and start < end for start, end in self.closings)

    def brackets(self) -> Iterator[Span]:
        """What stands between brackets around the place of the text, innermost first; to the end of the brackets."""
        start = self.inserted[0]
        for node in ancestors(self.syntax.node_at(start)):
            if node.child_count and node.children[-1].type in CLOSES:
                first, last = self.syntax.span(node)
                if first < start:
                    yield first, last

    def closed(self, insertions: Iterable[Edit]) -> Applied:
        """The same with more insertions that close it."""
        closing = list(self.closing)
        spans = self.closings
        for one in sorted(insertions, key=lambda edit: edit.start, reverse=True):
            around = next((at for at, (start, end) in enumerate(spans) if start <= one.start <= end), None)
            if around is None:
                place = self.without_edits(one.start)
                closing.append(Edit(place, place, one.text))
            else:
                edit, inside = closing[around], one.start - spans[around][0]
                text = edit.text[:inside] + one.text + edit.text[inside:]
                closing[around] = replace(edit, text=text)
        return Applied(self.before, self.candidate, tuple(sorted(closing, key=lambda edit: edit.start)))

    def undefined(self, known: Container[str]) -> Mapping[str, Span]:
        """Names in the text that nothing defines, each with its first place.

        Without the names that were undefined in the document before, elsewhere than in the word at the cursor.

        Args:
            known: Names that are visible at the place.
        """
        missing = undefined_names(self.syntax, known, self.extent[0])
        text, cursor = self.before.document.text, self.candidate.offset
        parts = (0, word_start(text, cursor)), (word_end(text, cursor), len(text))
        if not any(name in text[start:end] for name in missing for start, end in parts):
            return missing  # the costly walk over all names of the document is not needed
        old = [undefined_names(self.before, known, part) for part in parts]
        return {name: place for name, place in missing.items() if not any(name in one for one in old)}

    def after(self, offset: int) -> int:
        """Where an offset of the document without the candidate is; one inside of a replaced part is at its start."""
        own = self._own
        if offset > own.start:
            offset = own.start if offset < own.end else offset + len(own.text) - (own.end - own.start)
        return self.place(offset)

    def place(self, offset: int) -> int:
        """Where an offset of the document with the text alone is; before what is inserted there."""
        moved = offset
        for edit, start, _ in self._others:
            if edit.end <= offset and edit.start < offset:
                moved += len(edit.text) - (edit.end - edit.start)
            elif edit.start < offset:
                return start
        return moved

    def without_edits(self, offset: int) -> int:
        """Where an offset is in the document with the text and nothing else."""
        moved = offset
        for edit, start, _ in self._others:
            if offset >= start + len(edit.text):
                moved -= len(edit.text) - (edit.end - edit.start)
            elif offset > start:  # in an edit's text: where that begins
                moved -= offset - start
        return moved

    def before_edits(self, offset: int) -> int | None:
        """Where an offset is in the document without the candidate; None inside of what is inserted."""
        if any(start < offset < start + len(edit.text) for edit, start, _ in self._others):
            return None
        own, place = self._own, self.without_edits(offset)
        if place >= own.start + len(own.text):
            return place - len(own.text) + (own.end - own.start)
        return None if place > own.start else place

    @cached_property
    def overlay(self) -> Document:
        """The document as a checker is shown it: comments in the text are blank, so that none silences an error."""
        return without_comments(self.syntax, [self.inserted])

    @cached_property
    def extent(self) -> tuple[Span, ...]:
        """What the text became part of: itself with the words at its ends, and the innermost statements around these.

        The word before it counts as well where the text does not go on with it: `helper(1)` needs a `helper`.

        Of a statement with a block only the header counts, unless the text is in neither. Where a file is so torn that
        no statement is around, it is the line, up to the text's end.
        """
        start, end = self.inserted
        text = self.document.text
        if continues_identifier(text[end - 1 : end]):
            end = word_end(text, end)
        around = [self._without_body(one, offset) for offset, one in self._statements]
        line = self._first_character(self.document.lines[self.document.position(start).line], end)
        return (word_start(text, start), end), *(around or [(line, end)])

    @cached_property
    def documentation(self) -> tuple[Span, ...]:
        """The JSDoc of these statements: there TypeScript reports wrong casts and parameters that do not exist."""
        before = [one.prev_sibling for _, one in self._statements]
        spans = [self.syntax.span(one) for one in before if one is not None]
        return tuple(one for one in spans if self.document.text.startswith(_DOCUMENTATION, one[0]))

    def has_code_in(self, found: Diagnostic) -> bool:
        """Whether a diagnostic is about code of the text: a statement, or more than one token."""
        start, end = self.inserted
        node = self.syntax.node_at(found.start, found.end)
        whole = takewhile(lambda one: self.syntax.span(one) == self.syntax.span(node), ancestors(node))
        is_code = node.child_count or any(one.type.endswith(STATEMENTS) for one in whole)
        return found.start < end and start < found.end and bool(is_code)

    def is_in_comment(self, offset: int) -> bool:
        """Whether a place is in a comment, where JSDoc declares types."""
        return _COMMENT in self.syntax.node_at(offset).type

    @cached_property
    def following(self) -> Span:
        """From the end of the text to the beginning of the next token, where a parser notices what the text lacks.

        Tree-sitter accepts a Python header without a body; a compiler reports it at what comes next.
        """
        return self.inserted[1], self.next_token(self.inserted[1])

    @property
    def is_followed(self) -> bool:
        """Whether a token comes after the text; at the end of a document, what the text lacks may still be written."""
        return self.following[1] <= len(self.document.text)

    def next_token(self, place: int) -> int:
        """The end of the first character of the first token from a place on; after the document if there is none."""
        leaves = within(self.syntax, place, len(self.document.text))
        starts = (
            self.syntax.start(node)
            for node in leaves
            if not node.child_count and node.start_byte < node.end_byte and _COMMENT not in node.type
        )
        return next((start for start in starts if start >= place), len(self.document.text)) + 1

    @property
    def ends_amid_sign(self) -> bool:
        """Whether what closes the text goes on with its last sign, as `=` does after `:`. Words may be half written."""
        end = self.inserted[1]
        if continues_identifier(self.document.text[end - 1 : end]) or not _is_amid(self.syntax, end):
            return False
        return not self.syntax.node_at(end).is_named

    @property
    def lacks_operand(self) -> bool:
        """Whether a value must follow the text, or may at once: after `&&`, `f(`, `const {a}`, `a,` before a bracket.

        Such a text may be right, and says little; a header that opens its block says what it can.
        """
        closing, rest = self._after_text
        last = self.candidate.text.rstrip()[-1:]
        lacks = PLACEHOLDER in closing or closing.startswith(_NEVER)
        return lacks or last in _BEFORE_VALUE or (last == "," and rest != "")

    @property
    def lacks_sign(self) -> bool:
        """Whether a sign must follow on its line that closes no bracket: a comma after a key, `from` after names."""
        return self._closing_at_end.partition("\n")[0].strip(" \t;")[:1] not in ("", *CLOSES)

    @property
    def leaves_line_open(self) -> bool:
        """Whether the text ends its line amid a string, or amid a bracket of this line that could be closed there.

        Nobody means to go on below after `f(a`. After `f(a,`, `f(a &&` and `f(() => {` one does, and so does a file
        with deeper lines there.
        """
        closing, rest = self._after_text
        if closing[:1] in _QUOTES:
            return True
        if closing[:1] not in CLOSES or self.candidate.text.rstrip()[-1:] in _GOES_ON:
            return False
        document, end = self.with_text.document, self._end_of_text
        number, brackets = document.position(end).line, open_brackets(self.with_text, end)
        is_own = bool(brackets) and brackets[-1].start >= document.lines[number]
        return is_own and not rest and not is_deeper_below(document, number)

    @property
    def _end_of_text(self) -> int:
        """In the document with the text and nothing else."""
        return self.candidate.offset + len(self.candidate.text)

    @property
    def _closing_at_end(self) -> str:
        """What closes the document right after the text."""
        return next((edit.text for edit in self.closing if edit.start == self._end_of_text), "")

    @property
    def _after_text(self) -> tuple[str, str]:
        """What closes the document right after the text, and the rest of the text's last line; no blanks around."""
        return self._closing_at_end.lstrip(), self.with_text.document.text[self._end_of_text :].partition("\n")[
            0
        ].strip()

    def keeps_boundaries(self, without: Applied | None = None) -> bool:
        """Whether the tokens after the text begin and end where they did, as far as they were read before.

        Args:
            without: The document without the text, closed; None where nothing closes it.
        """
        start = self.candidate.offset + self.candidate.replaces
        end = min(start + BOUNDARIES, len(self.before.document.text))
        own = self._others or (without is not None and without.closing)
        first, last = self.after(start) if start > self.candidate.offset else self.inserted[1], self._last(end)
        if not (own or _is_amid(self.before, start) or _is_amid(self.syntax, first)):
            changed = self.before.changed_ranges(self.syntax, [self._own])
            if all(stop <= first or begin >= last for begin, stop in changed):
                return True  # tokens are compared only where the parser read something else
        earlier = without or Applied(self.before, replace(self.candidate, text="", replaces=0, spelling=""))
        return earlier.tokens_below(start, end) == self.tokens_below(start, end)

    def _last(self, end: int) -> int:
        return self.after(end) if end < len(self.before.document.text) else len(self.document.text)

    def tokens_below(self, start: int, end: int) -> set[Span]:
        """The tokens inside a part of the document without the candidate, by their places there."""
        first, last = (self.inserted[1], self._last(end))
        found = (one for one in tokens(self.syntax, first, last) if not self.is_in_closing(*one))
        spans = ((self.below(begin), self.below(stop)) for begin, stop in found)
        return {(begin, stop) for begin, stop in spans if begin >= start}

    def below(self, offset: int) -> int:
        """Where an offset after the text is in the document without the candidate."""
        return self.without_edits(offset) - len(self.candidate.text) + self.candidate.replaces

    @property
    def reading(self) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
        """What the tokens of the text are read as, each with what it is a part of, and what is around the text."""
        leaves = (one for one in within(self.syntax, *self.inserted) if not one.child_count and one.parent is not None)
        inside = [(one.type, one.parent.type) for one in leaves if one.parent is not None]
        around = takewhile(
            lambda one: not one.type.endswith(STATEMENTS), ancestors(self.syntax.node_at(*self.inserted))
        )
        return inside, [one.type for one in around]

    @cached_property
    def members(self) -> list[int]:
        """The offsets of names in the text that are members of a receiver (`receiver.name`)."""
        syntax, (start, end) = self.syntax, self.inserted
        last = max(end, self.extent[0][1])
        around = syntax.node_at(start, end).parent  # the text may be a member's name and nothing else
        nodes = chain(filter(None, (around,)), within(syntax, start, end))
        fields = (node.child_by_field_name(name) for node in nodes for name in ("property", "attribute"))
        spans = [syntax.span(name) for name in fields if name is not None and not name.child_count]
        return sorted(first for first, stop in spans if first < end and start < stop <= last)

    @cached_property
    def declared(self) -> list[int]:
        """The offsets of names in the text by which ECMAScript declares functions."""
        return sorted(first for first, _ in self._declared_by(_FUNCTION))

    def is_import_of_declared(self, found: Diagnostic) -> bool:
        """Whether a diagnostic is at the import of a name that the text declares; that is where a clash is reported."""
        node = self.syntax.node_at(found.start, found.end)
        if not any(one.type.startswith(_IMPORT) for one in (node, *ancestors(node))):
            return False
        here, there = (
            {self.syntax.text(name) for span in spans for name in identifiers(self.syntax, span)}
            for spans in (self._declared_by(*_NAMING), [(found.start, found.end)])
        )
        return bool(here & there)

    def _declared_by(self, *suffixes: str) -> set[Span]:
        """The names, or patterns of names, in the text that are declared by nodes of types with some suffixes."""
        syntax, (start, end) = self.syntax, self.inserted
        around = ancestors(syntax.node_at(start, end))  # the text may be a name, or the end of one
        nodes = (one for one in chain(within(syntax, start, end), around) if one.type.endswith(suffixes))
        names = (one.child_by_field_name("name") for one in nodes)
        spans = {syntax.span(name) for name in names if name is not None}
        return {(first, stop) for first, stop in spans if first < end and start < stop}

    def _first_character(self, start: int, end: int) -> int:
        text = self.document.text[start:end]
        return start + len(text) - len(text.lstrip())

    def _last_character(self, start: int, end: int) -> int:
        return max(start, start + len(self.document.text[start:end].rstrip()) - 1)

    @cached_property
    def _statements(self) -> Sequence[tuple[int, Node]]:
        """The innermost statements around the ends of the text, each with its end's offset."""
        offsets = sorted({self._first_character(*self.inserted), self._last_character(*self.inserted)})
        found = [(offset, self._innermost_statement(offset)) for offset in offsets]
        return [(offset, one) for offset, one in found if one is not None]

    def _innermost_statement(self, offset: int) -> Node | None:
        node = self.syntax.node_at(offset)
        return next((one for one in (node, *ancestors(node)) if one.type.endswith(STATEMENTS)), None)

    def _without_body(self, statement: Node, offset: int) -> Span:
        """The span of a statement; of one with a block after an offset, that of the header."""
        start, end = self.syntax.span(statement)
        bodies = [statement.child_by_field_name(name) for name in ("body", "consequence", "alternative")]
        below = [self.syntax.start(body) for body in bodies if body is not None and body.type.endswith(_BLOCKS)]
        return start, min([end, *(body for body in below if body > offset)])


def without_comments(syntax: Syntax, parts: Iterable[Span]) -> Document:
    """A document with blanks for its comments in some parts; JSDoc, which holds types, loses only its directives.

    What begins and ends a comment stays: the other end of it may stand outside of the part.
    """
    document = syntax.document
    blank = []
    for start, end in parts:
        for node in within(syntax, start, end):
            if _COMMENT not in node.type:
                continue
            first, last = syntax.span(node)
            is_documentation = document.text.startswith(_DOCUMENTATION, first)
            if not is_documentation:
                opening, closing = _delimiters(document.text[first:last])
                first, last = first + opening, last - closing
            first, last = max(first, start), max(first, start, min(last, end))
            text = document.text[first:last]
            if is_documentation:
                text = text.replace(_DIRECTIVE, " " * len(_DIRECTIVE))
            else:
                text = "".join(char if char in "\r\n" else " " for char in text)
            blank.append(Edit(first, last, text))
    return document.edited(blank, document.revision) if blank else document


def _delimiters(comment: str) -> tuple[int, int]:
    """How many characters begin a comment, and how many end it."""
    if comment.startswith("#"):
        return 1, 0
    return 2, 2 if comment.startswith("/*") else 0


def repeated_length(before: Syntax, candidate: Candidate) -> int:
    """How many characters at the end of a text repeat what comes after it, token by token.

    On the line where the text ends any number of tokens count, on the lines below only whole lines. Of the first token,
    unless it is a word, the end suffices: with the cursor in a string, that is the string's rest.
    """
    text, start, after = candidate.text.rstrip(), candidate.offset, candidate.offset + candidate.replaces
    given = before.document.text
    ahead = ((max(one[0], after), one[1]) for one in leaves(before, after, after + _AFTER))
    nearest = next(ahead, None)
    if nearest is None or (gap := given[after : nearest[0]]).strip() or given[slice(*nearest)] not in text:
        return 0
    # its last word and the next stay two
    apart = Applied(before, replace(candidate, text=f"{text} ", edits=(), spelling=""))
    written, end = apart.document.text, start + len(text)
    own = [(max(one[0], start), min(one[1], end)) for one in leaves(apart.syntax, start, end)]
    if not own or own[-1][1] < end:
        return 0
    following = [nearest, *islice(ahead, len(own) - 1)]
    texts_after = [given[slice(*one)] for one in following]
    for count in range(len(following), 0, -1):
        ended, *others = own[-count:]
        first = ended[1] - len(texts_after[0])
        own_texts = [written[slice(*one)] for one in ((first, ended[1]), *others)]
        if own_texts != texts_after[:count] or first < ended[0] or _is_in_word(written, first):
            continue
        if "\n" not in gap or (_begins_line(written, first) and _ends_line(given, following[count - 1][1])):
            return len(candidate.text) - (first - start)
    return 0


def doubled_length(before: Syntax, candidate: Candidate) -> int:
    """How many characters at the end of a text are a group that the file opens again right after it.

    Such are the arguments of a call, an index, a list of types: `helper()` in place of the name in `helpe(5)`.
    """
    text, start, after = candidate.text.rstrip(), candidate.offset, candidate.offset + candidate.replaces
    opened = next(leaves(before, after, after + 1), None)
    if opened is None or opened[0] != after or text != candidate.text:
        return 0
    written = Applied(before, replace(candidate, edits=(), spelling="")).syntax
    closing = written.node_at(start + len(text) - 1, start + len(text))
    group = None if closing.child_count else closing.parent
    if group is None or group.children[-1] != closing or written.end(closing) != start + len(text):
        return 0
    opening = before.document.text[slice(*opened)]
    begins = (written.start(one) for one in group.children[:-1] if one.text == opening.encode())
    first = next((one for one in begins if one > start), None)
    return 0 if first is None else start + len(text) - first


def says_next_line(before: Syntax, candidate: Candidate) -> bool:
    """Whether the cursor's line, with a text of one line in it, is what the next line that is not blank begins with.

    By tokens, of which there are at least two. Of 4,186 true rests of lines it is three.
    """
    text, offset = before.document.text, candidate.offset
    below = _next_line(text, offset + candidate.replaces)
    if below is None or "\n" in candidate.text.strip():
        return False
    applied = Applied(before, candidate)
    written = applied.document.text
    start = written.rfind("\n", 0, applied.inserted[0]) + 1
    stop = written.find("\n", applied.inserted[1])
    own = [written[slice(*one)] for one in leaves(applied.syntax, start, stop)]
    following = [text[slice(*one)] for one in islice(leaves(before, *below), len(own))]
    return len(own) > 1 and own == following


def _next_line(text: str, offset: int) -> Span | None:
    """The next line after an offset's that is not blank."""
    start = text.find("\n", offset) + 1
    while start:
        stop = text.find("\n", start)
        if text[start : stop if stop >= 0 else None].strip():
            return start, stop if stop >= 0 else len(text)
        start = stop + 1
    return None


def _is_in_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and all(map(continues_identifier, text[offset - 1 : offset + 1]))


def _begins_line(text: str, offset: int) -> bool:
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()


def _ends_line(text: str, offset: int) -> bool:
    return not text[offset:].partition("\n")[0].strip()


def within(syntax: Syntax, start: int, end: int) -> Iterator[Node]:
    """The nodes that share a character with a part of the text, outer ones first, from the innermost around it all."""
    first, last = syntax.byte(start), syntax.byte(end)
    pending = [syntax.node_at(start, end)]
    while pending:
        node = pending.pop()
        if node.end_byte > first and node.start_byte < last:
            yield node
            pending += reversed(node.children)


def _is_amid(syntax: Syntax, offset: int) -> bool:
    """Whether a place is inside of a token."""
    node = syntax.node_at(offset)
    first, last = syntax.span(node)
    return not node.child_count and first < offset < last


def tokens(syntax: Syntax, start: int, end: int) -> Iterator[Span]:
    """The spans of the tokens inside a part of the text; those that an error swallowed have no boundaries."""
    return (one for one in leaves(syntax, start, end) if start <= one[0] and one[1] <= end)


def leaves(syntax: Syntax, start: int, end: int) -> Iterator[Span]:
    """The spans of the tokens that share a character with a part of the text."""
    for node in within(syntax, start, end):
        if not node.child_count and node.start_byte < node.end_byte:
            yield syntax.span(node)
