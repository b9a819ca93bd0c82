"""Whether a script is an ES module or CommonJS, as far as its own name and text say.

Knows one file; its package and the files around it are known to `index`.
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
"""Suffixes that decide it, whatever the text says."""
MODULE_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
"""In JavaScript only an ES module has them."""
_IS_COMMON_JS: Final = re.compile(
    r"(?<![\w$.])(?:require\s*\("
    r"|module\s*\.\s*exports\b"
    r"|exports\s*(?:\.\s*[\w$]+|\[[^\]\n]*\])\s*=(?![=>])"
    r"|Object\s*\.\s*\w+\(\s*exports\b)"  # defineProperty, assign
)
_PROSE: Final = frozenset({"comment", "html_comment", "string", "string_fragment", "template_string", "regex_pattern"})


def module_kind(syntax: Syntax) -> ModuleKind | None:
    """The kind of a script; None where neither its name nor its text says."""
    if (by_name := kind_by_name(syntax)) is not None:
        return by_name
    if any(child.type in MODULE_STATEMENTS for child in syntax.top_level):
        return ModuleKind.ES
    return ModuleKind.COMMON_JS if _says_common_js(syntax) else None


def kind_by_name(syntax: Syntax) -> ModuleKind | None:
    """The kind that the file's suffix decides, whatever the text says."""
    return BY_SUFFIX.get(PurePosixPath(syntax.document.uri).suffix)


def _says_common_js(syntax: Syntax) -> bool:
    """Whether the code says so, not only comments and strings."""
    found = _IS_COMMON_JS.finditer(syntax.document.text)
    return any(syntax.node_at(one.start(), one.end()).type not in _PROSE for one in found)
