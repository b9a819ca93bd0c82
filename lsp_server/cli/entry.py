"""From arguments to an exit code, and what happens when something goes wrong on the way.

0: done. 1: the request failed. 2: the command was not understood. 130: interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from lsp_server.cli.arguments import Arguments
from lsp_server.cli.blas import choose_kernels
from lsp_server.cli.faults import unexpected
from lsp_server.cli.parser import parser
from lsp_server.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FAILED = 1
INTERRUPTED = 130

COMMANDS = {
    "bench": "lsp_server.cli.bench",
    "complete": "lsp_server.cli.complete",
    "doctor": "lsp_server.cli.doctor",
    "generate": "lsp_server.cli.generate",
    "index": "lsp_server.cli.index",
    "lower": "lsp_server.cli.lower",
    "lsp": "lsp_server.cli.lsp",
    "rewrite": "lsp_server.cli.rewrite",
    "symbols": "lsp_server.cli.symbols",
    "train": "lsp_server.cli.train",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; `argv` is without the program's name."""
    _speak_utf8(sys.stdout)
    _speak_utf8(sys.stderr)
    choose_kernels()
    try:
        arguments = parser().parse_args(argv, namespace=Arguments())
        run: Callable[[Arguments], int] = import_module(COMMANDS[arguments.command]).run
        status = run(arguments)
        sys.stdout.flush()
    except SystemExit as ending:  # argparse has said what was wrong, or has printed the help
        return ending.code if isinstance(ending.code, int) else FAILED
    except RequestError as error:
        return _fail(error.message)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return 0
    except Exception as error:  # noqa: BLE001 - the last resort: people get a sentence and a way to the trace
        return _fail(unexpected(error))
    return status


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201 - stderr is where errors belong
    return FAILED


def _speak_utf8(stream: TextIO | None) -> None:
    """Same bytes on every platform; half of a surrogate pair is written as JSON would escape it."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """The reader went away (`| head`); what is left in the buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
