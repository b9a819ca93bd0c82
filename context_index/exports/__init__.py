"""What a file exports and imports, from its syntax tree alone.

Only what is written is reported: names, kinds and lines. Types and signatures are a checker's answers.
"""

from __future__ import annotations

from context_index.exports.ecmascript import script_exports
from context_index.exports.imports import imports_of
from context_index.exports.model import Export, Exports, Import, Imported, Source
from context_index.exports.python import python_exports
from context_index.exports.re_exports import ReExports
from context_index.syntax import Syntax

__all__ = ["Export", "Exports", "Import", "Imported", "ReExports", "Source", "exports_of", "imports_of"]


def exports_of(syntax: Syntax, imports: tuple[Import, ...] | None = None) -> Exports:
    """The exported names of one file, whose imports may be at hand already."""
    found = imports_of(syntax) if imports is None else imports
    return python_exports(syntax, found) if syntax.language.is_python else script_exports(syntax, found)
