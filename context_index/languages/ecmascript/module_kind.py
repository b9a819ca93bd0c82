"""Says whether a script is an ES module or CommonJS, by its own name and text.

Knows one file only; `index` knows its package and the files around it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from context_index.symbols import ModuleKind
from context_index.syntax import Syntax

BY_SUFFIX: Final = {
    **dict.fromkeys((".mjs", ".mts"), ModuleKind.ES),
    **dict.fromkeys((".cjs", ".cts"), ModuleKind.COMMON_JS),
}
"""The kinds of files with a suffix that decides it, whatever the text says."""
MODULE_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
"""Statements that only an ES module has, in JavaScript."""
_COMMON_JS_CODE: Final = re.compile(
    r"(?<![\w$.])(?:require\s*\("
    r"|module\s*\.\s*exports\b"
    r"|exports\s*(?:\.\s*[\w$]+|\[[^\]\n]*\])\s*=(?![=>])"
    r"|Object\s*\.\s*\w+\(\s*exports\b)"  # defineProperty, assign
)
_PROSE: Final = frozenset({"comment", "html_comment", "string", "string_fragment", "template_string", "regex_pattern"})


def module_kind(syntax: Syntax) -> ModuleKind | None:
    """The kind of a script; None if neither its name nor its text says."""
    if (by_name := kind_by_name(syntax)) is not None:
        return by_name
    if any(child.type in MODULE_STATEMENTS for child in syntax.top_level):
        return ModuleKind.ES
    return ModuleKind.COMMON_JS if _has_common_js_code(syntax) else None


def kind_by_name(syntax: Syntax) -> ModuleKind | None:
    """The kind that the file's suffix decides; None for any other suffix."""
    return BY_SUFFIX.get(PurePosixPath(syntax.document.uri).suffix)


def _has_common_js_code(syntax: Syntax) -> bool:
    """Whether a text uses CommonJS's names outside of comments and strings."""
    matches = _COMMON_JS_CODE.finditer(syntax.document.text)
    return any(syntax.node_at(match.start(), match.end()).type not in _PROSE for match in matches)
