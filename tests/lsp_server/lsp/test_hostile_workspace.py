"""The language server in a hostile workspace, started as editors start it: with the workspace as its directory."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from context_index.parts import PartMissingError, find, part
from tests.hostile import FILES, Hostile, hostile_workspace
from tests.lsp_server.process import PATIENCE, Process

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = pytest.mark.slow
Json = Any
_WITHOUT_SHIPPED_LEXERS = """
import sys
from pathlib import Path
from decoder.grammar import pinned
pinned.shipped_path = lambda language: Path("/nowhere") / f"{language}.json.gz"
from lsp_server.cli import main
sys.exit(main())
"""
"""Runs the server without the lexers that are shipped, as if the grammars were of unknown versions."""
LANGUAGES = {"cart.js": "javascript", "cart.ts": "typescript", "shop.py": "python"}
ENDINGS = ("items.", "const next = ", "fir")
"""What is typed at the end of a file: before a member, before a name, half a word."""


def visit(server: Process, hostile: Hostile, endings: Iterable[str] = ENDINGS) -> None:
    """Open a file of each language, and ask for all that an editor asks for after each of the endings."""
    for name, language in LANGUAGES.items():
        uri = (hostile.root / name).as_uri()
        server.open(uri, language, FILES[name])
        line = FILES[name].count("\n")
        for version, typed in enumerate(endings, 2):
            text = FILES[name] + typed
            document = {"uri": uri, "version": version}
            server.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
            server.inline(uri, line, len(typed))
            items: list[Json] = server.menu(uri, line, len(typed))["items"]
            for item in items[:3]:
                server.ask("completionItem/resolve", **item)
        first_character = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        server.ask(
            "textDocument/codeAction", textDocument={"uri": uri}, range=first_character, context={"diagnostics": []}
        )
    assert server.ask("workspace/executeCommand", command="inscope.trace")


def children(server: Process) -> dict[psutil.Process, list[str]]:
    """The running processes below the server's, each with its command."""
    found = {}
    for child in psutil.Process(server.pid).children(recursive=True):
        with suppress(psutil.Error):
            found[child] = child.cmdline()
    return found


@pytest.mark.parametrize("trusted", [False, True], ids=["by default", "trusted, and nothing named"])
def test_nothing_of_the_workspace_runs(tmp_path: Path, *, trusted: bool) -> None:
    hostile = hostile_workspace(tmp_path)
    options: Json = {"inline.deadlineMs": 60_000, "completion.deadlineMs": 10_000, "checker.deadlineMs": 10_000}
    if trusted:
        options["workspace.trusted"] = True
    with Process(tmp_path / "log", directory=hostile.root, environment=hostile.environment) as server:
        server.start(hostile.root, initializationOptions=options)
        visit(server, hostile)
        started = [" ".join(command) for command in children(server).values()]
        assert server.leave() == 0
    assert hostile.ran() == []
    wanted = ["ty server"]  # Inscope's own checkers were asked, not the workspace's
    with suppress(PartMissingError):
        wanted.append(str(find(part("typescript")).path))
    assert [one for one in wanted if not any(one in command for command in started)] == []


def test_nothing_of_the_workspace_runs_where_a_grammar_is_to_be_learned(tmp_path: Path) -> None:
    hostile = hostile_workspace(tmp_path)
    environment = {**hostile.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    python = ("-c", _WITHOUT_SHIPPED_LEXERS)
    with Process(tmp_path / "log", directory=hostile.root, environment=environment, python=python) as server:
        server.start(hostile.root)
        visit(server, hostile, ENDINGS[:1])
        assert hostile.ran() == []
        learners = [one for one, command in children(server).items() if "decoder.grammar.learn" in command]
        assert learners, "the learner was started"
        end = time.monotonic() + PATIENCE
        while any(one.cpu_times().user < 1 for one in learners):  # all is imported by then
            assert time.monotonic() < end
            time.sleep(0.1)
        assert server.leave() == 0
    assert psutil.wait_procs(learners, PATIENCE)[1] == [], "a learner ends with its server"
    assert hostile.ran() == []
