"""More program files than workers, open at the same time in one process."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from context_index.symbols import Language, SymbolContext
from decoder.completion import CompletionTask, complete
from decoder.controller.pool import MOST_WORKERS, shared
from decoder.controller.protocol import Controller
from decoder.program import Program
from tests.decoder.program.walking import allows
from tests.decoder.scripted import letters, says

pytestmark = pytest.mark.slow

SOURCES = {
    ".js": "async function main() {{ const a = await gen({{regex: /[a-z]/}}); await $`${{a}}{number}` }}",
    ".py": "from decoder.program import *\n"
    "async def main():\n    a = await gen(regex='[a-z]')\n    await text(a, '{number}')",
}


def test_a_program_that_is_not_asked_keeps_no_worker_from_others(tmp_path: Path) -> None:
    with ExitStack() as opened:
        starts = []
        for number in range(MOST_WORKERS + 1):
            path = tmp_path / f"program{number}{'.py' if number % 3 == 1 else '.js'}"
            path.write_text(SOURCES[path.suffix].format(number=number), "utf-8")
            starts.append(opened.enter_context(Program.load(path)).constraint())
        step = Controller(Language.JAVASCRIPT, "export function step(s) { return { stop: s.text.length > 2 } }")
        task = CompletionTask("let x = ", "", SymbolContext(Language.JAVASCRIPT), controller=step, constrained=False)
        assert complete(says(*letters(" abcd")), task).text == "ab"
        for letter in "ab":  # by turns: each has lost its worker when it is asked again
            for number, start in enumerate(starts):
                assert [allows(start, f"{letter * 2}{one}") for one in range(len(starts))] == [
                    one == number for one in range(len(starts))
                ]
        assert len(shared()._idle) <= MOST_WORKERS
