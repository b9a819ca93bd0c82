"""Renders the names at a place for people: what the checker lists there, and a table of the names in scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from context_index import Origin
from lsp_server.engine.symbols import nearest_first
from lsp_server.rendering.columns import Columns
from lsp_server.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

    from context_index import CheckerCompletion, Name, SymbolContext, TypedName
    from lsp_server.engine.symbols import CheckerInfo
    from lsp_server.engine.wire.file_place import FilePlace

_NAMED = 6
"""The most names of a list on one line."""
_MOST_LISTED = 60
"""The most rows of what a checker lists: a class of a large library has hundreds of members."""


def rendered(
    place: FilePlace,
    context: SymbolContext,
    info: CheckerInfo | None = None,
    types: Mapping[str, TypedName] | None = None,
) -> RenderableType:
    """What the checker says about the place, the names in scope, what could be imported, and what is not known."""
    types = types or {}
    global_names = [name for name in context.names.values() if name.origin is Origin.GLOBAL]
    in_scope = [name for name in context.names.values() if name.origin is not Origin.GLOBAL]
    here, everywhere = counted(len(in_scope), "name"), counted(len(global_names), "global name")
    parts: list[RenderableType] = [
        *([] if info is None else _at_place(info)),
        Text(f"{here} in scope at {place}, {everywhere}", style="dim"),
    ]
    if in_scope:
        parts.append(_table(in_scope, types))
    if global_names:
        parts.append(Text(f"global names: {_some([name.text for name in global_names])}", style="dim"))
    if context.importable:
        importable = [f"{name.text} ({name.module})" for name in context.importable]
        parts.append(Text(f"importable: {_some(importable)}", style="dim"))
    parts += [Text(f"no types: {why}", style="yellow") for why in _without_types(types)]
    parts += [Text(f"names may be missing: {caveat}", style="yellow") for caveat in context.caveats]
    return Group(*parts)


def _at_place(info: CheckerInfo) -> list[RenderableType]:
    """The call around the place with its active parameter in bold, and what a checker lists there."""
    parts: list[RenderableType] = []
    who = f"{info.by} in {info.milliseconds:.0f} ms"
    if info.signatures is not None:
        signature = info.signatures.active_signature
        shown = Text(signature.label)
        if signature.active is not None and (span := signature.spans[signature.active]) is not None:
            shown.stylize("bold", *span)
        parts += [shown, Text(f"says {who}", style="dim"), Text()]
    if info.why:
        parts += [Text(f"{info.kind}: nothing is known, {info.why}", style="yellow"), Text()]
    return parts if info.listed is None else [*parts, *_listed(info.kind, info.listed, who)]


def _listed(kind: str, listed: tuple[CheckerCompletion, ...], who: str) -> list[RenderableType]:
    """A table of what a checker lists, in the order of the alphabet; names that begin with `_` come last.

    Args:
        kind: The kind of the place, for people.
        who: The checker, and the time it took.
    """
    if not listed:
        return [Text(f"{kind}: {who} lists nothing here", style="yellow"), Text()]
    table = Columns(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold", no_wrap=True, style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for entry in sorted(listed, key=lambda entry: (entry.text.startswith("_"), entry.text))[:_MOST_LISTED]:
        table.add_row(Text(entry.text), str(entry.kind), Text(" ".join(entry.type.split())))
    parts: list[RenderableType] = [Text(f"{kind}: {counted(len(listed), 'name')}, says {who}", style="dim"), table]
    if len(listed) > _MOST_LISTED:
        parts.append(Text(f"and {len(listed) - _MOST_LISTED} more (--json lists all)", style="dim"))
    return [*parts, Text()]


def _without_types(types: Mapping[str, TypedName]) -> list[str]:
    """The reasons why no name has a type; none if any name has one."""
    if any(typed.type is not None for typed in types.values()):
        return []
    return list(dict.fromkeys(typed.why for typed in types.values()))


def _table(names: list[Name], types: Mapping[str, TypedName]) -> Columns:
    """A row for each name, innermost scope first; a distance is shown once, at its first name."""
    table = Columns(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("distance", justify="right", style="dim", no_wrap=True)
    table.add_column("name", overflow="fold", no_wrap=True)
    table.add_column("kind", style="cyan", no_wrap=True)
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("type", overflow="fold")
    table.add_column("detail", style="dim", overflow="fold")
    before = None
    for name in nearest_first(names):
        typed = types.get(name.text)
        type_text = (typed and typed.type) or ""
        table.add_row(
            "" if name.distance == before else str(name.distance),
            Text(name.text, style="dim" if name.before_declaration else "bold"),
            str(name.kind),
            "" if name.line is None else str(name.line + 1),
            Text(type_text),
            Text(_detail(name, is_typed=bool(type_text))),
        )
        before = name.distance
    return table


def _detail(name: Name, *, is_typed: bool) -> str:
    """What the declaration says, unless the type says the same; and whether the name is imported or declared later."""
    remarks = [name.detail] if name.detail and not (is_typed and name.origin is Origin.LOCAL) else []
    remarks += ["import"] if name.origin is Origin.IMPORT else []
    remarks += ["not yet declared here"] if name.before_declaration else []
    return ", ".join(remarks)


def _some(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more (--json lists all)" if rest > 0 else "")
