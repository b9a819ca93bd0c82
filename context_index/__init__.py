"""What the program means: texts, trees, cursors, names in scope, and what a workspace exports.

Knows source text and type checkers; knows nothing of models, tokens or editors.
"""

from __future__ import annotations

from context_index.checkers import (
    Cancellation,
    Checker,
    CheckerAbsentError,
    CheckerError,
    CheckerLimits,
    CompletionQuestion,
    Description,
    Diagnostic,
    Item,
    Query,
    QuickFix,
    Renaming,
    Renamings,
    World,
    is_syntax_code,
    project_of,
    question_at,
    renamings,
    rest_of_string,
)
from context_index.checkers.misfits import Misfits
from context_index.cursor import Cursor, CursorKind, cursor_at, rest_of_word
from context_index.declarations import declarations, identifiers, lines_around, strings, whole_lines
from context_index.disk import innermost_root
from context_index.exports import imports_of
from context_index.globals import NODE_PREFIX
from context_index.import_edits import import_edit
from context_index.index import IndexReport
from context_index.module_kind import module_kind
from context_index.parts import Part, PartMissingError, find, is_current, parts
from context_index.processes import (
    LateError,
    data_folder,
    finish,
    on_path,
    start,
    start_code,
)
from context_index.recently_used import remember
from context_index.retrieve import Budget
from context_index.scan import Patterns, ScanSettings, changes
from context_index.scopes import caveats_at, names_at
from context_index.source_text import SourceText
from context_index.store import default_store
from context_index.symbols import (
    CLOSES,
    Completion,
    Importable,
    Language,
    ModuleKind,
    Name,
    NameKind,
    Origin,
    Signature,
    Signatures,
    Snippet,
    SymbolContext,
    TypedName,
    UnknownType,
    continues_identifier,
    word_end,
    word_start,
)
from context_index.syntax import STATEMENTS, Node, Syntax, ancestors, parse
from context_index.text import (
    SOURCE_SUFFIXES,
    Document,
    Edit,
    EditError,
    Encoding,
    Position,
    PositionError,
    difference,
    language_of,
)
from context_index.tokens import closers, open_brackets
from context_index.undefined import names_from_outside, undefined_names
from context_index.unopened import is_deeper_below, unopened
from context_index.uris import path_of
from context_index.workspace import Workspace

__all__ = [
    "CLOSES",
    "NODE_PREFIX",
    "SOURCE_SUFFIXES",
    "STATEMENTS",
    "Budget",
    "Cancellation",
    "Checker",
    "CheckerAbsentError",
    "CheckerError",
    "CheckerLimits",
    "Completion",
    "CompletionQuestion",
    "Cursor",
    "CursorKind",
    "Description",
    "Diagnostic",
    "Document",
    "Edit",
    "EditError",
    "Encoding",
    "Importable",
    "IndexReport",
    "Item",
    "Language",
    "LateError",
    "Misfits",
    "ModuleKind",
    "Name",
    "NameKind",
    "Node",
    "Origin",
    "Part",
    "PartMissingError",
    "Patterns",
    "Position",
    "PositionError",
    "Query",
    "QuickFix",
    "Renaming",
    "Renamings",
    "ScanSettings",
    "Signature",
    "Signatures",
    "Snippet",
    "SourceText",
    "SymbolContext",
    "Syntax",
    "TypedName",
    "UnknownType",
    "Workspace",
    "World",
    "ancestors",
    "caveats_at",
    "changes",
    "closers",
    "continues_identifier",
    "cursor_at",
    "data_folder",
    "declarations",
    "default_store",
    "difference",
    "find",
    "finish",
    "identifiers",
    "import_edit",
    "imports_of",
    "innermost_root",
    "is_current",
    "is_deeper_below",
    "is_syntax_code",
    "language_of",
    "lines_around",
    "module_kind",
    "names_at",
    "names_from_outside",
    "on_path",
    "open_brackets",
    "parse",
    "parts",
    "path_of",
    "project_of",
    "question_at",
    "remember",
    "renamings",
    "rest_of_string",
    "rest_of_word",
    "start",
    "start_code",
    "strings",
    "undefined_names",
    "unopened",
    "whole_lines",
    "word_end",
    "word_start",
]
