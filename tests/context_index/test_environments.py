"""Where a project's environment of Python is found."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import pytest

from context_index.environments import find_environment


@pytest.mark.usefixtures("no_environment")
def test_an_environment_beside_the_project_comes_before_one_that_is_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, activated, conda = tmp_path / "app", tmp_path / "activated", tmp_path / "conda"
    for directory in (app, activated, conda / "conda-meta"):
        directory.mkdir(parents=True)
    (activated / "pyvenv.cfg").touch()
    assert find_environment(app) is None
    monkeypatch.setenv("CONDA_PREFIX", str(conda))
    assert find_environment(app) == conda
    monkeypatch.setenv("VIRTUAL_ENV", str(activated))
    assert find_environment(app) == activated
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").touch()
    assert find_environment(app) == tmp_path / ".venv"


@pytest.mark.usefixtures("no_environment")
def test_the_environment_of_our_own_checkout_is_no_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    app = tmp_path / "app"
    app.mkdir()
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    assert find_environment(app) == tmp_path
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert find_environment(app) is None


ENVIRONMENTS = {
    "poetry": ("pyproject.toml", '[tool.poetry]\nname = "My Shop"\n'),
    "ty": ("pyproject.toml", '[tool.ty.environment]\npython = "kept/bin/python"\n'),
    "pyright": ("pyproject.toml", '[tool.pyright]\nvenvPath = "."\nvenv = "kept"\n'),
    "conda": ("environment.yml", "name: shop\ndependencies: []\n"),
}


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize("kind", ENVIRONMENTS)
def test_environments_are_found_where_tools_keep_them(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("POETRY_CACHE_DIR", str(tmp_path / "cache"))
    project = tmp_path / "project"
    project.mkdir()
    name, text = ENVIRONMENTS[kind]
    (project / name).write_text(text)
    digest = base64.urlsafe_b64encode(hashlib.sha256(os.path.realpath(project).encode()).digest()).decode()[:8]
    kept = {
        "poetry": tmp_path / "cache" / "virtualenvs" / f"my_shop-{digest}-py3.12",
        "conda": tmp_path / "miniforge3" / "envs" / "shop",
    }.get(kind, project / "kept")
    assert find_environment(project) is None
    kept.mkdir(parents=True)
    (kept / "pyvenv.cfg").touch()
    assert find_environment(project) == kept
