"""A document with a candidate in it, as checkers are shown it, and what the text became part of there (`Applied`).

`DocumentCloser` closes it, `Baseline` and `reports` show it to checkers. Knows the tree and no checker. Offsets are
code points. In the examples, `|` is the cursor, or the end of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, takewhile
from typing import TYPE_CHECKING, NamedTuple

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
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.comments import COMMENT, JSDOC, without_comments
from lsp_server.engine.verification.spans import is_about_code, is_amid, tokens, within

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from context_index import Diagnostic, Node
    from lsp_server.engine.verification.spans import Span


BOUNDARIES = 400
"""Characters after the text in which tokens must keep their boundaries: what goes wrong there goes wrong at once."""
_FUNCTION = "function_declaration"
"""Suffix of the types of nodes that declare a function in ECMAScript."""
_NAMING = ("_declaration", "_declarator")
"""Suffixes of the types of nodes that declare a name, or a pattern of names."""
_IMPORT = "import"
"""Begins the types of nodes that are parts of an import."""
_IMPORTING = frozenset({"import_statement", "import_from_statement", "export_statement"})
_TYPED_PLACEHOLDER = "(/**"
"""Begins a placeholder of JavaScript that has its type in a comment."""
_EMPTY_BODY = "..."
"""Python's empty body."""
_BEFORE_VALUE = ("(", "[")
"""A text that ends with one of these lacks a value."""
_QUOTES = ("'", '"', "`")
_GOES_ON = (*CLOSES.values(), ",")
"""A line that ends with one of these may leave its bracket open: the next line goes on."""
_BLOCKS = ("block", "body", "clause")
"""Suffixes of the types of nodes that hold statements. (A label has one statement, which is no block.)"""


class _Insertion(NamedTuple):
    """An edit of the document besides the one that inserts the candidate's text."""

    edit: Edit
    """With offsets of the document with the text."""
    start: int
    """Where the edit's text begins in the whole document."""
    is_closing: bool
    """Whether it closes the document; otherwise it comes with the candidate."""


@dataclass(frozen=True)
class Applied:
    """A document with a candidate in it, and with what closes it where it is unfinished.

    There are three forms of the document:

    - `before`: without the candidate;
    - `with_text`: with the candidate's text and nothing else;
    - `document` and `syntax`, the whole document: with the text, the candidate's other edits and the closing.

    Offsets are of the whole document, unless said otherwise. `after`, `place`, `without_edits`, `before_edits` and
    `below` convert between the forms.
    """

    before: Syntax
    candidate: Candidate
    closing: tuple[Edit, ...] = ()
    """Insertions into the document with the text, in order. They are never shown to anybody but checkers."""

    @cached_property
    def _text_edit(self) -> Edit:
        """The edit that inserts the text."""
        return Edit(self.candidate.offset, self.candidate.offset + self.candidate.replaces, self.candidate.text)

    @cached_property
    def with_text(self) -> Syntax:
        """The document with the text and nothing else."""
        before, edit = self.before.document, self._text_edit
        written = self.before.edited(before.edited([edit], before.revision), [edit])
        spelling = self.candidate.spelling
        return written.respelled([Edit(edit.start, edit.start + len(spelling), spelling)]) if spelling else written

    @cached_property
    def _insertions(self) -> Sequence[_Insertion]:
        """The candidate's other edits and the closing, by their places."""
        grown = len(self.candidate.text) - self.candidate.replaces
        from_candidate = (
            replace(edit, start=edit.start + grown, end=edit.end + grown)
            if edit.start > self._text_edit.start
            else edit
            for edit in self.candidate.edits
        )
        edits = [*((edit, False) for edit in from_candidate), *((edit, True) for edit in self.closing)]
        edits.sort(key=lambda pair: (pair[0].start, pair[0].end))
        shifts = accumulate((len(edit.text) - (edit.end - edit.start) for edit, _ in edits), initial=0)
        return [
            _Insertion(edit, edit.start + shift, is_closing)
            for (edit, is_closing), shift in zip(edits, shifts, strict=False)
        ]

    @cached_property
    def document(self) -> Document:
        """The whole document."""
        return self.syntax.document

    @cached_property
    def syntax(self) -> Syntax:
        """The tree of the whole document."""
        edits = [insertion.edit for insertion in reversed(self._insertions)]  # the last first: no edit moves another
        written = self.with_text.document
        return self.with_text.edited(written.edited(edits, written.revision), edits) if edits else self.with_text

    @cached_property
    def overlay(self) -> Document:
        """The whole document as a checker is shown it: comments in the text are blank, so that none silences errors."""
        return without_comments(self.syntax, [self.inserted])

    @cached_property
    def inserted(self) -> Span:
        """The span of the text."""
        start = self.candidate.offset
        return self.place(start), self.place(start + len(self.candidate.text))

    @property
    def other_edits(self) -> tuple[Span, ...]:
        """The spans of the texts of the candidate's edits; errors there count against the candidate."""
        return tuple(
            (start, start + len(edit.text))
            for edit, start, is_closing in self._insertions
            if edit.text and not is_closing
        )

    @property
    def closings(self) -> tuple[Span, ...]:
        """The spans of what closes the document."""
        return tuple((start, start + len(edit.text)) for edit, start, is_closing in self._insertions if is_closing)

    def after(self, offset: int) -> int:
        """An offset of `before`, in the whole document.

        The cursor's own offset is before the text, and one inside of the replaced part is at the text's start.
        """
        edit = self._text_edit
        if offset > edit.start:
            offset = edit.start if offset < edit.end else offset + len(edit.text) - (edit.end - edit.start)
        return self.place(offset)

    def place(self, offset: int) -> int:
        """An offset of `with_text`, in the whole document; it is before what is inserted at it."""
        moved = offset
        for edit, start, _ in self._insertions:
            if edit.end <= offset and edit.start < offset:
                moved += len(edit.text) - (edit.end - edit.start)
            elif edit.start < offset:
                return start
        return moved

    def without_edits(self, offset: int) -> int:
        """An offset in `with_text`; one inside of an insertion is at the insertion's place."""
        moved = offset
        for edit, start, _ in self._insertions:
            if offset >= start + len(edit.text):
                moved -= len(edit.text) - (edit.end - edit.start)
            elif offset > start:  # inside of the insertion
                moved -= offset - start
        return moved

    def before_edits(self, offset: int) -> int | None:
        """An offset in `before`; None inside of the text or an insertion."""
        if any(start < offset < start + len(edit.text) for edit, start, _ in self._insertions):
            return None
        text_edit, place = self._text_edit, self.without_edits(offset)
        if place >= text_edit.start + len(text_edit.text):
            return place - len(text_edit.text) + (text_edit.end - text_edit.start)
        return None if place > text_edit.start else place

    def below(self, offset: int) -> int:
        """An offset after the text, in `before`."""
        return self.without_edits(offset) - len(self.candidate.text) + self.candidate.replaces

    def closed(self, insertions: Iterable[Edit]) -> Applied:
        """The same with more insertions into the whole document that close it.

        One that is inside of an earlier closing, or at its edge, becomes part of it: `closing` has offsets of
        `with_text`, which has no place in there.

        Args:
            insertions: With offsets of the whole document; edits that replace nothing.
        """
        closing = list(self.closing)
        spans = self.closings
        for insertion in sorted(insertions, key=lambda edit: edit.start, reverse=True):
            around = next((index for index, (start, end) in enumerate(spans) if start <= insertion.start <= end), None)
            if around is None:
                place = self.without_edits(insertion.start)
                closing.append(Edit(place, place, insertion.text))
            else:
                edit, inside = closing[around], insertion.start - spans[around][0]
                text = edit.text[:inside] + insertion.text + edit.text[inside:]
                closing[around] = replace(edit, text=text)
        return Applied(self.before, self.candidate, tuple(sorted(closing, key=lambda edit: edit.start)))

    def is_in_closing(self, first: int, last: int) -> bool:
        """Whether a part of the document is nothing but what closes it."""
        return any(start <= first and last <= end and start < end for start, end in self.closings)

    def is_about_closing(self, reported: Diagnostic) -> bool:
        """Whether what is reported is in what closes the document: all of it, or the member of an access.

        ty reports the whole of `self.name` where `self` has no such member.
        """
        start, end = reported.start, reported.end
        node = self.syntax.node_at(start, end, named=True)
        if self.syntax.span(node) == (start, end) and (member := node.child_by_field_name("attribute")) is not None:
            start = self.syntax.start(member)
        return self.is_in_closing(start, end)

    def closes_body(self, reported: Diagnostic, *, is_own: bool) -> bool:
        """Whether the text ends the body that what is reported is in.

        Args:
            is_own: Take the body of what is reported instead: at `constructor` not the class's, but the constructor's.
        """
        node = self.syntax.node_at(reported.start, reported.end)
        inside = node
        for around in (node, *ancestors(node)):
            body = around.child_by_field_name("body")
            if body is not None and (is_own or body == inside):
                return self.syntax.end(body) <= self.inserted[1]
            inside = around
        return False

    def opens_more_than(self, without: Applied) -> bool:
        """Whether the closing of this document has more brackets, strings or bodies of Python than that of another.

        Brackets that the closing itself opens do not count. So this says whether the text opens something that it
        leaves open: `f(a|` has `)` in its closing, and the document without the text has none.

        Args:
            without: The same document closed without the text, from `DocumentCloser.without`.
        """

        def count(applied: Applied, signs: Iterable[str]) -> int:
            return sum(edit.text.count(sign) for edit in applied.closing for sign in signs)

        def brackets(applied: Applied) -> int:
            return count(applied, CLOSES) - count(applied, CLOSES.values())

        others = (*_QUOTES, _EMPTY_BODY)
        return brackets(self) > brackets(without) or count(self, others) > count(without, others)

    def brackets(self) -> Iterator[Span]:
        """The spans of nodes in brackets around the place of the text, innermost first; each ends with its bracket."""
        start = self.inserted[0]
        for node in ancestors(self.syntax.node_at(start)):
            if node.child_count and node.children[-1].type in CLOSES:
                first, last = self.syntax.span(node)
                if first < start:
                    yield first, last

    @property
    def is_above_code(self) -> bool:
        """Whether more than closing brackets follows the text."""
        after = self.with_text.document.text[self._end_of_text :]
        return bool(after.strip("".join(CLOSES) + "; \t\r\n"))

    @cached_property
    def specifier(self) -> Span | None:
        """The name of the module in the import that the text is in: text and module are judged together.

        None if the text is in no import, or the module has no name yet.
        """
        written, start = self.with_text, self.candidate.offset
        node = written.node_at(start, max(start, start + len(self.candidate.text) - 1))
        statement = next((around for around in ancestors(node) if around.type in _IMPORTING), None)
        if statement is None:
            return None
        for module in (statement.child_by_field_name(field) for field in ("source", "module_name")):
            if module is not None and written.text(module).strip("".join(_QUOTES)):
                return self.place(written.start(module)), self.place(written.end(module))
        return None

    def undefined(self, known: Container[str]) -> Mapping[str, Span]:
        """Names in the text that nothing defines, each with its first place.

        A name that was undefined in the document before is left out, unless it was so in the word at the cursor only.

        Args:
            known: Names that are visible at the place.
        """
        missing = undefined_names(self.syntax, known, self.extent[0])
        text, cursor = self.before.document.text, self.candidate.offset
        parts = (0, word_start(text, cursor)), (word_end(text, cursor), len(text))
        if not any(name in text[start:end] for name in missing for start, end in parts):
            return missing  # the costly walk over all names of the document is not needed
        missing_before = [undefined_names(self.before, known, part) for part in parts]
        return {name: span for name, span in missing.items() if not any(name in names for names in missing_before)}

    @cached_property
    def extent(self) -> tuple[Span, ...]:
        """What the text became part of. Errors there count against the text.

        The first span is the text with the words at its ends. The word before it counts even if the text does not go on
        with it: `helper(1)` needs a `helper`. The other spans are the innermost statements around both ends of the
        text. Of a statement with a block only the header counts, unless the text is in the block. If the file is so
        broken that no statement is around, the second span is the line up to the text's end.
        """
        start, end = self.inserted
        text = self.document.text
        if continues_identifier(text[end - 1 : end]):
            end = word_end(text, end)
        statements = [self._without_body(statement, offset) for offset, statement in self._statements]
        line = self._first_character(self.document.lines[self.document.position(start).line], end)
        return (word_start(text, start), end), *(statements or [(line, end)])

    @cached_property
    def documentation(self) -> tuple[Span, ...]:
        """The JSDoc before the statements of `extent`: TypeScript reports wrong casts and unknown parameters there."""
        comments = [statement.prev_sibling for _, statement in self._statements]
        spans = [self.syntax.span(comment) for comment in comments if comment is not None]
        return tuple(span for span in spans if self.document.text.startswith(JSDOC, span[0]))

    @cached_property
    def _statements(self) -> Sequence[tuple[int, Node]]:
        """The innermost statements around the text's first and last character, each with that character's offset."""
        offsets = sorted({self._first_character(*self.inserted), self._last_character(*self.inserted)})
        statements = [(offset, self._innermost_statement(offset)) for offset in offsets]
        return [(offset, statement) for offset, statement in statements if statement is not None]

    def _innermost_statement(self, offset: int) -> Node | None:
        node = self.syntax.node_at(offset)
        return next((around for around in (node, *ancestors(node)) if around.type.endswith(STATEMENTS)), None)

    def _without_body(self, statement: Node, offset: int) -> Span:
        """The span of a statement; if it has a block after an offset, only up to the block."""
        start, end = self.syntax.span(statement)
        bodies = [statement.child_by_field_name(name) for name in ("body", "consequence", "alternative")]
        starts = [self.syntax.start(body) for body in bodies if body is not None and body.type.endswith(_BLOCKS)]
        return start, min([end, *(body_start for body_start in starts if body_start > offset)])

    def _first_character(self, start: int, end: int) -> int:
        text = self.document.text[start:end]
        return start + len(text) - len(text.lstrip())

    def _last_character(self, start: int, end: int) -> int:
        return max(start, start + len(self.document.text[start:end].rstrip()) - 1)

    def has_code_in(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is about code of the text; see `is_about_code`."""
        return is_about_code(diagnostic, self.syntax, self.inserted)

    def is_in_comment(self, offset: int) -> bool:
        """Whether a place is in a comment, where JSDoc declares types."""
        return COMMENT in self.syntax.node_at(offset).type

    @cached_property
    def following(self) -> Span:
        """From the end of the text to the next token's first character, where a parser reports what the text lacks.

        Tree-sitter accepts a Python header without a body; a compiler reports it at what comes next.
        """
        return self.inserted[1], self.next_token(self.inserted[1])

    @property
    def is_followed(self) -> bool:
        """Whether a token comes after the text; at the end of a document, what the text lacks may still be written."""
        return self.following[1] <= len(self.document.text)

    def next_token(self, place: int) -> int:
        """The end of the first character of the first token from a place on; after the document if there is none."""
        starts = (
            self.syntax.start(node)
            for node in within(self.syntax, place, len(self.document.text))
            if not node.child_count and node.start_byte < node.end_byte and COMMENT not in node.type
        )
        return next((start for start in starts if start >= place), len(self.document.text)) + 1

    @property
    def kind_of_next(self) -> str:
        """The type of the node that the first token after the text is part of; empty if there is no token."""
        start = self.next_token(self.inserted[1]) - 1
        parent = self.syntax.node_at(start, start + 1).parent if start < len(self.document.text) else None
        return "" if parent is None else parent.type

    @property
    def ends_with_name(self) -> bool:
        """Whether the text's last token is a name, a number or a string: none is a keyword or a sign."""
        end = self.inserted[0] + len(self.candidate.text.rstrip())
        return self.syntax.node_at(end - 1, end).is_named

    @property
    def ends_amid_sign(self) -> bool:
        """Whether the closing goes on with the text's last sign: for `(a :|` it may begin with `=`, which makes `:=`.

        False for words, which may be half written, and for the inside of a string or a comment.
        """
        end = self.inserted[1]
        if continues_identifier(self.document.text[end - 1 : end]) or not is_amid(self.syntax, end):
            return False
        return not self.syntax.node_at(end).is_named

    @property
    def lacks_operand(self) -> bool:
        """Whether a value must follow the text, or may at once.

        One must after `a &&` and `const {a}`, whose closing begins with a placeholder; one may after `f(` and `[`, and
        in `f(a,|)`. Such a text may be right, but it says little. A header that opens its block (`if (a) {`) says all
        that it can.
        """
        closing = self._closing_at_end.lstrip()
        last = self.candidate.text.rstrip()[-1:]
        lacks = PLACEHOLDER in closing or closing.startswith(_TYPED_PLACEHOLDER)
        return lacks or last in _BEFORE_VALUE or (last == "," and self._rest_of_line != "")

    @property
    def lacks_sign(self) -> bool:
        """Whether the closing adds something to the text's line that closes no bracket.

        So it does after `import { a }`, where `from` must follow, and not after `f(a`.
        """
        return self._closing_at_end.partition("\n")[0].strip(" \t;")[:1] not in ("", *CLOSES)

    @property
    def leaves_line_open(self) -> bool:
        """Whether the text ends its line amid a string, or amid a bracket of this line that could be closed there.

        After `f(a` nobody means to go on in the line below. After `f(a,`, `f(a &&` and `f(() => {` people do, and also
        in a file that has deeper lines there already.
        """
        closing = self._closing_at_end.lstrip()
        if closing[:1] in _QUOTES:
            return True
        if closing[:1] not in CLOSES or self.candidate.text.rstrip()[-1:] in _GOES_ON:
            return False
        document, end = self.with_text.document, self._end_of_text
        number, brackets = document.position(end).line, open_brackets(self.with_text, end)
        is_of_line = bool(brackets) and brackets[-1].start >= document.lines[number]
        return is_of_line and not self._rest_of_line and not is_deeper_below(document, number)

    @property
    def _end_of_text(self) -> int:
        """The offset of the text's end in `with_text`."""
        return self.candidate.offset + len(self.candidate.text)

    @property
    def _closing_at_end(self) -> str:
        """What closes the document right after the text."""
        return next((edit.text for edit in self.closing if edit.start == self._end_of_text), "")

    @property
    def _rest_of_line(self) -> str:
        """What the document has after the text on its last line, without blanks around."""
        return self.with_text.document.text[self._end_of_text :].partition("\n")[0].strip()

    def keeps_boundaries(self, without: Applied | None = None) -> bool:
        """Whether the next `BOUNDARIES` characters after the text have the tokens that they had before.

        Args:
            without: The document without the text, closed; None if nothing closes it.
        """
        start = self.candidate.offset + self.candidate.replaces
        end = min(start + BOUNDARIES, len(self.before.document.text))
        has_insertions = self._insertions or (without is not None and without.closing)
        first = self.after(start) if start > self.candidate.offset else self.inserted[1]
        last = self._end_after(end)
        if not (has_insertions or is_amid(self.before, start) or is_amid(self.syntax, first)):
            changed = self.before.changed_ranges(self.syntax, [self._text_edit])
            if all(stop <= first or begin >= last for begin, stop in changed):
                return True  # tokens are compared only where the parser read something else
        earlier = without or Applied(self.before, replace(self.candidate, text="", replaces=0, spelling=""))
        return earlier.tokens_below(start, end) == self.tokens_below(start, end)

    def tokens_below(self, start: int, end: int) -> set[Span]:
        """The tokens after the text, without the closing's, between two offsets of `before`; spans are of `before`."""
        spans = tokens(self.syntax, self.inserted[1], self._end_after(end))
        spans_before = [
            (self.below(first), self.below(last)) for first, last in spans if not self.is_in_closing(first, last)
        ]
        return {(first, last) for first, last in spans_before if first >= start}

    def _end_after(self, end: int) -> int:
        """`after` for the end of a part; the end of `before` is the end of the whole document."""
        return self.after(end) if end < len(self.before.document.text) else len(self.document.text)

    @property
    def reading(self) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
        """How the parser reads the text: two texts with equal readings are the same kind of code.

        The first part has, for each token of the text, the type of its node and of the node that it is part of: the `a`
        of `f(a)` is `("identifier", "argument_list")` in Python. The second has the types of the nodes around the text
        up to its statement, innermost first. `ClosingChoice` compares the readings of two closings of one text.
        """
        nodes = (node for node in within(self.syntax, *self.inserted) if not node.child_count)
        inside = [(leaf.type, leaf.parent.type) for leaf in nodes if leaf.parent is not None]
        around = ancestors(self.syntax.node_at(*self.inserted))
        return inside, [node.type for node in takewhile(lambda node: not node.type.endswith(STATEMENTS), around)]

    @cached_property
    def members(self) -> list[int]:
        """The offsets of names in the text that are members of a receiver (`receiver.name`)."""
        syntax, (start, end) = self.syntax, self.inserted
        word_stop = max(end, self.extent[0][1])  # the file may have the rest of the last name
        around = syntax.node_at(start, end).parent  # the text may be a member's name and nothing else
        nodes = chain(filter(None, (around,)), within(syntax, start, end))
        names = (node.child_by_field_name(field) for node in nodes for field in ("property", "attribute"))
        spans = [syntax.span(name) for name in names if name is not None and not name.child_count]
        return sorted(first for first, stop in spans if first < end and start < stop <= word_stop)

    @cached_property
    def declared(self) -> list[int]:
        """The offsets of names in the text by which ECMAScript declares functions."""
        return sorted(first for first, _ in self._declared_by(_FUNCTION))

    def is_import_of_declared(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is at the import of a name that the text declares; TypeScript reports a clash there."""
        node = self.syntax.node_at(diagnostic.start, diagnostic.end)
        if not any(around.type.startswith(_IMPORT) for around in (node, *ancestors(node))):
            return False
        declared, reported = (
            {self.syntax.text(name) for span in spans for name in identifiers(self.syntax, span)}
            for spans in (self._declared_by(*_NAMING), [(diagnostic.start, diagnostic.end)])
        )
        return bool(declared & reported)

    def _declared_by(self, *suffixes: str) -> set[Span]:
        """The names, or patterns of names, in the text that are declared by nodes of types with some suffixes."""
        syntax, (start, end) = self.syntax, self.inserted
        around = ancestors(syntax.node_at(start, end))  # the text may be a name, or the end of one
        nodes = (node for node in chain(within(syntax, start, end), around) if node.type.endswith(suffixes))
        names = (node.child_by_field_name("name") for node in nodes)
        spans = {syntax.span(name) for name in names if name is not None}
        return {(first, stop) for first, stop in spans if first < end and start < stop}
