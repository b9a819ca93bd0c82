"""The `inscope` command: from arguments to answers and exit codes.

Each subcommand is a module with `run(arguments) -> int`, imported only when it is used, so that `inscope --help`
loads no model library. Lines and columns are 1-based here and nowhere else.
"""

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

if sys.version_info < (3, 11):  # noqa: UP036 - an interpreter is named by hand, in editors and scripts
    sys.exit(f"error: Inscope needs Python 3.11 or later, and {sys.executable} is {sys.version.split()[0]}.")

__all__ = ["main", "run_process"]

_INTERRUPTED = 130
"""The same as `entry.INTERRUPTED`, which is not there yet while `entry` is being imported."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; `argv` is without the program's name."""
    try:
        from lsp_server.cli import entry  # noqa: PLC0415 - an interrupt here must not print a traceback either
    except KeyboardInterrupt:
        return _INTERRUPTED
    return entry.main(argv)


def run_process() -> NoReturn:
    """Run the process's command line, and end the process.

    After a deadline, daemon threads may still work. Then the process ends at once: the interpreter's own shutdown
    unwinds their stacks, which aborts the process if C++ code is on them.
    """
    status = main()
    if any(thread.daemon for thread in threading.enumerate()):
        with suppress(AttributeError, OSError, ValueError):  # a stream may be missing, broken or closed
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
