"""Which files of a workspace are read, and why the others are not."""

from context_index.scan.exclusion import Exclusion, ScanSettings
from context_index.scan.walk import Scanner, Skipped

__all__ = ["Exclusion", "ScanSettings", "Scanner", "Skipped"]
