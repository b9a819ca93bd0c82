"""`inscope symbols --prompt`: what a model would see of the rest of the program, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from context_index import Budget, cursor_at
from lsp_server.snippets import SNIPPET_TOKENS, snippets_for

if TYPE_CHECKING:
    from rich.console import RenderableType

    from context_index import Snippet, Syntax, Workspace
    from lsp_server.cli.answers import Json
    from lsp_server.cli.place import Place


@dataclass(frozen=True, slots=True)
class ShownSnippets:
    """The snippets that fit, most useful first, with their estimated tokens."""

    snippets: tuple[tuple[Snippet, int], ...]
    budget: int
    model: str | None
    """As named; None for the built-in one."""


def shown_at(workspace: Workspace, syntax: Syntax, offset: int, model: str | None) -> ShownSnippets:
    """What a model that completes at an offset is shown."""
    budget = Budget(SNIPPET_TOKENS)
    found = snippets_for(model, workspace, syntax, cursor_at(syntax, offset), budget)
    return ShownSnippets(tuple((snippet, budget.of(snippet)) for snippet in found), budget.size, model)


def rendered(place: Place, shown: ShownSnippets) -> RenderableType:
    """For people: each snippet below its path and cost."""
    if shown.model is None:
        return Text("the built-in model sees nothing of other files (--model NAME shows what another would see)")
    total = sum(cost for _, cost in shown.snippets)
    number = len(shown.snippets)
    parts: list[RenderableType] = [
        Text(
            f"at {place} {shown.model} sees {number} {'passage' if number == 1 else 'passages'} of other files, "
            f"about {total} of {shown.budget} tokens",
            style="dim",
        )
    ]
    for snippet, cost in shown.snippets:
        parts.append(Text.assemble((f"\n{snippet.path}", "bold"), (f"  about {cost} tokens", "dim")))
        parts.append(Text(snippet.text.rstrip("\n")))
    return Group(*parts)


def as_json(place: Place, shown: ShownSnippets) -> dict[str, Json]:
    """For programs."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "model": shown.model,
        "budget": shown.budget,
        "snippets": [{"path": one.path, "tokens": cost, "text": one.text} for one, cost in shown.snippets],
    }
