"""`inscope stats`: how often automatic suggestions were taken, and the thresholds that follow (`engine/acceptance`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_answers, note
from lsp_server.cli.printing import print_json
from lsp_server.engine.acceptance import AcceptanceRates
from lsp_server.engine.suggestion import THRESHOLDS
from lsp_server.rendering.columns import Columns
from lsp_server.store import acceptance_file

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments

_TITLES = ("language", "place", "shown", "taken", "expected")
"""The first columns; after them comes a column for each setting of eagerness, with its threshold for this user."""
_LEGEND = (
    "expected: how many should have been taken by their probabilities. The last columns: the probability from which "
    "suggestions are shown, by `inline.eagerness`."
)


def run(arguments: Arguments) -> int:
    """Print the counts, or delete them."""
    rates = AcceptanceRates.read(acceptance_file())
    if arguments.delete:
        is_deleted = rates.delete()
        if arguments.json:
            print_json({"deleted": is_deleted})
        else:
            note("Deleted." if is_deleted else "Nothing has been counted.")
        return 0
    if arguments.json:
        print_json(
            {"file": None if rates.path is None else str(rates.path), "counts": [dict(row) for row in rates.rows()]}
        )
        return 0
    if not rates.counts:
        note("Nothing has been counted yet; editors count what they show unasked (`inline.learn`).")
        return 0
    table = Columns(*_TITLES, *map(str, THRESHOLDS), box=None, padding=(0, 2, 0, 0))
    for kind, count in sorted(rates.counts.items()):
        thresholds = (f"{count.threshold(usual):.0%}" for usual in THRESHOLDS.values())
        numbers = (f"{count.shown:.0f}", f"{count.taken:.0f}", f"{count.expected:.1f}")
        table.add_row(kind.language, kind.place, *numbers, *thresholds)
    console_for_answers().print(table)
    note(_LEGEND)
    return 0
