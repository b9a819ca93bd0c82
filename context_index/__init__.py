"""What the program means: texts, trees, cursors, names in scope, and what a workspace exports.

Knows source text and type checkers; knows nothing of models, tokens or editors. This façade is what `lsp_server`
imports; the heart is `Workspace`.
"""

from __future__ import annotations

from context_index.blocks import Blocks, Opener, blocks_of
from context_index.checkers import (
    Cancellation,
    Checker,
    CheckerAbsentError,
    CheckerError,
    CheckerLimits,
    CheckerRefusedError,
    CompletionQuestion,
    Description,
    Diagnostic,
    Doubt,
    Item,
    Perhaps,
    Query,
    QuickFix,
    Renaming,
    Renamings,
    Survey,
    Target,
    World,
    is_syntax_code,
    project_of,
    question_at,
    renamings,
    survey,
)
from context_index.checkers.misfits import Misfits
from context_index.cursor import Cursor, CursorKind, cursor_at, rest_of_word
from context_index.declarations import declarations, identifiers, leading_comments, lines_around, whole_lines
from context_index.disk import innermost_root
from context_index.exports import Imported, imports_of
from context_index.extras import Extra, has_gpu_driver
from context_index.globals import NODE_PREFIX
from context_index.import_edits import import_edit
from context_index.index import IndexReport
from context_index.languages.ecmascript.module_kind import module_kind
from context_index.languages.record import LanguageRecord
from context_index.mentions import (
    Mention,
    MentionForm,
    ReadForm,
    mention_rules,
    mentions,
    statement_around,
    words_in_text,
)
from context_index.own_parsers import ParserAbsentError, SyntaxFault, new_fault
from context_index.parts import PartMissingError, PinnedPart, find, is_current, parts
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
    CheckerCompletion,
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
from context_index.syntax import STATEMENTS, Node, Syntax, Trees, ancestors, grammar_words, parse
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
from context_index.type_places import is_type_place, may_be_type, type_words
from context_index.typed_import import TypedImport, rest_of_string, typed_import
from context_index.undefined import names_from_outside, undefined_names
from context_index.unopened import is_deeper_below, unopened
from context_index.uris import path_of
from context_index.workspace import Workspace

__all__ = [
    "CLOSES",
    "NODE_PREFIX",
    "SOURCE_SUFFIXES",
    "STATEMENTS",
    "Blocks",
    "Budget",
    "Cancellation",
    "Checker",
    "CheckerAbsentError",
    "CheckerCompletion",
    "CheckerError",
    "CheckerLimits",
    "CheckerRefusedError",
    "CompletionQuestion",
    "Cursor",
    "CursorKind",
    "Description",
    "Diagnostic",
    "Document",
    "Doubt",
    "Edit",
    "EditError",
    "Encoding",
    "Extra",
    "Importable",
    "Imported",
    "IndexReport",
    "Item",
    "Language",
    "LanguageRecord",
    "LateError",
    "Mention",
    "MentionForm",
    "Misfits",
    "ModuleKind",
    "Name",
    "NameKind",
    "Node",
    "Opener",
    "Origin",
    "ParserAbsentError",
    "PartMissingError",
    "Patterns",
    "Perhaps",
    "PinnedPart",
    "Position",
    "PositionError",
    "Query",
    "QuickFix",
    "ReadForm",
    "Renaming",
    "Renamings",
    "ScanSettings",
    "Signature",
    "Signatures",
    "Snippet",
    "SourceText",
    "Survey",
    "SymbolContext",
    "Syntax",
    "SyntaxFault",
    "Target",
    "Trees",
    "TypedImport",
    "TypedName",
    "UnknownType",
    "Workspace",
    "World",
    "ancestors",
    "blocks_of",
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
    "grammar_words",
    "has_gpu_driver",
    "identifiers",
    "import_edit",
    "imports_of",
    "innermost_root",
    "is_current",
    "is_deeper_below",
    "is_syntax_code",
    "is_type_place",
    "language_of",
    "leading_comments",
    "lines_around",
    "may_be_type",
    "mention_rules",
    "mentions",
    "module_kind",
    "names_at",
    "names_from_outside",
    "new_fault",
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
    "statement_around",
    "survey",
    "type_words",
    "typed_import",
    "undefined_names",
    "unopened",
    "whole_lines",
    "word_end",
    "word_start",
    "words_in_text",
]
