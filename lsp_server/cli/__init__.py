"""The `inscope` command: from arguments to answers and exit codes.

Each subcommand is a module with `run(arguments) -> int`, imported only when it is used, so that `inscope --help`
loads no model library. Lines and columns are 1-based here and nowhere else.
"""

from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line, and return its exit code; `argv` is without the program's name."""
    try:
        from lsp_server.cli import entry  # noqa: PLC0415 - an interrupt here must not print a traceback either
    except KeyboardInterrupt:
        return _INTERRUPTED
    return entry.main(argv)
