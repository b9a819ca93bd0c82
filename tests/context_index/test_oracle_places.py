"""Where checkers and environments are found, and who answers for which language."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index.oracles import (
    Answer,
    Description,
    Limits,
    Oracle,
    Oracles,
    Places,
    Server,
    TypeScript,
    find_environment,
    find_typescript,
)
from context_index.oracles.older_typescript import OlderTypeScript
from context_index.symbols import Closed, Language, Listed, Open, Position, Signature
from context_index.text import Document
from tests.context_index.checkers import PATIENCE, TESTS, ask, checker_for, document, project, told

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


def of(oracles: Oracles, root: Path, name: str, text: str, offset: int) -> Answer:
    """What a workspace's oracles say of the members before an offset."""
    asked = document(root, name, text)
    return oracles.of(asked).names(asked, offset, Position.MEMBER).answer(PATIENCE)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the layout of node_modules is the same, its names are not")
def test_typescript_is_found_where_people_have_it(tmp_path: Path) -> None:
    found = checker_for("ts")
    assert isinstance(found, TypeScript)
    assert found.version.startswith("7.")
    pnpm = tmp_path / "node_modules/.pnpm/typescript@7/node_modules"
    pnpm.mkdir(parents=True)
    for name in ("typescript", "@typescript"):
        (pnpm / name).symlink_to(TESTS / "node_modules" / name)
    (tmp_path / "node_modules/typescript").symlink_to(pnpm / "typescript")
    deep = tmp_path / "packages/app"
    deep.mkdir(parents=True)
    assert find_typescript(Places((deep,))) is not None
    assert find_typescript(Places((), typescript=TESTS / "node_modules/typescript")) is not None


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
    if (root / "node_modules").exists():
        assert [name.split()[0] for name in families["JavaScript and TypeScript"]] == ["TypeScript"]
        asked = document(root, "cursor.ts", "let x")
        assert whole.of(asked).prepare(asked).wait(PATIENCE).by.startswith("TypeScript")
        answer = of(whole, root, "cursor.ts", "'a'.", 4)
        assert isinstance(answer.members, Closed)
    elsewhere = of(whole, tmp_path, "far.py", "'a'.", 4)
    assert isinstance(elsewhere.members, Closed), "a file outside of every root has a checker of its own"


@pytest.mark.parametrize("manifest", ["package.json", "pnpm-workspace.yaml"])
def test_typescript_of_a_package_serves_its_monorepo(
    manifest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checker_for("ts")
    monkeypatch.setenv("PATH", str(tmp_path))
    contents = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
    }
    (tmp_path / manifest).write_text(contents[manifest])
    app = tmp_path / "packages" / "app"
    app.mkdir(parents=True)
    (tmp_path / "packages" / "other").mkdir()
    assert find_typescript(Places((tmp_path,))) is None
    (app / "node_modules").symlink_to(TESTS / "node_modules")
    assert find_typescript(Places((tmp_path,))) is not None
    assert find_typescript(Places((tmp_path / "packages" / "other",))) is None
    assert find_typescript(Places((tmp_path / "packages" / "other",), near=app / "src")) is not None


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A project that has an older TypeScript only."""
    if not (TESTS / "node_modules" / "typescript-older").is_dir() or shutil.which("node") is None:
        pytest.skip("an older TypeScript is not installed: run `npm ci` in tests/")
    package = tmp_path / "node_modules" / "typescript"
    package.mkdir(parents=True)
    for name in ("lib", "package.json"):
        (package / name).symlink_to(TESTS / "node_modules" / "typescript-older" / name)
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true, "types": []}}')
    return tmp_path


OLDER = """
member           const o = { ab: 1 }; o.^                               => listed ab
member           'a'.^                                                  => listed trim ; push
member           let u: any; u.^                                        => open
imported name    import { ^ } from './shop'                             => listed Cart
object key       const p: { left: 1, right?: 2 } = { ^ }                => listed left right
literal          const p: 'fast' | 'slow' = '^'                         => listed fast slow
"""


def test_an_older_typescript_ranks_and_proves_nothing(older: Path) -> None:
    (older / "shop.ts").write_text("export class Cart {}\n")
    found = find_typescript(Places((older,)))
    assert isinstance(found, OlderTypeScript)
    assert found.version.startswith("5.")
    oracle = Oracle([Server(found, older, Limits(start=PATIENCE, answer=PATIENCE))])
    for case in OLDER.strip().splitlines():
        left, _, expected = case.partition(" => ")
        present, _, absent = expected.partition(";")
        answer = ask(oracle, older, "a.ts", f"export {{}};\n{left[17:].strip()}", Position(left[:17].strip()))
        assert told(answer, [*present.split(), *absent.split()]) == " ".join(present.split()), case
    called = document(older, "b.ts", "function f(a: string, b: number) {}\nf('', )")
    signature = oracle.signature(called, called.text.rindex(")")).wait(PATIENCE).value
    assert isinstance(signature, Signature)
    assert signature.parameter == "b: number"
    remarks = oracle.remarks(called).wait(PATIENCE).value
    assert not isinstance(remarks, Open)
    assert [(remark.line, remark.code) for remark in remarks if remark.is_error] == [(1, "2554")]
    about = oracle.describe(called, called.text.index("f(")).wait(PATIENCE).value
    assert about == Description("function f(a: string, b: number): void")
    oracle.close()


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
    oracles = Oracles([tmp_path])
    answer = of(oracles, tmp_path, "a.ts", "'a'.", 4)
    assert isinstance(answer.members, Listed)
    assert answer.by == "built-in inference"
    answer = of(oracles, tmp_path, "a.ts", "nothing.", 8)
    assert answer.members == Open("the built-in inference does not know the receiver")
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
