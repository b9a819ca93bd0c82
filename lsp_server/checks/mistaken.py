"""What was meant as something else: code as the text of an element, a type as a name in passing, a blank for a dot.

Knows trees and nothing of models. Each rule was held against installed packages, whose own lines it must let stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Node
    from lsp_server.checks.said_twice import Written

_LEFT: Final = frozenset(
    {
        *("for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement"),
        *("statement_block", "if_statement", "labeled_statement", "try_statement"),
    }
)
_CODE: Final = re.compile(
    r"^\s*(?:const|let|var|return|import|export|function|class|throw|if|for|while|switch)\b.*[;{(]\s*$|;\s*$",
    re.MULTILINE,
)
"""A line that the text of an element hardly ever has."""
_OF_IMPORTS: Final = frozenset({b"from", b"as", b"require"})
QUOTED: Final = frozenset({"string", "template_string"})


def stands_apart(written: Written, node: Node) -> bool:
    """Whether a member stands behind a dot and a blank on its line: `a. b`."""
    dot = next((child for child in node.children if child.type == "."), None)
    name = node.named_children[-1]
    if dot is None or not written.first <= dot.start_byte < name.start_byte < written.last:
        return False
    return dot.end_byte < name.start_byte and dot.end_point[0] == name.start_point[0]


def is_code_as_text(written: Written, node: Node) -> bool:
    """JSX: whether the text of an element has lines that were meant as code."""
    start, end = max(node.start_byte, written.first), min(node.end_byte, written.last)
    said = (node.text or b"")[start - node.start_byte : end - node.start_byte]
    return _CODE.search(said.decode("utf-8", "replace")) is not None


def closes_unopened(written: Written, node: Node) -> bool:
    """Scripts: whether what was written within quotes goes on as code would: `'a', b);` where a quote was to end."""
    first, last = written.first, written.last
    if not node.start_byte < first < last < node.end_byte or written.syntax.language.is_python:
        return False
    said, depth = node.text or b"", 0
    for place, sign in enumerate(said[: last - node.start_byte], start=node.start_byte):
        depth += (sign in b"([") - (sign in b")]")
        if depth < 0:
            return place >= first
    return False


def is_named_like_keyword(written: Written, node: Node) -> bool:
    """Whether a module would be called by a word of the import itself: `import type from`, `import * as from from`."""
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    if clause is None or not written.ends(node):
        return False
    names = [one for child in clause.named_children for one in (child, *child.named_children)]
    own = [one.text for one in names if one.type == "identifier"]
    return clause.text == b"type" or not _OF_IMPORTS.isdisjoint(own)


def is_label_of_nothing(written: Written, node: Node) -> bool:
    """Scripts: whether a label stands before what nobody leaves by its name; `$:` is a framework's."""
    body, label = node.child_by_field_name("body"), node.child_by_field_name("label")
    is_new = written.first <= node.start_byte < written.last
    return is_new and body is not None and body.type not in _LEFT and (label is None or label.text != b"$")


def is_annotation(written: Written, node: Node) -> bool:
    """Python: whether `a:= b` was to be `a: b`: who names an expression writes a blank before `:=`."""
    sign = next((child for child in node.children if child.type == ":="), None)
    return sign is not None and written.ends(node) and sign.start_byte == node.children[0].end_byte
