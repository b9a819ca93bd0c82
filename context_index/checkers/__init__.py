"""The façade of the type checkers: asks TypeScript 7, ty and clangd about a document with any text in it.

Knows their protocol and their processes, and how to ask what the protocol has no question for. Knows nothing of models
or editors. `Checkers` finds the `Checker` of a document; `Checker.ask` passes a `Query` to the function that asks.
"""

from context_index.checkers.answers import Description, Diagnostic, Item, QuickFix, Severity, Target, is_syntax_code
from context_index.checkers.cancellation import Cancellation
from context_index.checkers.checker import Checker, CheckerLimits
from context_index.checkers.checkers import Checkers
from context_index.checkers.completions import CompletionQuestion, question_at
from context_index.checkers.errors import CheckerAbsentError, CheckerCancelledError, CheckerError, CheckerRefusedError
from context_index.checkers.programs import project_of
from context_index.checkers.query import Query
from context_index.checkers.rename_results import (
    Doubt,
    NameRead,
    NewNameUse,
    Perhaps,
    Place,
    Renaming,
    Renamings,
    Survey,
)
from context_index.checkers.renaming import module_finders, renamings, survey
from context_index.checkers.world import FileChange, World

__all__ = [
    "Cancellation",
    "Checker",
    "CheckerAbsentError",
    "CheckerCancelledError",
    "CheckerError",
    "CheckerLimits",
    "CheckerRefusedError",
    "Checkers",
    "CompletionQuestion",
    "Description",
    "Diagnostic",
    "Doubt",
    "FileChange",
    "Item",
    "NameRead",
    "NewNameUse",
    "Perhaps",
    "Place",
    "Query",
    "QuickFix",
    "Renaming",
    "Renamings",
    "Severity",
    "Survey",
    "Target",
    "World",
    "is_syntax_code",
    "module_finders",
    "project_of",
    "question_at",
    "renamings",
    "survey",
]
