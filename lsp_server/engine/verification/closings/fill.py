"""How much of what is still to come a closing fills in, and whom it may ask what that is."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Item, Signatures
    from lsp_server.engine.verification.candidate import Span


class Fill(Enum):
    """How a document is closed for a judgement; the strictest first."""

    BARE = auto()
    """Bodies of functions end by raising; nothing else is filled in."""
    FILLED = auto()
    """Arguments, keys, elements and members that are still to come are there; bodies return a placeholder."""
    REFILLED = auto()
    """The same, with what the checker still misses of it, such as the other keys of what became a dictionary."""
    YIELDING = auto()
    """The same, with bodies that yield one."""


class BoundLater(NamedTuple):
    """The innermost brackets around a text in which a name may stand before what binds it."""

    open: Span | None = None
    """Those that the text leaves open: what binds the name may still come."""
    closed: Span | None = None
    """Those that the text closes: nothing binds the name any more."""


class Asked(Protocol):
    """Questions to the checker about the closed document with a text inserted at a place."""

    def signatures(self, place: int, text: str) -> Signatures | None:
        """The ways to call the function around the place, after the text."""

    def completions(self, place: int, text: str) -> Sequence[Item]:
        """What may be written there, after the text."""
