"""What the program means: texts, trees, cursors, names in scope, and what a workspace exports.

Knows source text and type checkers; knows nothing of models, tokens or editors.
"""

from __future__ import annotations

from context_index.assigned import AssignedConstant, assigned_by, assigned_constants
from context_index.checkers import (
    Asked,
    Checker,
    CheckerAbsentError,
    CheckerError,
    CheckerLimits,
    Diagnostic,
    FileChange,
    QuickFix,
)
from context_index.cursor import Cursor, CursorKind, cursor_at, rest_of_word
from context_index.errors import (
    BinaryError,
    ContextIndexError,
    EditError,
    EncodingError,
    IsDirectoryError,
    PositionError,
    SourceError,
    SourceNotFoundError,
    TextError,
    TooLargeError,
    UnknownLanguageError,
)
from context_index.exports import exported_names, exports
from context_index.import_edits import import_edit
from context_index.index import IndexReport
from context_index.literals import literals
from context_index.module_kind import assigns_exports, module_kind
from context_index.oracles import Answer, DocumentTypes, Pending, Told, of_every_object, position_at
from context_index.parts import Part, PartMissingError, find, is_current, parts
from context_index.processes import (
    LateError,
    data_folder,
    ended,
    finish,
    on_path,
    start,
    start_code,
    start_python,
)
from context_index.regions import RegionError, regions, whole_lines
from context_index.renames import Uses, uses
from context_index.retrieve import Budget
from context_index.scan import Exclusion, ScanSettings, changes
from context_index.scopes import caveats_at, depth_at, names_at
from context_index.scopes.javascript_patterns import pattern_names
from context_index.store import default_store
from context_index.surfaces import Export, imports_of
from context_index.symbols import (
    ArrayType,
    Closed,
    FunctionType,
    Importable,
    InstanceType,
    Language,
    Listed,
    LiteralType,
    Members,
    ModuleKind,
    Name,
    NameKind,
    NameTypes,
    Open,
    Origin,
    Parameter,
    PrimitiveType,
    Property,
    RecordType,
    Signature,
    Snippet,
    SymbolContext,
    Type,
    TypedName,
    UnionType,
    UnknownType,
    continues_identifier,
)
from context_index.symbols import Position as NamePosition
from context_index.syntax import Node, Syntax, ancestors, count_errors, parse
from context_index.text import Document, Edit, Encoding, Position, difference, language_of
from context_index.texts import SourceText
from context_index.undefined import names_from_outside, undefined_names
from context_index.uris import path_of
from context_index.workspace import Workspace

__all__ = [
    "Answer",
    "ArrayType",
    "Asked",
    "AssignedConstant",
    "BinaryError",
    "Budget",
    "Checker",
    "CheckerAbsentError",
    "CheckerError",
    "CheckerLimits",
    "Closed",
    "ContextIndexError",
    "Cursor",
    "CursorKind",
    "Diagnostic",
    "Document",
    "DocumentTypes",
    "Edit",
    "EditError",
    "Encoding",
    "EncodingError",
    "Exclusion",
    "Export",
    "FileChange",
    "FunctionType",
    "Importable",
    "IndexReport",
    "InstanceType",
    "IsDirectoryError",
    "Language",
    "LateError",
    "Listed",
    "LiteralType",
    "Members",
    "ModuleKind",
    "Name",
    "NameKind",
    "NamePosition",
    "NameTypes",
    "Node",
    "Open",
    "Origin",
    "Parameter",
    "Part",
    "PartMissingError",
    "Pending",
    "Position",
    "PositionError",
    "PrimitiveType",
    "Property",
    "QuickFix",
    "RecordType",
    "RegionError",
    "ScanSettings",
    "Signature",
    "Snippet",
    "SourceError",
    "SourceNotFoundError",
    "SourceText",
    "SymbolContext",
    "Syntax",
    "TextError",
    "Told",
    "TooLargeError",
    "Type",
    "TypedName",
    "UnionType",
    "UnknownLanguageError",
    "UnknownType",
    "Uses",
    "Workspace",
    "ancestors",
    "assigned_by",
    "assigned_constants",
    "assigns_exports",
    "caveats_at",
    "changes",
    "continues_identifier",
    "count_errors",
    "cursor_at",
    "data_folder",
    "default_store",
    "depth_at",
    "difference",
    "ended",
    "exported_names",
    "exports",
    "find",
    "finish",
    "import_edit",
    "imports_of",
    "is_current",
    "language_of",
    "literals",
    "module_kind",
    "names_at",
    "names_from_outside",
    "of_every_object",
    "on_path",
    "parse",
    "parts",
    "path_of",
    "pattern_names",
    "position_at",
    "regions",
    "rest_of_word",
    "start",
    "start_code",
    "start_python",
    "undefined_names",
    "uses",
    "whole_lines",
]
