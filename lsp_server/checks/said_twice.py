"""What is said twice in one expression: both sides, both branches, an element and the one before it, a key.

Knows trees and nothing of models.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Node, Syntax

JOINED: Final = frozenset(
    {"binary_expression", "binary_operator", "boolean_operator", "union_type", "comparison_operator"}
)
_NOTHING_LEFT: Final = frozenset({"-", "/", "%"})
_ELEMENTS: Final = frozenset({"subscript_expression", "subscript"})
_EQUALS: Final = frozenset({"===", "!==", "==", "!="})
"""Whoever compares a name with itself asks for NaN; a member is so compared on one of 2.2 million lines."""
_UNLIKE: Final = _NOTHING_LEFT | {"<", ">", "<=", ">="} | _EQUALS
"""Of 982,000 lines of scripts none has `a < a`; in Python tests do."""
_EITHER: Final = frozenset({"&&", "||", "??", "and", "or", "|"}) | _UNLIKE
"""What takes two sides that differ."""
_ACTS: Final = frozenset({"call_expression", "call", "await_expression", "await", "update_expression"})
_TWO = 3
"""Parts of a comparison of two sides."""
_NEAR = 16
"""Members of a union of types that are compared with its last."""
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
    """Whether the last of what is joined is the one before it, or in a type any other: `a and a`, `'x' | 'x'`."""
    syntax = written.syntax
    if not written.ends(node):
        return False
    sign, is_type = _sign(node), node.type == "union_type"
    if not sign or (sign == "|") is not is_type or (node.type == "comparison_operator" and len(node.children) > _TWO):
        return False
    before, last = node.named_children[0], node.named_children[-1]
    said = syntax.text(last)
    if sign not in _NOTHING_LEFT and sign in _UNLIKE and not _is_compared(syntax, sign, last):
        return False
    if sign in _UNLIKE and (said[:1].isdecimal() or _may_differ(last)):  # `0 / 0` is how some spell NaN
        return False
    for _ in range(_NEAR if is_type else 1):
        is_joined = sign not in _UNLIKE and _sign(before) == sign
        nearest = before.named_children[-1] if is_joined else before
        if nearest != last and syntax.text(nearest) == said:
            return True
        if not is_joined:
            break
        before = before.named_children[0]
    return False


def _is_compared(syntax: Syntax, sign: str, side: Node) -> bool:
    """Whether it says something that a comparison has this side twice."""
    return side.type in _MEMBERS | _ELEMENTS if sign in _EQUALS else not syntax.language.is_python


def _may_differ(node: Node) -> bool:
    """Whether it is another value each time: `random() - random()`, `stack.pop() / stack.pop()`."""
    work = [node]
    while work:
        node = work.pop()
        if node.type in _ACTS:
            return True
        work += node.named_children
    return False


def _sign(node: Node) -> str:
    """What joins two sides, if it is one of ours."""
    return next((child.type for child in node.children if child.type in _EITHER), "")
