"""`inscope bench`: the benchmarks of a source checkout, by name. They are not part of an installed package."""

from __future__ import annotations

import ast
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import start
from lsp_server.cli.console import console_for_answers
from lsp_server.cli.mistyped import did_you_mean
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError
from lsp_server.rendering.columns import Columns
from lsp_server.wording import counted

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
"""A script that runs a module as `python -m` does, but ends without a traceback at Ctrl+C."""
_USAGE = 2
"""The exit code of argparse for a command line that it does not understand."""


def run(arguments: Arguments) -> int:
    """List the benchmarks, or run one, or all in turn; returns the exit code."""
    known = benchmarks(CHECKOUT)
    if not known:
        raise RequestError(
            ErrorCode.FILE_NOT_FOUND,
            "there are no benchmarks here; they come with a checkout of the source, not with the package",
        )
    if arguments.name is None:
        _list(known)
        return 0
    if arguments.name == "all":
        return _run_all(list(known), arguments.rest)
    name = arguments.name.replace("-", "_")
    if name not in known:
        meant = did_you_mean(name, known) or "; 'inscope bench' lists them"
        raise NotUnderstoodError(f"there is no benchmark '{name}'{meant}")
    status = run_one(name, arguments.rest)
    return status if status in {0, _USAGE} else 1  # a crash has a negative status


def _list(known: dict[str, str]) -> None:
    table = Columns.grid(padding=(0, 2, 0, 0))
    for name, summary in known.items():
        table.add_row(name, summary)
    console_for_answers().print(table)


def _run_all(names: list[str], rest: list[str]) -> int:
    """Run benchmarks in turn, also after one has failed; returns the exit code.

    Raises:
        RequestError: some failed; the message names them.
    """
    statuses = {name: run_one(name, rest) for name in names}
    failed = [name for name, status in statuses.items() if status != 0]
    if not failed:
        return 0
    message = f"{len(failed)} of {counted(len(names), 'benchmark')} failed: {', '.join(failed)}"
    if all(statuses[name] == _USAGE for name in failed):
        raise NotUnderstoodError(message)
    raise RequestError(ErrorCode.INTERNAL, message)


def benchmarks(checkout: Path) -> dict[str, str]:
    """The modules of `benchmarks/` that define `main`, each with the first line of its docstring, sorted by name."""
    summaries = {}
    for path in sorted((checkout / "benchmarks").glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            summaries[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return summaries


def run_one(name: str, rest: list[str]) -> int:
    """Run a benchmark in a process of its own; returns its exit code.

    Args:
        rest: The benchmark's own arguments.
    """
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
    except KeyboardInterrupt:  # the process has a group of its own, which the terminal does not interrupt
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
