"""What every file of a workspace exports, kept up to date with each edit."""

from context_index.index.facts import EXTRACTOR_VERSION, FileFacts, content_key, facts_of
from context_index.index.index import MANIFESTS, Index
from context_index.index.reading import IndexReport, Progress

__all__ = ["EXTRACTOR_VERSION", "MANIFESTS", "FileFacts", "Index", "IndexReport", "Progress", "content_key", "facts_of"]
