"""What may not be looked at is not there, and costs nobody an answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from context_index.disk import innermost_root, is_file, is_folder, is_link, real
from context_index.environments import find_environment

if TYPE_CHECKING:
    from pathlib import Path

FAR = "x" * 5_000
"""No file system has a name as long as this."""


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that may not be looked into."""
    folder = tmp_path / "closed"
    (folder / "within").mkdir(parents=True)
    folder.chmod(0)
    if os.access(folder, os.X_OK):
        pytest.skip("nothing is closed to who runs this")
    return folder


def test_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert [is_file(tmp_path / name) for name in ("file", "link", ".", "none")] == [True, True, False, False]
    assert [is_folder(tmp_path / name) for name in ("file", "link", ".", "none")] == [False, False, True, False]
    assert [is_link(tmp_path / name) for name in ("file", "link", ".", "none")] == [False, True, False, False]


def test_of_roots_within_each_other_the_innermost_holds_a_path(tmp_path: Path) -> None:
    roots = [tmp_path, tmp_path / "a" / "b", tmp_path / "a"]
    assert innermost_root(tmp_path / "a" / "b" / "c.py", roots) == tmp_path / "a" / "b"
    assert innermost_root(tmp_path / "ab" / "c.py", roots) == tmp_path
    assert innermost_root(tmp_path.parent / "c.py", roots) is None


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    assert not any(look(tmp_path / FAR) for look in (is_file, is_folder, is_link))
    assert real(tmp_path / FAR) == tmp_path.resolve() / FAR
    assert not any(look(tmp_path / "a\0b") for look in (is_file, is_folder, is_link))
    assert real(tmp_path / "a\0b") == tmp_path / "a\0b"


def test_links_that_lead_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "again")
    (tmp_path / "again").symlink_to(tmp_path / "round")
    assert is_link(tmp_path / "round")
    assert real(tmp_path / "round").name in {"round", "again"}


def test_what_lies_in_a_closed_folder(closed: Path) -> None:
    assert not any(look(closed / "within") for look in (is_file, is_folder, is_link))


def test_a_closed_environment_is_passed_by(closed: Path) -> None:
    closed.rename(closed.with_name(".venv"))
    assert find_environment(closed.parent) is None


@pytest.mark.parametrize(
    ("variable", "manifest"),
    [(FAR, ""), ("", f'[tool.ty.environment]\npython = "{FAR}"\n')],
    ids=["variable", "manifest"],
)
def test_environments_that_cannot_be(
    variable: str, manifest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX"):
        monkeypatch.setenv(name, variable)
    (tmp_path / "pyproject.toml").write_text(manifest)
    assert find_environment(tmp_path) is None
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    assert find_environment(tmp_path) == tmp_path / "venv"
