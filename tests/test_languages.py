"""The law of the languages: only their folders, and what runs controllers, test which language a text is written in.

What a product file wants to know it asks the language's record, so that a third language is not taken for another one.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from context_index.extras import Extra
from context_index.symbols import Language
from tests.test_import_laws import nodes, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

PRODUCT = ("context_index/", "decoder/", "lsp_server/")
FOLDER = "/languages/"
INTERPRETERS = ("decoder/controller/", "decoder/program/program_file.py")
"""A program is run by the interpreter of the language that it is written in; no text of a user's is read there."""
FLAGS = frozenset({f"is_{language}" for language in Language} | {f"is_{language.family}" for language in Language})
NAMES = frozenset(name for one in Language for name in (one, one.family, *one.record.file_types))


def _names_language(node: ast.AST | None) -> bool:
    """Whether an expression is a language, a name of one, or a collection with one."""
    match node:
        case ast.Attribute(value=ast.Name(id="Language"), attr=attribute):
            return attribute in Language.__members__
        case ast.Attribute(value=inner, attr="family" | "value" | "name"):
            return _names_language(inner)
        case ast.Constant(value=str(text)):
            return text in NAMES
        case ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.List(elts=parts):
            return any(map(_names_language, parts))
    return False


def checks_of_language(source: str) -> Iterator[int]:
    """The lines at which a module tests which language something is written in."""
    for node in nodes(source):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) if (
                name in FLAGS
            ):
                yield node.lineno
            case ast.Compare(left=ast.Attribute(attr="key")):  # of a pinned part, which may be called as a language is
                pass
            case ast.Compare(left=left, comparators=others) if any(map(_names_language, (left, *others))):
                yield node.lineno
            case ast.MatchValue(value=value) if _names_language(value):
                yield node.lineno
            case ast.Dict(keys=keys) if any(_names_language(key) for key in keys if not isinstance(key, ast.Constant)):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=[first, *_]) if (
                isinstance(first, ast.Constant) and first.value in SUFFIXES
            ):
                yield node.lineno


SUFFIXES = frozenset(suffix for one in Language for suffix in one.record.suffixes)


def test_no_file_tests_which_language_a_text_is_written_in() -> None:
    found = [
        f"{file}:{line}"
        for file, source in sources().items()
        if file.startswith(PRODUCT) and FOLDER not in file and not file.startswith(INTERPRETERS)
        for line in checks_of_language(source)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "if language.is_python: ...",
        "def f(is_python): ...",
        "a = document.language is Language.PYTHON",
        "a = language in (Language.TYPESCRIPT, Language.TSX)",
        "a = language == 'javascript'",
        "a = record.family != 'ecmascript'",
        "match language:\n    case Language.JAVASCRIPT: ...",
        "match name:\n    case 'typescriptreact': ...",
        "a = {Language.PYTHON: 1}[language]",
        "a = language.family == Language.PYTHON.family",
        "a = uri.endswith('.pyi')",
    ],
)
def test_a_test_of_a_language_is_seen(source: str) -> None:
    assert [*checks_of_language(source)] != []


@pytest.mark.parametrize(
    "source",
    [
        "a = one.family == other.family",
        "a = Document('', Language.PYTHON, text)",
        "a = record.is_indented",
        "a = 'python'",
    ],
)
def test_a_use_of_a_language_is_none(source: str) -> None:
    assert [*checks_of_language(source)] == []


@pytest.mark.parametrize("language", [one for one in Language if one.record.extra])
def test_the_extra_of_a_language_is_one_and_brings_its_parser(language: Language) -> None:
    """Else whoever lacks the parser is told of a fault of ours, not of what to install."""
    assert language.record.parser[0] in Extra(language.record.extra).modules


@pytest.mark.parametrize("language", Language)
def test_each_prefix_of_a_string_has_a_mark_that_its_strings_have(language: Language) -> None:
    lexis = language.record.lexis
    marked = {mark + quote for mark in lexis.prefixes.values() for quote in lexis.openings}
    assert marked <= lexis.strings.keys()


CLIENTS = Path(__file__).parent.parent / "editor_clients"


@pytest.mark.parametrize("language", Language)
def test_the_editors_know_each_language_by_their_own_names(language: Language) -> None:
    names = list(language.record.file_types)
    line = ", ".join(f"'{name}'" for name in (language, *names))
    assert f"\n  [{line}],\n" in (CLIENTS / "vscode/src/settings.ts").read_text("utf-8")
    known = (CLIENTS / "neovim/lua/inscope/others.lua").read_text("utf-8")
    assert [name for name in names if f"\n  {name} = '{language}',\n" not in known] == []
