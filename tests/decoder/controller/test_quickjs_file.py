"""QuickJS is found where people have it, and missed in one sentence."""

from pathlib import Path

import pytest

from decoder.controller.quickjs_file import QuickJSMissingError, quickjs_file


def package(folder: Path, version: str = "3.6.2") -> Path:
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(f'{{"version": "{version}"}}')
    (folder / "quickjs.wasm").write_bytes(b"\0asm")
    return folder / "quickjs.wasm"


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("INSCOPE_QUICKJS", raising=False)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(
        "decoder.controller.quickjs_file.__file__", str(tmp_path / "decoder" / "controller" / "here.py")
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_variable_names_the_file_or_its_folder(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package(nowhere / "elsewhere")
    for named in (file, file.parent):
        monkeypatch.setenv("INSCOPE_QUICKJS", str(named))
        assert quickjs_file() == file
    monkeypatch.setenv("INSCOPE_QUICKJS", str(nowhere / "none"))
    with pytest.raises(QuickJSMissingError, match="where there is no quickjs"):
        quickjs_file()


def test_it_is_found_above_in_the_version_that_is_spoken(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = package(nowhere / "node_modules" / "quickjs-wasi")
    package(nowhere / "a" / "node_modules" / "quickjs-wasi", "4.0.0")
    (nowhere / "a" / "b").mkdir()
    monkeypatch.chdir(nowhere / "a" / "b")
    assert quickjs_file() == outer


def test_an_npm_that_is_no_link_is_no_obstacle(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nowhere.is_dir()
    monkeypatch.setattr("shutil.which", lambda _name: "/bin-of-nobody/npm")
    with pytest.raises(QuickJSMissingError, match="npm install"):
        quickjs_file()


def test_where_it_is_missing_people_hear_what_to_do(nowhere: Path) -> None:
    assert nowhere.is_dir()
    with pytest.raises(QuickJSMissingError, match="npm install quickjs-wasi@3"):
        quickjs_file()
