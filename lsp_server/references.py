"""Names that a suggestion refers to and that are not visible where it stands.

A second look, on the finished text's tree, at what the decoder promised; it also tells which names must be imported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import CursorKind, cursor_at, names_at

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from context_index import Syntax

_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_REFERENCES = frozenset({"identifier", "type_identifier"})
"""Nodes that may refer to something; keywords, members and keys have others."""
_SHORTHAND = "shorthand_property_identifier"
"""A key that is a reference, too: `{name}`."""
_PLACES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
_ALWAYS = frozenset({"arguments", "undefined", "_"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A name where it is referred to."""

    name: str
    offset: int


def unresolved(syntax: Syntax, start: int, end: int, known: Container[str]) -> Iterator[Reference]:
    """References between two places of a finished text to what is visible nowhere there.

    Args:
        known: Names that are visible; the tree is not asked for them.
    """
    for found in _WORD.finditer(syntax.document.text, start, end):
        name, offset = found.group(), found.start()
        if name in known or name in _ALWAYS or (offset == start and _joins(syntax, start)):
            continue
        if _refers(syntax, offset, found.end()) and name not in names_at(syntax, offset):
            yield Reference(name, offset)


def _joins(syntax: Syntax, start: int) -> bool:
    """Whether the first word goes on with one that stood before the place."""
    before = syntax.document.text[start - 1 : start]
    return before.isalnum() or before in ("_", "$", "#", "@") or before == "."


def _refers(syntax: Syntax, offset: int, end: int) -> bool:
    kind = syntax.node_at(offset, end).type
    if kind == _SHORTHAND or kind not in _REFERENCES:
        return kind == _SHORTHAND
    cursor = cursor_at(syntax, end)
    if cursor.kind not in _PLACES or cursor.binding:
        return False
    text = syntax.document.text
    if syntax.language.is_python:
        names_argument = re.match(r"\s*=(?!=)", text[end : end + 80]) is not None
        return not (names_argument and cursor.kind is CursorKind.ARGUMENT)
    is_tag = re.search(r"</?\s*$", text[max(offset - 8, 0) : offset]) is not None
    return not (is_tag and text[offset].islower())
