"""The identifiers of a file, and its declarations of given names, from its syntax tree alone.

`mentions` and the languages' parts of it use `identifiers` and `all_strings` for renames; `retrieve` uses `identifiers`
for passages of the prompt. A rewrite uses the others to find the lines that its instruction is about. `declarations`
finds those of Python, JavaScript and TypeScript. In C and C++ it finds few, as the grammar puts the name of a function
or a variable into a declarator without a field `name`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from typing import NamedTuple

from context_index.syntax import Node, Syntax, ancestors
from context_index.text import line_starts

_IDENTIFIER = ("identifier", "identifier_pattern")
"""Suffixes of the types of identifiers."""
_STRING = "string"
"""Is in the types of strings and of their parts: `string_fragment`, `string_content`."""
_COMMENT = "comment"
"""Ends the types of comments."""
_DECLARED = ("_definition", "_declaration", "_declarator", "_signature")
"""Suffixes of the types of nodes that bind their field `name`."""
_WRAPPERS = frozenset({
    "export_statement", "decorated_definition", "lexical_declaration", "variable_declaration", "assignment",
    "expression_statement",
})  # fmt: skip
"""Types of what may be around a declaration: in `export const a = 1`, a `variable_declarator` is in two of them."""


def identifiers(syntax: Syntax, within: tuple[int, int] | None = None) -> Iterator[Node]:
    """The identifiers of a text, in order. In strings only those in expressions count: the `b` of `a ${b}`.

    Args:
        within: Two offsets; only identifiers that share a character with the text between them are returned.
    """
    return (node for node in _leaves(syntax, within) if node.type.endswith(_IDENTIFIER))


def all_strings(syntax: Syntax) -> Iterator[Node]:
    """The leaves that strings consist of, in order; escapes and the expressions in a string are left out.

    A string without either has one leaf with its content; an empty one has none. In JavaScript an escape or an
    expression divides the content: `a ${b} c` has two. In Python the quotes are leaves, too, and content with an escape
    is no leaf, so it is missing.
    """
    return (node for node in _leaves(syntax) if _STRING in node.type)


def _leaves(syntax: Syntax, within: tuple[int, int] | None = None, *, named: bool = True) -> Iterator[Node]:
    """The nodes without children that share a character with a part of a text, in order.

    Args:
        within: As in `identifiers`.
        named: Whether signs and keywords are left out, for which the grammar has no name.
    """
    first, last = (0, syntax.root.end_byte) if within is None else (syntax.byte(within[0]), syntax.byte(within[1]))
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if node.end_byte <= first or node.start_byte >= last:
            continue
        if node.child_count:
            pending += reversed(node.children)
        elif node.is_named or not named:
            yield node


def declarations(syntax: Syntax, names: Collection[str]) -> list[tuple[int, int]]:
    """The spans of the functions, classes, methods and variables that have one of some names.

    A span includes what is around the declaration, such as `export` or decorators. A variable in a block counts only if
    its value is a JavaScript function; the body of a Python class is a block.

    If a declaration at the top level has one of the names, a declaration elsewhere counts only inside another that has
    one: `Cart` and `total` mean the method of that class; `area` and `add` mean the function `area`, even if some class
    has a method `add`. Of declarations inside each other, the innermost counts.
    """
    is_outermost_by_span = {syntax.span(node): _is_outermost(node) for node in _declarations_named(syntax, names)}
    any_outermost = any(is_outermost_by_span.values())
    chosen = [
        span
        for span, is_outermost in is_outermost_by_span.items()
        if is_outermost or not any_outermost or any(_contains(other, span) for other in is_outermost_by_span)
    ]
    return sorted(span for span in chosen if not any(_contains(span, other) for other in chosen))


class Declaration(NamedTuple):
    """A function, a class, a method or an outermost variable."""

    name: str
    span: tuple[int, int]
    """As `declarations` returns it."""


def declaration_around(syntax: Syntax, offset: int) -> Declaration | None:
    """The smallest declaration on whose lines an offset is, or directly above which its comment is; else None.

    It is one of those that `declarations` finds.
    """
    found = syntax.node_at(_character_near(syntax.document.text, offset))
    if found.type.endswith(_COMMENT):
        while found.type.endswith(_COMMENT) and (below := found.next_named_sibling) is not None:
            found = below
        declared = _declared_by(found)
        if declared is not None and lines_around(syntax, (span := syntax.span(_with_wrapping(declared))))[0] <= offset:
            return Declaration(_name_of(syntax, declared), span)
        found = syntax.node_at(_character_near(syntax.document.text, offset))
    for node in (found, *ancestors(found)):
        if (declared := _declared_by(node)) is not None:
            return Declaration(_name_of(syntax, declared), syntax.span(_with_wrapping(declared)))
    return None


def _character_near(text: str, offset: int) -> int:
    """The offset of a character of the line at an offset that is no white space, the one before it if there is one.

    An offset in an empty line stays.
    """
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)]
    before = line[: offset - start].rstrip()
    if before:
        return start + len(before) - 1
    return start + len(line) - len(line.lstrip()) if line.strip() else offset


def _declared_by(node: Node) -> Node | None:
    """The declaration that a node is, or is wrapped around; None for any other node."""
    for declared in _unwrapped(node):
        name = declared.child_by_field_name("left" if declared.type == "assignment" else "name")
        is_declaration = declared.type.endswith(_DECLARED) or declared.type == "assignment"
        if is_declaration and name is not None and name.type.endswith(_IDENTIFIER):
            return None if _is_variable(declared) and _is_local(declared) else declared
    return None


def _unwrapped(node: Node) -> Iterator[Node]:
    """A node and, if it may be wrapped around a declaration, what is in it."""
    yield node
    if node.type in _WRAPPERS:
        for child in node.named_children:
            yield from _unwrapped(child)


def _name_of(syntax: Syntax, declared: Node) -> str:
    name = declared.child_by_field_name("left" if declared.type == "assignment" else "name")
    return "" if name is None else syntax.text(name)


def _is_outermost(node: Node) -> bool:
    """Whether a node is the root or a child of it."""
    return node.parent is None or node.parent.parent is None


def _declarations_named(syntax: Syntax, names: Collection[str]) -> Iterator[Node]:
    """The declarations of some names, each with what is wrapped around it, such as `export`."""
    for name in identifiers(syntax):
        parent = name.parent
        if parent is None or syntax.text(name) not in names:
            continue
        is_named = parent.type.endswith(_DECLARED) and parent.child_by_field_name("name") == name
        is_assigned = parent.type == "assignment" and parent.child_by_field_name("left") == name
        if (is_named or is_assigned) and not (_is_variable(parent) and _is_local(parent)):
            yield _with_wrapping(parent)


def _is_variable(node: Node) -> bool:
    """Whether a declaration is a variable whose value is no JavaScript function.

    Python's lambdas do not count as functions here: an assignment of Python has no field `value`.
    """
    value = node.child_by_field_name("value")
    return node.type in {"assignment", "variable_declarator"} and not (value is not None and "function" in value.type)


def _is_local(node: Node) -> bool:
    """Whether a node is in a block: the body of a function, of a class of Python, of an `if`."""
    return any(around.type in {"block", "statement_block"} for around in ancestors(node))


def _with_wrapping(node: Node) -> Node:
    """A declaration with what is wrapped around it."""
    while node.parent is not None and node.parent.type in _WRAPPERS:
        node = node.parent
    return node


def _contains(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def lines_around(syntax: Syntax, span: tuple[int, int]) -> tuple[int, int]:
    """The whole lines of a declaration, with the comments directly above it; see `whole_lines`.

    Args:
        span: One of the results of `declarations`.
    """
    first = syntax.node_at(*span, named=True)
    while (before := first.prev_named_sibling) is not None and _is_comment_above(syntax, before, first):
        first = before
    return whole_lines(syntax.document.text, syntax.start(first), span[1])


def _is_comment_above(syntax: Syntax, node: Node, below: Node) -> bool:
    """Whether a node is a comment that begins its line, and no blank line is between it and what is below."""
    text, start = syntax.document.text, syntax.start(node)
    line, _ = whole_lines(text, start, start)
    return node.type == _COMMENT and not text[line:start].strip() and node.end_point[0] + 1 >= below.start_point[0]


def leading_comments(syntax: Syntax, start: int, end: int) -> int:
    """The length of the comments at the beginning of a part of a text, in whole lines; 0 if the part has no code.

    Args:
        start: The offset at which the part and a line begin.
        end: The offset at which the part ends.
    """
    offsets = (
        syntax.start(node)
        for node in _leaves(syntax, (start, end), named=False)
        if not node.type.endswith(_COMMENT) and node.start_byte < node.end_byte
    )
    code = next((offset for offset in offsets if start <= offset), None)
    return 0 if code is None else whole_lines(syntax.document.text, code, code)[0] - start


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines that hold the characters from `start` up to `end`, as two offsets; their last line break is included.

    If the last of these characters is a line break, the line after it is not among them. Lines end as in a `Document`:
    a lone carriage return ends one, too.
    """
    starts = line_starts(text)
    first = starts[bisect_right(starts, start) - 1]
    after = bisect_left(starts, end) if end > first else bisect_right(starts, end)
    return first, starts[after] if after < len(starts) else len(text)
