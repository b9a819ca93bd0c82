"""`inscope doctor`: what is installed, what works, and what to do about the rest."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from rich.text import Text

from context_index import Document, Language, Workspace, parse
from decoder import SamplingOptions
from lsp_server.cli.columns import Columns
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.printing import print_json
from lsp_server.doctor import Finding, Status, examine
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service
from lsp_server.suggestion import CompletionRequest

if TYPE_CHECKING:
    from rich.table import Table

    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.suggestion import Suggestion

_SAMPLE = "def area(width, height):\n    return "
_MARKS = {Status.OK: ("✓", "green"), Status.ABSENT: ("-", "yellow"), Status.FAILED: ("✗", "red")}


def run(arguments: Arguments) -> int:
    """Report all findings; the exit code is 1 where something that is needed does not work."""
    with working("examining the installation"):
        findings = list(examine(complete_a_line))
    healthy = all(finding.status is not Status.FAILED for finding in findings)
    if arguments.json:
        print_json({"healthy": healthy, "findings": [as_json(one) for one in findings]})
    else:
        console_for_answers().print(rendered(findings))
    return 0 if healthy else 1


def complete_a_line() -> Suggestion:
    """The built-in model's second suggestion in a small file, when all is loaded."""
    with closing(Workspace(())) as workspace, closing(ModelHost(ModelSettings(), lambda _event: None)) as host:
        service = Service(workspace, host)
        syntax = parse(Document("untitled:area.py", Language.PYTHON, _SAMPLE))
        request = CompletionRequest(syntax=syntax, offset=len(_SAMPLE), sampling=SamplingOptions())
        service.complete(request)
        return service.complete(request)


def as_json(finding: Finding) -> dict[str, Json]:
    """One finding for programs."""
    return {
        "name": finding.name,
        "status": str(finding.status),
        "detail": finding.detail,
        "advice": finding.advice,
        "milliseconds": None if finding.milliseconds is None else round(finding.milliseconds, 1),
    }


def rendered(findings: list[Finding]) -> Table:
    """One line for each; advice below what needs it."""
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
