"""`inscope setup` puts each part in place in one step, and leaves what was there where it cannot."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
import os
import re
import shutil
import signal
import tarfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from context_index import parts
from context_index.parts import is_current
from context_index.processes import start_code
from lsp_server.cli import main
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation import setup
from lsp_server.installation.setup import SetupStep

if TYPE_CHECKING:
    from context_index import PinnedPart

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSCOPE_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def archive(part: PinnedPart, *more: str) -> bytes:
    """A package as npm packs it."""
    with io.BytesIO() as buffer:
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name in (f"package/{part.file}", "package/package.json", *more):
                content = json.dumps({"version": part.version}).encode()
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        return buffer.getvalue()


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an archive of each part, which are the pinned ones."""
    folder, pinned = tmp_path / "packed", []
    folder.mkdir()
    for part in parts():
        content = archive(part, "package/../../outside")
        (folder / f"{part.package.removeprefix('@').replace('/', '-')}-{part.version}.tgz").write_bytes(content)
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        pinned.append(dataclasses.replace(part, integrity=f"sha512-{digest}"))
    monkeypatch.setattr("lsp_server.installation.setup.parts", lambda: tuple(pinned))
    return folder


def test_parts_are_installed_shown_and_removed(packed: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup", "--check"]) == 1
    assert capsys.readouterr().out.count("not installed; run 'inscope setup'") == len(parts())
    assert main(["setup", "--from", str(packed)]) == 0
    assert all(map(is_current, parts()))
    assert os.access(parts()[0].folder / parts()[0].file, os.X_OK)
    assert main(["setup", "--check", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [one["installed"] for one in report["parts"]] == [True] * len(parts())
    for answer in ("removed", "nothing was installed"):
        assert main(["setup", "--remove"]) == 0
        assert capsys.readouterr().out.strip() == answer
        assert [path.name for path in (data / "parts").iterdir()] == [".lock"]


def test_what_will_be_installed_is_said_with_its_size(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for steps in (["unpacking", "installed after"] * 2, []):
        assert main(["setup", "--from", str(packed)]) == 0
        announced, *said = capsys.readouterr().err.splitlines() or [""]
        assert [part.title in announced for part in parts()] == [bool(steps)] * len(parts())
        assert announced.count(" MB, ") == len(steps) // 2
        assert [step in line for step, line in zip(steps, said, strict=True)] == [True] * len(steps)


def test_what_only_programs_need_comes_with_them(
    packed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("context_index.extras.find_spec", lambda _name: None)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["setup", "--from", str(packed)]) == 0
    assert "QuickJS" not in capsys.readouterr().err
    assert [part.key for part in parts() if is_current(part)] == ["typescript"]
    assert main(["setup", "--check", "--json"]) == 0
    assert [part["installed"] for part in json.loads(capsys.readouterr().out)["parts"]] == [True]


def test_what_was_installed_stays_on_a_terminal(
    packed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert main(["setup", "--from", str(packed)]) == 0
    shown = on_screen(capsys.readouterr().err)
    assert ["installed after" in line for line in shown[1:]] == [True] * len(parts()), shown


def on_screen(written: str) -> list[str]:
    """What is left on a terminal, without empty lines; of the escape sequences only those that erase and go up."""
    lines, row = [""], 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", written):
        if piece == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif piece == "\x1b[1A":
            row -= 1
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif piece[0] not in "\x1b\r":
            lines[row] += piece
    return [line for line in lines if line.strip()]


def test_what_is_there_is_left_alone(packed: Path) -> None:
    setup.install(packed, lambda _part, _step: None)
    before = [part.folder.stat().st_ino for part in parts()]
    steps: list[SetupStep] = []
    setup.install(packed, lambda _part, step: steps.append(step))
    assert (steps, [part.folder.stat().st_ino for part in parts()]) == ([SetupStep.CURRENT] * len(parts()), before)


def test_nothing_leaves_the_folder(packed: Path, data: Path) -> None:
    setup.install(packed, lambda _part, _step: None)
    assert not list(data.parent.rglob("outside"))


FAULTS = {
    "missing": "has no '",
    "changed": "its hash differs",
    "cut off": "its hash differs",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_archive_is_refused_and_the_earlier_installation_works(fault: str, packed: Path) -> None:
    setup.install(packed, lambda _part, _step: None)
    part = parts()[-1]
    shutil.rmtree(part.folder)
    file = next(packed.glob(f"*{part.package.rpartition('/')[2]}*"))
    match fault:
        case "missing":
            file.unlink()
        case "changed":
            file.write_bytes(archive(part, "package/more"))
        case "cut off":
            file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(RequestError, match=FAULTS[fault]) as raised:
        setup.install(packed, lambda _part, _step: None)
    assert raised.value.code is ErrorCode.SETUP_FAILED
    assert [is_current(each) for each in parts()] == [each is not part for each in parts()]
    assert {path.name for path in part.folder.parent.iterdir()} == {".lock", parts()[0].folder.name}


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="this platform has no file that nobody can read")
def test_an_archive_that_cannot_be_read_is_said(packed: Path) -> None:
    file = next(packed.iterdir())
    file.unlink()
    file.symlink_to("/proc/self/mem")
    with pytest.raises(RequestError, match=f"'{re.escape(str(file))}' could not be read: Input/output error"):
        setup.install(packed, lambda _part, _step: None)


def test_a_folder_that_cannot_be_written_is_said(packed: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data.write_text("a file")
    assert main(["setup", "--from", str(packed)]) == 1
    assert (
        capsys.readouterr().err.splitlines(keepends=True)[-1]
        == (f"error: nothing could be written to '{data}': Not a directory. Free some space and try again.\n")
        or os.name == "nt"
    )


def test_without_npm_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("lsp_server.installation.setup.find_spec", lambda _name: None)
    assert main(["setup"]) == 1
    advice = "which is not installed. Install Node.js, or the extra 'javascript': "
    assert advice in capsys.readouterr().err


@pytest.mark.slow
def test_without_a_network_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    assert main(["setup"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(f"error: {parts()[0].title} could not be downloaded: ")
    assert not [path for path in (data / "parts").iterdir() if path.name != ".lock"]


def test_a_workspaces_settings_of_npm_are_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """npm reads `.npmrc` where it works: in a folder of ours, with a manifest that keeps it from looking above."""
    seen: list[Path] = []

    def start(_command: object, *, directory: Path, **_more: object) -> object:
        assert (directory / "package.json").is_file()
        seen.append(directory)
        raise OSError(28, "No space left on device")

    (tmp_path / ".npmrc").write_text("registry=http://127.0.0.1:9\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lsp_server.installation.setup.start", start)
    with pytest.raises(RequestError, match="No space left on device"):
        setup.install(None, lambda _part, _step: None)
    assert not any(folder.is_relative_to(tmp_path / "work") or folder == tmp_path for folder in seen)


SCRIPT = """
import dataclasses, sys
from pathlib import Path
from lsp_server.installation import setup
pinned = tuple(dataclasses.replace(part, integrity=integrity) for part, integrity in zip(setup.parts(), sys.argv[2:]))
setup.parts = lambda: pinned
setup.install(Path(sys.argv[1]), lambda part, step: print(step, flush=True))
"""


def script(packed: Path) -> str:
    integrities = [part.integrity for part in vars(setup)["parts"]()]  # the pinned ones of the fixture
    return f"import sys; sys.argv = ['', {str(packed)!r}, *{integrities!r}]\n{SCRIPT}"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are ended in another way here")
def test_killed_at_any_moment_it_leaves_whole_parts_only(packed: Path, data: Path) -> None:
    started = time.monotonic()
    assert start_code(script(packed)).wait(PATIENCE) == 0
    whole = time.monotonic() - started
    for number in range(5):
        setup.remove()
        child = start_code(script(packed))
        time.sleep(whole * (0.5 + number / 10))  # what was installed then decides nothing: it is whole, or not there
        child.kill()
        child.wait()
        for part in parts():
            assert is_current(part) == part.folder.is_dir()
        setup.install(packed, lambda _part, _step: None)
        assert all(map(is_current, parts()))
        assert not list((data / "parts").glob(".new-*"))


def test_the_second_waits_and_installs_nothing_again(packed: Path) -> None:
    unpacking, go_on = threading.Event(), threading.Event()
    first: list[SetupStep] = []
    second: list[SetupStep] = []

    def report(_part: PinnedPart, step: SetupStep) -> None:
        first.append(step)
        if step is SetupStep.UNPACKING:
            unpacking.set()
            assert go_on.wait(PATIENCE)

    def wait(_part: PinnedPart, step: SetupStep) -> None:
        second.append(step)
        if step is SetupStep.WAITING:
            go_on.set()

    thread = threading.Thread(target=setup.install, args=(packed, report))
    thread.start()
    assert unpacking.wait(PATIENCE)
    setup.install(packed, wait)
    thread.join(PATIENCE)
    assert second == [SetupStep.WAITING, *[SetupStep.CURRENT] * len(parts())]
    assert first.count(SetupStep.INSTALLED) == len(parts())
