"""Grammars made of programs, in the engines that read them: what the program writes is accepted, and the other way."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from random import Random

import pytest

from benchmarks.grammar_engines import EbnfEngine, GbnfEngine, LarkEngine, LLGuidanceEngine
from benchmarks.random_programs import differences, find_differences
from decoder.program import Program, ProgramError
from tests.decoder.program.test_programs import PLACE
from tests.decoder.program.walking import AT_A_PLACE, EXAMPLES, RUN_WITHOUT_A_FILE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("await gen({regex: /a{2}b?/})", {"aa": True, "aab": True, "a": False, "aabb": False, "": False}),
        ("await $``", {"": True, "a": False}),
        ("await oneOf($``, $`a`)", {"": True, "a": True, "b": False}),
        ("await gen({regex: /a*b?/}); await gen({regex: /c?/})", {"": True, "aab": True, "c": True, "ca": False}),
        ("await gen({regex: /a{0}b?/})", {"": True, "b": True, "a": False}),
        ("await gen({regex: /(a*|(b?c{0,2})+)*/})", {"": True, "abcca": True, "cab": True, "d": False}),
        ("await oneOf($`(`, $``); await $`a`", {"a": True, "(a": True, "": False}),
        (r"await gen({regex: /[+^\-\]]/})", {"+": True, "^": True, "-": True, "]": True, "\\": False, ",": False}),
        ("await gen({regex: /[^^]/})", {"a": True, "^": False}),
        ("await gen({regex: /[a-ÿ0-9]/})", {"b": True, "é": True, "5": True, "A": False}),
        (r"await $`${'\x1bface\u200b'}`", {"\x1bface\u200b": True, "face": False}),
    ],
)
def test_engines_accept_what_the_grammar_says_and_nothing_else(body: str, texts: dict[str, bool]) -> None:
    program = Program.read("program.js", f"async function main() {{ {body} }}")
    lark, gbnf, ebnf = (program.lowered(dialect).text for dialect in ("lark", "gbnf", "ebnf"))
    for engine in (LarkEngine(lark), LLGuidanceEngine(lark), GbnfEngine(gbnf), EbnfEngine(ebnf)):
        assert {text: engine.accepts(text) for text in texts} == texts


def test_an_engine_writes_all_that_the_grammar_says() -> None:
    program = Program.read("program.js", "async function main() { await gen({regex: /a{2}b?/}) }")
    assert set(LLGuidanceEngine(program.lowered("lark").text).texts(Random(1), 20)) == {"aa", "aab"}


@pytest.mark.parametrize("name", RUN_WITHOUT_A_FILE)
def test_examples(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        assert differences(program, Random(1), texts=6) == []


@pytest.mark.parametrize("name", sorted(AT_A_PLACE))
def test_examples_at_a_place(name: str) -> None:
    with Program.load(EXAMPLES / f"{name}.js", params={"function": "bill"}, symbols=PLACE) as program:
        assert differences(program, Random(1), texts=6) == []


# a hundred a language take minutes: INSCOPE_RANDOM_PROGRAMS=100
MORE = int(os.environ.get("INSCOPE_RANDOM_PROGRAMS", "5"))
RANDOM = [
    (language, seed, branches)
    for language in ("javascript", "python")
    for branches, more in ((True, MORE), (False, 0))
    for seed in (0, 1, 2, *range(1000, 1000 + more))
]


@pytest.mark.parametrize("drawn", RANDOM)
def test_random_programs(drawn: tuple[str, int, bool]) -> None:
    language, seed, branches = drawn
    with suppress(ProgramError) if branches else nullcontext():  # branching in more ways than are followed
        assert find_differences(seed, language, 6, branches=branches) == []
