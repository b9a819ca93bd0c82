"""The order of a completion menu: by the model's probability where it spoke, else by nearness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_index import Name
    from lsp_server.service import Candidate


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu."""

    name: Name
    module: str | None


def ordered(candidates: Sequence[Candidate], scores: Mapping[str, float]) -> list[Entry]:
    """The names that the model spoke of, most probable first, then the others as they came."""
    lowest = float("-inf")
    best = sorted(candidates, key=lambda one: -scores.get(one.name.text, lowest))
    return [Entry(one.name, one.module) for one in best]
