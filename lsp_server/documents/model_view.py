"""A document as a model sees it: without the rest of the word at the cursor, indented as in the training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from context_index import Edit, rest_of_word
from lsp_server.documents.indentation import Indentation

if TYPE_CHECKING:
    from context_index import Syntax


@dataclass(frozen=True, slots=True)
class ModelView:
    """The document around a cursor. What a model writes there replaces the rest of the word that the cursor is in."""

    syntax: Syntax
    """The document as it is."""
    offset: int
    rest: str
    """The rest of the word after the cursor; empty where it is in none."""
    indentation: Indentation

    @classmethod
    def of(cls, syntax: Syntax, offset: int) -> ModelView:
        """The view with the cursor at an offset."""
        document, key = syntax.document, (offset, "indentation")
        if key not in syntax.memo:
            syntax.memo[key] = Indentation.at(document.text, offset, python=document.language.is_python)
        return cls(syntax, offset, rest_of_word(document.text, offset), cast("Indentation", syntax.memo[key]))

    @property
    def prefix(self) -> str:
        """The text before the cursor."""
        return self.indentation.to_model(self.syntax.document.text[: self.offset])

    @property
    def suffix(self) -> str:
        """The text after the word."""
        return self.indentation.to_model(self.syntax.document.text[self.offset + len(self.rest) :])

    def without_rest(self) -> Syntax:
        """The document without the rest of the word."""
        if not self.rest:
            return self.syntax
        document, edit = self.syntax.document, Edit(self.offset, self.offset + len(self.rest), "")
        return self.syntax.edited(document.edited([edit], document.revision), [edit])
