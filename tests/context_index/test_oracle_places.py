"""Where checkers and environments are found, and who answers for which language."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index.oracles import (
    Answer,
    Oracles,
    Places,
    find_environment,
)
from context_index.symbols import Closed, Language, Listed, Open, Position
from context_index.text import Document
from tests.context_index.checkers import PATIENCE, checker_for, document, project, told

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


def of(oracles: Oracles, root: Path, name: str, text: str, offset: int) -> Answer:
    """What a workspace's oracles say of the members before an offset."""
    asked = document(root, name, text)
    return oracles.of(asked).names(asked, offset, Position.MEMBER).answer(PATIENCE)


def test_environments_are_found_beside_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    app, activated, conda = tmp_path / "app", tmp_path / "activated", tmp_path / "conda"
    for directory in (app, activated, conda / "conda-meta"):
        directory.mkdir(parents=True)
    (activated / "pyvenv.cfg").touch()
    places = Places((app,))
    assert find_environment(places) is None
    monkeypatch.setenv("CONDA_PREFIX", str(conda))
    assert find_environment(places) == conda
    monkeypatch.setenv("VIRTUAL_ENV", str(activated))
    assert find_environment(places) == activated
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").touch()
    assert find_environment(places) == tmp_path / ".venv"


JEDI = """
import re; re.match('a', 'b').^            => listed groups span
def f(x: str | None): x.^                  => listed upper
def f(x): x.^                              => open
"""


@pytest.mark.parametrize("case", JEDI.strip().splitlines())
def test_jedi_knows_where_ty_does_not(case: str, root: Path, whole: Oracles) -> None:
    marked, expected = (part.strip() for part in case.split("=>"))
    offset = marked.index("^")
    answer = of(whole, root, "cursor.py", marked.replace("^", "", 1), offset)
    assert told(answer, expected.split()[1:]) == expected
    if expected != "open":
        assert answer.by.startswith("jedi ")


@pytest.fixture(scope="module")
def whole(root: Path) -> Iterator[Oracles]:
    oracles = Oracles([root])
    yield oracles
    oracles.close()


def test_who_answers_for_which_language(root: Path, whole: Oracles, tmp_path: Path) -> None:
    checker_for("ts")
    families = whole.by()
    assert [name.split()[0] for name in families["Python"]] == ["ty", "jedi"]
    assert [name.split()[0] for name in families["JavaScript and TypeScript"]] == ["TypeScript"]
    asked = document(root, "cursor.ts", "let x")
    assert whole.of(asked).prepare(asked).wait(PATIENCE).by.startswith("TypeScript")
    answer = of(whole, root, "cursor.ts", "'a'.", 4)
    assert isinstance(answer.members, Closed)
    elsewhere = of(whole, tmp_path, "far.py", "'a'.", 4)
    assert isinstance(elsewhere.members, Closed), "a file outside of every root has a checker of its own"


def test_who_answers_does_not_depend_on_the_file_that_is_asked_about_first(tmp_path: Path) -> None:
    checker_for("ts")
    for name in ("js/a.js", "ts/a.ts"):
        (tmp_path / name).parent.mkdir()
    oracles = Oracles([tmp_path])
    plain = of(oracles, tmp_path, "js/a.js", "'a'.", 4)
    union = "const p: 'lamp' | 'shelf' = '"
    typed = of(oracles, tmp_path, "ts/a.ts", "'a'.", 4)
    asked = document(tmp_path, "ts/a.ts", union)
    listed = oracles.of(asked).names(asked, len(union), Position.LITERAL).answer(PATIENCE)
    oracles.close()
    assert (plain.by, typed.by) == (listed.by, listed.by)
    assert listed.by.startswith("TypeScript")
    assert set(listed.members.names if isinstance(listed.members, Listed | Closed) else ()) == {"lamp", "shelf"}


ENVIRONMENTS = {
    "poetry": ("pyproject.toml", '[tool.poetry]\nname = "My Shop"\n'),
    "ty": ("pyproject.toml", '[tool.ty.environment]\npython = "kept/bin/python"\n'),
    "pyright": ("pyproject.toml", '[tool.pyright]\nvenvPath = "."\nvenv = "kept"\n'),
    "conda": ("environment.yml", "name: shop\ndependencies: []\n"),
}


@pytest.mark.parametrize("kind", ENVIRONMENTS)
def test_environments_are_found_where_tools_keep_them(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX", "POETRY_VIRTUALENVS_PATH"):
        monkeypatch.delenv(variable, raising=False)
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
    assert find_environment(Places((project,))) is None
    kept.mkdir(parents=True)
    (kept / "pyvenv.cfg").touch()
    assert find_environment(Places((project,))) == kept


def test_without_a_checker_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("INSCOPE_DATA", str(tmp_path / "nothing"))
    oracles = Oracles([tmp_path])
    assert oracles.missing(Language.TYPESCRIPT) == "TypeScript is not installed. Run 'inscope setup' to install it."
    assert not oracles.missing(Language.PYTHON)
    answer = of(oracles, tmp_path, "a.ts", "'a'.", 4)
    assert answer.members == Open(oracles.missing(Language.TYPESCRIPT))
    oracles.close()


def test_languages_are_told_apart() -> None:
    ids = [
        checker_for("ts").language_id(Document(f"file:///a{suffix}", language, ""))
        for suffix, language in (
            (".js", Language.JAVASCRIPT),
            (".jsx", Language.JAVASCRIPT),
            (".ts", Language.TYPESCRIPT),
            (".tsx", Language.TSX),
        )
    ]
    assert ids == ["javascript", "javascriptreact", "typescript", "typescriptreact"]
