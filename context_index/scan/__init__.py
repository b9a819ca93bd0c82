"""Which files of a workspace are read, and why others are not."""

from context_index.scan.exclusion import Exclusion, ScanSettings, read_text
from context_index.scan.walk import Found, Scanner, Skipped
from context_index.scan.watch import changes

__all__ = ["Exclusion", "Found", "ScanSettings", "Scanner", "Skipped", "changes", "read_text"]
