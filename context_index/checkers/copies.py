"""A checker's copy of a document: its file, its language by LSP's name, and the lines that have it checked."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from context_index.text import Document, Edit
from context_index.uris import path_of


def language_id(document: Document) -> str:
    """LSP's name of a document's language; where it has several, the suffix decides."""
    return document.language.record.file_type("." + document.uri.rpartition(".")[2])


def placed(document: Document, root: Path) -> Document:
    """A document with a file: an untitled one counts as a new file of the project's root."""
    if path_of(document.uri) is not None:
        return document
    name = f"untitled-{sha256(document.uri.encode()).hexdigest()[:8]}{document.language.record.suffixes[0]}"
    return Document((root / name).as_uri(), document.language, document.text, document.revision)


@dataclass(frozen=True, slots=True)
class CheckerCopy:
    """A document as a checker has it, and how offsets in the two correspond."""

    document: Document
    """The copy."""
    start: int = 0
    length: int = 0
    """Where in it our lines are, and their characters."""

    @classmethod
    def of(cls, document: Document, head: str) -> CheckerCopy:
        """The copy with lines put into JavaScript: at its start, or after the line that names an interpreter."""
        if not head or not document.language.record.is_checked_on_request:
            return cls(document)
        start = document.text.find("\n") + 1 if document.text.startswith("#!") else 0
        return cls(document.edited([Edit(start, start, head)], document.revision), start, len(head))

    def inward(self, offset: int) -> int:
        """The offset in the copy, of an offset in the document."""
        return offset + self.length if offset >= self.start else offset

    def outward(self, offset: int) -> int:
        """The offset in the document, of an offset in the copy."""
        return max(self.start, offset - self.length) if offset > self.start else offset

    def is_ours(self, start: int, end: int) -> bool:
        """Whether a range in the copy touches our lines."""
        return start < self.start + self.length and end > self.start
