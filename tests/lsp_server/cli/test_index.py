"""`--workspace` and `inscope index`: what is read, and what is known from the last time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from lsp_server.cli import main
from lsp_server.store import store_of


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of one in the user's cache."""
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path / "cache"))
    file = store_of([(tmp_path / "shop").resolve()])
    assert file is not None
    return file


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "tax.js").write_text("export function addTax(price) { return price * 1.2; }\n")
    (folder / "cart.js").write_text("const total = \n")
    return folder


def index(directory: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """The report, and what was noted beside it."""
    assert main(["index", str(directory), "--json"]) == 0
    said = capsys.readouterr()
    report: dict[str, Any] = json.loads(said.out)
    return report, said.err


def test_a_second_run_reads_only_what_changed(shop: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, noted = index(shop, capsys)
    assert (report["files"], report["reused"], noted) == (2, 0, "")
    assert store.is_file()
    report, noted = index(shop, capsys)
    assert (report["files"], report["reused"], noted) == (2, 2, "")
    (shop / "tax.js").write_text("export function addTax() {}\nexport const RATE = 1.2;\n")
    report, _ = index(shop, capsys)
    assert (report["symbols"], report["reused"]) == (2, 1)


@pytest.mark.usefixtures("store")
def test_nothing_is_kept_where_that_is_switched_off(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", "")
    for _ in range(2):
        report, noted = index(shop, capsys)
        assert (report["files"], report["reused"], noted) == (2, 0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["shop"]


def test_people_are_reported_how_much_was_known(shop: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(shop)]) == 0
    assert "0 of 2 files were unchanged" in capsys.readouterr().out
    assert main(["index", str(shop)]) == 0
    assert "2 of 2 files were unchanged" in capsys.readouterr().out
    assert store.is_file()


@pytest.mark.usefixtures("store")
def test_what_is_skipped_is_named_on_request(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / ".env").write_text("A=1")
    (shop / "types.ts").write_text("export type A = 1;\n")
    report, _ = index(shop, capsys)
    assert "skipped_paths" not in report
    assert report["languages"] == {"javascript": 2, "typescript": 1}
    assert main(["index", str(shop), "--json", "--skipped"]) == 0
    assert json.loads(capsys.readouterr().out)["skipped_paths"] == [{"path": str(shop / ".env"), "reason": "secret"}]
    assert main(["index", str(shop), "--skipped"]) == 0
    said = capsys.readouterr().out
    assert f"secret: {shop / '.env'}" in said
    assert "2 javascript, 1 typescript" in said


@pytest.mark.slow
def test_watching_tells_of_each_change_until_interrupted(shop: Path, store: Path) -> None:
    (shop / "node_modules").mkdir()
    command = [sys.executable, "-m", "lsp_server", "index", str(shop), "--watch", "--json"]
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    assert (said_wrong := watching.stderr) is not None
    assert json.loads(watching.stdout.readline())["files"] == 2
    (shop / "node_modules" / "x.js").write_text("")
    seen = Event()

    def change() -> None:
        """Again and again: the watcher may not look yet."""
        for turn in range(600):
            (shop / "tax.js").write_text(f"export const RATE = {turn};\n")
            if seen.wait(0.2):
                return

    writer = Thread(target=change)
    writer.start()
    event = json.loads(watching.stdout.readline())
    seen.set()
    writer.join()
    assert (event["path"], event["exists"], event["exports"]) == (str(shop / "tax.js"), True, ["RATE"])
    watching.send_signal(signal.SIGINT)
    assert (watching.wait(30), said_wrong.read()) == (130, "")
    assert store.is_file()


@pytest.mark.usefixtures("store")
def test_watching_reports_files_and_no_directories(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "pages.js").mkdir()
    changed = {shop, shop / "pages.js", shop / "tax.js", shop / "gone.js"}
    monkeypatch.setattr("lsp_server.cli.index.changes", lambda _roots: [changed])
    assert main(["index", str(shop), "--watch"]) == 0
    said = capsys.readouterr().out.partition("Ctrl+C\n")[2]
    assert said == "gone.js: is gone\ntax.js: exports addTax\n"


def test_a_damaged_store_is_one_sentence(shop: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.parent.mkdir(parents=True)
    store.write_bytes(b"no database at all, though long enough to be looked at" * 100)
    report, noted = index(shop, capsys)
    assert (report["files"], report["reused"]) == (2, 0)
    assert noted.count("\n") == 1
    assert "is rebuilt" in noted
    assert index(shop, capsys)[0]["reused"] == 2


def test_a_store_that_cannot_be_written_is_one_sentence(
    shop: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.parent.parent.write_text("a file where a folder should be")
    report, noted = index(shop, capsys)
    assert report["files"] == 2
    assert noted.count("\n") == 1
    assert "is not used" in noted


def test_a_place_in_a_workspace_sees_what_it_exports(
    shop: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index(shop, capsys)
    assert main(["symbols", f"{shop / 'cart.js'}:1:15", "--workspace", str(shop), "--json"]) == 0
    importable = json.loads(capsys.readouterr().out)["importable"]
    assert [(one["name"], one["module"]) for one in importable] == [("addTax", "./tax")]
    if os.name == "posix":
        assert not store.with_name(store.name + "-wal").exists(), "closed, so that nothing lies beside it"


def test_a_directory_that_may_not_be_read_is_reported(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given, as who runs the tests may be allowed everything."""

    def refused(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("lsp_server.cli.workspace.os.scandir", refused)
    assert main(["index", str(shop)]) == 1
    assert capsys.readouterr().err == f"error: cannot read '{shop}': Permission denied\n"
