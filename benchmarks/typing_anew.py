"""Typing real functions anew into a server: keystrokes saved, silence, changed suggestions, time until one is shown.

Bodies of functions and stretches of lines are taken out of files of a folder and typed again, with the brackets that
an editor closes by itself, its indentation, typing errors and pauses. Each key asks for ghost text and cancels the
request before; each pause waits for the answer. A suggestion that is wholly what comes next is accepted, unless
`--ignore` is given. The folder is the workspace. The same seed presses the same keys.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import line, machine, machine_line
from benchmarks.typing_client import Client
from benchmarks.typing_places import drawn
from benchmarks.typing_replay import Replay, Typed
from benchmarks.typing_tally import rows, tallied
from context_index import Language
from lsp_server.cli.values import existing

_IDENTS = {".tsx": "typescriptreact", ".jsx": "javascriptreact"}
_READING_SECONDS = 3.0
"""Between the opening of a workspace and the first key."""


def main(argv: list[str] | None = None) -> int:
    """Type and print."""
    parser = argparse.ArgumentParser(prog="inscope bench typing-anew", description=__doc__)
    parser.add_argument("folders", nargs="+", type=existing, help="each is a workspace, and typed in")
    parser.add_argument("--count", type=int, default=10, help="stretches for each folder (default 10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", type=Language, choices=list(Language))
    parser.add_argument("--seconds", type=float, default=400.0, help="no stretch is begun later (default 400)")
    parser.add_argument("--deadline-ms", type=int, default=10_000, help="of a suggestion; 1500 is what editors have")
    parser.add_argument(
        "--settings", type=json.loads, default={}, help='of the server, as JSON: {"inline": {"eagerness": "eager"}}'
    )
    parser.add_argument("--ignore", action="store_true", help="accept nothing")
    parser.add_argument("--rows", type=Path, help="where each pause is written, as JSON lines")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    until = time.monotonic() + arguments.seconds
    typed: list[Typed] = []
    for folder in arguments.folders:
        typed += _typed_in(folder.resolve(), arguments, until)
    if arguments.rows:
        pauses = [json.dumps(pause.as_json()) for one in typed for pause in one.pauses]
        arguments.rows.write_text("\n".join(pauses) + "\n", "utf-8")
    figures = tallied(typed)
    if arguments.json:
        print(json.dumps({"machine": machine(), "figures": figures}))
        return 0
    print(machine_line())
    languages = list(figures)
    line("", *languages, width=16)
    for title, cells in rows(figures):
        line(title, *cells, width=16)
    return 0


def _typed_in(folder: Path, arguments: argparse.Namespace, until: float) -> Sequence[Typed]:
    """Each stretch of one workspace."""
    patience = arguments.deadline_ms
    patient = {"inline": {"deadlineMs": patience}, "checker": {"deadlineMs": max(200, patience // 5)}}
    settings = patient | arguments.settings
    typed: list[Typed] = []
    with TemporaryDirectory() as cache, Client(folder, Path(cache), settings) as client:
        tasks = drawn(folder, arguments.seed, arguments.count, arguments.language)
        time.sleep(_READING_SECONDS)
        for task in tasks:
            if time.monotonic() > until:
                break
            ident = _IDENTS.get(task.path.suffix, str(task.language))
            typed.append(Replay(client, task, arguments.seed).run(ident, accepts=not arguments.ignore))
    return typed


if __name__ == "__main__":
    raise SystemExit(main())
