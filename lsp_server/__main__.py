"""`python -m lsp_server`: the `inscope` command where scripts are not on the path."""

from lsp_server.cli import run_process

run_process()
