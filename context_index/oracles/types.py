"""What is asked about one document, with whatever text it is to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from context_index.oracles.description import Description
from context_index.oracles.oracle import Oracle
from context_index.oracles.pending import Pending, Waiting
from context_index.oracles.protocol import Remark
from context_index.symbols import Members, NameKind, Position, Signature
from context_index.text import Document

_INDEX = "the index"


@dataclass(frozen=True, slots=True)
class DocumentTypes:
    """The questions to the type checkers about one document; none of them waits. A `TypeOracle`, and more."""

    oracle: Oracle
    document: Document
    known: Callable[[str, int, Position], Members | None] | None = None
    """Tells at once what a checker need not be asked for, by the whole text and the place in it."""

    @property
    def by(self) -> tuple[str, ...]:
        """Who is asked, in this order."""
        return self.oracle.by

    def ask(self, text: str, offset: int, position: Position) -> Pending:
        """Which names may stand at `offset` of the whole text: where the name, or what is in quotes, begins."""
        if self.known is not None and (members := self.known(text, offset, position)) is not None:
            waiting = Waiting[Members](_INDEX)
            waiting.settle(members)
            return Pending(waiting)
        return self.oracle.names(self._with(text), offset, position)

    def signature(self, text: str, offset: int) -> Waiting[Signature]:
        """The function in whose call `offset` is, and the parameter that it is at."""
        return self.oracle.signature(self._with(text), offset)

    def describe(self, text: str, offset: int) -> Waiting[Description]:
        """What the name at `offset` of the whole text is."""
        return self.oracle.describe(self._with(text), offset)

    def remarks(self, text: str) -> Waiting[Sequence[Remark]]:
        """What is wrong with the text."""
        return self.oracle.remarks(self._with(text))

    def globals(self) -> Waiting[Mapping[str, NameKind]]:
        """The names that every file like this one can use."""
        return self.oracle.globals(self.document)

    def _with(self, text: str) -> Document:
        return replace(self.document, text=text)
