"""Words that are no names: keywords, and the words of TypeScript's type language.

Words that are keywords only in some places (`of`, `async`, `match`) are listed, since a lexical look cannot tell.
"""

from __future__ import annotations

from context_index.symbols import Language

TEMPLATE_PREFIXES = frozenset({"t", "rt", "tr"})
"""Of Python 3.14's template strings."""
STRING_PREFIXES = frozenset({"b", "f", "r", "u", "br", "fr", "rb", "rf"}) | TEMPLATE_PREFIXES
"""In Python a string may begin like a name. In small letters; capitals mean the same."""
_JAVASCRIPT = frozenset(
    [
        "arguments",
        "as",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "constructor",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "from",
        "function",
        "get",
        "if",
        "import",
        "in",
        "instanceof",
        "let",
        "meta",
        "new",
        "null",
        "of",
        "return",
        "set",
        "static",
        "super",
        "switch",
        "target",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "undefined",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ]
)
_TYPESCRIPT = _JAVASCRIPT | frozenset(
    [
        "abstract",
        "accessor",
        "any",
        "asserts",
        "bigint",
        "boolean",
        "declare",
        "enum",
        "global",
        "implements",
        "infer",
        "interface",
        "is",
        "keyof",
        "module",
        "namespace",
        "never",
        "number",
        "object",
        "out",
        "override",
        "private",
        "protected",
        "public",
        "readonly",
        "require",
        "satisfies",
        "string",
        "symbol",
        "type",
        "unique",
        "unknown",
        "using",
    ]
)
_PYTHON = frozenset(
    [
        "False",
        "None",
        "True",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "case",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "match",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "try",
        "type",
        "while",
        "with",
        "yield",
    ]
)


def keywords(language: Language) -> frozenset[str]:
    """The words of a language that need no declaration."""
    if language.is_python:
        return _PYTHON
    return _JAVASCRIPT if language is Language.JAVASCRIPT else _TYPESCRIPT
