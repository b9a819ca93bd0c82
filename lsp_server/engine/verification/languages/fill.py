"""What a language's record is asked with: how much to fill in (`Fill`), and a checker to ask what (`Asked`)."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Item, Signatures
    from lsp_server.engine.verification.spans import Span


class Fill(Enum):
    """How much is filled in for what is still to come; `ClosedJudge` tries them in this order, the strictest first."""

    BARE = auto()
    """Bodies of functions end by raising; nothing else is filled in."""
    FILLED = auto()
    """Arguments, keys, elements and members that are still to come are filled in; bodies return a placeholder."""
    REFILLED = auto()
    """As `FILLED`, with what the checker then still misses, such as the other keys of what became a dictionary."""
    YIELDING = auto()
    """As `REFILLED`, with bodies that yield a placeholder: the function may be a generator."""


class BoundLater(NamedTuple):
    """The innermost brackets around a text in which a name may come before what binds it; None if there are none."""

    open: Span | None = None
    """Brackets that the text leaves open: what binds the name may still come."""
    closed: Span | None = None
    """Brackets that the text closes: nothing binds the name later."""


class Asked(Protocol):
    """Questions to the checker about the closed document with a text inserted at a place."""

    def signatures(self, place: int, text: str) -> Signatures | None:
        """The ways to call the function around the end of the inserted text; None if the checker knows of none."""

    def completions(self, place: int, text: str) -> Sequence[Item]:
        """What may be written at the end of the inserted text."""
