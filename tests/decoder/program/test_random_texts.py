"""Texts drawn from programs by chance parse, as judged by the language's own engine."""

from __future__ import annotations

import os
from random import Random

import pytest

from benchmarks.random_programs import reads_javascript, reads_python
from decoder.controller.quickjs import Machine
from decoder.program import Program, ProgramTask, write
from tests.decoder.program.walking import CODE, EXAMPLES, RUN_WITHOUT_A_FILE, walk
from tests.decoder.scripted import randomly


def refused(texts: list[str], *, python: bool) -> list[str]:
    """Those that the language's own engine refuses, as the body of a function."""
    if python:
        return [text for text in texts if not reads_python(text)]
    machine = Machine({})
    return [text for text in texts if not reads_javascript(machine, text)]


def drawn(name: str, count: int) -> list[str]:
    with Program.load(EXAMPLES / name) as program:
        start = program.constraint()
        return [walk(start, Random(seed), free=seed % 90) for seed in range(count)]


def test_what_does_not_parse_is_seen() -> None:
    assert refused(["let a = 1;", "let a = 1; let a = 2", "let let = 1", "a."], python=False) == [
        "let a = 1; let a = 2", "let let = 1", "a.",
    ]  # fmt: skip
    assert refused(["a = 1\nreturn a", "a = ", "if = 2"], python=True) == ["a = ", "if = 2"]


COUNT = int(os.environ.get("INSCOPE_RANDOM_TEXTS", "100"))
"""The 1,000 that BENCHMARKS.md reports take four minutes."""


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 10) for name in CODE if name.endswith(".js")),
        *(pytest.param(name, COUNT, marks=pytest.mark.slow) for name in CODE),
    ],
)
def test_random_texts_parse(name: str, count: int) -> None:
    assert refused(drawn(name, count), python=name.endswith(".py")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN_WITHOUT_A_FILE)
def test_random_models_write_whole_texts(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        texts = [write(randomly(seed), ProgramTask(program, max_tokens=24)).text for seed in range(8)]
    if not name.startswith("answer"):
        assert refused(texts, python=name.endswith(".py")) == []
