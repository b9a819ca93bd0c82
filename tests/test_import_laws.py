"""The import laws of ARCHITECTURE.md, checked over the syntax trees of all source files.

Imports for type checking count too: a type is knowledge. So do `import_module("...")` calls with a literal.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).parent.parent
ROOMS = ("context_index", "decoder", "lsp_server", "training")


@dataclass(frozen=True)
class Import:
    file: str
    line: int
    module: str


@dataclass(frozen=True)
class Walls:
    """Files of `room` may import of `foreign` only what is in `doors`."""

    room: str
    foreign: str
    doors: tuple[str, ...] = ()

    def breached_by(self, one: Import) -> bool:
        return (
            one.file.startswith(f"{self.room}/") and within(one.module, self.foreign) and one.module not in self.doors
        )


@dataclass(frozen=True)
class Reach:
    """Files of `room` may import of `foreign` only what is in `packages`, the room itself among them."""

    room: str
    foreign: str
    packages: tuple[str, ...]

    def breached_by(self, one: Import) -> bool:
        return (
            one.file.startswith(f"{self.room}/")
            and within(one.module, self.foreign)
            and not any(within(one.module, package) for package in self.packages)
        )


@dataclass(frozen=True)
class Keepers:
    """Only the files that match one of `patterns` may import `libraries`."""

    libraries: tuple[str, ...]
    patterns: tuple[str, ...]

    def breached_by(self, one: Import) -> bool:
        return any(within(one.module, library) for library in self.libraries) and not any(
            fnmatch(one.file, pattern) for pattern in self.patterns
        )


Law = Walls | Reach | Keepers

LAWS: dict[str, Law] = {
    "the index knows nothing of models": Walls("context_index", "decoder"),
    "the index knows nothing of who asks": Walls("context_index", "lsp_server"),
    "the decoder knows names as plain data, and how children are started": Walls(
        "decoder",
        "context_index",
        (
            "context_index.symbols",
            "context_index.languages.record",
            "context_index.extras",
            "context_index.parts",
            "context_index.processes",
        ),
    ),
    "the decoder knows nothing of who asks": Walls("decoder", "lsp_server"),
    "the server enters the index by its front door": Walls("lsp_server", "context_index", ("context_index",)),
    "the server enters the decoder by its front door": Walls("lsp_server", "decoder", ("decoder",)),
    "the index is not trained": Walls("context_index", "training"),
    "the decoder decodes without its training": Walls("decoder", "training"),
    "training knows nothing of who asks": Walls("training", "lsp_server"),
    "tensors stay with the model": Keepers(
        ("torch", "transformers", "tokenizers", "safetensors"),
        (
            "decoder/models/transformers_model.py",
            "decoder/models/kv.py",
            "decoder/models/loading.py",
            "decoder/models/tokenizer_bytes.py",
            "training/*.py",
        ),
    ),
    "the protocol stays at the edge": Keepers(
        ("lsprotocol", "pygls"),
        (
            "lsp_server/lsp/server.py",
            "lsp_server/lsp/handlers/*.py",
            "lsp_server/lsp/protocol/*.py",
        ),
    ),
    "syntax trees have two homes": Keepers(
        ("tree_sitter", "tree_sitter_javascript", "tree_sitter_python", "tree_sitter_typescript"),
        ("context_index/syntax.py", "decoder/grammar/*.py"),
    ),
    "one module speaks to model servers": Keepers(("httpx2",), ("decoder/models/server/client.py",)),
    "one module starts processes": Keepers(
        ("subprocess", "multiprocessing", "pty", "popen2", "pexpect", "concurrent.futures.process"),
        ("context_index/processes.py",),
    ),
    "colours are for people": Keepers(("rich",), ("lsp_server/cli/*.py", "lsp_server/rendering/*.py")),
    "the engine knows none of its doors": Reach(
        "lsp_server/engine",
        "lsp_server",
        ("lsp_server.engine", "lsp_server.errors", "lsp_server.paths", "lsp_server.wording"),
    ),
    "what is rendered is an answer": Reach(
        "lsp_server/rendering", "lsp_server", ("lsp_server.rendering", "lsp_server.engine", "lsp_server.wording")
    ),
    "settings know no door": Reach(
        "lsp_server/settings",
        "lsp_server",
        ("lsp_server.settings", "lsp_server.engine", "lsp_server.errors", "lsp_server.store"),
    ),
    "the installation knows no door": Reach(
        "lsp_server/installation",
        "lsp_server",
        (
            "lsp_server.installation",
            "lsp_server.engine",
            "lsp_server.settings",
            "lsp_server.writing",
            "lsp_server.errors",
            "lsp_server.paths",
            "lsp_server.store",
            "lsp_server.wording",
        ),
    ),
    "writing knows no door": Reach(
        "lsp_server/writing",
        "lsp_server",
        ("lsp_server.writing", "lsp_server.errors", "lsp_server.store", "lsp_server.wording"),
    ),
    "editors know nothing of the command line": Walls("lsp_server/lsp", "lsp_server.cli"),
    "the command line only starts the editors' server": Walls(
        "lsp_server/cli", "lsp_server.lsp", ("lsp_server.lsp.connection",)
    ),
}


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def sources() -> dict[str, str]:
    """All modules of all rooms, by file."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """The nodes of a module, the module first; parsed and walked once for all laws."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:  # as `ast.walk`, which takes four times as long
        for value in vars(node).values():
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return tuple(found)


def imports(source: str, file: str) -> Iterator[Import]:
    """Every module that a file names; relative imports resolved against the file's own package."""
    package = file.removesuffix(".py").split("/")[:-1]
    for node in nodes(source):
        match node:
            case ast.Import(names=names):
                yield from (Import(file, node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=module, level=level):
                parts = package[: len(package) - level + 1] if level else []
                yield Import(file, node.lineno, ".".join([*parts, *([module] if module else [])]))
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value=str(module)), *_]
            ) if called.endswith(("import_module", "__import__")):
                yield Import(file, node.lineno, module)


def breaches(law: Law, found: Iterable[Import]) -> list[str]:
    return [f"{one.file}:{one.line} imports {one.module}" for one in found if law.breached_by(one)]


@pytest.fixture(scope="module")
def tree() -> list[Import]:
    """All imports of all rooms."""
    return [one for file, source in sources().items() for one in imports(source, file)]


@pytest.mark.parametrize("law", LAWS)
def test_law_holds(law: str, tree: list[Import]) -> None:
    assert breaches(LAWS[law], tree) == []


BREACHES = {
    "the index is not trained": ("context_index/scan.py", "from training import corpus"),
    "the decoder decodes without its training": ("decoder/loop.py", "import training.run"),
    "training knows nothing of who asks": ("training/run.py", "from lsp_server.errors import RequestError"),
    "the index knows nothing of models": ("context_index/scan.py", "from decoder import complete"),
    "the index knows nothing of who asks": ("context_index/scan.py", "import lsp_server.errors"),
    "the decoder knows names as plain data, and how children are started": (
        "decoder/loop.py",
        "from context_index.text import Document",
    ),
    "one module starts processes": ("decoder/loop.py", "from multiprocessing import Pool"),
    "one module speaks to model servers": ("decoder/models/server/probe.py", "import httpx2"),
    "the decoder knows nothing of who asks": ("decoder/loop.py", "import lsp_server"),
    "the server enters the index by its front door": (
        "lsp_server/engine/verification/judge.py",
        "from context_index.syntax import parse",
    ),
    "the server enters the decoder by its front door": (
        "lsp_server/engine/verification/judge.py",
        "if TYPE_CHECKING:\n    from decoder.errors import ModelError",
    ),
    "tensors stay with the model": ("decoder/loop.py", "def f():\n    import torch.nn.functional"),
    "the protocol stays at the edge": ("lsp_server/engine/verification/judge.py", "from lsprotocol import types"),
    "syntax trees have two homes": ("lsp_server/engine/verification/judge.py", 'import_module("tree_sitter")'),
    "colours are for people": ("lsp_server/lsp/server.py", "from rich.console import Console"),
    "the engine knows none of its doors": ("lsp_server/engine/service.py", "import lsp_server.settings.table"),
    "what is rendered is an answer": ("lsp_server/rendering/columns.py", "from lsp_server.cli import console"),
    "settings know no door": ("lsp_server/settings/files.py", "from lsp_server.installation.doctor import Finding"),
    "the installation knows no door": ("lsp_server/installation/doctor.py", "from lsp_server.lsp.status import Status"),
    "writing knows no door": ("lsp_server/writing/sets.py", "from lsp_server.cli.console import note"),
    "editors know nothing of the command line": (
        "lsp_server/lsp/handlers/rewrite.py",
        "def f():\n    from lsp_server.cli.rewrite import run",
    ),
    "the command line only starts the editors' server": (
        "lsp_server/cli/lsp.py",
        "from lsp_server.lsp.connection import run\nfrom lsp_server.lsp.server import Server",
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_law_can_fail(law: str) -> None:
    file, source = BREACHES[law]
    assert len(breaches(LAWS[law], imports(source, file))) == 1


ALLOWED = {
    "the decoder knows names as plain data, and how children are started": (
        "decoder/loop.py",
        "from context_index.symbols import Name",
    ),
    "the server enters the index by its front door": (
        "lsp_server/engine/verification/judge.py",
        "from context_index import Document",
    ),
    "tensors stay with the model": ("decoder/models/kv.py", "import torch\nimport torchless"),
    "the protocol stays at the edge": ("lsp_server/lsp/handlers/hover.py", "from lsprotocol import types"),
}


@pytest.mark.parametrize("law", ALLOWED)
def test_law_allows(law: str) -> None:
    file, source = ALLOWED[law]
    assert breaches(LAWS[law], imports(source, file)) == []


DOORS = Reach("benchmarks", "lsp_server", tuple(f"lsp_server.{room}" for room in (
    "engine", "settings", "installation", "rendering", "writing", "errors", "paths", "store",
)))  # fmt: skip


def test_benchmarks_ask_the_engine_and_not_its_doors() -> None:
    """But for those that measure a door."""
    files = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "benchmarks").glob("*.py")}
    imported = [one for file, source in files.items() for one in imports(source, file)]
    through_doors = {one.file for one in imported if DOORS.breached_by(one)}
    assert through_doors == {"benchmarks/latency_suggestions.py"}


def import_cycle(modules: Mapping[str, str]) -> list[str]:
    """Modules of which each imports the next, the last of them the first; nothing where there are none.

    A package counts where something is imported from its `__init__`, not where one of its modules is.

    Args:
        modules: Their sources, by name.
    """
    graph: dict[str, set[str]] = {}
    for module, source in modules.items():
        found = graph[module] = set[str]()
        for node in nodes(source):
            match node:
                case ast.Import(names=names):
                    found.update(name.name for name in names)
                case ast.ImportFrom(module=str(package), names=names):
                    whole = {f"{package}.{name.name}" for name in names}
                    found.update(whole & modules.keys(), {package} if whole - modules.keys() else ())
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []


def test_no_import_comes_back_to_its_module() -> None:
    modules = {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in sources()}
    assert import_cycle({module: sources()[file] for module, file in modules.items()}) == []


@pytest.mark.parametrize("back", ["import a", "from a import x", "if TYPE_CHECKING:\n    from a import x"])
def test_an_import_that_comes_back_is_seen(back: str) -> None:
    modules = {"a": "from p import b", "p": "", "p.b": "def f():\n    import p.c", "p.c": back}
    assert sorted(set(import_cycle(modules))) == ["a", "p.b", "p.c"]
    assert import_cycle(modules | {"p.c": "from p import x"}) == []


STARTERS = ("fork", "forkpty", "exec", "spawn", "posix_spawn", "system", "popen", "startfile")
"""Of `os`; those of `exec` and `spawn` have letters added that say how they take arguments."""
ELSEWHERE = frozenset({"create_subprocess_exec", "create_subprocess_shell", "ProcessPoolExecutor", "Popen"})
"""Of asyncio, concurrent.futures and psutil."""


def started_processes(source: str) -> list[str]:
    """What a module names that starts processes without the modules that a law keeps in one place."""
    found = []
    for node in nodes(source):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name.rstrip("lvpe") in {
                starter.rstrip("lvpe") for starter in STARTERS
            }:
                found.append(f"os.{name}")
            case ast.Attribute(attr=name) | ast.alias(name=name) | ast.Name(id=name) if name in ELSEWHERE:
                found.append(name)
    return found


@pytest.mark.parametrize(
    "source",
    ["os.execvpe('a', [])", "os.posix_spawnp", "os.popen('x')", "from asyncio import create_subprocess_exec",
     "import psutil\npsutil.Popen([])", "from concurrent.futures import ProcessPoolExecutor"],
)  # fmt: skip
def test_started_processes_are_seen(source: str) -> None:
    assert len(started_processes(source)) == 1


def test_one_module_starts_processes() -> None:
    starting = {file for file, source in sources().items() if started_processes(source)}
    assert starting == {"context_index/processes.py"}


def test_relative_imports_are_resolved() -> None:
    found = [one.module for one in imports("from . import a\nfrom ..scan import b", "context_index/scopes/names.py")]
    assert found == ["context_index.scopes", "context_index.scan"]


LIGHT = ("context_index", "decoder", "lsp_server.cli.complete", "lsp_server.cli.doctor")
"""Modules in an order in which each may only add to what the ones before it import."""


@pytest.fixture(scope="module")
def tensors_loaded_by() -> dict[str, list[str]]:
    """What each of `LIGHT` has imported of tensors, in one process that imports one after another."""
    script = (
        f"import sys, json, importlib\nfound = {{}}\nfor module in {LIGHT!r}:\n    importlib.import_module(module)\n"
        "    found[module] = [m for m in ('torch', 'transformers') if m in sys.modules]\nprint(json.dumps(found))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("module", LIGHT)
def test_imports_without_tensors(module: str, tensors_loaded_by: dict[str, list[str]]) -> None:
    """Tensors cost three seconds: what does not complete must not wait for them."""
    assert tensors_loaded_by[module] == []


RIDDLES = frozenset(
    """
    Thoughts retreat leaned struck avoided Closeness owed go_back told Told told_of oracle surfaces wish objections Lane
    Habits aftercare hushing pointless catch_up mended shelf Guard feed
    """.split()  # noqa: SIM905 -- a list of as many strings is not read more easily
)
"""Names of the first house for which the field has a word."""


def test_names_are_words_of_the_field() -> None:
    in_text = re.compile(rf"\b_*({'|'.join(RIDDLES)})_*\b")
    named = {
        (file, token.string)
        for file, source in sources().items()
        if in_text.search(source)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.NAME and token.string.strip("_") in RIDDLES
    }
    assert not named


def shared_names(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """The names that public classes of several modules have, each with these modules.

    Args:
        modules: Their sources, by name.
    """
    defined: dict[str, list[str]] = {}
    for module, source in modules.items():
        for node in ast.iter_child_nodes(nodes(source)[0]):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                defined.setdefault(node.name, []).append(module)
    return {name: where for name, where in defined.items() if len(where) > 1}


def test_no_two_public_classes_have_one_name() -> None:
    assert shared_names({file: source for file, source in sources().items() if not file.startswith("tests/")}) == {}


def test_a_shared_name_is_seen() -> None:
    assert shared_names(
        {"a": "class B: ...", "c": "class B: ...\nclass _D: ...", "e": "class _D: ...\nclass F: ..."}
    ) == {"B": ["a", "c"]}
