"""What a file exports and imports, from its syntax tree alone.

Only what is written is reported: names, kinds and lines. Types and signatures are a checker's answers. The rules are
the parts `imports` and `exports` of each language; the other modules here are what these parts share.
"""

from __future__ import annotations

from context_index.exports.model import Export, Exports, ExportSource, Import, Imported
from context_index.exports.re_exports import ReExports
from context_index.languages.parts import part
from context_index.syntax import Syntax

__all__ = ["Export", "ExportSource", "Exports", "Import", "Imported", "ReExports", "exports_of", "imports_of"]


def imports_of(syntax: Syntax) -> tuple[Import, ...]:
    """Every import at the top level of a file, as it is written; none in a language without rules for them."""
    rules = part(syntax.language, "imports")
    return () if rules is None else tuple(rules.imports_of(syntax))


def exports_of(syntax: Syntax, imports: tuple[Import, ...] | None = None) -> Exports:
    """What a file exports; nothing in a language without rules for it.

    Args:
        imports: What `imports_of` returns for the file, if it is known already.
    """
    known_imports = imports_of(syntax) if imports is None else imports
    rules = part(syntax.language, "exports")
    if rules is None:
        return Exports()
    exports: Exports = rules.exports_of(syntax, known_imports)
    return exports
