"""Scopes of Python against CPython's own symbol tables, and of torn files against whole ones."""

from __future__ import annotations

import random
import re
import sysconfig
from pathlib import Path

import pytest

from benchmarks.batch_positions import javascript_roots
from context_index import CursorKind, Document, Edit, Language, cursor_at, names_at, parse
from tests.context_index.symtable_judge import MANGLED, references
from tests.files import read_document

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
        wrong = {name for name in names ^ reference.visible if not MANGLED.match(name)}
        if wrong:
            differences.append(f"{path.name}:{reference.line} {reference.name}: {sorted(wrong)}")
    return differences


def lost_while_typing(path: Path, chance: random.Random) -> tuple[int, int]:
    """How many names declared above a place are listed in the whole file, and how many of them are not in a torn one.

    Torn in the ways that typing tears: the rest of the line is not there yet, or a dot waits for its member.
    """
    whole = parse(read_document(path))
    text = whole.document.text
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
    chance = random.Random(3)
    everything = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    counts = [lost_while_typing(path, chance) for path in chance.sample(everything, min(FILES, len(everything)))]
    listed, lost = (sum(count) for count in zip(*counts, strict=True))
    assert lost < listed / 1000, (listed, lost)


@pytest.mark.slow
def test_names_are_those_that_the_compiler_resolves() -> None:
    chance = random.Random(2)
    everything = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    files = chance.sample(everything, min(FILES, len(everything)))
    assert [line for path in files for line in judged(path, chance)] == []


def names_of_torn(path: Path, chance: random.Random) -> tuple[int, int, int]:
    """Of places below a line that closed a block and was taken out: names in the whole file, those lost and leaked."""
    whole = parse(read_document(path))
    document = whole.document
    ends = [match.span() for match in re.finditer(r"(?m)^\s*\}[);]*$", document.text)]
    listed = lost = leaked = 0
    for start, end in chance.sample(ends, min(6, len(ends))):
        edits = [Edit(start, end, "\n" * document.text.count("\n", start, end))]
        torn = whole.edited(document.edited(edits, 1), edits)
        below = [match.end() for match in re.compile(r"(?m);$").finditer(document.text, end)]
        for place in chance.sample(below, min(3, len(below))):
            expected = names_at(whole, place).keys()
            found = names_at(torn, place + len(torn.document.text) - len(document.text)).keys()
            listed, lost, leaked = listed + len(expected), lost + len(expected - found), leaked + len(found - expected)
    return listed, lost, leaked


@pytest.mark.slow
def test_an_unclosed_block_hides_little_and_leaks_little() -> None:
    chance = random.Random(4)
    scripts = sorted(path for root in javascript_roots() for path in (root / "npm").rglob("*.js"))
    readable = [path for path in scripts if path.stat().st_size < 100_000]
    counts = [names_of_torn(path, chance) for path in chance.sample(readable, min(FILES, len(readable)))]
    listed, lost, leaked = (sum(count) for count in zip(*counts, strict=True))
    assert listed > 1000
    assert lost < listed / 20, (listed, lost)
    assert leaked < listed / 8, (listed, leaked)
