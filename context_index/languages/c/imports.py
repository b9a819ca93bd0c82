"""The headers that a file of C or C++ includes. Called by `exports` and `import_edits`."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.exports.model import Import
from context_index.symbols import Importable
from context_index.syntax import Syntax

GROUPS_ARE_PARTED = False
"""See Python's: here there is one group only."""
_INCLUDE = "preproc_include"


def imports_of(syntax: Syntax) -> Iterator[Import]:
    """Every `#include` outside of declarations, also one in `#if`; the module is the path with its quotes or angles."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if node.type == _INCLUDE and (path := node.child_by_field_name("path")) is not None:
            yield Import(syntax.text(path), (), syntax.line(node))
        elif node.type.startswith("preproc_") or node.type in ("translation_unit", "ERROR"):
            pending += reversed(node.children)


def group(_module: str) -> int:
    """The group in which a header is included: all are one."""
    return 0


def statement(_wanted: Importable) -> str:
    """The statement that imports a name: always empty, as only clangd knows which header declares a name."""
    return ""
