"""The passages of other files that a model is shown, for suggestions and for `inscope symbols --prompt`.

Loads no model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import Budget, cursor_at

if TYPE_CHECKING:
    from context_index import Cursor, Snippet, Syntax, Workspace

SNIPPET_TOKENS = 512
"""The most tokens of declarations from other files; the packer gives them a quarter of a prompt."""


def snippets_for(
    model: str | None, workspace: Workspace, syntax: Syntax, cursor: Cursor, budget: Budget
) -> tuple[Snippet, ...]:
    """The snippets for a model, most useful first.

    Args:
        model: Its name; the built-in model (None) gets none, as it gains too little for their cost.
    """
    return () if model is None else workspace.snippets(syntax, cursor, budget)


@dataclass(frozen=True, slots=True)
class ShownSnippets:
    """What a model is shown of other files, for people to look at."""

    snippets: tuple[tuple[Snippet, int], ...]
    """The snippets that fit, most useful first, each with its estimated number of tokens."""
    budget: int
    """The most tokens of all of them."""
    model: str | None
    """The model's name; None for the built-in one."""


def shown_at(workspace: Workspace, syntax: Syntax, offset: int, model: str | None) -> ShownSnippets:
    """What a model that completes at an offset is shown."""
    budget = Budget(SNIPPET_TOKENS)
    snippets = snippets_for(model, workspace, syntax, cursor_at(syntax, offset), budget)
    return ShownSnippets(tuple((snippet, budget.cost_of(snippet)) for snippet in snippets), budget.size, model)
