"""`inscope index`: which files of a workspace the language server would read, and which it would leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from context_index import changes
from lsp_server.cli.console import console_for_answers
from lsp_server.cli.printing import print_json
from lsp_server.cli.workspace import indexed
from lsp_server.rendering.columns import Columns
from lsp_server.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

    from context_index import IndexReport, Workspace
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.wire import Json


def run(arguments: Arguments) -> int:
    """Read a workspace and report; with --watch, report changes until interrupted."""
    directory = arguments.directory
    with indexed(directory, arguments.settings, list_skipped=arguments.skipped) as (workspace, report):
        _print_report(directory, report, in_json=arguments.json)
        if arguments.watch:
            _watch(directory, workspace, in_json=arguments.json)
    return 0


def as_json(directory: Path, report: IndexReport) -> dict[str, Json]:
    """The report for programs."""
    result: dict[str, Json] = {
        "directory": str(directory),
        "files": report.files,
        "languages": {str(language): count for language, count in sorted(report.languages.items())},
        "reused": report.reused,
        "symbols": report.symbols,
        "skipped": {str(why): count for why, count in _by_count(report)},
        "seconds": round(report.seconds, 3),
    }
    if report.skipped_paths:
        result["skipped_paths"] = [{"path": str(file.path), "reason": str(file.why)} for file in report.skipped_paths]
    return result


def rendered(directory: Path, report: IndexReport) -> Group:
    """The report for people: what was read, and a line for each reason why something was skipped."""
    files, names = counted(report.files, "file"), counted(report.symbols, "name")
    verb = "exports" if report.files == 1 else "export"
    parts: list[Text | Table] = [Text(f"{files} in {directory.resolve()} {verb} {names}")]
    if report.languages:
        parts.append(Text(", ".join(f"{count:,} {language}" for language, count in sorted(report.languages.items()))))
    if report.skipped:
        parts += [Text("files and directories that were skipped:", style="dim"), _reasons(report)]
        parts += [Text(f"{str(file.why).replace('_', ' ')}: {file.path}", style="dim") for file in report.skipped_paths]
    were = counted(report.files, "file was", "files were")
    took = f"read in {report.seconds:.2f} s, {report.reused:,} of {were} unchanged"
    return Group(*parts, Text(took, style="dim"))


def _reasons(report: IndexReport) -> Table:
    table = Columns.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    table.add_column()
    for why, count in _by_count(report):
        table.add_row(f"{count:,}", why.replace("_", " "))
    return table


def _print_report(directory: Path, report: IndexReport, *, in_json: bool) -> None:
    if in_json:
        print_json(as_json(directory, report))
    else:
        console_for_answers().print(rendered(directory, report), soft_wrap=bool(report.skipped_paths))


def _watch(directory: Path, workspace: Workspace, *, in_json: bool) -> None:
    """Keep the index up to date and report each file that changes, until interrupted."""
    console = console_for_answers()
    if not in_json:
        console.print(Text("watching; stop with Ctrl+C", style="dim"))
    for changed in changes(workspace.roots):
        workspace.refresh(changed)
        for path in sorted(changed):
            if workspace.skipped(path) is None and not path.is_dir():
                _print_change(directory, path, workspace, in_json=in_json)


def _print_change(directory: Path, path: Path, workspace: Workspace, *, in_json: bool) -> None:
    exists, names = path.is_file(), [export.name for export in workspace.exports(path)]
    if in_json:
        print_json({"directory": str(directory), "path": str(path), "exists": exists, "exports": [*names]})
    else:
        what = f"exports {', '.join(names) or 'nothing'}" if exists else "is gone"
        console_for_answers().print(Text(f"{path.relative_to(directory.resolve())}: {what}"))


def _by_count(report: IndexReport) -> list[tuple[str, int]]:
    """The reasons why something was skipped, each with the number of files and directories, most frequent first."""
    return sorted(((str(why), count) for why, count in report.skipped.items()), key=lambda pair: (-pair[1], pair[0]))
