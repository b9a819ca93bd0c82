"""Real files, whole and spoilt: the automaton and tree-sitter must agree."""

from __future__ import annotations

import random
import re
import sys
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.grammar_corpus import ParsedSource, TreeJudge, installed_python, mutants, sources
from benchmarks.grammar_generation import check_other_generations
from benchmarks.grammar_other_languages import SAMPLES, package
from benchmarks.grammar_soundness import CHECKS, feed_in_chunks, main
from benchmarks.grammar_tally import GrammarTally
from context_index.symbols import Language
from decoder.grammar import Grammar

FIXTURES = Path(__file__).parent / "fixtures"
LANGUAGES = {
    "shop.js": Language.JAVASCRIPT,
    "shop.ts": Language.TYPESCRIPT,
    "panel.tsx": Language.TSX,
    "shop.py": Language.PYTHON,
}


def fixture(name: str) -> str:
    return (FIXTURES / f"{name}.txt").read_bytes().decode()


def draws(seed: int) -> random.Random:
    return random.Random(seed)


def assert_accepted(grammar: Grammar, text: str, longest: int, seed: int = 1) -> None:
    state, at = feed_in_chunks(grammar.start(), text, draws(seed), longest, GrammarTally())
    assert state is not None, f"refused at {at}: {text[max(0, at - 40) : at]!r} then {text[at : at + 8]!r}"
    assert state.complete()


def assert_agrees(grammar: Grammar, judge: TreeJudge, source: ParsedSource, count: int) -> None:
    for same, mutant in mutants(source, judge, draws(1), count):
        state = grammar.start().advance(mutant)
        accepted = state is not None and state.complete()
        assert accepted == judge.accepts(mutant), f"{source.path} changed at {same}: {mutant[same - 40 : same + 40]!r}"


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(("line_end", "longest", "portable"), [("\n", 1, False), ("\r\n", 8, False), ("\n", 8, True)])
def test_fixtures_are_accepted(name: str, line_end: str, longest: int, portable: bool) -> None:
    text = fixture(name).replace("\n", line_end)
    assert TreeJudge.of(LANGUAGES[name]).accepts(text)
    assert_accepted(Grammar.load(LANGUAGES[name], portable=portable), text, longest)


@pytest.mark.parametrize(
    ("portable", "count"), [(False, 8), (True, 5), pytest.param(False, 150, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", LANGUAGES)
def test_spoilt_fixtures(name: str, portable: bool, count: int) -> None:
    language = LANGUAGES[name]
    source = ParsedSource(FIXTURES / name, fixture(name))
    assert_agrees(Grammar.load(language, portable=portable), TreeJudge.of(language), source, count)


@pytest.mark.slow
@pytest.mark.parametrize("portable", [False, True])
def test_installed_python_files(portable: bool) -> None:
    grammar = Grammar.load(Language.PYTHON, portable=portable)
    judge = TreeJudge.of(Language.PYTHON)
    files = sources(Language.PYTHON, installed_python(), seed=1, largest=8_000)
    for number in range(20 if portable else 60):
        source = next(files)
        assert_accepted(grammar, source.text, longest=1 if number % 10 == 0 else 8, seed=number)
        assert_agrees(grammar, judge, source, count=1 if portable else 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("check", ["prefixes", "mutants", "generations"])
def test_the_measured_checks_find_nothing_wrong(name: str, check: str, portable: bool, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}{name}").write_bytes((fixture(name) + "\n" * number).encode())
    run, _ = CHECKS[check]
    tallies = list(islice(run(LANGUAGES[name], [tmp_path], 1, portable), 3))
    assert tallies
    assert not tallies[-1].failures
    assert tallies[-1].advances
    assert tallies[-1].seconds > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go", "java"])  # the benchmark has more; their tables alone take a minute each
def test_generations_in_a_language_that_does_not_ship(name: str) -> None:
    pytest.importorskip(package(name))
    tallies = list(islice(check_other_generations(name, 1, portable=False), 4))
    assert len(tallies) == 4
    assert not tallies[-1].failures


def test_of_a_language_that_ships_with_us_everything_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where a program of it stands among those of other languages, and where there are no files."""
    pytest.importorskip("tree_sitter_c")
    (tmp_path / "a.h").write_text(SAMPLES["c"])
    for check, root, counted in (("prefixes", tmp_path, "1 files"), ("generations", tmp_path / "none", "1 generat")):
        monkeypatch.setattr(sys, "argv", ["", check, "c", "--count", "1", "--root", str(root)])
        (tmp_path / "none").mkdir(exist_ok=True)
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        assert f"{check} c: {counted}" in capsys.readouterr().out


def test_each_language_is_listed_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["", "--help"])
    with pytest.raises(SystemExit):
        main()
    found = re.findall(r"\{([\w,\s]+)\}", capsys.readouterr().out)
    listed = next(re.split(r",\s*", one) for one in found if "javascript" in one)
    assert sorted(listed) == sorted({*Language, *SAMPLES})
