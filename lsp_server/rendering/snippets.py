"""Renders for people what a model is shown of other files at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from lsp_server.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lsp_server.engine.snippets import ShownSnippets
    from lsp_server.engine.wire.file_place import FilePlace


def rendered(place: FilePlace, shown: ShownSnippets) -> RenderableType:
    """Each passage below its path and its number of tokens."""
    if shown.model is None:
        return Text("the built-in model sees nothing of other files (--model NAME shows what another would see)")
    total = sum(cost for _, cost in shown.snippets)
    parts: list[RenderableType] = [
        Text(
            f"at {place} {shown.model} sees {counted(len(shown.snippets), 'passage')} of other files, "
            f"about {total} of {counted(shown.budget, 'token')}",
            style="dim",
        )
    ]
    for snippet, cost in shown.snippets:
        parts.append(Text.assemble((f"\n{snippet.path}", "bold"), (f"  about {counted(cost, 'token')}", "dim")))
        parts.append(Text(snippet.text.rstrip("\n")))
    return Group(*parts)
