"""The documentation is up to date, complete and true about the files that it names; the wheel has the manual."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from lsp_server.cli import manual
from lsp_server.settings import table
from lsp_server.settings.table import TABLE

ROOT = Path(__file__).parent.parent


MANIFEST = ROOT / "editor_clients" / "vscode" / "package.json"
AGAIN = "run `python -m lsp_server.cli.manual docs editor_clients/vscode/package.json`"


@pytest.mark.parametrize("name", [*manual.FILES, manual.SETTINGS])
def test_the_references_are_the_program_s(name: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / manual.SETTINGS).read_text("utf-8")
    (tmp_path / manual.SETTINGS).write_text(page.replace("| `model` |", "| `modell` |"), "utf-8")
    manual.main(tmp_path)
    made, kept = ((folder / name).read_text("utf-8") for folder in (tmp_path, ROOT / "docs"))
    assert kept == made, AGAIN


def test_the_plugin_lists_the_values_of_settings() -> None:
    assert (ROOT / "editor_clients" / manual.CHOICES).read_text("utf-8") == manual.choices(), AGAIN


def test_the_extension_declares_the_settings_and_languages_of_the_server() -> None:
    kept = json.loads(MANIFEST.read_text("utf-8"))
    assert manual.with_properties(MANIFEST.read_text("utf-8")) == MANIFEST.read_text("utf-8"), AGAIN
    declared = kept["contributes"]["configuration"]["properties"]
    del declared["inscope.verify"]
    declared["inscope.colour"] = {"type": "string"}
    del kept["activationEvents"][1]
    made = json.loads(manual.with_properties(json.dumps(kept)))
    assert made == json.loads(MANIFEST.read_text("utf-8"))


def test_nothing_about_models_is_taken_from_a_workspace_that_nobody_trusts() -> None:
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    properties = manifest["contributes"]["configuration"]["properties"]
    named = [name for name in properties if name.startswith("inscope.model")]
    assert named
    assert [name for name in named if name not in restricted and properties[name]["scope"] != "machine"] == []
    assert [name for name in named if properties[name]["scope"] == "window"] == []


TYPES = {
    "null": ["NoneType"], "string": ["str"], "integer": ["int"], "number": ["int", "float"], "boolean": ["bool"],
    "array": ["list"],
}  # fmt: skip
"""Python's types, by JSON Schema's."""


@pytest.mark.parametrize("name", TABLE)
def test_a_setting_s_schema_admits_its_default_as_the_setting_does(name: str) -> None:
    schema = table.properties()[f"inscope.{name}"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert type(schema["default"]).__name__ in [name for kind in kinds for name in TYPES[kind]]
    assert schema["default"] in schema.get("enum", [schema["default"]])
    assert TABLE[name].kind.fits(schema["default"])


def test_each_page_is_in_the_navigation() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    pages = [page for entry in nav for page in ([entry] if isinstance(entry, str) else next(iter(entry.values())))]
    assert [page for page in pages if not (ROOT / page).is_file()] == []
    wanted = {path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))}
    assert wanted - set(pages) == set()


def test_each_task_names_files_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (table,) = re.findall(r"^\| task \| file \| its cases \|\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [re.findall(r"`([^`]+)`", row) for row in table.splitlines()]
    assert len(rows) >= 20
    assert [row for row in rows if len(row) != 2 or not all((ROOT / path).exists() for path in row)] == []
    rooms = "context_index|decoder|training|lsp_server|editor_clients|benchmarks|tests|examples"
    named = re.findall(rf"`((?:{rooms})/[\w./]+)`", text)
    made_by_tests = "tests/editors/.artefacts"
    assert [path for path in named if path != made_by_tests and not (ROOT / path).exists()] == []


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="`make docs` installs mkdocs")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(tmp_path / "site")]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("build") is None, reason="`build` comes with the dependencies for development")
def test_a_wheel_has_the_model_the_commit_and_the_manual_and_is_small(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 18_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.endswith("share/man/man1/inscope.1") for name in names)
        model = ("config.json", "model.safetensors", "tokenizer.json")
        assert [name for name in model if f"decoder/embedded/{name}" not in names] == []
        if (ROOT / ".git").exists():
            assert re.fullmatch(r"[0-9a-f]{9,}\n", archive.read("lsp_server/commit.txt").decode())
