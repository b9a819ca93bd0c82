"""Renders a rewrite for the terminal: its diff, and what became of the draft's tokens."""

from __future__ import annotations

from difflib import unified_diff
from io import StringIO
from typing import TYPE_CHECKING

from rich.text import Text

from decoder import TokenOrigin
from lsp_server.rendering.suggestion import VISIBLE
from lsp_server.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from lsp_server.engine.rewriting.result import RewriteResult

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
STYLES = {
    TokenOrigin.ACCEPTED: "dim",
    TokenOrigin.EXTRA: "cyan",
    TokenOrigin.GENERATED: "green bold",
    TokenOrigin.COPIED: "blue",
    TokenOrigin.REJECTED: "red strike",
}
_MARKS = {
    TokenOrigin.EXTRA: ("⟨", "⟩"),
    TokenOrigin.COPIED: ("⦅", "⦆"),
    TokenOrigin.GENERATED: ("⟦", "⟧"),
    TokenOrigin.REJECTED: ("[", "]"),
}
"""What stands around tokens in files and on terminals without colours."""


def difference(before: str, after: str, file: str) -> Iterator[str]:
    """The lines of a unified diff that `patch` can read. Only a line feed ends a line, as for `patch`."""
    name = file.lstrip("/")
    lines = unified_diff(StringIO(before).readlines(), StringIO(after).readlines(), f"a/{name}", f"b/{name}")
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def coloured(diff: Iterable[str]) -> Text:
    """A diff with colours for a terminal."""
    shown = Text()
    for number, line in enumerate(diff):
        style = "bold" if number < len(("---", "+++")) else _COLOURS.get(line[:1], "")
        shown.append(line.translate(VISIBLE), style=style)
    return shown


def drafted(result: RewriteResult, console: Console) -> Text:
    """The output in pieces by the origin of their tokens; what was rejected of the draft stands where it would be."""
    shown = Text()
    plain = console.no_color or not console.is_terminal
    for kind, text in result.pieces:
        visible = text.translate(VISIBLE)
        opening, closing = _MARKS[kind] if plain and kind in _MARKS else ("", "")
        shown.append(f"{opening}{visible}{closing}", style=STYLES[kind])
    return shown


def summary(result: RewriteResult) -> str:
    """One line: what became of the draft, the time, the level that was verified and the result's probability.

    Without forwards, as for a rename, it has the time alone.
    """
    if not result.forwards:
        return f"{result.latency_ms / 1000:.1f} s"
    probability = "" if result.probability is None else f"; probability {result.probability:.2f}"
    order = (TokenOrigin.ACCEPTED, TokenOrigin.REJECTED, TokenOrigin.EXTRA, TokenOrigin.COPIED, TokenOrigin.GENERATED)
    tokens = "tokens: " + ", ".join(f"{kind} {result.counts[kind]}" for kind in order)
    seconds = result.latency_ms / 1000
    return f"{tokens}; {counted(result.forwards, 'forward')}; {seconds:.1f} s; verified: {result.verified}{probability}"
