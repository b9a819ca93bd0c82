"""What is wrong with a program is reported in a sentence; what is too much is stopped."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from decoder.controller import sandbox
from decoder.controller.pool import Pool
from decoder.controller.quickjs import Machine
from decoder.program import Program, ProgramConstraint, ProgramError, program_file


def asks(node: str) -> str:
    """A program that has replaced what it is asked by."""
    question = f'{{"k": "awaited", "place": "", "used": true, "node": {node}}}'
    return f"inscope$.question = () => '{question}'; async function main() {{}}"


JAVASCRIPT = {
    "throw new Error('no luck')": "threw: no luck",
    "throw 'no luck'": "threw: no luck$",
    "let a = ;": "threw: unexpected token",
    "const a = 1;": "no function",
    "async function main() { await new Promise(() => {}) }": "waits for what never comes",
    "async function main() { for (;;) await $`` }": "without writing anything",
    "async function main() { await Promise.all([$`a`, $`b`]) }": "one after the other",
    "async function main() { await manyOf() }": "allows no text at all",
    "async function main() { await gen({regex: /(?=a)/}) }": "looks ahead",
    "async function main() { await gen({most: 3}) }": "not most",
    "async function main() { await gen('abc') }": 'takes an object, .* not "abc"',
    "async function main() { await gen(/a+/) }": r"takes an object, such as gen\(\{ regex: /\\d\+/ \}\), not /a\+/",
    "async function main() { await gen({options: 'abc'}) }": 'options is a list of texts, not "abc"',
    "async function main() { await gen({maxTokens: 0}) }": "must be a number of tokens",
    "async function main() { await gen({node: {}}) }": "expected a part of a program",
    asks('{"k": "generated", "key": 1, "regex": 5}'): "has 5 as its regex",
    asks('{"k": "generated", "key": 1, "options": {"k": "text"}}'): "has None as its text",
    asks('{"k": "oneOf", "options": [1]}'): "has 1 as its options",
    asks('{"k": "object", "properties": [{"k": "text", "text": ""}]}'): "as its properties",
    asks('{"k": "blank", "type": "date", "key": 1}'): "has 'date' as its type",
    "inscope$.question = () => '['.repeat(500000); async function main() {}": "has broken what it was run with",
    "inscope$.question = () => '[' + '['.repeat(500000) + ']'; async function main() {}": "has broken",
    "async function main() { await callOf`f`(symbols) }": "--context",
    "async function main() { await callOf`${id()}`(symbols) }": "holds no blanks",
    "import fs from 'fs'": "could not load module 'fs'",
    "inscope$.question = () => 'x'; async function main() {}": "has broken what it was run with",
}


@pytest.mark.parametrize("source", JAVASCRIPT)
def test_what_is_wrong_with_a_program_is_one_sentence(source: str) -> None:
    with pytest.raises(ProgramError, match=JAVASCRIPT[source]):
        Program.read("program.js", source).constraint().may_stop()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["for (;;);", "async function main() { for (;;) await 0 }"])
def test_endless_programs_are_stopped(source: str) -> None:
    with pytest.raises(ProgramError, match="ran for more than"):
        Program.read("program.js", source)


ENDLESS = [
    "for (;;);",
    "(async () => { for (;;) await 0 })()",
    "(function p() { Promise.resolve().then(p) })()",
    "/(a+)+$/.test('a'.repeat(60) + 'b')",
]


@pytest.mark.parametrize("source", ENDLESS)
def test_a_job_that_is_dropped_when_the_time_is_over_is_no_end(source: str) -> None:
    machine = Machine({})
    machine.deadline_s = 0.05
    with pytest.raises(ProgramError, match="ran for more than"):
        machine.ask(source)
    with pytest.raises(ProgramError, match="ran for more than"):
        machine.ask("1")


def test_nothing_is_within_reach_and_all_runs_are_the_same() -> None:
    source = """async function main() {
        await $`${[typeof require, typeof process, typeof fetch, Date.now(), Math.random()].join(" ")}`
    }"""
    first, second = (Program.read("program.js", source).constraint().readings[0].next for _ in range(2))
    assert first == second
    assert str(first).startswith("undefined undefined undefined 0 ")


PYTHON = {
    "raise ValueError('no luck')": r"threw: ValueError: no luck \(program.py:1\)",
    "async def main(): await 3": "threw: TypeError",
    "import os; os._exit(0)": "ended its own process",
    "while True: pass": "ran for more than",
    "import socket; socket.create_connection(('127.0.0.1', 9))": "threw: .*Error",
    "print(open('/etc/hostname').read())": "threw: .*Error",
    "def step(s): return {}": "complete --controller",
    "x = 1": "no function",
    "def main(): pass": "async def",
    "from decoder.program import gen\nasync def main(): await gen(options='abc')": "list of texts, not 'abc'",
    "from decoder.program import gen\nasync def main(): await gen(regex=b'a+')": "regex is a text, not b'a",
}


@pytest.mark.slow
@pytest.mark.skipif(bool(sandbox._MISSING), reason="without seccomp Python is held to less")
@pytest.mark.parametrize("source", PYTHON)
def test_python_files_fail_in_one_sentence(source: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(source, "utf-8")
    with pytest.raises(ProgramError, match=PYTHON[source]), Program.load(path) as program:
        program.constraint()


@pytest.mark.parametrize("name", ["program.js", "program.py"])
def test_without_sockets_that_are_inherited_as_on_windows_programs_do_not_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    monkeypatch.setattr(program_file, "shared", Pool)
    with pytest.raises(ProgramError, match=r"^programs and controllers need Linux or macOS: [^.]*$"):
        Program.read(name, "")


def test_replacing_what_parts_are_sent_by_changes_nothing() -> None:
    source = "JSON.stringify = () => '['.repeat(500000); async function main() { await $`a` }"
    assert Program.read("program.js", source).constraint().readings[0].next == "a"


def test_nothing_follows_an_object_which_would_be_a_block() -> None:
    state = (
        Program.read("program.js", "async function main() { await obj(); await callOf`f`() }")
        .constraint()
        .advance("{}")
    )
    assert isinstance(state, ProgramConstraint)
    with pytest.raises(ProgramError, match="nothing can follow obj"):
        state.may_stop()


def test_what_follows_an_object_that_is_not_first_is_a_statement_of_its_own() -> None:
    source = "async function main() { await callOf`f`(); await obj(); await callOf`g`() }"
    state = Program.read("program.js", source).constraint()
    assert isinstance(state.advance("f();\n({});\ng()"), ProgramConstraint)
    assert not isinstance(state.advance("f();\n({})g()"), ProgramConstraint)
