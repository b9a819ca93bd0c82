"""VS Code in a browser, driven as a person would; what it looks like is kept in `.artefacts`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from lsp_server.settings.table import TABLE
from tests.editors import tools
from tests.hostile import hostile_workspace

MANIFEST = json.loads((tools.ROOT / "editor_clients" / "vscode" / "package.json").read_text("utf-8"))
OURS = {"path", "previewRewrites"}
"""Settings of the extension that the server does not know."""
KNOWN_TO_VSCODE = {"workspace.trusted", "completion.others"}
"""Settings of the server that are not the extension's: VS Code itself knows their values."""
PROGRAMS = {"path": "path", "setting": "work/setting", "interpreter": "interpreter", "theirs": "work/theirs"}
"""Where the server may be found, and the folders of the programs; two lie in the workspace."""


def test_settings_are_those_of_the_server() -> None:
    properties = MANIFEST["contributes"]["configuration"]["properties"]
    ours = {
        name.removeprefix("inscope."): (one["default"], one["markdownDescription"])
        for name, one in properties.items()
        if name.removeprefix("inscope.") not in OURS
    }
    table = {
        name: (list(one.default) if isinstance(one.default, tuple) else one.default, one.does)
        for name, one in TABLE.items()
        if name not in KNOWN_TO_VSCODE
    }
    assert ours == table


@pytest.mark.parametrize("name", sorted(TABLE.keys() - KNOWN_TO_VSCODE))
def test_the_manifest_takes_what_the_server_takes(name: str) -> None:
    schema, kind = MANIFEST["contributes"]["configuration"]["properties"][f"inscope.{name}"], TABLE[name].kind
    edges = [schema[edge] for edge in ("minimum", "maximum") if edge in schema]
    assert all(kind.fits(value) for value in (*edges, *schema.get("enum", ())))
    assert not any(kind.fits(schema[edge] + step) for edge, step in (("minimum", -1), ("maximum", 1)) if edge in schema)
    assert kind.fits(None) == ("null" in schema["type"])


def test_programs_and_models_of_a_workspace_are_used_only_if_it_is_trusted_nor_is_less_verified() -> None:
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    assert restricted >= {"inscope.path", "inscope.typescript.path", "inscope.model", "inscope.verify"}
    assert restricted >= {"inscope.constraint.enabled", "inscope.secrets"}


@pytest.mark.skipif(not tools.VSIX.is_file(), reason="`make vscode` was not run")
def test_nothing_in_the_extension_can_speak_to_a_network() -> None:
    with zipfile.ZipFile(tools.VSIX) as archive:
        code = archive.read("extension/dist/extension.js").decode()
    wanted = set(re.findall(r"""require\(["']([^"']+)["']\)""", code))
    assert "vscode" in wanted, "modules are found as they are spelt"
    assert not {name.removeprefix("node:") for name in wanted} & {"http", "https", "http2", "tls", "dgram", "dns"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|createTelemetryLogger)\(", code)


driven = pytest.mark.skipif(
    not (tools.CODE_SERVER.is_file() and tools.PLAYWRIGHT.is_dir() and tools.chromium() and tools.VSIX.is_file()),
    reason=f"no VS Code, or `make vscode` was not run: {tools.HINT}",
)


@pytest.mark.slow
@driven
def test_driven_as_a_person_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    selected = tmp_path / "selected"
    programs = {name: tools.server(tmp_path, folder) for name, folder in PROGRAMS.items()}
    selected.write_text(str(programs["theirs"].with_name("python")), "utf-8")
    monkeypatch.setenv("INSCOPE_TEST_SELECTED", str(selected))
    drive(
        tmp_path,
        scenario="everyday",
        programs=programs,
        selected=selected,
        work=tmp_path / "work",
        hold=tmp_path / "hold",
        code=tools.CODE,
        profile=f"export PATH={programs['path'].parent}:$PATH\n",
    )


@pytest.mark.slow
@driven
def test_a_hostile_workspace_is_opened_and_nothing_of_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Untrusted, then trusted. The interpreter, VIRTUAL_ENV and the PATH lead into it, and the server comes last."""
    hostile = hostile_workspace(tmp_path)
    selected = tmp_path / "selected"
    selected.write_text(str(hostile.root / ".venv" / "bin" / "python"), "utf-8")
    monkeypatch.setenv("INSCOPE_TEST_SELECTED", str(selected))
    program = tools.server(tmp_path, "path")
    drive(
        tmp_path,
        scenario="hostile",
        work=hostile.root,
        files=["cart.js", "cart.ts", "shop.py"],
        environment=hostile.environment,
        profile=f"export PATH={hostile.environment['PATH']}:{program.parent}\n",
    )
    assert hostile.ran() == []


def drive(tmp_path: Path, **given: object) -> None:
    """Have the driver go through the steps of a scenario."""
    given |= {
        "codeServer": tools.CODE_SERVER,
        "playwright": tools.PLAYWRIGHT,
        "chromium": tools.chromium(),
        "vsix": tools.VSIX,
        "python": python_extension(tmp_path / "python.vsix"),
        "folder": tmp_path,
        "out": tools.ARTEFACTS,
        "pids": tmp_path / "pids",
        "started": tmp_path / "started",
        "ready": tmp_path / "ready",
    }
    config = tmp_path / "config.json"
    config.write_text(json.dumps(given, default=str), "utf-8")
    driver = Path(__file__).parent / "vscode" / "drive.mjs"
    tools.ARTEFACTS.mkdir(exist_ok=True)
    log = tools.ARTEFACTS / f"vscode-{given['scenario']}.log"
    seconds = 1500 * int(os.environ.get("REPEAT", "1"))
    with log.open("wb") as said:
        command = [tools.NODE, driver, config]
        done = subprocess.run(
            command, stdout=said, stderr=subprocess.STDOUT, timeout=seconds, check=False, cwd=tmp_path
        )
    assert done.returncode == 0, log.read_text("utf-8")


def python_extension(file: Path) -> Path:
    """A stand-in for the extension `ms-python.python`, which npm does not have: the part of its interface that we use.

    The selected interpreter is what the file that `INSCOPE_TEST_SELECTED` names says. That we use the interface as it
    is holds by its types, of npm's `@vscode/python-extension`.
    """
    manifest = {
        "name": "python",
        "publisher": "ms-python",
        "version": "0.0.1",
        "engines": {"vscode": "^1.90.0"},
        "main": "./main.js",
        "activationEvents": [],
        "extensionKind": ["workspace"],
        "capabilities": {"untrustedWorkspaces": {"supported": True}},
    }
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(manifest))
        archive.write(Path(__file__).parent / "vscode" / "python.cjs", "extension/main.js")
    return file


FEED = """\
import { Money } from "./money";

export class Feed {
  private entries: string[] = [];
  fetchedAt = new Date(0);
  title = "news";

  add(entry: string): number {
    this.entries.push(entry);
    return this.entries.length;
  }

  refresh(now: Date): void {
    this.fetchedAt = now;
  }

  latest(count: number): string[] {
    return this.entries.slice(-count);
  }
}

export function price(money: Money): string {
  return `${money.cents}`;
}

const feed = new Feed();
feed.add("one");
feed.add("two");
"""
TEXTS = {
    ".vscode/settings.json": "{}",
    "feed.ts": FEED,
    "money.ts": "export interface Money {\n  cents: number;\n}\n\n"
    "export function formatCents(cents: number): string {\n  return `${cents / 100}`;\n}\n",
    "rows.ipynb": json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "id": "a",
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                    "source": ["rows = [1, 2, 3]\n", "row_count = len(rows)"],
                }
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
    "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022"}, "include": ["*.ts"]}',
}


@pytest.mark.slow
@driven
def test_as_it_comes_with_its_own_service_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """VS Code's defaults; what is changed all the same is listed with its reason in `editor.mjs`."""
    (tmp_path / "selected").write_text("/nowhere/bin/python", "utf-8")
    monkeypatch.setenv("INSCOPE_TEST_SELECTED", str(tmp_path / "selected"))
    as_it_comes(tmp_path)


def as_it_comes(tmp_path: Path) -> None:
    program = tools.server(tmp_path, is_set_up=True)
    drive(
        tmp_path,
        scenario="asItComes",
        asItComes=True,
        work=tmp_path / "work",
        texts=TEXTS,
        viewport={"width": 1200, "height": 900},
        profile=f"export PATH={program.parent}:$PATH\n",
    )
