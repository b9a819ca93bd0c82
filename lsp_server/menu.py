"""The order of a completion menu: by the model's probability where it spoke, else by nearness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import Edit, import_edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_index import Name, Syntax
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


def entry(syntax: Syntax, candidate: Candidate, *, shift: int = 0) -> Entry:
    """The line of a candidate; `shift` is where the document begins in `syntax`, if it is one cell of a notebook."""
    wanted = candidate.importable
    if wanted is None:
        return Entry(candidate.name)
    edit = import_edit(syntax, wanted)
    own = Edit(edit.start - shift, edit.end - shift, edit.text) if edit.start >= shift else None
    return Entry(candidate.name, wanted.module, own)
