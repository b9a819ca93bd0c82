"""`inscope doctor`: what is installed, what works, and what to do about the rest."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.printing import print_json
from lsp_server.engine.model_host import ModelHost
from lsp_server.engine.sample_suggestion import suggestion_of
from lsp_server.installation.doctor import (
    CheckStatus,
    Finding,
    Health,
    Situation,
    as_json,
    disk,
    examine,
    examine_deeply,
)
from lsp_server.rendering.columns import Columns
from lsp_server.settings.engine import model_settings
from lsp_server.settings.files import configured, files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.suggestion import Suggestion
    from lsp_server.settings.table import Settings

_MARKS = {CheckStatus.OK: ("✓", "green"), CheckStatus.ABSENT: ("-", "yellow"), CheckStatus.FAILED: ("✗", "red")}


def run(arguments: Arguments) -> int:
    """Report all findings; the exit code is 1 if something that is needed does not work."""
    folder = (arguments.workspace or Path()).absolute()
    settings, _ = configured(folder)
    situation = Situation(settings=settings, roots=(folder,), files=files(folder))
    with working("examining the installation"):
        with ThreadPoolExecutor(1) as thread:
            measured = thread.submit(disk)
            findings = [*examine(situation), measured.result()]
        if arguments.deep:
            findings += examine_deeply(situation, partial(complete_a_line, settings))
    health = Health(tuple(findings))
    if arguments.json:
        print_json(as_json(health))
    else:
        console = console_for_answers()
        console.print(rendered(health.findings))
        if health.summary:
            console.print(f"\n{health.summary}", style="red", soft_wrap=True)
    return 1 if health.failed else 0


def complete_a_line(settings: Settings) -> Suggestion:
    """Load the settings' model and return its suggestion in a small file."""
    with closing(ModelHost(model_settings(settings))) as host:
        return suggestion_of(host)


def rendered(findings: Sequence[Finding]) -> Table:
    """One line for each finding, with its advice below it."""
    table = Columns.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        mark, colour = _MARKS[finding.status]
        took = "" if finding.milliseconds is None else f" ({finding.milliseconds:.0f} ms)"
        table.add_row(Text(mark, style=colour), finding.name, Text(finding.detail + took))
        if finding.advice:
            table.add_row("", "", Text(finding.advice, style=colour))
    return table
