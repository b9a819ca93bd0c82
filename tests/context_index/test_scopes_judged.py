"""Scopes of Python against a judge that is not ours: CPython's own symbol tables, on its standard library."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

import pytest

from context_index import Document, Language, names_at, parse
from tests.context_index.symtable_judge import references

FILES = 150
PLACES = 40
"""In each file; 6,000 places in all take some ten seconds."""


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


@pytest.mark.slow
def test_names_are_those_that_the_compiler_resolves() -> None:
    chance = random.Random(2)  # noqa: S311 - a sample, the same each time
    everything = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    files = chance.sample(everything, min(FILES, len(everything)))
    assert [line for path in files for line in judged(path, chance)] == []
