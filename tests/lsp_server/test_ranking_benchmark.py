"""What `inscope bench ranking` counts, and which places it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ranking_peers import peers
from benchmarks.ranking_places import SUFFIXES, BlankedName, draw_places
from benchmarks.ranking_tally import MenuRow, families, ranks
from context_index import Document, Language


def row(theirs: list[str], ours: list[str], name: str) -> MenuRow:
    found = ranks({"theirs": theirs, "ours": ours}, name)
    return MenuRow("python", "names", 0, 1.0, {"ours": True}, {"theirs": found}, {"theirs": len(ours)})


SIX = row(["a", "b", "c", "d", "e", "f"], ["f", "a", "b", "c", "d", "e"], "f")
TWO = row(["a", "b"], ["b", "a"], "a")


def test_ranks_are_those_of_the_true_name_in_each_order() -> None:
    tally = families([SIX, TWO])["python"].tallies["theirs", "names", 0]
    assert tally.ranks == {"theirs": [6, 1], "ours": [1, 2]}
    assert tally.figures() == {
        "places": 2,
        "names listed, median": 4,
        "theirs": {"top1": 50.0, "top5": 50.0, "mrr": 0.583},
        "ours": {"top1": 50.0, "top5": 100.0, "mrr": 0.75},
    }


def test_some_characters_of_a_name_are_typed() -> None:
    blank = BlankedName(Document("file:///a.js", Language.JAVASCRIPT, "x = .;"), 4, "total", is_member=False)
    document, offset = blank.typed(2)
    assert (document.text, offset) == ("x = to.;", 6)


def test_names_and_members_are_drawn_of_each_folder(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        lines = "".join(f"export const v{n} = console.log(Math.max({n}, v0));\n" for n in range(1, 40))
        (tmp_path / folder / "a.js").write_text(f"export const v0 = 1;\n{lines}")
    found = draw_places("javascript", [(tmp_path, tmp_path / "one"), (tmp_path, tmp_path / "two")], 7, 1)
    blanks = [blank for some in found.values() for blank in some]
    assert [sum(one.is_member is kind for one in blanks) for kind in (True, False)] == [7, 7]
    assert {one.name for one in blanks} <= {"log", "max", "v0", "console", "Math"}


@pytest.mark.slow
def test_peers_list_names_in_scope_and_members(tmp_path: Path) -> None:
    for family, language, text in (
        ("typescript", Language.TYPESCRIPT, "const total = { size: 1 };\nconsole.log(^);\ntotal.^;\n"),
        ("python", Language.PYTHON, 'total = "a"\nprint(^)\ntotal.^\n'),
    ):
        asked = peers(family, tmp_path)
        try:
            first, between, after = text.split("^")
            document = Document((tmp_path / f"a{SUFFIXES[family][0]}").as_uri(), language, first + between + after)
            member = "size" if family == "typescript" else "upper"
            for peer in asked:
                assert "total" in peer.listed(document, len(first)), peer.name
                assert member in peer.listed(document, len(first + between)), peer.name
        finally:
            for peer in asked:
                peer.close()
