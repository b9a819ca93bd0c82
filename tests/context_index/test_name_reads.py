"""Where a program reads a name as it runs: each language's library is known by its definitions, not by its spelling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language, Trees, Workspace, renamings
from tests import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CASES = [
    tuple(block.partition("\n")[::2])
    for block in (Path(__file__).with_name("cases") / "name_reads.txt").read_text("utf-8").split("\n== ")[1:]
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One project for all cases, so that each checker is started once."""
    folder = tmp_path_factory.mktemp("reads")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "n.js").write_text("export const n = 1;\n", "utf-8")
    workspace = Workspace([folder])
    yield workspace
    workspace.close()


@pytest.mark.parametrize(("title", "text"), CASES, ids=[title for title, _ in CASES])
def test_a_name_is_read_as_the_program_runs(title: str, text: str, workspace: Workspace) -> None:
    language = Language(title.rpartition(" | ")[2])
    suffix = language.record.suffixes[0]
    needs.checker(suffix.removeprefix("."))
    before, _, rest = text.partition("«")
    old, _, after = rest.partition("»")
    place = len(before.replace("^", ""))
    pieces = f"{before}{old}{after}".split("^")
    document = Document((workspace.roots[0] / f"case{suffix}").as_uri(), language, "".join(pieces))
    expected = [sum(map(len, pieces[: count + 1])) for count in range(len(pieces) - 1)]
    checker = workspace.checker_of(document)
    (meaning,) = renamings(checker, [document], [place], old, f"{old}2", trees=Trees()).result().meanings
    assert sorted({read.offset for read in meaning.reads}) == expected
