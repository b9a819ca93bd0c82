"""Python: bodies by layout, handlers, and placeholders as unpacked values."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from context_index import Edit
from decoder import PLACEHOLDER
from lsp_server.engine.verification.candidate import Applied, within
from lsp_server.engine.verification.closings.fill import BoundLater, Fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Diagnostic, Node
    from lsp_server.engine.verification.closings.fill import Asked
    from lsp_server.engine.verification.closings.opened import Opened

_UNIT = "    "
_PATTERNS = ("case_pattern", "union_pattern")
_EMPTY, _EMPTY_MATCH = "...", "case _: ..."
_NOT_IMPLEMENTED = "missing-overload-implementation"
_ONLY_KEYWORDS = "keyword_separator"
_MISSING_KEY = "missing-typed-dict-key"
_FUNCTION, _CLASS = f"def {PLACEHOLDER}(*_, **__): raise {PLACEHOLDER}", f"class {PLACEHOLDER}: {_EMPTY}"
"""What may stand under a decorator."""


class Python:
    """Python's record."""

    comprehensions = ("_comprehension", "generator_expression")
    excused_while_open: frozenset[str] = frozenset()
    unresolved = frozenset({"unresolved-reference"})
    flush_in_blocks = False

    @staticmethod
    def mismatches(opened: Opened) -> int:  # noqa: ARG004 - other languages have such nodes
        """None: brackets match by the grammar."""
        return 0

    def required(self, opened: Opened) -> list[Edit]:
        """The body that the header at the end lacks, and a parameter after `*`."""
        syntax, text = opened.syntax, opened.closed.document.text
        for node in chain.from_iterable(
            filter(None, (one.child_by_field_name("definition"), one)) for one in opened.around()
        ):
            body = _body(node)
            if body is None or body.named_child_count or not _is_blank(text[syntax.start(body) : opened.end]):
                continue
            indentation, line = _indentation(opened, node), text[: opened.end].rpartition("\n")[2]
            statement = _EMPTY_MATCH if node.type == "match_statement" else _EMPTY
            if not line.strip() and len(line) > len(indentation):  # the cursor is on the body's first line
                return [Edit(opened.end, opened.end, statement)]
            place = max(syntax.start(body), opened.end)
            return [*self._parameter(opened), Edit(place, place, f"\n{indentation}{_UNIT}{statement}")]
        return self._parameter(opened)

    def filled(self, opened: Opened, fill: Fill, found: Sequence[Diagnostic], asked: Asked) -> list[Edit]:  # noqa: ARG002 - ty's errors suffice
        """Endings of bodies, handlers, and what open brackets lack."""
        edits = [*self._decorated(opened, fill), *self._patterns(opened)]
        if fill is not Fill.BARE:
            edits += self._brackets(opened, found)
            edits += self._overloaded(opened, found)
        endings = "".join(self._endings(opened, fill))
        if endings:
            place = max(opened.syntax.end(node) for node in opened.ended())
            place = max(place, opened.end)
            edits.append(Edit(place, place, endings))
        return edits

    def _overloaded(self, opened: Opened, found: Sequence[Diagnostic]) -> Iterator[Edit]:
        """The implementation of overloads that ty misses."""
        for node in opened.ended():
            start, end = opened.syntax.span(node)
            name = node.child_by_field_name("name")
            lacks = any(one.code == _NOT_IMPLEMENTED and start <= one.start < end for one in found)
            if node.type == "function_definition" and name is not None and lacks:
                head = "async def" if node.children[0].type == "async" else "def"
                line = f"{head} {opened.syntax.text(name)}(*_, **__): raise {PLACEHOLDER}"
                yield Edit(end, end, f"\n{_indentation(opened, node)}{line}")

    def _endings(self, opened: Opened, fill: Fill) -> Iterator[str]:
        """What ends the blocks that nothing goes on with, innermost first."""
        for node in opened.ended():
            indentation, body = _indentation(opened, node), _body(node)
            if node.type == "try_statement" and not any("clause" in one.type for one in node.children):
                yield f"\n{indentation}finally:\n{indentation}{_UNIT}{_EMPTY}"
            if node.type == "function_definition" and body is not None and body.start_point.row > node.start_point.row:
                yield f"\n{_line_indentation(opened, opened.syntax.start(body))}{_last_statement(node, fill)}"

    @staticmethod
    def _parameter(opened: Opened) -> list[Edit]:
        """A parameter after a `*` that is the last one so far."""
        for node in opened.around():
            if node.type == "parameters" and node.named_children and node.named_children[-1].type == _ONLY_KEYWORDS:
                place = opened.syntax.start(node.children[-1])
                if place >= opened.text_end:
                    return [Edit(place, place, opened.separated(node, place) + PLACEHOLDER)]
        return []

    def bound_later(self, applied: Applied) -> BoundLater:
        """Comprehensions and generators name their elements first."""
        start, end = applied.inserted
        open_, closed = None, None
        for first, last in applied.brackets():
            node = applied.syntax.node_at(first, last)
            if last <= end and closed is None and node.type.endswith(self.comprehensions):
                closed = first, last
            elif last > end:
                open_ = (first, last) if applied.closing and first < start else None
                break
        return BoundLater(open_, closed)

    def _decorated(self, opened: Opened, fill: Fill) -> Iterator[Edit]:
        """What stands under a decorator that ends the text: a function, or a class; what is below may stay alone."""
        for node in opened.around():
            definition = node.child_by_field_name("definition")
            if node.type != "decorated_definition" or definition is None:
                continue
            start, name = opened.syntax.start(definition), definition.child_by_field_name("name")
            if start < opened.text_end:
                return
            head = _FUNCTION if fill is Fill.BARE else _CLASS
            own = f"{head}\n{_indentation(opened, node)}"
            ends = [opened.syntax.end(one.named_children[-1]) for one in node.children if one.type == "decorator"]
            end = max(opened.end, *(end for end in ends if end <= start))  # brackets may close below the text
            if start >= end:
                yield Edit(end, end, f"\n{_indentation(opened, node)}{head}")
            elif name is not None and fill is Fill.BARE:
                yield Edit(start, start, f"{own}@{PLACEHOLDER}\n{_indentation(opened, node)}")
            return

    def _patterns(self, opened: Opened) -> Iterator[Edit]:
        """Placeholders in patterns are values: names would be bound."""
        for start, end in opened.closed.closings:
            for node in within(opened.syntax, start, end):
                around = node.parent.parent if node.parent is not None else None
                is_own = node.type == "identifier" and opened.syntax.text(node) == PLACEHOLDER
                if is_own and around is not None and around.type in _PATTERNS:
                    last = opened.syntax.end(node)
                    yield Edit(last, last, f".{PLACEHOLDER}")

    def _brackets(self, opened: Opened, found: Sequence[Diagnostic]) -> Iterator[Edit]:
        for node in opened.ended():
            if node.type == "expression_list" and node.children[-1].type == ",":
                place = opened.syntax.end(node)
                yield Edit(place, place, f" *{PLACEHOLDER}")
        yield from _first_key(opened, found)
        for node, place in opened.bracketed():
            given = [one for one in node.named_children if one.type != "comment"]
            more = ""
            match node.type:
                case "argument_list" if node.parent is not None and node.parent.type == "call":
                    keywords = any(one.type in ("keyword_argument", "dictionary_splat") for one in given)
                    more = f"**{PLACEHOLDER}" if keywords else f"*{PLACEHOLDER}, **{PLACEHOLDER}"
                case "parameters" if not any(one.type == "dictionary_splat_pattern" for one in given):
                    is_starred = any(one.type in (_ONLY_KEYWORDS, "list_splat_pattern") for one in given)
                    more = f"**{PLACEHOLDER}" if is_starred else f"*{PLACEHOLDER}, **{PLACEHOLDER}"
                case "tuple":
                    more = f"*{PLACEHOLDER}" if given else PLACEHOLDER
                case "dictionary":
                    more = ", ".join(f'"{key}": {PLACEHOLDER}' for key in _missing_keys(opened, node, found))
                case "type_parameter":
                    more = PLACEHOLDER
            if more:
                yield Edit(place, place, opened.separated(node, place) + more)


def _first_key(opened: Opened, found: Sequence[Diagnostic]) -> Iterator[Edit]:
    """What is alone in braces may be the first key of a dictionary."""
    for node in opened.around():
        elements = [one for one in node.named_children if one.type != "comment"]
        if node.type != "set" or len(elements) != 1:
            continue
        (element,), end = elements, opened.syntax.end(elements[0])
        written = opened.syntax.start(element.children[-1]) if element.type == "string" else end
        if written <= opened.text_end:
            keys = "".join(f', "{key}": {PLACEHOLDER}' for key in _missing_keys(opened, node, found))
            yield Edit(end, end, f": {PLACEHOLDER}{keys}")


def _missing_keys(opened: Opened, node: Node, found: Sequence[Diagnostic]) -> Iterator[str]:
    """The keys that ty misses in a dictionary: it quotes each."""
    start, end = opened.syntax.span(node)
    for one in found:
        if one.code == _MISSING_KEY and one.start < end and start < one.end:
            yield from one.message.split("'")[1:2]


def _last_statement(function: Node, fill: Fill) -> str:
    if fill is Fill.BARE:
        return f"raise {PLACEHOLDER}"
    return f"yield {PLACEHOLDER}" if fill is Fill.YIELDING or _yields(function) else f"return {PLACEHOLDER}"


def _yields(node: Node) -> bool:
    """Whether a function is a generator by what is written of it."""
    return any(
        one.type == "yield" or (one.type not in ("function_definition", "lambda") and _yields(one))
        for one in node.children
    )


def _body(node: Node) -> Node | None:
    return next((one for one in node.children if one.type == "block"), None)


def _is_blank(text: str) -> bool:
    return not text.strip()


def _indentation(opened: Opened, node: Node) -> str:
    return _line_indentation(opened, opened.syntax.start(node))


def _line_indentation(opened: Opened, offset: int) -> str:
    """The white space at the start of the line that an offset is in."""
    text = opened.closed.document.text
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]
