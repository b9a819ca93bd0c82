"""The same program in JavaScript and in Python allows, refuses and says the same; random ones write what parses."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.random_programs import python_main, unread
from decoder.constraint.protocol import Refusal
from decoder.program import Program, ProgramError

CASES = Path(__file__).with_name("cases.txt").read_text("utf-8")
LANGUAGES = ("js", "py")


def cases() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each program's body by language, and its verdicts."""
    for block in CASES.split("\n\n"):
        lines = [(line[:4].strip(), line[4:]) for line in block.splitlines() if line and not line.startswith("#")]
        verdicts = [(mark, text) for mark, text in lines if mark in {"+", "-", "!"}]
        yield from ((f"{mark} {text}", verdicts) for mark, text in lines if mark in LANGUAGES)


def loaded(case: str) -> Program:
    language, body = case[:2], case[3:]
    if language == "js":
        return Program.read("program.js", f"async function main() {{\n  {body}\n}}")
    return Program.of(python_main(f"    {body}"))


def spelled(text: str, case: str) -> str:
    let, end = ("let ", ";") if case.startswith("js") else ("", "")
    return text.replace("@let", let).replace("@;", end).replace("\\n", "\n")


@pytest.mark.parametrize(("case", "verdicts"), [*cases()], ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_program_allows_and_refuses(case: str, verdicts: list[tuple[str, str]]) -> None:
    assert verdicts
    if verdicts[0][0] == "!":
        with pytest.raises((ProgramError, ValueError), match=re.escape(verdicts[0][1])):
            loaded(case).constraint()
        return
    start = loaded(case).constraint()
    for mark, text in verdicts:
        state = start.advance(spelled(text, case))
        allowed = not isinstance(state, Refusal) and state.may_stop() is None
        assert ("+" if allowed else "-") == mark, text


def test_a_wrong_part_is_reported_with_its_place() -> None:
    script = "const call = () => callOf`if (x`;\nasync function main() {\n  await call()()\n}"
    with pytest.raises(ProgramError, match=r"'if \(x' is not .* \(at call \(program\.js:1:\d+\)\)"):
        Program.read("program.js", script).constraint()
    with pytest.raises(ProgramError, match=r"\(at <anonymous> \(program\.js:1:\d+\)\)"):
        Program.read("program.js", "callOf`if (x`")


@pytest.mark.slow
def test_a_wrong_part_of_a_python_file_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("from decoder.program import *\n\nCALL = call_of('if (x')\n", "utf-8")
    with pytest.raises(ProgramError, match=r"'if \(x' is not .* \(program\.py:3\)"):
        Program.load(path)


@pytest.mark.parametrize("language", ["javascript", "python"])
def test_random_programs_write_what_parses(language: str) -> None:
    # INSCOPE_RANDOM_PROGRAMS=10000 draws as many as BENCHMARKS.md reports
    count = int(os.environ.get("INSCOPE_RANDOM_PROGRAMS", "20"))
    assert unread(count, 7, language) == []
