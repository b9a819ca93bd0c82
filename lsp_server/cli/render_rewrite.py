"""A rewrite for people: what changes, and what became of the draft."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from rich.text import Text

from decoder import Kind
from lsp_server.cli.render_suggestion import VISIBLE

if TYPE_CHECKING:
    from rich.console import Console

    from lsp_server.rewrite import Rewritten

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
STYLES = {
    Kind.ACCEPTED: "dim",
    Kind.EXTRA: "cyan",
    Kind.GENERATED: "green bold",
    Kind.REJECTED: "red strike",
}
_MARKS = {Kind.EXTRA: ("⟨", "⟩"), Kind.GENERATED: ("⟦", "⟧"), Kind.REJECTED: ("[", "]")}
"""For terminals without colours and files."""


def difference(before: str, after: str, file: str) -> Text:
    """A unified diff, as `patch` reads it."""
    shown = Text()
    name = file.lstrip("/")
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}")
    for number, line in enumerate(lines):
        ended = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        style = "bold" if number < len(("---", "+++")) else _COLOURS.get(line[:1], "")
        shown.append(ended, style=style)
    return shown


def drafted(done: Rewritten, console: Console) -> Text:
    """What was written, accepted tokens quiet, and what was rejected where it would have stood."""
    shown = Text()
    plain = console.no_color or not console.is_terminal
    for kind, text in done.pieces:
        visible = text.translate(VISIBLE)
        opening, closing = _MARKS[kind] if plain and kind in _MARKS else ("", "")
        shown.append(f"{opening}{visible}{closing}", style=STYLES[kind])
    return shown


def summary(done: Rewritten) -> str:
    """One line about the draft and the time."""
    counts = ", ".join(f"{kind} {done.counts[kind]}" for kind in (Kind.ACCEPTED, Kind.REJECTED, Kind.EXTRA))
    tokens = f"tokens: {counts}, {Kind.GENERATED} {done.counts[Kind.GENERATED]}"
    return f"{tokens}; {done.forwards} forwards; {done.latency_ms / 1000:.1f} s"
