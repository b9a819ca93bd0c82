"""The `inscope` command: arguments come in, answers and exit codes go out.

Each subcommand is a module with `run(arguments) -> int`, imported only when it is asked for: `inscope --help` must not
wait for a model library. Lines and columns are 1-based here and nowhere else.
"""

from lsp_server.cli.entry import main

__all__ = ["main"]
