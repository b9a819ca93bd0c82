"""The record of C and C++: which of clangd's errors are at names that nothing defines. Nothing is filled in."""

from lsp_server.engine.verification.languages.plain import PlainRecord

_UNRESOLVED = frozenset({
    "undeclared_var_use", "undeclared_var_use_suggest", "unknown_typename", "unknown_typename_suggest",
    "-Wimplicit-function-declaration", "no_template_suggest", "undeclared_use", "undeclared_use_suggest",
})  # fmt: skip
"""clang's names for these errors (`DiagnosticSemaKinds.td`)."""


class CFamily(PlainRecord):
    """The record of C and C++."""

    unresolved = _UNRESOLVED
    flush_in_blocks = True
