"""A document as a model reads it at a place: without the rest of the word at the cursor, indented as it was trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from context_index import Edit, rest_of_word
from lsp_server.documents.indentation import Indentation

if TYPE_CHECKING:
    from context_index import Syntax


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model is to write at an offset takes the place of the rest of a word, if the cursor is inside one."""

    syntax: Syntax
    """Of the document without the rest of the word."""
    offset: int
    rest: str
    """Of the word, after the cursor."""
    indentation: Indentation

    @classmethod
    def of(cls, syntax: Syntax, offset: int) -> Reading:
        """The reading at an offset, made once."""
        key = offset, "reading"
        if key not in syntax.memo:
            document = syntax.document
            rest = rest_of_word(document.text, offset)
            indentation = Indentation.at(document.text, offset, python=document.language.is_python)
            if not rest:  # a reading of itself would keep the tree
                return cls(syntax, offset, rest, indentation)
            edit = Edit(offset, offset + len(rest), "")
            shorter = syntax.edited(document.edited([edit], document.revision), [edit])
            syntax.memo[key] = cls(shorter, offset, rest, indentation)
        return cast("Reading", syntax.memo[key])

    @property
    def prefix(self) -> str:
        """The text before the cursor."""
        return self.indentation.to_model(self.syntax.document.text[: self.offset])

    @property
    def suffix(self) -> str:
        """The text after it."""
        return self.indentation.to_model(self.syntax.document.text[self.offset :])
