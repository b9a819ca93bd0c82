"""`inscope lower`: a program as a grammar, for engines that only take grammars. Needs no model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.cli.programs import context_at, program_of
from lsp_server.cli.workspace import workspace_at

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Print the grammar to standard output, and a note for each thing that it only approximates to standard error."""
    root = None if arguments.context is None else arguments.workspace  # without a place, no names are asked for
    with workspace_at(arguments, root) as workspace:
        symbols, _, _ = context_at(arguments, workspace)
        with program_of(arguments, symbols) as program:
            lowered = program.lowered(arguments.to)
    if arguments.json:
        print_json({"to": arguments.to, "grammar": lowered.text, "approximated": list(lowered.approximated)})
        return 0
    sys.stdout.write(lowered.text)
    for sentence in lowered.approximated:
        note(f"note: approximated, {sentence}")
    return 0
