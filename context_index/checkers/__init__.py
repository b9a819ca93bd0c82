"""Type checkers as judges: TypeScript 7 and ty, asked over LSP about texts that no editor holds yet."""

from context_index.checkers.answers import Diagnostic, QuickFix, Severity
from context_index.checkers.checker import Checker, FileChange, FileEvent, Shown
from context_index.checkers.checker import Limits as CheckerLimits
from context_index.checkers.checkers import Absent, Checkers
from context_index.checkers.errors import (
    CheckerAbsentError,
    CheckerDiedError,
    CheckerError,
    CheckerRefusedError,
    CheckerStalledError,
    CheckerStartError,
)
from context_index.checkers.worker import CheckerWorker

__all__ = [
    "Absent",
    "Checker",
    "CheckerAbsentError",
    "CheckerDiedError",
    "CheckerError",
    "CheckerLimits",
    "CheckerRefusedError",
    "CheckerStalledError",
    "CheckerStartError",
    "CheckerWorker",
    "Checkers",
    "Diagnostic",
    "FileChange",
    "FileEvent",
    "QuickFix",
    "Severity",
    "Shown",
]
