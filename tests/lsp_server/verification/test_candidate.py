"""Applied candidates: what is found fast is what is found by looking at everything."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from context_index import Document, Edit, Language, language_of, parse
from lsp_server.verification.candidate import BOUNDARIES, Applied, Candidate, tokens

WORKSPACE = Path(__file__).parents[3] / "examples" / "workspace"
FILES = sorted(path for path in WORKSPACE.rglob("*") if language_of(path.name) is not None)
TEXTS = ("name", "a.b(c)", "(", ")", "'", '"""', "`", "/*", "// x", "# x", "a\n", "{", "\n}", "\n  b", "if (a)", "<")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_kept_boundaries_are_those_of_all_tokens(path: Path) -> None:
    language = language_of(path.name)
    assert language is not None
    syntax = parse(Document(path.as_uri(), language, path.read_text("utf-8")))
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


def test_places_around_an_import_that_comes_along() -> None:
    before = parse(Document("file:///shop/a.py", Language.PYTHON, "def f(a):\n    b = \n    return b\n"))
    imported = Edit(0, 0, "from x import b\n")
    applied = Applied(before, Candidate(18, "b + 1", edits=(imported,)))
    assert [applied.document.text[start:end] for start, end in applied.other_edits] == [imported.text]
    start, end = applied.inserted
    assert applied.document.text[start:end] == "b + 1"
    inside, after = len("from x"), len(imported.text) + len("def")
    assert (applied.without_edits(inside), applied.before_edits(inside)) == (0, None)
    assert (applied.without_edits(after), applied.before_edits(after)) == (3, 3)
    assert (applied.without_edits(start), applied.before_edits(start)) == (18, 18)
