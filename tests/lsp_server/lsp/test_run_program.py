"""`inscope.program`: what the program in an open file writes, with each choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoder import Counts, ProgramResult, TokenTrace
from lsp_server.lsp.handlers.run_program import page
from tests.lsp_server.forked import Forked
from tests.lsp_server.process import CAPABILITIES, Process

PROGRAM = "async def main():\n    await gen(options=['yes'])\n"


def test_a_page_has_the_text_and_each_choice() -> None:
    trace = (TokenTrace("ye", -0.1, "no"), TokenTrace("s", 0.0, "s"))
    lines = page(
        "a.py", ProgramResult("yes", closed=False, tokens=2, seconds=0.25, trace=trace, counts=Counts())
    ).splitlines()
    assert lines[:3] == ["a.py: 2 tokens in 0.25 s", "", "yes"]
    assert lines[5].split() == ["'ye'", "90.5%", "'no'"]
    assert lines[6].split() == ["'s'", "100.0%"]


@pytest.mark.slow
def test_a_program_is_run(tmp_path: Path, servers: Forked) -> None:
    uri = (tmp_path / "answer.py").as_uri()
    with Process(tmp_path / "log", forked=servers) as server:
        server.start(tmp_path, capabilities=CAPABILITIES)
        server.open(uri, "python", f"from decoder.program import *\n{PROGRAM}")
        written = server.ask("workspace/executeCommand", command="inscope.program", arguments=[uri])
        assert written.startswith("answer.py: ")
        assert "\n\nyes\n\nchosen" in written
        other = f"from decoder.program import *\n{PROGRAM}".replace("yes", "no")
        written = server.ask("workspace/executeCommand", command="inscope.program", arguments=[uri, other])
        assert "\n\nno\n\n" in written
