"""What a text says that its file says already: a line, an import, a statement.

Knows trees and nothing of models. Each rule was held against installed packages, whose own lines it must let stand.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from context_index import ancestors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax
    from lsp_server.checks.said_twice import Written

_SHORTEST = 4
"""Characters that a line must have before its recurrence says anything: `}` and `0,` recur in good code."""
_DATA: Final = re.compile(r"""["'`\[({/*#0-9-]|.*[,({[]$""")
"""Rows of a table, prose, beginnings: equal ones may stand below each other."""
_REMARK: Final = re.compile(r"(?://|#)\W*\w{2}")
"""A comment on its line that says something."""
_COMMENT: Final = re.compile(r"\s*(?:#|//)(?=.*[^\W\d_]{2}).*$")
"""A line of a comment that says something, as rulers and rows of numbers do not."""
_BEGINS_COMMENT: Final = re.compile(r"\s*(?:#|//)")
_REACH: Final = 2_000
"""Characters in which a comment above may stand."""
_IMPORTS: Final = re.compile(r"import\b(?!\s*\()|from\s+\S+\s+import\b")
_IMPORTED: Final = re.compile(r"\s*import\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^{}\n]*)")
_NAMED: Final = re.compile(r"([\w$]+)\s*(?=,|\}|$)")
"""The beginning of an import on one line, and the names that its list declares."""
BLOCKS: Final = frozenset({"statement_block", "block", "program", "module"})
COMPOUND: Final = frozenset(
    {
        *("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement"),
        *("try_statement", "with_statement", "match_statement"),
    }
)
DECLARED: Final = frozenset({"lexical_declaration", "variable_declaration"})


def repeats(text: str, start: int, end: int) -> bool:
    """Whether a line is written out that is the one above it again, an import that stands elsewhere, or a comment's."""
    stop = text.find("\n", end)
    begin, stop = text.rfind("\n", 0, start) + 1, stop if stop >= 0 else len(text)
    line = text[begin:stop].rstrip()
    if _COMMENT.match(line):
        return line in _comment_above(text[:begin])
    if "\n" in line:
        return _repeats_itself(line.split("\n"))
    if len(line.strip()) < _SHORTEST or _DATA.match(line.strip()):
        return False
    if text[:begin].rstrip().rpartition("\n")[2] == line:
        return True
    return _IMPORTS.match(line) is not None and line in map(str.rstrip, (text[:begin] + text[stop:]).split("\n"))


def _repeats_itself(lines: list[str]) -> bool:
    """Whether one of several lines is the one above it again."""
    for above, line in pairwise(map(str.rstrip, lines)):
        said = line.strip()
        if above == line and len(said) >= _SHORTEST and (not _DATA.match(said) or _REMARK.match(said)):
            return True
    return False


def _comment_above(text: str) -> Iterator[str]:
    """The lines of the comment that a text ends with, from its end."""
    return takewhile(_BEGINS_COMMENT.match, map(str.rstrip, reversed(text[-_REACH:].removesuffix("\n").split("\n"))))


def is_imported(syntax: Syntax, start: int, end: int) -> bool:
    """Scripts: whether a list of an import gets a name that another one has; no tree tells where `from` is missing."""
    text = syntax.document.text
    begin = text.rfind("\n", 0, start) + 1
    found = None if syntax.language.is_python else _IMPORTED.match(text, begin, end)
    if found is None:
        return False
    names = {name[1].encode() for name in _NAMED.finditer(text, *found.span(1)) if name.end() > start}
    first, last = syntax.byte(begin), syntax.byte(end)
    others = (node for node in syntax.root.named_children if node.type == "import_statement")
    return any(
        (one.child_by_field_name("alias") or one.child_by_field_name("name") or one).text in names
        for node in others
        if node.end_byte <= first or node.start_byte >= last
        for one in _specifiers(node)
    )


def _specifiers(statement: Node) -> Iterator[Node]:
    """The names of an import's list."""
    work = [statement]
    while work:
        node = work.pop()
        if node.type == "import_specifier":
            yield node
        else:
            work += node.named_children


def is_said_above(written: Written, node: Node) -> bool:
    """Whether a statement of several lines is the one above it again; of a choice, any of those above it in its block.

    Loops and contexts recur in tests, with something else between them.
    """
    if not written.ends(node) or node.parent is None or node.parent.type not in BLOCKS:
        return False
    above = [one for one in node.parent.named_children if one.end_byte <= node.start_byte and one.type != "comment"]
    return any(one.text == node.text for one in (above if node.type == "if_statement" else above[-1:]))


def is_declared_around(written: Written, node: Node) -> bool:
    """Scripts: whether a declaration in a block is one above the block again: `const a = b();` and in it the same."""
    block = node.parent
    if not written.ends(node) or block is None or block.type not in BLOCKS:
        return False
    above = (
        one
        for around in ancestors(block)
        if around.type in BLOCKS
        for one in around.named_children
        if one.end_byte <= node.start_byte
    )
    return any(one.text == node.text for one in above)
