"""Converts between offsets in a document and a checker's positions in it (`PositionCodec`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from context_index.text import Document, Encoding


@dataclass(frozen=True, slots=True)
class PositionCodec:
    """Converts between offsets in a document and the positions of a checker, in the checker's encoding."""

    document: Document
    encoding: Encoding

    def position(self, offset: int) -> Mapping[str, int]:
        """LSP's position of an offset."""
        line, character = self.document.client_position(offset, self.encoding)
        return {"line": line, "character": character}

    def range(self, start: int, end: int) -> Mapping[str, Mapping[str, int]]:
        """LSP's range between two offsets."""
        return {"start": self.position(start), "end": self.position(end)}

    def offsets(self, place: object) -> tuple[int, int] | None:
        """The start and the end of LSP's range; None for any other value."""
        match place:
            case {
                "start": {"line": int(line), "character": int(character)},
                "end": {"line": int(last), "character": int(end)},
            }:
                start = self.document.offset_from_client(line, character, self.encoding)
                return start, self.document.offset_from_client(last, end, self.encoding)
        return None
