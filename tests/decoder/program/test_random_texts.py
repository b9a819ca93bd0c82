"""Texts drawn from programs by chance parse, as judged by the language's own engine."""

from __future__ import annotations

import ast
import json
import os
from random import Random

import pytest

from decoder.controller.quickjs import Machine
from decoder.program import Program, ProgramTask, write
from tests.decoder.program.walking import CODE, EXAMPLES, RUN_WITHOUT_A_FILE, walk
from tests.decoder.scripted import randomly


def refused(texts: list[str], *, python: bool) -> list[str]:
    """Those that the language's own engine refuses, as the body of a function."""
    if python:
        return [text for text in texts if not _python(text)]
    machine = Machine({})
    check = "(text => { try { new Function(text); return '' } catch (e) { return String(e) } })"
    return [text for text in texts if machine.ask(f"{check}({json.dumps(text)})")]


def _python(text: str) -> bool:
    body = "".join(f"    {line}\n" for line in text.splitlines())
    try:
        compile(ast.parse(f"def f():\n{body}"), "<text>", "exec")
    except SyntaxError:
        return False
    return True


def drawn(name: str, count: int) -> list[str]:
    with Program.load(EXAMPLES / name) as program:
        start = program.constraint()
        return [walk(start, Random(seed), free=seed % 90) for seed in range(count)]


def test_what_does_not_parse_is_seen() -> None:
    assert refused(["let a = 1;", "let a = 1; let a = 2", "let let = 1", "a."], python=False) == [
        "let a = 1; let a = 2", "let let = 1", "a.",
    ]  # fmt: skip
    assert refused(["a = 1\nreturn a", "a = ", "if = 2"], python=True) == ["a = ", "if = 2"]


@pytest.mark.parametrize("name", [name for name in CODE if name.endswith(".js")])
def test_random_texts_parse(name: str) -> None:
    assert refused(drawn(name, 10), python=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CODE)
def test_more_random_texts_parse(name: str) -> None:
    # INSCOPE_RANDOM_TEXTS=1000 draws as many as BENCHMARKS.md reports, which takes four minutes
    count = int(os.environ.get("INSCOPE_RANDOM_TEXTS", "100"))
    assert refused(drawn(name, count), python=name.endswith(".py")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN_WITHOUT_A_FILE)
def test_random_models_write_whole_texts(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        texts = [write(randomly(seed), ProgramTask(program, max_tokens=24)).text for seed in range(8)]
    if not name.startswith("answer"):
        assert refused(texts, python=name.endswith(".py")) == []
