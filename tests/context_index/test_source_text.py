"""The texts of a workspace: those changed last in front, an editor's before those on disk."""

from __future__ import annotations

import os
from pathlib import Path

from context_index import Document, Language, Workspace


def workspace_of(root: Path, **files: str) -> Workspace:
    """Files by name, each changed a second after the one before."""
    for second, (name, text) in enumerate(files.items()):
        path = root / f"{name}.py"
        path.write_text(text, "utf-8")
        os.utime(path, (second, second))
    workspace = Workspace([root])
    workspace.index()
    return workspace


def test_the_newest_come_first_and_open_ones_before_all(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, first="a = 1\n", second="b = 2\n", third="c = 3\n")
    assert [text.path.stem for text in workspace.texts()] == ["third", "second", "first"]
    workspace.update(Document((tmp_path / "first.py").as_uri(), Language.PYTHON, "a = 10\n"))
    found = workspace.texts()
    assert [text.path.stem for text in found] == ["first", "third", "second"]
    assert [text.read() for text in found] == ["a = 10\n", "c = 3\n", "b = 2\n"]
    workspace.close()


def test_a_stamp_is_another_where_the_text_is(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, only="a = 1\n")

    def stamp(text: str | None = None) -> tuple[int, int]:
        if text is not None:
            workspace.update(Document((tmp_path / "only.py").as_uri(), Language.PYTHON, text))
        return workspace.texts()[0].stamp

    stamps = [stamp(), stamp("a = 2\n"), stamp("a = 3\n")]
    assert len({*stamps}) == len(stamps)
    assert stamp("a = 2\n") == stamps[1]
    workspace.close()


def test_what_is_gone_has_no_text(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, gone="a = 1\n", there="b = 2\n")
    there, gone = workspace.texts()
    (tmp_path / "gone.py").unlink()
    assert (there.read(), gone.read()) == ("b = 2\n", "")
    assert [text.path.stem for text in workspace.texts()] == ["there"]
    workspace.close()


def test_data_has_no_text(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, data="a = 1\n")
    rows = "    (1, 2),\n" * 20_000
    workspace.update(Document((tmp_path / "data.py").as_uri(), Language.PYTHON, f"a = [\n{rows}]\n"))
    assert [text.read() for text in workspace.texts()] == [""]
    workspace.close()
