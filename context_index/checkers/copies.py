"""The copy of a document that a checker gets: with a file, and for plain JavaScript with lines that opt into checks."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from context_index.text import Document, Edit
from context_index.uris import path_of


def language_id(document: Document) -> str:
    """LSP's language id of a document; if its language has several, the suffix decides."""
    return document.language.record.file_type("." + document.uri.rpartition(".")[2])


def placed(document: Document, root: Path) -> Document:
    """The document, with a file: an untitled one becomes a new file in the project's root."""
    if path_of(document.uri) is not None:
        return document
    name = f"untitled-{sha256(document.uri.encode()).hexdigest()[:8]}{document.language.record.suffixes[0]}"
    return Document((root / name).as_uri(), document.language, document.text, document.revision)


@dataclass(frozen=True, slots=True)
class CheckerCopy:
    """A document as a checker has it, and conversions between offsets in the document and in the copy."""

    document: Document
    """The copy."""
    start: int = 0
    """The offset in the copy at which our lines begin."""
    length: int = 0
    """Their length in characters; 0 without such lines."""

    @classmethod
    def of(cls, document: Document, head: str) -> CheckerCopy:
        """The copy of a document; in JavaScript `head` is put at its start, after a line that names an interpreter."""
        if not head or not document.language.record.is_checked_on_request:
            return cls(document)
        start = document.text.find("\n") + 1 if document.text.startswith("#!") else 0
        return cls(document.edited([Edit(start, start, head)], document.revision), start, len(head))

    def inward(self, offset: int) -> int:
        """The offset in the copy for an offset in the document."""
        return offset + self.length if offset >= self.start else offset

    def outward(self, offset: int) -> int:
        """The offset in the document for an offset in the copy; one in our lines becomes that of their place."""
        return max(self.start, offset - self.length) if offset > self.start else offset

    def is_ours(self, start: int, end: int) -> bool:
        """Whether a range in the copy touches our lines."""
        return start < self.start + self.length and end > self.start
