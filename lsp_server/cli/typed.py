"""What type checkers said of a place, on its way to people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Answer, Signature, Told


@dataclass(frozen=True, slots=True)
class Typed:
    """None is what nobody was asked about."""

    position: str | None = None
    """What kind of name may stand at the place."""
    names: Answer | None = None
    signature: Told[Signature] | None = None
