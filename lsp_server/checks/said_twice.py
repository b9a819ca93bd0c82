"""What is said twice in one expression: both sides, both branches, an element and the one before it, a key.

Knows trees and nothing of models.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index import ancestors

if TYPE_CHECKING:
    from context_index import Node, Syntax

JOINED: Final = frozenset(
    {"binary_expression", "binary_operator", "boolean_operator", "union_type", "comparison_operator"}
)
_ORDERS: Final = frozenset({"<", ">", "<=", ">="})
"""In scripts; Python's tests ask whether a thing is less than itself."""
_EQUALS: Final = frozenset({"===", "!==", "==", "!="})
"""Whoever compares a name with itself asks for NaN; a member is so compared on one of 2.2 million lines."""
_ELEMENTS: Final = frozenset({"subscript_expression", "subscript"})
_TELLS_SIDES_APART: Final = frozenset({"-", "/", "%"}) | _ORDERS | _EQUALS
"""Says nothing of a thing and itself, and joins two."""
_CHOOSES: Final = frozenset({"||", "??", "or"})
_EITHER: Final = frozenset({"&&", "||", "??", "and", "or", "|"}) | _TELLS_SIDES_APART
"""What takes sides that differ."""
_ACTS: Final = frozenset({"call_expression", "call", "await_expression", "await", "update_expression"})
_NEAR: Final = 16
"""Sides of what is joined that are compared with each other."""
CHOICES: Final = frozenset({"ternary_expression", "conditional_expression"})
_CALLS: Final = frozenset({"arguments", "argument_list"})
ROWS: Final = _CALLS | {"array", "list", "set", "object", "object_pattern"}
"""What has elements, one after the other."""
_NAMES: Final = frozenset(
    {
        *("identifier", "spread_element"),
        *("shorthand_property_identifier", "shorthand_property_identifier_pattern"),
    }
)
"""What an element is if it says nothing itself: equal numbers may stand beside each other, equal calls differ."""
_MEMBERS: Final = frozenset({"member_expression", "attribute"})
"""The same as an argument; rows of a table may hold `np.nan` several times."""
LISTS: Final = frozenset({"array", "list", "set", "import_from_statement"})
"""What holds each word once: of 3,158 words in such rows of real code eight were there twice. Calls repeat words."""
_LISTED: Final = frozenset({"string", "dotted_name", "aliased_import"})
_SHORTEST = 5
"""Characters of a word in quotes that says something: `''`, `' '` and `'x'` recur in tables."""
_CALLEE: Final = re.compile(rb"([\w$]+)\s*$")
_TWICE: Final = rb"\s*\((?:[^()]*,)?\s*((?:\.\.\.)?[^\W\d][\w.$]*)\s*,\s*\1\s*[,)]"
"""Behind a name: arguments, of which two beside each other are the same."""
_LONGEST: Final = 100
"""Bytes of a function's name, and of white space behind it."""
OBJECTS: Final = frozenset({"object", "dictionary"})
_SPREADS: Final = frozenset({"spread_element", "dictionary_splat"})
_KEYS: Final = frozenset({"property_identifier", "string", "shorthand_property_identifier"})


@dataclass(frozen=True, slots=True)
class Written:
    """What was inserted: the bytes of a finished text from one place to another."""

    syntax: Syntax
    first: int
    last: int

    def ends(self, node: Node) -> bool:
        """Whether a node ends within it, or with it."""
        return self.first < node.end_byte <= self.last

    def touches(self, node: Node) -> bool:
        """Whether any of a node is in it."""
        return self.first < node.end_byte and node.start_byte < self.last


def is_no_choice(written: Written, node: Node) -> bool:
    """Whether both branches are the same: `a ? b : b`."""
    syntax = written.syntax
    if not written.ends(node):
        return False
    branches = [one for one in node.named_children if one.type != "comment"]
    if syntax.language.is_python and len(branches) == len("acb"):
        del branches[1]
    return syntax.text(branches[-2]) == syntax.text(branches[-1])


def names_again(written: Written, row: Node) -> bool:
    """Whether an element that was inserted is the name that stands right before it: `[a, a]`.

    Arguments may be alike where the same function is given such elsewhere in the file: `Point(x, x)`.
    """
    before = b""
    for one in row.named_children:
        if one.start_byte >= written.last:
            break
        is_name = one.type in _NAMES or (one.type in _MEMBERS and row.type in _CALLS)
        if is_name and one.start_byte >= written.first and one.text == before:
            return row.type not in _CALLS or not _takes_twice(written, row)
        before = one.text or b""
    return False


def lists_again(written: Written, row: Node) -> bool:
    """Whether a row has a word in quotes, or an imported name, once more, one of the two being inserted."""
    is_import, seen = row.type == "import_from_statement", dict[bytes, bool]()
    for one in row.children_by_field_name("name") if is_import else row.named_children:
        said = one.text or b""
        if one.type not in _LISTED or (len(said) < _SHORTEST and not is_import):
            continue
        is_new = written.first < one.end_byte and one.start_byte < written.last
        if (is_new or seen.get(said)) and said in seen:
            return True
        seen[said] = is_new
    return False


def _takes_twice(written: Written, arguments: Node) -> bool:
    """Whether a function of that name is given an argument twice in a row elsewhere: most know no such function.

    Of 266 arguments that the built-in model repeated 6 were right, all of them among the 12 of such functions.
    """
    root, call = written.syntax.root.text or b"", arguments.parent
    callee = (
        None
        if call is None
        else _CALLEE.search(root, max(call.start_byte, arguments.start_byte - _LONGEST), arguments.start_byte)
    )
    if callee is None:
        return False
    calls = re.finditer(rb"(?<![\w$])" + re.escape(callee[1]) + _TWICE, root)
    return any(one.end() <= written.first or one.start() >= written.last for one in calls)


def has_key_twice(written: Written, node: Node) -> bool:
    """Whether an object has a key once more, one of the two being inserted, and nothing is spread in between."""
    seen = dict[bytes, bool]()
    for one in node.named_children:
        if one.type in _SPREADS:
            seen.clear()
        key = one.child_by_field_name("key") if one.type == "pair" else one
        if key is None or key.type not in _KEYS:
            continue
        is_new = written.first <= key.start_byte < written.last
        if (is_new or seen.get(key.text or b"")) and (key.text or b"") in seen:
            return True
        seen[key.text or b""] = is_new
    return False


def says_twice(written: Written, node: Node) -> bool:
    """Whether a side that was inserted is another one of what is joined, on its left or right.

    The one beside it (`a and a`); of what is chosen from also one farther off (`a or b or a`), if it is the same each
    time, and in a type any (`'x' | 'x'`). Of conditions the first may be the value as well: `a && a.b && a`.
    """
    sign = _sign(written, node)
    is_type = node.type == "union_type" or (sign == "|" and any(one.type == "type" for one in ancestors(node)))
    if not sign or (sign == "|") is not is_type or (node.parent is not None and _sign(written, node.parent) == sign):
        return False
    sides = _sides(written, node, sign)
    for at, one in enumerate(sides):
        for other in sides[at + 1 :]:
            if one.text != other.text or not (written.touches(one) or written.touches(other)):
                continue
            if sign in _EQUALS and one.type not in _MEMBERS | _ELEMENTS:
                continue
            if sign in _TELLS_SIDES_APART and ((one.text or b"")[:1].isdigit() or _may_differ(one)):
                continue  # `0 / 0` is how some spell NaN
            if is_type or other == sides[at + 1] or (sign in _CHOOSES and not _may_differ(one)):
                return True
    return False


def goes_on_twice(written: Written, node: Node) -> bool:
    """Whether two or more of what is added up were inserted, and are what stands right before: `a + b + a + b`."""
    if not _adds(node) or (node.parent is not None and _adds(node.parent)):
        return False
    sides = [node]
    while _adds(sides[0]) and len(sides) < _NEAR:
        sides[:1] = [one for one in sides[0].named_children if one.type != "comment"]
    new = sum(written.ends(one) and one.start_byte >= written.first for one in sides)
    if new < len("ab") or not written.ends(sides[-1]):
        return False
    return [one.text for one in sides[-new:]] == [one.text for one in sides[-2 * new : -new]]


def _adds(node: Node) -> bool:
    return node.type in JOINED and any(child.type == "+" for child in node.children)


def _sides(written: Written, node: Node, sign: str) -> list[Node]:
    """What is joined by one sign, the last ones of many; two where what is joined first makes a difference."""
    sides: list[Node] = []
    while len(sides) < _NEAR:
        parts = [one for one in node.named_children if one.type != "comment"]
        if len(parts) != len("ab"):
            break
        node = parts[0]
        sides.append(parts[1])
        if sign in _TELLS_SIDES_APART or _sign(written, node) != sign:
            break
    return [node, *reversed(sides)]


def _may_differ(node: Node) -> bool:
    """Whether it is another value each time: `random() - random()`, `stack.pop() / stack.pop()`."""
    work = [node]
    while work:
        node = work.pop()
        if node.type in _ACTS:
            return True
        work += node.named_children
    return False


def _sign(written: Written, node: Node) -> str:
    """What joins two sides, if it is one of ours."""
    if node.type not in JOINED:
        return ""
    sign = next((child.type for child in node.children if child.type in _EITHER), "")
    return "" if sign in _ORDERS and written.syntax.language.is_python else sign
