"""What a model is shown of other files, the same for suggestions and for `inscope symbols --prompt`.

Apart from the service, as that command loads no decoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Budget, Cursor, Snippet, Syntax, Workspace

SNIPPET_TOKENS = 512
"""The most tokens of declarations from other files; the packer gives them a quarter of a prompt."""


def snippets_for(
    model: str | None, workspace: Workspace, syntax: Syntax, cursor: Cursor, budget: Budget
) -> tuple[Snippet, ...]:
    """The snippets for a model; none for the built-in one (None), which gains too little for their cost."""
    return () if model is None else workspace.snippets(syntax, cursor, budget)
