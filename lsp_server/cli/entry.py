"""Runs one command line, and turns every error into a sentence and an exit code.

The program `inscope` calls `main` through `cli.main`. It parses the line, imports the module of the command
(`COMMANDS`) and calls its function `run`, which returns an exit code. The exit codes: 0 done, 1 the request failed,
2 the command was not understood, 130 interrupted.

A new command needs a module with `run`, its row in `COMMANDS` here, and a function with its options in `parser`.
"""

from __future__ import annotations

import errno
import io
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from lsp_server.cli.blas import choose_kernels
from lsp_server.cli.configured import COMMANDS as COMMANDS_ABOUT_CODE
from lsp_server.cli.configured import folder_of, parse_configured
from lsp_server.cli.faults import unexpected
from lsp_server.cli.printing import drop_output, escaped, failure, print_json
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.wire import Json

FAILED = 1
NOT_UNDERSTOOD = 2
INTERRUPTED = 130

_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of a full or broken disk."""

COMMANDS = {
    "bench": "lsp_server.cli.bench",
    "complete": "lsp_server.cli.complete",
    "completion": "lsp_server.cli.completion",
    "doctor": "lsp_server.cli.doctor",
    "generate": "lsp_server.cli.generate",
    "index": "lsp_server.cli.index",
    "lower": "lsp_server.cli.lower",
    "lsp": "lsp_server.cli.lsp",
    "models": "lsp_server.cli.models",
    "rewrite": "lsp_server.cli.rewrite",
    "setup": "lsp_server.cli.setup",
    "stats": "lsp_server.cli.stats",
    "symbols": "lsp_server.cli.symbols",
    "train": "lsp_server.cli.train",
    "verify": "lsp_server.cli.verify",
}
"""The module of each command, whose function `run` takes the `Arguments` and returns the exit code. A module that has
`failure` makes from a RequestError what `--json` prints; for the others `printing.failure` does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; `argv` is without the program's name, None takes the process's. Returns the exit code."""
    _write_utf8(sys.stdout)
    _write_utf8(sys.stderr)
    choose_kernels()
    try:
        arguments = _parsed(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - as in `_run`; an installation may lack a package
        status = _unwritten(error)
        return _print_error(unexpected(error)) if status is None else status
    if isinstance(arguments, int):
        return arguments
    if sys.stdout is None:
        return _print_error("standard output is closed; send it to a file, or to /dev/null")
    return _run(arguments)


def _parsed(argv: Sequence[str]) -> Arguments | int:
    """A command line, parsed; the exit code where argparse has printed an error, the help or the version."""
    try:
        return parse_configured(argv)
    except SystemExit as ending:
        if sys.stdout is not None:
            sys.stdout.flush()
        return ending.code if isinstance(ending.code, int) else FAILED


def _run(arguments: Arguments) -> int:
    """Run a command that was understood; returns the exit code, whatever error the command raises."""
    try:
        run: Callable[[Arguments], int] = import_module(COMMANDS[arguments.command]).run
        if arguments.command in COMMANDS_ABOUT_CODE:
            _mention_interrupted(arguments)
        status = run(arguments)
        sys.stdout.flush()
    except NotUnderstoodError as error:
        _fail(error, arguments)
        return NOT_UNDERSTOOD
    except RequestError as error:
        return _fail(error, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - people get a sentence and are told how to get the traceback
        if (ending := _unwritten(error)) is not None:
            return ending
        return _fail(RequestError(ErrorCode.INTERNAL, unexpected(error)), arguments)
    return status


def _unwritten(error: Exception) -> int | None:
    """The exit code if an answer was not written: its reader has gone, or the disk is full. None for other errors."""
    if isinstance(error, BrokenPipeError):
        drop_output()
        return 0
    if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        drop_output()
        return _print_error(f"cannot write: {error.strerror}; free some space and try again")
    return None


def _mention_interrupted(arguments: Arguments) -> None:
    """Warn of a write that was interrupted in the workspace, unless the command finishes it or takes it back."""
    if getattr(arguments, "resume", False) or getattr(arguments, "undo", False) or getattr(arguments, "write", False):
        return
    from lsp_server.cli.interrupted import mention  # noqa: PLC0415 - help and mistakes are answered without it

    mention(folder_of(arguments))


def _fail(error: RequestError, arguments: Arguments) -> int:
    """Print an error as one sentence, and with `--json` also as the command's answer; returns the exit code."""
    # an error of a whole batch is not the answer to a line
    if getattr(arguments, "json", False) and getattr(arguments, "batch", None) is None:
        module = sys.modules.get(COMMANDS[arguments.command])
        answer_to: Callable[[RequestError], dict[str, Json]] = getattr(module, "failure", failure)
        with suppress(OSError):  # standard output may be what does not work
            print_json(answer_to(error))
    return _print_error(error.message)


def _print_error(message: str) -> int:
    """Print an error on one line, whatever characters are in a file's name; returns the exit code."""
    print(f"error: {escaped(message)}", file=sys.stderr)  # noqa: T201 - stderr is where errors belong
    return FAILED


def _write_utf8(stream: TextIO | None) -> None:
    """Have a stream write UTF-8 on every platform; half of a surrogate pair is escaped."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
