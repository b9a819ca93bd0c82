"""`inscope bench`: the benchmarks of a source checkout, by name. They are not part of an installed package."""

from __future__ import annotations

import ast
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import start
from lsp_server.cli.columns import Columns
from lsp_server.cli.console import console_for_answers
from lsp_server.cli.nearest import did_you_mean
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments

CHECKOUT = Path(__file__).parents[2]
_QUIETLY = """
import runpy, sys
module = sys.argv.pop(1)
try:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
except KeyboardInterrupt:
    sys.exit(130)
"""
"""As `python -m` runs a module, but Ctrl+C, which the terminal sends to this process too, leaves no trace."""
_USAGE = 2
"""What argparse ends with where it does not understand a command line."""


def run(arguments: Arguments) -> int:
    """Run one benchmark in a process of its own, so that nothing of this one is measured with it; or all, in turn."""
    known = benchmarks(CHECKOUT)
    if not known:
        raise RequestError(
            ErrorCode.FILE_NOT_FOUND,
            "there are no benchmarks here; they come with a checkout of the source, not with the package",
        )
    if arguments.name is None:
        table = Columns.grid(padding=(0, 2, 0, 0))
        for name, summary in known.items():
            table.add_row(name, summary)
        console_for_answers().print(table)
        return 0
    names = list(known) if arguments.name == "all" else [arguments.name.replace("-", "_")]
    if unknown := [name for name in names if name not in known]:
        meant = did_you_mean(unknown[0], known) or "; 'inscope bench' lists them"
        raise NotUnderstoodError(f"there is no benchmark '{unknown[0]}'{meant}")
    statuses = {name: run_one(name, arguments.rest) for name in names}
    failed = [name for name, status in statuses.items() if status != 0]  # a crash has a negative one
    is_usage = all(statuses[name] == _USAGE for name in failed)
    if failed and arguments.name == "all":
        message = f"{len(failed)} of {len(names)} benchmarks failed: {', '.join(failed)}"
        raise NotUnderstoodError(message) if is_usage else RequestError(ErrorCode.INTERNAL, message)
    return 0 if not failed else _USAGE if is_usage else 1


def benchmarks(checkout: Path) -> dict[str, str]:
    """The modules of `benchmarks/` that define `main`, and the first line of what each says of itself."""
    found = {}
    for path in sorted((checkout / "benchmarks").glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def run_one(name: str, rest: list[str]) -> int:
    """Run a benchmark in a process of its own; its exit code."""
    command = [sys.executable, "-c", _QUIETLY, f"benchmarks.{name}", *rest]
    process = start(
        command,
        outside_of=(),
        directory=CHECKOUT,
        variables={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=None,
        stdout=None,
        stderr=None,
    )
    try:
        return process.wait()
    except KeyboardInterrupt:  # it has a group of its own, which the terminal does not interrupt
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
