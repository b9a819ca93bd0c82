"""TypeScript before 7, through its own server: good for ranking.

Its lists are those of version 7, but nothing in them is proven: each would cost a second check of the whole file in a
server that is several times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.oracles.dialects import Dialect, Tsserver
from context_index.oracles.protocol import Completions
from context_index.oracles.typescript import TypeScript
from context_index.symbols import Closed, Listed, Members, Position
from context_index.text import Document

_TSSERVER = Tsserver()


@dataclass(frozen=True)
class OlderTypeScript(TypeScript):
    """`binary` is its tsserver.js, which `node` runs."""

    node: Path = Path("node")

    @property
    def command(self) -> Sequence[str]:
        """Asked only, it need not fetch types or check in the background."""
        quiet = ("--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents", "--noGetErrOnBackgroundUpdate")
        return (str(self.node), str(self.binary), "--useInferredProjectPerProjectRoot", *quiet)

    @property
    def dialect(self) -> Dialect:
        """Its own."""
        return _TSSERVER

    def names(self, found: Completions, document: Document, offset: int, position: Position) -> Members:
        """Never closed."""
        members = super().names(found, document, offset, position)
        return Listed(members.names) if isinstance(members, Closed) else members
