"""What no compiler refuses and nobody means: said already, never reached, given to itself, code as text of a page.

Knows trees and nothing of models. Each rule was held against installed packages, whose own lines it must let stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.for_nothing import (
    ALIASES,
    FIELDS,
    LISTS_OF_NAMES,
    LOOPS,
    SEQUENCES,
    STATEMENTS,
    STRINGS,
    VARIABLES,
    does_nothing,
    drops_value,
    is_alias_of_itself,
    is_begun_as_statement,
    is_made_of_itself,
    is_no_template,
    loops_over_itself,
    names_nothing,
)
from lsp_server.checks.hushing import hushes
from lsp_server.checks.mistaken import (
    QUOTED,
    closes_unopened,
    is_annotation,
    is_code_as_text,
    is_label_of_nothing,
    is_named_like_keyword,
    stands_apart,
)
from lsp_server.checks.said_above import (
    BLOCKS,
    COMPOUND,
    DECLARED,
    is_declared_around,
    is_imported,
    is_said_above,
    repeats,
)
from lsp_server.checks.said_twice import (
    CHOICES,
    JOINED,
    LISTS,
    OBJECTS,
    ROWS,
    Written,
    goes_on_twice,
    has_key_twice,
    is_no_choice,
    lists_again,
    names_again,
    says_twice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from context_index import Node, Syntax

_OPENS: Final = (":", "{", "(", "[", ",", "\\")
"""Ends of a line that may be followed by one that is indented farther."""
_JUMPS: Final = frozenset(
    {"return_statement", "throw_statement", "raise_statement", "break_statement", "continue_statement"}
)
_STANDS_ANYWHERE: Final = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "comment", "empty_statement", "labeled_statement"),
        *("type_alias_declaration", "interface_declaration", "break_statement", "pass_statement"),
        "ERROR",
    }
)
"""What may stand behind a jump: hoisted, no code, a habit of `switch`, or there until there is more."""
_ASSIGNMENTS: Final = frozenset({"assignment", "assignment_expression"})
_PATTERNS: Final = frozenset({"array_pattern", "object_pattern", "list_pattern", "tuple_pattern", "array", "object"})
_DEFINITIONS: Final = frozenset({"function_definition", "class_definition"})
_DOTS: Final = frozenset({".", "?.", "optional_chain"})
_ACCESS: Final = re.compile(r"(?:(?<![\w$])[^\W\d][\w$]*|[)\]'\"`!])\??\.$")
_NEAR: Final = 100
"""Characters before a dot that tell whether it asks for a member."""
_OFFERS_NAMES: Final = frozenset({"module", "class_definition"})
"""Where Python's `a = a` makes a name of another scope one's own."""
_SCOPES: Final = _OFFERS_NAMES | {"function_definition"}


def pointless(syntax: Syntax, start: int, end: int) -> str | None:
    """A sentence about what was inserted between two places, or None where nothing speaks against it."""
    text = syntax.document.text
    if repeats(text, start, end) or is_imported(syntax, start, end):
        return "It says again what the file says already."
    if _is_lost(syntax, start, end):
        return "Nothing there is indented as far as the comment."
    if hushes(text[start:end]):
        return "It would silence a checker, of which nobody knows that it complains."
    if (
        text[start : start + 1].isspace()
        and syntax.node_at(start - 1).type in _DOTS
        and _ACCESS.search(text[max(0, start - _NEAR) : start])
    ):
        return "Between a dot and a name stands no blank."
    written = Written(syntax, syntax.byte(start), syntax.byte(end))
    for node in _within(_around(syntax, written.first, written.last), written.first, written.last):
        for kinds, is_pointless, sentence in _RULES:
            if node.type in kinds and is_pointless(written, node):
                return sentence
    return None


def _is_lost(syntax: Syntax, start: int, end: int) -> bool:
    """Whether a comment that begins its line is indented farther than the code above and below it."""
    text = syntax.document.text
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    if text[line:begin].strip() or "\n" in text[start:begin]:
        return False
    comment = syntax.node_at(begin)
    if comment.type != "comment" or comment.start_byte != syntax.byte(begin):
        return False
    behind = syntax.end(comment)
    if text[behind : stop if stop >= behind else None].partition("\n")[0].strip():  # it is a remark about code
        return False
    above = text[:line].rstrip().rpartition("\n")[2]
    below = next((one for one in text[stop:].split("\n") if one.strip()), "") if stop >= 0 else ""
    if above.endswith(_OPENS):
        return False
    return begin - line > max(len(one) - len(one.lstrip()) for one in (above, below))


def _around(syntax: Syntax, first: int, last: int) -> Node:
    """The innermost block that holds a stretch."""
    node: Node | None = syntax.root.descendant_for_byte_range(first, last)
    while node is not None and node.type not in BLOCKS:
        node = node.parent
    return node or syntax.root


def _within(node: Node, first: int, last: int) -> Iterator[Node]:
    """The nodes that touch a stretch, and the statements right before it."""
    work = [node]
    while work:
        node = work.pop()
        yield node
        before: Node | None = None
        for child in node.named_children:
            if child.start_byte > last:
                break
            if child.end_byte >= first:
                work.append(child)
            else:
                before = child
        if before is not None and node.type in BLOCKS:
            yield before


def _strands(written: Written, node: Node) -> bool:
    """Whether code stands behind a jump in the same block, and one of the two was inserted."""
    first, last = written.first, written.last
    if node.parent is None or node.parent.type not in BLOCKS:
        return False
    behind = node.next_named_sibling
    while behind is not None and behind.type == "comment":
        behind = behind.next_named_sibling
    if behind is None or behind.type in _STANDS_ANYWHERE or [child.type for child in behind.children][:1] == ["yield"]:
        return False
    return first <= node.start_byte < last or first <= behind.start_byte < last


def _gives_itself(written: Written, node: Node) -> bool:
    syntax = written.syntax
    if not written.ends(node):
        return False
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or node.child_by_field_name("type") is not None:
        return False
    if syntax.text(left) != syntax.text(right):
        return False
    if left.type != "identifier" or not syntax.language.is_python:
        return True
    return next((around.type for around in ancestors(node) if around.type in _SCOPES), "") not in _OFFERS_NAMES


def _gives_nothing(written: Written, node: Node) -> bool:
    """Whether a value is taken apart into nothing: `[] = 0`, where a list was to be one of several values."""
    left = node.child_by_field_name("left")
    return written.ends(node) and left is not None and left.type in _PATTERNS and not left.named_children


def _returns_two(written: Written, node: Node) -> bool:
    """Scripts: whether a comma at a line's end makes two of what is returned, of which only the last would be."""
    value = node.named_children[0] if node.named_children else None
    if value is None or value.type != "sequence_expression" or b"\n" not in (value.text or b""):
        return False
    return any(child.type == "," and written.touches(child) for child in value.children)


def _is_declared_elsewhere(written: Written, node: Node) -> bool:
    """Python: whether a type is given to a member of what is no plain name: `self.a.b: int`."""
    left = node.child_by_field_name("left")
    if not written.ends(node) or node.child_by_field_name("type") is None or left is None or left.type != "attribute":
        return False
    receiver = left.child_by_field_name("object")
    return receiver is None or receiver.type != "identifier"


def _is_defined_again(written: Written, node: Node) -> bool:
    """Python: whether a function or a class is written that stands beside it under the same name already.

    What is decorated may be one of several: `@overload`, `@name.setter`.
    """
    name, block = node.child_by_field_name("name"), node.parent
    if name is None or not written.first <= name.start_byte < written.last:
        return False
    if block is None or block.type not in BLOCKS:
        return False
    others = [one for one in block.named_children if one.type in _DEFINITIONS and one.start_byte != node.start_byte]
    return any((one := other.child_by_field_name("name")) is not None and one.text == name.text for other in others)


_RULES: Final[tuple[tuple[frozenset[str], Callable[[Written, Node], bool], str], ...]] = (
    (_JUMPS, _strands, "What follows could not be reached."),
    (_ASSIGNMENTS, _gives_itself, "It assigns something to itself."),
    (_ASSIGNMENTS, _gives_nothing, "It takes a value apart into nothing."),
    (frozenset({"return_statement"}), _returns_two, "It would return the last of two."),
    (JOINED, says_twice, "It says the same on both sides."),
    (JOINED, goes_on_twice, "It adds again what was added right before."),
    (CHOICES, is_no_choice, "It says the same either way."),
    (ROWS, names_again, "It names again what was named right before."),
    (frozenset({"member_expression", "attribute"}), stands_apart, "Between a dot and a name stands no blank."),
    (frozenset({"import_statement"}), is_named_like_keyword, "A word of the import would be a name."),
    (LISTS, lists_again, "It lists again what is listed there."),
    (OBJECTS, has_key_twice, "It has a key twice."),
    (_DEFINITIONS, _is_defined_again, "It is defined there already."),
    (COMPOUND, is_said_above, "It says again what the block says already."),
    (DECLARED, is_declared_around, "It says again what is declared around it."),
    (frozenset({"labeled_statement"}), is_label_of_nothing, "Its label would be for nothing."),
    (frozenset({"named_expression"}), is_annotation, "It would name an expression in passing."),
    (QUOTED, closes_unopened, "Its text would close a bracket that nobody opened."),
    (STATEMENTS, does_nothing, "It would do nothing."),
    (SEQUENCES, drops_value, "What stands before the comma would be for nothing."),
    (LISTS_OF_NAMES, names_nothing, "Its list lacks a name."),
    (VARIABLES, is_made_of_itself, "It is made of itself."),
    (STRINGS, is_no_template, "Its `${` would be text."),
    (FIELDS, is_begun_as_statement, "It begins a statement where none can stand."),
    (ALIASES, is_alias_of_itself, "It is made of itself."),
    (LOOPS, loops_over_itself, "It loops over what it names."),
    (frozenset({"jsx_text"}), is_code_as_text, "Code would be text there."),
    (frozenset({"assignment"}), _is_declared_elsewhere, "Only a class says of which type its attributes are."),
)
