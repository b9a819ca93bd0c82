"""Names after many edits of a real file, where most is carried over, against those of the text read from scratch."""

from __future__ import annotations

import sysconfig
from collections.abc import Hashable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index import Document, Edit, Language, names_at, parse
from context_index.scopes import forget_statements, statement_cache
from context_index.symbols import Name
from context_index.syntax import Syntax
from context_index.text_cache import TextCache
from tests.files import read_document

STANDARD = Path(sysconfig.get_paths()["stdlib"])
NODE_MODULES = Path(__file__).parents[1] / "node_modules"
INSTALLED = ("typescript-older/lib/_typingsInstaller.js", "@types/node/net.d.ts")
FILES = (
    STANDARD / "typing.py",
    STANDARD / "doctest.py",
    STANDARD / "asyncio" / "base_events.py",
    *(path for path in map(NODE_MODULES.joinpath, INSTALLED) if path.is_file()),
)
TYPED = (*"\nx({}:.'", "def f(a):\n    b = a\n", "const c = (d) => {\n", "var e;", "global g\n")
"""What people type: signs that tear a text, and whole declarations."""
PADDING = "// long\n" * 1_100
"""In a statement that is too long to be cached, those within it are."""


@cache
def read(path: Path) -> Syntax:
    return parse(read_document(path))


def names(syntax: Syntax, places: list[int]) -> list[dict[str, Name]]:
    return [names_at(syntax, place % (len(syntax.document.text) + 1)) for place in places]


@pytest.mark.slow
@settings(max_examples=25)
@given(st.sampled_from(FILES), st.data())
def test_carried_names_are_those_from_scratch(path: Path, data: st.DataObject) -> None:
    syntax = read(path)
    offsets = st.integers(0, 1 << 20)
    names(syntax, [0])
    for revision in range(1, 5):
        length = len(syntax.document.text)
        start = data.draw(offsets) % (length + 1)
        removed = data.draw(st.sampled_from((0, 0, 0, 1, 5, 90)))
        edits = [Edit(start, min(start + removed, length), data.draw(st.sampled_from(TYPED)))]
        syntax = syntax.edited(syntax.document.edited(edits, revision), edits)
        places = [start, *data.draw(st.lists(offsets, min_size=1, max_size=3))]
        carried = names(syntax, places)
        fresh = parse(syntax.document)
        if str(fresh.root) == str(syntax.root):
            forget_statements()
            assert carried == names(fresh, places)


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        (Language.PYTHON, "class C:\n    def f(): pass\n    ", "def f(): pass\n"),
        (Language.PYTHON, "class C:\n    x = 1\n    ", "print((x := 1))\nx = 1\n"),
        (Language.JAVASCRIPT, "if (a) { var b = 1 }\n", "let c = d as b;\nif (a) { var b = 1 }\n"),
        (Language.TYPESCRIPT, "let c = <T,>(d: T) => d;\n", "\n\nlet c = <T,>(d: T) => d;\n"),
        (Language.TYPESCRIPT, "declare global {\n" + PADDING + "export class C {}\n}", "\nclass C {}\n"),
    ],
)
def test_the_same_text_elsewhere_declares_what_it_does_there(language: Language, before: str, after: str) -> None:
    syntax = parse(Document("file:///a", language, after))
    forget_statements()
    alone = names(syntax, [0, len(after)])
    forget_statements()
    names_at(parse(Document("file:///a", language, before)), len(before))
    assert names(parse(syntax.document), [0, len(after)]) == alone


@pytest.mark.parametrize(
    ("language", "statement"),
    [(Language.PYTHON, "def f{}(a):\n    return a\n"), (Language.JAVASCRIPT, "function f{}(a) {{ return a; }}\n")],
)
def test_a_long_text_is_read_once(language: Language, statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much it is: what is remembered of it would else be forgotten before it is asked for again."""
    read = list[object]()

    class Counted(TextCache[object]):
        def put(self, key: Hashable, value: object, characters: int) -> None:
            read.append(key)
            super().put(key, value, characters)

    monkeypatch.setattr(statement_cache, "_recent", Counted(characters=500))
    text = "".join(statement.format(number) for number in range(100))
    found = []
    for revision, more in enumerate(("", "x", "xy")):
        found.append(names_at(parse(Document("file:///a", language, text + more, revision)), len(text)))
    assert len(read) <= 2 * len({*read})  # put once more as it moves to the younger generation
    assert found[0].keys() == found[2].keys() >= {"f0", "f99"}
