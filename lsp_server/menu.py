"""The order of a completion menu: by the model's probability where it spoke, else by nearness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import import_edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_index import Edit, Name, Syntax
    from lsp_server.service import Candidate


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu."""

    name: Name
    module: str | None = None
    """Where it comes from, if it is not in scope."""
    import_edit: Edit | None = None
    """What brings it into scope."""


def ordered(candidates: Sequence[Candidate], scores: Mapping[str, float]) -> list[Candidate]:
    """The names that the model spoke of, most probable first, then the others as they came."""
    lowest = float("-inf")
    return sorted(candidates, key=lambda one: -scores.get(one.name.text, lowest))


def entries(syntax: Syntax, candidates: Sequence[Candidate]) -> list[Entry]:
    """The lines of the menu, with what accepting one does to the rest of the document."""
    return [_entry(syntax, one) for one in candidates]


def _entry(syntax: Syntax, candidate: Candidate) -> Entry:
    wanted = candidate.importable
    if wanted is None:
        return Entry(candidate.name)
    return Entry(candidate.name, wanted.module, import_edit(syntax, wanted))
