"""VS Code in a browser, driven as a person would; what it looks like is kept in `.artefacts`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lsp_server.config import TABLE
from tests.editors import tools

MANIFEST = json.loads((tools.ROOT / "editor_clients" / "vscode" / "package.json").read_text("utf-8"))
OURS = {"path", "previewRewrites"}
"""Settings of the extension that the server does not know."""


def test_settings_are_those_of_the_server() -> None:
    properties = MANIFEST["contributes"]["configuration"]["properties"]
    told = {
        name.removeprefix("inscope."): (one["default"], one["markdownDescription"])
        for name, one in properties.items()
        if name.removeprefix("inscope.") not in OURS
    }
    table = {
        name: (list(one.default) if isinstance(one.default, tuple) else one.default, one.does)
        for name, one in TABLE.items()
    }
    assert told == table


@pytest.mark.parametrize("name", sorted(TABLE))
def test_the_manifest_takes_what_the_server_takes(name: str) -> None:
    schema, kind = MANIFEST["contributes"]["configuration"]["properties"][f"inscope.{name}"], TABLE[name].kind
    edges = [schema[edge] for edge in ("minimum", "maximum") if edge in schema]
    assert all(kind.fits(value) for value in (*edges, *schema.get("enum", ())))
    assert not any(kind.fits(schema[edge] + step) for edge, step in (("minimum", -1), ("maximum", 1)) if edge in schema)
    assert kind.fits(None) == ("null" in schema["type"])


def test_programs_and_models_of_a_workspace_are_used_only_if_it_is_trusted() -> None:
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert set(restricted) >= {"inscope.path", "inscope.model"}


@pytest.mark.slow
@pytest.mark.skipif(
    not (tools.CODE_SERVER.is_file() and tools.PLAYWRIGHT.is_dir() and tools.chromium() and tools.VSIX.is_file()),
    reason=f"no VS Code, or `make vscode` was not run: {tools.HINT}",
)
def test_driven_as_a_person_would(tmp_path: Path) -> None:
    """A second run where the first failed: focus in a browser without a screen is lost now and then."""
    done = driven(tmp_path / "first")
    if done.returncode != 0:
        done = driven(tmp_path / "second")
    assert done.returncode == 0, done.stdout + done.stderr


def driven(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """One run of the editor, from its start; the log is kept."""
    tmp_path.mkdir()
    config = tmp_path / "config.json"
    given = {
        "codeServer": tools.CODE_SERVER,
        "playwright": tools.PLAYWRIGHT,
        "chromium": tools.chromium(),
        "vsix": tools.VSIX,
        "server": tools.server(tmp_path),
        "folder": tmp_path,
        "out": tools.ARTEFACTS,
        "pids": tmp_path / "pids",
        "hold": tmp_path / "hold",
        "code": tools.CODE,
    }
    config.write_text(json.dumps(given, default=str), "utf-8")
    driver = Path(__file__).with_name("vscode.mjs")
    done = subprocess.run(
        [tools.NODE, driver, config], capture_output=True, text=True, timeout=900, check=False, cwd=tmp_path
    )
    (tools.ARTEFACTS / "vscode.log").write_text(done.stdout + done.stderr, "utf-8")
    return done
