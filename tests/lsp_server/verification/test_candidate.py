"""Applied candidates: what is found fast is what is found by looking at everything."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Edit, Language, language_of, parse
from lsp_server.engine.verification.applied import BOUNDARIES, Applied
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.spans import tokens
from tests.examples import examples
from tests.files import read_document

WORKSPACE = Path(__file__).parents[3] / "examples" / "workspace"
FILES = sorted(path for path in WORKSPACE.rglob("*") if language_of(path.name) is not None)
TEXTS = ("name", "a.b(c)", "(", ")", "'", '"""', "`", "/*", "// x", "# x", "a\n", "{", "\n}", "\n  b", "if (a)", "<")


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_kept_boundaries_are_those_of_all_tokens(path: Path) -> None:
    syntax = parse(read_document(path))
    size = len(syntax.document.text)
    for offset in random.Random(path.name).sample(range(size), min(size, 20)):
        for text in TEXTS:
            applied = Applied(syntax, Candidate(offset, text))
            end, moved = min(offset + BOUNDARIES, size), len(text)
            before = {(first + moved, last + moved) for first, last in tokens(syntax, offset, end)}
            after = set(tokens(applied.syntax, offset + moved, end + moved))
            assert applied.keeps_boundaries() == (before == after), (offset, text)


def test_edits_at_one_place_stand_in_their_order() -> None:
    """As a checker joins a list of imports that has a line for each name."""
    syntax = parse(Document("file:///a.js", Language.JAVASCRIPT, "import {\n  a\n} from './a';\n"))
    edits = (Edit(12, 12, ","), Edit(12, 12, "\n  b"))
    applied = Applied(syntax, Candidate(len(syntax.document.text), "b;", edits=edits))
    assert applied.document.text == "import {\n  a,\n  b\n} from './a';\nb;"


@examples(200)
@given(st.integers())
def test_an_offset_is_found_in_each_form_of_the_document(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choices("abcdefgh", k=20))
    syntax = parse(Document("file:///a.py", Language.PYTHON, text))
    place, first = chance.randint(8, 12), chance.randint(0, 7)
    above = Edit(first, chance.randint(first, 8), "IMPORT")
    below = Edit(16, chance.randint(16, 20), chance.choice(["", "TAIL"]))
    candidate = Candidate(place, "text", chance.randint(0, 3), (above, below) if seed % 2 else (below, above))
    applied = Applied(syntax, candidate)
    whole, alone = applied.document.text, Applied(syntax, replace(candidate, edits=())).document.text
    assert whole[slice(*applied.inserted)] == "text"
    assert [whole[start:end] for start, end in applied.other_edits] == [one.text for one in (above, below) if one.text]
    start, end = map(applied.without_edits, applied.inserted)
    assert alone[start:end] == "text"
    for offset in range(len(whole) + 1):
        assert 0 <= applied.without_edits(offset) <= len(alone)
        if offset < len(whole) and whole[offset].islower() and (before := applied.before_edits(offset)) is not None:
            is_inserted = applied.inserted[0] <= offset < applied.inserted[1]
            assert is_inserted or text[before] == whole[offset]
            assert alone[applied.without_edits(offset)] == whole[offset]
