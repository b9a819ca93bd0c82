"""What a file offers to others and takes from them, from its syntax tree alone.

Types and values that the program computes are not followed: names, kinds, signatures as written, first sentences.
"""

from __future__ import annotations

from context_index.surfaces.ecmascript import script_surface
from context_index.surfaces.imports import imports_of
from context_index.surfaces.model import Export, Import, Imported, Source, Surface
from context_index.surfaces.python import python_surface
from context_index.syntax import Syntax

__all__ = ["Export", "Import", "Imported", "Source", "Surface", "imports_of", "surface_of"]


def surface_of(syntax: Syntax, imports: tuple[Import, ...] | None = None) -> Surface:
    """The exported names of one file, whose imports may be at hand already."""
    found = imports_of(syntax) if imports is None else imports
    return python_surface(syntax, found) if syntax.language.is_python else script_surface(syntax, found)
