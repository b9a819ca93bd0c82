"""Scopes of Python against a judge that is not ours: CPython's own symbol tables, on its standard library."""

from __future__ import annotations

import random
import re
import sysconfig
from pathlib import Path

import pytest

from context_index import CursorKind, Document, Language, cursor_at, names_at, parse
from tests.context_index.symtable_judge import references

FILES = 150
PLACES = 40
"""In each file; 6,000 places in all take some ten seconds."""
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def judged(path: Path, chance: random.Random) -> list[str]:
    """Where our names differ from the compiler's, as sentences."""
    text = path.read_text("utf-8")
    if "import annotations" in text or "\f" in text:  # these have tables and lines of their own
        return []
    syntax = parse(Document(path.as_uri(), Language.PYTHON, text))
    document = syntax.document
    found = references(text)
    differences = []
    for reference in chance.sample(found, min(PLACES, len(found))):
        line = document.line_text(reference.line - 1)
        column = len(line.encode()[: reference.end_byte_column].decode())
        names = names_at(syntax, document.lines[reference.line - 1] + column).keys()
        private = {name for name in names if name.startswith("__") and not name.endswith("__")}
        wrong = (names - private) ^ (reference.visible - private)
        if wrong:
            differences.append(f"{path.name}:{reference.line} {reference.name}: {sorted(wrong)}")
    return differences


def lost_while_typing(path: Path, chance: random.Random) -> tuple[int, int]:
    """How many names declared above a place are listed in the whole file, and how many of them are not in a torn one.

    Torn in the ways that typing tears: the rest of the line is not there yet, or a dot waits for its member.
    """
    text = path.read_text("utf-8")
    whole = parse(Document(path.as_uri(), Language.PYTHON, text))
    listed = lost = 0
    for word in chance.sample(words := list(WORD.finditer(text)), min(5, len(words))):
        line = whole.document.position(word.end()).line
        kept = text[: word.end()] + "." + text[whole.document.lines[line] + len(whole.document.line_text(line)) :]
        above = {name.text for name in names_at(whole, word.end()).values() if (name.line or 0) < line}
        torn = parse(Document(path.as_uri(), Language.PYTHON, kept))
        prose = {CursorKind.STRING, CursorKind.TEMPLATE, CursorKind.COMMENT}
        if cursor_at(whole, word.end()).kind not in prose:
            listed += len(above)
            lost += len(above - names_at(torn, word.end() + 1).keys())
    return listed, lost


@pytest.mark.slow
def test_typing_loses_hardly_a_name() -> None:
    chance = random.Random(3)  # noqa: S311 - a sample, the same each time
    everything = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    counts = [lost_while_typing(path, chance) for path in chance.sample(everything, min(FILES, len(everything)))]
    listed, lost = (sum(count) for count in zip(*counts, strict=True))
    assert lost < listed / 1000, (listed, lost)


@pytest.mark.slow
def test_names_are_those_that_the_compiler_resolves() -> None:
    chance = random.Random(2)  # noqa: S311 - a sample, the same each time
    everything = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    files = chance.sample(everything, min(FILES, len(everything)))
    assert [line for path in files for line in judged(path, chance)] == []
