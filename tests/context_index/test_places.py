"""Which folders a workspace's manifest names as its packages, whatever patterns stand in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context_index.oracles import Places

FOLDERS = ("apps/shop", "apps/shop/node_modules/left/lib", "libs/ui", "libs/ui/parts", "libs/.cache", "tools")
CASES = """
packages/*           =>
apps/*               => apps/shop
./libs/*/            => libs/ui
*                    => apps, libs, tools
libs/**              => libs, libs/ui, libs/ui/parts
**/shop              => apps/shop
lib**                => libs
a**s/shop            => apps/shop
tools                => tools
.                    =>
./                   =>
!apps/*              =>
/apps                =>
../elsewhere         =>
apps/../libs         =>
[                    =>
"""


def parsed() -> list[tuple[str, list[str]]]:
    lines = (line.split("=>") for line in CASES.strip().splitlines())
    return [(left.strip(), [one.strip() for one in right.split(",") if one.strip()]) for left, right in lines]


@pytest.mark.parametrize("manifest", ["package.json", "pnpm-workspace.yaml"])
@pytest.mark.parametrize(("pattern", "expected"), parsed())
def test_patterns_of_packages(pattern: str, expected: list[str], manifest: str, tmp_path: Path) -> None:
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "libs" / "ui" / "back").symlink_to(tmp_path)
    said = json.dumps({"workspaces": [pattern]}) if manifest == "package.json" else f"packages:\n  - '{pattern}'\n"
    (tmp_path / manifest).write_text(said)
    found = list(Places((tmp_path,)).folders())
    assert found[: len(tmp_path.parents) + 1] == [tmp_path, *tmp_path.parents]
    assert [path.relative_to(tmp_path).as_posix() for path in found[len(tmp_path.parents) + 1 :]] == expected


@pytest.mark.parametrize("said", ["5", "[5, null]", '{"packages": 5}', '"apps/*"'])
def test_manifests_that_say_something_else(said: str, tmp_path: Path) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "package.json").write_text(f'{{"workspaces": {said}}}')
    assert list(Places((tmp_path,)).folders()) == [tmp_path, *tmp_path.parents]
