"""How a script is loaded, as an ES module or by `require`, as far as its name and its text say.

Knows one file. What its package says, and the files beside it, is told by `index`.
"""

from __future__ import annotations

import re
from typing import Final

from context_index.symbols import ModuleKind
from context_index.syntax import Node, Syntax

BY_SUFFIX: Final = {
    **dict.fromkeys((".mjs", ".mts"), ModuleKind.ES),
    **dict.fromkeys((".cjs", ".cts"), ModuleKind.COMMON_JS),
}
"""Names of files that decide, whatever their texts say."""
_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
_EXPORTS: Final = (
    r"module\s*\.\s*exports\b"
    r"|exports\s*(?:\.\s*[\w$]+|\[[^\]\n]*\])\s*=(?![=>])"
    r"|Object\s*\.\s*\w+\(\s*exports\b"  # defineProperty, assign
)
_GIVES: Final = re.compile(rf"(?<![\w$.])(?:{_EXPORTS})")
_IS_COMMON_JS: Final = re.compile(rf"(?<![\w$.])(?:{_EXPORTS}|require\s*\()")
_PROSE: Final = frozenset({"comment", "html_comment", "string", "string_fragment", "template_string", "regex_pattern"})


def module_kind(syntax: Syntax, without: Node | None = None) -> ModuleKind | None:
    """How a script is loaded; None where it says nothing.

    Args:
        without: A statement at its top level that is not asked.
    """
    name = syntax.document.uri.rpartition("/")[2]
    by_name = BY_SUFFIX.get(name[name.rfind(".") :])
    if by_name is not None:
        return by_name
    if any(child.type in _STATEMENTS and child != without for child in syntax.root.children):
        return ModuleKind.ES
    return ModuleKind.COMMON_JS if _says(syntax, _IS_COMMON_JS) else None


def assigns_exports(syntax: Syntax) -> bool:
    """Whether a script gives names to others as CommonJS does."""
    return _says(syntax, _GIVES)


def _says(syntax: Syntax, pattern: re.Pattern[str]) -> bool:
    """Whether its code has what a pattern finds, not only its comments and strings."""
    found = pattern.finditer(syntax.document.text)
    return any(syntax.node_at(one.start(), one.end()).type not in _PROSE for one in found)
