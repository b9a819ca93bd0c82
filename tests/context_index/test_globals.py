"""The tables of global names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from context_index.globals import DISTANCE, global_names
from context_index.symbols import Language, NameKind, Origin

CASES = """
javascript   console JSON parseInt undefined      => namespace namespace function constant
javascript   Promise Map Error Proxy Symbol       => class class class class class
javascript   require module exports __dirname     => function variable variable variable
javascript   process Buffer setTimeout            => namespace class function
javascript   document window fetch URL            => variable variable function class
javascript   HTMLElement CSS globalThis           => class namespace variable
javascript   Record Partial Iterable NodeJS       => - - - namespace
typescript   Record Partial Iterable HTMLElement  => type type interface class
tsx          ReturnType EventListener MouseEvent  => type interface class
typescript   NodeJS BufferEncoding Promise        => namespace type class
python       print dict ValueError None           => function class class constant
python       __name__ __file__ len open           => variable variable function function
python       console self cls _                   => - - - -
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_kinds(case: str) -> None:
    words, expected = case.split("=>")
    language, *names = words.split()
    table = global_names(Language(language))
    assert [str(table[name].kind) if name in table else "-" for name in names] == expected.split()


def test_every_builtin_of_the_running_python_is_known() -> None:
    known = global_names(Language.PYTHON)
    command = [sys.executable, "-I", "-c", "import builtins; print(*vars(builtins))"]  # packages add to ours
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {*names} <= set(known)
    assert {known[name].kind for name in names if name.endswith("Error")} == {NameKind.CLASS}


@pytest.mark.parametrize("language", list(Language))
def test_globals_are_far_and_have_no_line(language: Language) -> None:
    table = global_names(language)
    assert table is global_names(language)
    for text, name in table.items():
        assert (name.text, name.origin, name.distance, name.line) == (text, Origin.GLOBAL, DISTANCE, None)
        assert name.is_type == (name.kind in {NameKind.INTERFACE, NameKind.TYPE})
    assert language is not Language.JAVASCRIPT or not any(name.is_type for name in table.values())
