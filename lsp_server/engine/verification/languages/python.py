"""The record of Python: bodies by layout, handlers, and placeholders as unpacked values (`*inscope_any`).

`DocumentCloser` calls `required`, `Placeholders` calls `filled`, `Comparison` calls `bound_later`. In the examples
below, `|` is the end of the text. The closing is what the grammar has proposed before.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from context_index import Edit
from decoder import PLACEHOLDER
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.languages.fill import BoundLater, Fill
from lsp_server.engine.verification.spans import within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Diagnostic, Node
    from lsp_server.engine.verification.languages.fill import Asked
    from lsp_server.engine.verification.languages.opened import Opened

_INDENTATION = "    "
_PATTERNS = ("case_pattern", "union_pattern")
"""The types of nodes in which a name alone is bound."""
_EMPTY, _EMPTY_MATCH = "...", "case _: ..."
"""The body of any statement, and that of `match`."""
_ONLY_KEYWORDS = "keyword_separator"
"""The type of the node of a bare `*` among parameters."""
_NOT_IMPLEMENTED, _MISSING_KEY = "missing-overload-implementation", "missing-typed-dict-key"
"""Codes of ty."""
_FUNCTION, _CLASS = f"def {PLACEHOLDER}(*_, **__): raise {PLACEHOLDER}", f"class {PLACEHOLDER}: {_EMPTY}"
"""What may be under a decorator, which may be meant for either: both are tried, see `_decorated`."""


class Python:
    """The record of Python; `record.Record` says what each answer is for."""

    comprehensions = ("_comprehension", "generator_expression")
    excused_while_open: frozenset[str] = frozenset()
    mended_inside: frozenset[str] = frozenset()
    unresolved = frozenset({"unresolved-reference"})
    flush_in_blocks = False

    @staticmethod
    def mismatches(opened: Opened) -> int:  # noqa: ARG004 - other languages have such nodes
        """0: the grammar allows no mismatch."""
        return 0

    def required(self, opened: Opened) -> list[Edit]:
        """The body that the header at the text's end lacks, and a parameter after `*`.

        The body of `if x:|` is a line `...`, one level deeper. The grammar accepts the header without it. Each node's
        `definition` is tried as well, before the node: below `@dataclass|` the closing brings `class inscope_any:`,
        which needs a body and is not around the text.
        """
        syntax, text = opened.syntax, opened.closed.document.text
        for node in chain.from_iterable(
            filter(None, (around.child_by_field_name("definition"), around)) for around in opened.around()
        ):
            body = _body(node)
            if body is None or body.named_child_count or text[syntax.start(body) : opened.end].strip():
                continue
            indentation, line = _indentation(opened, node), text[: opened.end].rpartition("\n")[2]
            statement = _EMPTY_MATCH if node.type == "match_statement" else _EMPTY
            if not line.strip() and len(line) > len(indentation):  # the cursor is on the body's first line
                return [Edit(opened.end, opened.end, statement)]
            place = max(syntax.start(body), opened.end)
            return [*self._parameter(opened), Edit(place, place, f"\n{indentation}{_INDENTATION}{statement}")]
        return self._parameter(opened)

    @staticmethod
    def _parameter(opened: Opened) -> list[Edit]:
        """A parameter after a `*` that is the last one so far: `def f(a, *|):` becomes `def f(a, *, inscope_any):`."""
        for node in opened.around():
            if node.type == "parameters" and node.named_children and node.named_children[-1].type == _ONLY_KEYWORDS:
                place = opened.syntax.start(node.children[-1])
                if place >= opened.text_end:
                    return [Edit(place, place, opened.separated(node, place) + PLACEHOLDER)]
        return []

    def bound_later(self, applied: Applied) -> BoundLater:
        """The innermost brackets that the text leaves open, and the innermost comprehension that it closes.

        `[x|` may go on as `[x for x in rows]`, so any open bracket may become a comprehension. In `[x for x in rows]|`
        nothing more is bound.
        """
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

    def filled(self, opened: Opened, fill: Fill, diagnostics: Sequence[Diagnostic], checker: Asked) -> list[Edit]:  # noqa: ARG002 - ty's errors suffice
        """Endings of bodies, handlers, what is under a decorator, and what open brackets lack."""
        edits = [*self._decorated(opened, fill), *self._patterns(opened)]
        if fill is not Fill.BARE:
            edits += self._brackets(opened, diagnostics)
            edits += self._overloaded(opened, diagnostics)
        endings = "".join(self._endings(opened, fill))
        if endings:
            place = max(opened.end, *(opened.syntax.end(node) for node in opened.ended()))
            edits.append(Edit(place, place, endings))
        return edits

    def _overloaded(self, opened: Opened, diagnostics: Sequence[Diagnostic]) -> Iterator[Edit]:
        """The implementation of overloads that ty misses."""
        for node in opened.ended():
            start, end = opened.syntax.span(node)
            name = node.child_by_field_name("name")
            lacks = any(error.code == _NOT_IMPLEMENTED and start <= error.start < end for error in diagnostics)
            if node.type == "function_definition" and name is not None and lacks:
                head = "async def" if node.children[0].type == "async" else "def"
                line = f"{head} {opened.syntax.text(name)}(*_, **__): raise {PLACEHOLDER}"
                yield Edit(end, end, f"\n{_indentation(opened, node)}{line}")

    def _endings(self, opened: Opened, fill: Fill) -> Iterator[str]:
        """The handler of `try` and the last statement of functions that end with the text, innermost first.

        A function with its body on the header's line (`def f(): pass`) gets none.
        """
        for node in opened.ended():
            indentation, body = _indentation(opened, node), _body(node)
            if node.type == "try_statement" and not any("clause" in child.type for child in node.children):
                yield f"\n{indentation}finally:\n{indentation}{_INDENTATION}{_EMPTY}"
            if node.type == "function_definition" and body is not None and body.start_point.row > node.start_point.row:
                yield f"\n{_line_indentation(opened, opened.syntax.start(body))}{_last_statement(node, fill)}"

    def _decorated(self, opened: Opened, fill: Fill) -> Iterator[Edit]:
        """What is under a decorator that ends the text: a function for `BARE`, else a class.

        The checker may accept `@property` above a function only, and `@dataclass` above a class only. A text is
        accepted if it is with one `Fill`, so each of them gets the one or the other. There are two cases:

        - The definition is the file's: `@dataclass|` above `class A:`. The text is judged as it is first. Then the
          function or the class comes in between, since the decorator need not be meant for `A`.
        - The closing brings the definition, a class. For `BARE` the function comes above it, and the class gets
          `@inscope_any` in place of the decorator; otherwise nothing is added.
        """
        for node in opened.around():
            definition = node.child_by_field_name("definition")
            if node.type != "decorated_definition" or definition is None:
                continue
            start, name = opened.syntax.start(definition), definition.child_by_field_name("name")
            if start < opened.text_end:
                return
            head, indentation = _FUNCTION if fill is Fill.BARE else _CLASS, _indentation(opened, node)
            decorators = [child for child in node.children if child.type == "decorator"]
            ends = [opened.syntax.end(decorator.named_children[-1]) for decorator in decorators]
            end = max(opened.end, *(end for end in ends if end <= start))  # brackets may close below the text
            if start >= end:
                yield Edit(end, end, f"\n{indentation}{head}")
            elif name is not None and fill is Fill.BARE:
                yield Edit(start, start, f"{head}\n{indentation}@{PLACEHOLDER}\n{indentation}")
            return

    def _patterns(self, opened: Opened) -> Iterator[Edit]:
        """What makes placeholders in patterns values: a name alone, as in `case inscope_any:`, would match anything.

        `case a | inscope_any` becomes `case a | inscope_any.inscope_any`. The name's parent is always a `dotted_name`,
        so the pattern is its grandparent: `(union_pattern (dotted_name (identifier)) …)`.
        """
        for start, end in opened.closed.closings:
            for node in within(opened.syntax, start, end):
                pattern = node.parent.parent if node.parent is not None else None
                is_placeholder = node.type == "identifier" and opened.syntax.text(node) == PLACEHOLDER
                if is_placeholder and pattern is not None and pattern.type in _PATTERNS:
                    last = opened.syntax.end(node)
                    yield Edit(last, last, f".{PLACEHOLDER}")

    def _brackets(self, opened: Opened, diagnostics: Sequence[Diagnostic]) -> Iterator[Edit]:
        """More elements for a list without brackets that ends with a comma, and for open brackets."""
        for node in opened.ended():
            if node.type == "expression_list" and node.children[-1].type == ",":
                place = opened.syntax.end(node)
                yield Edit(place, place, f" *{PLACEHOLDER}")
        yield from _first_key(opened, diagnostics)
        for node, place in opened.bracketed():
            if more := _more_elements(opened, node, diagnostics):
                yield Edit(place, place, opened.separated(node, place) + more)


def _more_elements(opened: Opened, node: Node, diagnostics: Sequence[Diagnostic]) -> str:
    """What may still come in brackets, after what is there; empty if nothing need come."""
    given = [child.type for child in node.named_children if child.type != "comment"]
    any_arguments = f"*{PLACEHOLDER}, **{PLACEHOLDER}"
    match node.type:
        case "argument_list" if node.parent is not None and node.parent.type == "call":
            has_keywords = any(kind in ("keyword_argument", "dictionary_splat") for kind in given)
            return f"**{PLACEHOLDER}" if has_keywords else any_arguments
        case "parameters" if "dictionary_splat_pattern" not in given:
            is_starred = any(kind in (_ONLY_KEYWORDS, "list_splat_pattern") for kind in given)
            return f"**{PLACEHOLDER}" if is_starred else any_arguments
        case "tuple":
            return f"*{PLACEHOLDER}" if given else PLACEHOLDER
        case "dictionary":
            return ", ".join(f'"{key}": {PLACEHOLDER}' for key in _missing_keys(opened, node, diagnostics))
        case "type_parameter":
            return PLACEHOLDER
    return ""


def _first_key(opened: Opened, diagnostics: Sequence[Diagnostic]) -> Iterator[Edit]:
    """The value of what is alone in braces, which may be the first key of a dictionary, and the keys that ty misses.

    `{"a"|}`, which is read as a set, becomes `{"a": inscope_any}`. The element must be the text's or come before it. Of
    a string only the part up to its last child, the closing quote, counts: in `{"a|` the closing brings the quote.
    """
    for node in opened.around():
        elements = [child for child in node.named_children if child.type != "comment"]
        if node.type != "set" or len(elements) != 1:
            continue
        (element,), end = elements, opened.syntax.end(elements[0])
        end_in_text = opened.syntax.start(element.children[-1]) if element.type == "string" else end
        if end_in_text <= opened.text_end:
            keys = "".join(f', "{key}": {PLACEHOLDER}' for key in _missing_keys(opened, node, diagnostics))
            yield Edit(end, end, f": {PLACEHOLDER}{keys}")


def _missing_keys(opened: Opened, node: Node, diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """The keys that ty misses in a dictionary: each error's message quotes one."""
    start, end = opened.syntax.span(node)
    for error in diagnostics:
        if error.code == _MISSING_KEY and error.start < end and start < error.end:
            yield from error.message.split("'")[1:2]


def _last_statement(function: Node, fill: Fill) -> str:
    """A statement after which a function's open body is right for the checker, whatever the function returns."""
    if fill is Fill.BARE:
        return f"raise {PLACEHOLDER}"
    return f"yield {PLACEHOLDER}" if fill is Fill.YIELDING or _yields(function) else f"return {PLACEHOLDER}"


def _yields(node: Node) -> bool:
    """Whether there is a `yield` in a function, but for those of functions in it."""
    return any(
        child.type == "yield" or (child.type not in ("function_definition", "lambda") and _yields(child))
        for child in node.children
    )


def _body(node: Node) -> Node | None:
    return next((child for child in node.children if child.type == "block"), None)


def _indentation(opened: Opened, node: Node) -> str:
    """The white space at the start of the line in which a node begins."""
    return _line_indentation(opened, opened.syntax.start(node))


def _line_indentation(opened: Opened, offset: int) -> str:
    """The white space at the start of the line that an offset is in."""
    text = opened.closed.document.text
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]
