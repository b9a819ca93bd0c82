"""Which files of a workspace are read, and why others are not."""

from context_index.scan.exclusion import Exclusion, ScanSettings, read_text
from context_index.scan.patterns import Patterns
from context_index.scan.walk import FoundFile, Scanner, SkippedPath
from context_index.scan.watch import changes

__all__ = ["Exclusion", "FoundFile", "Patterns", "ScanSettings", "Scanner", "SkippedPath", "changes", "read_text"]
