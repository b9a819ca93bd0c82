"""C and C++: which of clangd's errors are at names that nothing defines; bodies need nothing to be complete."""

from lsp_server.engine.verification.closings.languages.plain import PlainRecord

_UNRESOLVED = frozenset({
    "undeclared_var_use", "undeclared_var_use_suggest", "unknown_typename", "unknown_typename_suggest",
    "-Wimplicit-function-declaration", "no_template_suggest", "undeclared_use", "undeclared_use_suggest",
})  # fmt: skip
"""clang's names of them (`DiagnosticSemaKinds.td`)."""


class CFamily(PlainRecord):
    """The record of C and C++."""

    unresolved = _UNRESOLVED
    flush_in_blocks = True
