"""Parts are found in the same order wherever one stands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from context_index.languages.ecmascript.checker import find_typescript
from context_index.parts import PartMissingError, PinnedPart, find, is_current, part, parts

KEYS = [each.key for each in parts()]

pytestmark = pytest.mark.usefixtures("nothing_installed")


@pytest.fixture(params=KEYS)
def wanted(request: pytest.FixtureRequest) -> PinnedPart:
    return part(request.param)


def put(package: Path, wanted: PinnedPart, version: str = "") -> Path:
    """A package with the part's file."""
    file = package / wanted.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"\0asm")
    (package / "package.json").write_text(json.dumps({"version": version or wanted.version}), "utf-8")
    return file


def test_what_is_missing_is_said_with_the_command_that_brings_it(wanted: PinnedPart) -> None:
    with pytest.raises(PartMissingError, match=rf"^{wanted.title} is not installed\. Run 'inscope setup' to"):
        find(wanted)
    assert not is_current(wanted)


def test_a_setting_comes_before_our_installation_and_that_before_the_path(
    wanted: PinnedPart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = put(tmp_path / "lib" / "node_modules" / wanted.package, wanted)
    assert (find(wanted).path, find(wanted).is_named) == (on_path, False)
    ours = put(wanted.folder, wanted)
    assert find(wanted).path == ours
    named = put(tmp_path / "named" / "node_modules" / wanted.package, wanted)
    for setting in (named, named.parents[wanted.file.count("/")], tmp_path / "named"):
        assert (find(wanted, setting).path, find(wanted, setting).is_named) == (named, True)
    monkeypatch.setenv(wanted.variable, str(named))
    assert find(wanted).path == named


def test_a_setting_that_names_nothing_is_said(wanted: PinnedPart, tmp_path: Path) -> None:
    put(wanted.folder, wanted)
    with pytest.raises(PartMissingError, match=r"there is no .* at '.*wrong'"):
        find(wanted, tmp_path / "wrong")


def test_what_an_earlier_inscope_installed_serves(wanted: PinnedPart, tmp_path: Path) -> None:
    earlier = f"{wanted.series}0.0"
    file = put(tmp_path / "data" / "parts" / f"{wanted.key}-{earlier}", wanted, earlier)
    assert (find(wanted).path, find(wanted).version, is_current(wanted)) == (file, earlier, False)
    for version in (f"{wanted.series}9.0", f"{wanted.series}10.0"):
        newest = put(tmp_path / "data" / "parts" / f"{wanted.key}-{version}", wanted, version)
    assert find(wanted).path == newest


def test_another_series_on_the_path_is_passed_over(wanted: PinnedPart, tmp_path: Path) -> None:
    put(tmp_path / "lib" / "node_modules" / wanted.package, wanted, "0.1.0")
    with pytest.raises(PartMissingError):
        find(wanted)


@pytest.mark.parametrize("where", ["here", "parent", "relative", "inside"])
def test_nothing_is_taken_from_where_one_stands(
    where: str, wanted: PinnedPart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "below").mkdir(parents=True)
    put(work / "node_modules" / wanted.package, wanted)
    put(work / "lib" / "node_modules" / wanted.package, wanted)
    monkeypatch.chdir(work / "below" if where == "parent" else work)
    monkeypatch.setenv("PATH", {"relative": "bin", "inside": str(work / "bin")}.get(where, os.defpath))
    with pytest.raises(PartMissingError):
        find(wanted, outside_of=(work,))


def test_a_workspaces_own_typescript_needs_a_setting_and_trust(tmp_path: Path) -> None:
    typescript, work = part("typescript"), tmp_path / "work"
    own = put(work / "node_modules" / typescript.package, typescript)
    with pytest.raises(PartMissingError, match="is not installed"):
        find_typescript(None, (work,), trusted=True)
    with pytest.raises(PartMissingError, match="which is not trusted"):
        find_typescript(work, (work,), trusted=False)
    found = find_typescript(work, (work,), trusted=True)
    assert (found.command[0], found.outside_of) == (str(own), ())
    put(typescript.folder, typescript)
    assert find_typescript(None, (work,), trusted=False).outside_of == (work,)
