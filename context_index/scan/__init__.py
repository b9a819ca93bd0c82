"""Which files of a workspace are read, and why others are not; `index` walks with a `WorkspaceScanner`."""

from context_index.scan.exclusion import Exclusion, ScanSettings, read_text
from context_index.scan.patterns import Patterns
from context_index.scan.walk import FoundFile, SkippedPath, WorkspaceScanner
from context_index.scan.watch import changes

__all__ = [
    "Exclusion",
    "FoundFile",
    "Patterns",
    "ScanSettings",
    "SkippedPath",
    "WorkspaceScanner",
    "changes",
    "read_text",
]
