"""`inscope lower`: a program as a grammar, for engines that only take grammars. Needs no model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lsp_server.cli.console import console_for_notes
from lsp_server.cli.printing import print_json
from lsp_server.cli.programs import context_at, program_of
from lsp_server.cli.workspace import workspace_at

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Write the grammar to standard output, and what it only approximates to standard error."""
    with workspace_at(arguments, None if arguments.context is None else arguments.workspace) as workspace:
        symbols, _, _ = context_at(arguments, workspace)
        with program_of(arguments, symbols) as program:
            lowered = program.lowered(arguments.to)
    if arguments.json:
        print_json({"to": arguments.to, "grammar": lowered.text, "approximated": list(lowered.approximated)})
        return 0
    sys.stdout.write(lowered.text)
    notes = console_for_notes()
    for sentence in lowered.approximated:
        notes.print(f"note: approximated, {sentence}", markup=False, highlight=False, soft_wrap=True)
    return 0
