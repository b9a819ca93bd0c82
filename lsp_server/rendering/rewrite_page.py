"""Renders a rewrite as a self-contained HTML page: what was taken from the draft, or the diff of a rename."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from decoder import TokenOrigin
from lsp_server.rendering.rewrite import summary

if TYPE_CHECKING:
    from lsp_server.engine.rewriting.result import RewriteResult

_STYLE = """
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 110ch; }
pre { font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.accepted { opacity: .65; }
.extra { background: light-dark(#cdeafe, #123f5c); }
.copied { background: light-dark(#dfe3f7, #252b4d); }
.generated { background: light-dark(#c9f2c7, #1d4a1f); }
.rejected { background: light-dark(#ffd9d5, #5b201b); text-decoration: line-through; }
""".strip()


def page(result: RewriteResult, file: str, difference: str) -> str:
    """The page; all text from files is escaped.

    Args:
        difference: The unified diff, which is shown if nothing was drafted.
    """
    legend = " ".join(
        f'<span class="{kind}">{kind} {result.counts[kind]}</span>' for kind in TokenOrigin if result.pieces
    )
    body = "".join(f'<span class="{kind}">{_text(text, kind)}</span>' for kind, text in result.pieces)
    failed = f"<p><strong>Failed attempt:</strong> {escape(result.reason)}</p>" if result.failure else ""
    title = escape(f"Rewrite of {file}")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>\n{_STYLE}\n</style>\n<h1>{title}</h1>\n{failed}<p>{escape(summary(result))}</p>\n"
        f"<p>{legend}</p>\n<pre>{body or escape(difference)}</pre>\n</html>\n"
    )


def _text(text: str, kind: TokenOrigin) -> str:
    """The text, escaped; rejected line ends are shown as ⏎."""
    return escape(text.replace("\n", "⏎") if kind is TokenOrigin.REJECTED else text)
