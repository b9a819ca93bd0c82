"""Members without a checker: what the trees of the workspace's own files say, and no more."""

from context_index.oracles.builtin.shapes import Files, no_files
from context_index.oracles.builtin.source import BUILT_IN, BuiltIn

__all__ = ["BUILT_IN", "BuiltIn", "Files", "no_files"]
