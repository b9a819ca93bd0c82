"""`inscope index`: what the language server would know of a workspace, and what it would leave alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from lsp_server.cli.console import console_for_answers
from lsp_server.cli.workspace import read

if TYPE_CHECKING:
    from pathlib import Path

    from context_index import IndexReport
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Read, and report."""
    with read(arguments.directory) as (_, report):
        pass
    if arguments.json:
        print(json.dumps(as_json(arguments.directory, report), ensure_ascii=False))  # noqa: T201 - the product of --json
    else:
        console_for_answers().print(rendered(arguments.directory, report))
    return 0


def as_json(directory: Path, report: IndexReport) -> dict[str, Json]:
    """The report for programs."""
    return {
        "directory": str(directory),
        "files": report.files,
        "reused": report.reused,
        "symbols": report.symbols,
        "skipped": {str(why): count for why, count in _by_count(report)},
        "seconds": round(report.seconds, 3),
    }


def rendered(directory: Path, report: IndexReport) -> Group:
    """One sentence, and a line for each reason to leave something out."""
    found = f"{report.files:,} files in {directory.resolve()} define {report.symbols:,} names for others"
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    table.add_column()
    for why, count in _by_count(report):
        table.add_row(f"{count:,}", why.replace("_", " "))
    left_out: list[Text | Table] = [Text("left alone, files and whole directories:", style="dim"), table]
    took = f"read in {report.seconds:.2f} s, {report.reused:,} of {report.files:,} files were known from before"
    return Group(Text(found), *(left_out if report.skipped else []), Text(took, style="dim"))


def _by_count(report: IndexReport) -> list[tuple[str, int]]:
    return sorted(((str(why), count) for why, count in report.skipped.items()), key=lambda pair: (-pair[1], pair[0]))
