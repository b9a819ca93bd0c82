"""What can be imported of installed packages and of the standard libraries."""

from __future__ import annotations

import ast
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import NoReturn

import pytest

from context_index import backoff, import_edit
from context_index.index.stubs import pruner
from context_index.languages.ecmascript import libraries as script
from context_index.languages.python import libraries as python
from context_index.libraries import package_reader
from context_index.libraries.package_reader import PackageReader
from context_index.store import Store
from context_index.symbols import Importable
from context_index.syntax import parse
from context_index.workspace import Workspace
from tests.files import document, lay_out

FILES = {
    "web/node_modules/@types/node/package.json": "{}",  # without it TypeScript has none of Node's modules
    "pyproject.toml": '[project]\nname = "mine"\ndependencies = ["Shop_Kit>=1", "typed"]\n',
    "main.py": "",
    ".venv/pyvenv.cfg": "version = 3.11.4\n",
    "site/shop_kit-1.0.dist-info/RECORD": "shopkit/__init__.py,,\nshopkit/cart.py,,\nsingle_kit.py,,\n../../bin/x,,\n",
    "site/shopkit/__init__.py": "from .cart import Cart, _hidden\nfrom . import cart\nimport os\nVERSION = '1'\n",
    "site/shopkit/cart.py": "class Cart(dict):\n    'Holds.'\ndef total_of(cart) -> int: ...\ndef _hidden(): ...\n",
    "site/shopkit/deep/__init__.py": "def dive_in(): ...\n",
    "site/shopkit/deep/below.py": "def too_deep(): ...\n",
    "site/shopkit/_private.py": "def secretive(): ...\n",
    "site/single_kit.py": "def single_thing(): ...\n",
    "site/typed-2.0.dist-info/top_level.txt": "typed\n",
    "site/typed/__init__.py": "def untyped_here(a): ...\n",
    "site/typed-stubs/__init__.pyi": "if sys.version_info >= (3, 13):\n    def newer_kit(a: int) -> int: ...\n"
    "else:\n    def older_kit(a: str) -> str: ...\n",
    "site/other-1.0.dist-info/top_level.txt": "other\n",
    "site/other/__init__.py": "def not_declared(): ...\n",
    "web/package.json": json.dumps(
        {
            "dependencies": {"kit": "1", "@scope/ui": "1", "classic": "1", "plain": "1", "gone": "1"},
            "devDependencies": {"@types/classic": "1"},
        }
    ),
    "web/main.ts": "",
    "web/main.js": "",
    "web/node_modules/kit/package.json": json.dumps(
        {"name": "kit", "exports": {".": {"types": "./d.ts", "default": "./i.js"}, "./sub": "./sub.js", "./x/*": "./*"}}
    ),
    "web/node_modules/kit/d.ts": "export * from './more';\nexport { a as renamedThing } from './more.js';\n",
    "web/node_modules/kit/more.d.ts": "/** A. */\nexport declare function alphaKit(x: number): string;\n"
    "export declare const a: 1;\nexport interface AlphaOptions {}\n",
    "web/node_modules/kit/sub.js": "",
    "web/node_modules/kit/sub.d.ts": "export default class SubKit {}\n",
    "web/node_modules/@scope/ui/package.json": json.dumps({"name": "@scope/ui", "types": "t.d.ts", "version": "2"}),
    "web/node_modules/@scope/ui/t.d.ts": "export const ScopeButton: () => null;\n",
    "web/node_modules/classic/package.json": json.dumps({"name": "classic", "main": "index.js"}),
    "web/node_modules/classic/index.js": "module.exports = make();\n",
    "web/node_modules/@types/classic/package.json": json.dumps({"name": "@types/classic", "types": "index.d.ts"}),
    "web/node_modules/@types/classic/index.d.ts": "export = Classic;\nexport as namespace Classic;\n"
    "declare namespace Classic {\n  function useClassic(a: number): void;\n  interface ClassicProps {}\n}\n",
    "web/node_modules/@types/runner/package.json": json.dumps({"name": "@types/runner", "version": "1"}),
    "web/node_modules/@types/runner/index.d.ts": "declare const expectThat: Runner.Expect;\n"
    "declare function itDoes(title: string): void;\ndeclare namespace Runner { interface Expect {} }\n"
    "interface RunnerOptions {}\n",
    "node_modules/@types/outer/package.json": json.dumps({"name": "@types/outer", "types": "o.d.ts"}),
    "node_modules/@types/outer/o.d.ts": "export {};\ndeclare global { var outerThing: number; }\n"
    "export const own: 1;\n",
    "web/node_modules/plain/package.json": json.dumps({"name": "plain", "main": "./lib/index"}),
    "web/node_modules/plain/lib/index.js": "exports.plainThing = function (a) {};\nmodule.exports.other = 1;\n"
    "exports.subKi = 1;\n",
}

# a file, the text before its cursor, and what may be imported for its last word; "!" marks a default export or, but in
# Python, a module
CASES = """
main.py       x = Cart         => Cart class shopkit, cart module shopkit, Cart class shopkit.cart
main.py       total_of          => total_of function shopkit.cart
main.py       dive_d            => -
main.py       dive_             => dive_in function shopkit.deep
main.py       single_t          => single_thing function single_kit
main.py       older_k           => older_kit function typed
main.py       newer_kit         => -
main.py       untyped           => -
main.py       too_d             => -
main.py       secretiv          => -
main.py       not_decl          => -
main.py       OrderedD          => OrderedDict class collections, OrderedDict variable typing
main.py       ThreadPoolE       => ThreadPoolExecutor class concurrent.futures, \
ThreadPoolExecutor class concurrent.futures.thread
main.py       jso               => JSONDecoder class json, JSONEncoder class json, JSONDecoder class json.decoder, \
JSONEncoder class json.encoder, JSONDecodeError class json, JSONDecodeError class json.decoder, \
json module json
main.py       single_k          => single_kit module single_kit
web/main.ts   alpha             => alphaKit function kit, AlphaOptions interface kit
web/main.js   alpha             => alphaKit function kit
web/main.ts   renamedT          => renamedThing constant kit
web/main.js   subk              => subKi constant plain, SubKit! class kit/sub
web/main.js   import { a } from 'kit'; subk  => SubKit! class kit/sub, subKi constant plain
web/main.ts   scopeb            => ScopeButton constant @scope/ui
web/main.js   useCl             => useClassic function classic
web/main.js   plainT            => plainThing function plain
web/main.js   fs                => fs! module node:fs, fstat function node:fs, fsync function node:fs, \
fstatSync function node:fs, fsyncSync function node:fs, fsPromises! module node:fs/promises
web/main.ts   gunzipS           => gunzipSync function node:zlib
web/main.js   import p from 'path'; gunzipS  => gunzipSync function zlib
web/main.js   import p from 'path'; testRep  => testReporters! module node:test/reporters
web/main.js   isSea             => isSea function node:sea
web/main.ts   f                 => -
"""

EDITS = [
    ("main.py", "json", "import json\n"),
    ("main.py", "total_of", "from shopkit.cart import total_of\n"),
    ("web/main.js", "fs", "import fs from 'node:fs';\n"),
    ("web/main.ts", "fs", "import * as fs from 'node:fs';\n"),
    ("web/main.ts", "beforeEach", "import { beforeEach } from 'node:test';\n"),
    ("web/main.ts", "gunzipSync", "import { gunzipSync } from 'node:zlib';\n"),
    ("web/main.ts", "SubKit", "import SubKit from 'kit/sub';\n"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {name.replace("site/", ".venv/lib/python3.11/site-packages/"): text for name, text in FILES.items()}
    return lay_out(tmp_path_factory.mktemp("project"), files)


@pytest.fixture(scope="module")
def workspace(root: Path) -> Iterator[Workspace]:
    workspace = Workspace([root])
    workspace.index()
    yield workspace
    workspace.close()


def offered(workspace: Workspace, root: Path, name: str, text: str) -> list[Importable]:
    shown, word = document(root, name, text), text.rpartition(" ")[2].lower()
    workspace.read_libraries(shown, 120)
    found = workspace.context(parse(shown), len(text)).importable
    return [one for one in found if one.text.lower().startswith(word)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.replace("\\\n", "").strip().splitlines())
def test_importable(case: str, root: Path, workspace: Workspace) -> None:
    left, expected = (part.strip() for part in case.split(" => ", 1))
    name, _, text = left.partition(" ")
    found = [
        f"{one.text}{'!' if one.is_default or one.is_module else ''} {one.kind} {one.module}"
        for one in offered(workspace, root, name, text.strip())
    ]
    if name.endswith(".py"):
        found = [one.replace("!", "") for one in found]
    assert ", ".join(found) == expected.strip("-")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "expected"), EDITS)
def test_the_import_that_is_written(name: str, text: str, expected: str, root: Path, workspace: Workspace) -> None:
    wanted = next(one for one in offered(workspace, root, name, text) if one.text == text)
    empty = document(root, name, "")
    assert empty.edited([import_edit(parse(empty), wanted)], 1).text == expected


DECLARED_BY_TYPES = frozenset({"RunnerOptions", "expectThat", "itDoes", "outerThing", "own"})
# those of these names that packages of types give to a file
GIVEN = """
web/main.ts  => RunnerOptions interface, expectThat constant, itDoes function, outerThing variable
web/main.js  => expectThat constant, itDoes function, outerThing variable
main.ts      => outerThing variable
main.py      => -
"""


@pytest.fixture(scope="module")
def with_types(root: Path, workspace: Workspace) -> Workspace:
    for name in ("main.ts", "web/main.ts", "web/main.js"):
        workspace.read_libraries(document(root, name, ""), 120)
    return workspace


@pytest.mark.parametrize("case", GIVEN.strip().splitlines())
def test_names_that_packages_of_types_give(case: str, root: Path, with_types: Workspace) -> None:
    name, expected = (part.strip() for part in case.split("=>"))
    names = with_types.context(parse(document(root, name, "")), 0).names
    found = [f"{one} {names[one].kind}" for one in sorted(names) if one in DECLARED_BY_TYPES]
    assert ", ".join(found) == expected.strip("-")


def test_packages_of_types_that_may_not_be_read_give_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "node_modules" / "@types").mkdir(parents=True)

    def refused(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "iterdir", refused)
        assert list(script.typed(tmp_path)) == []


@pytest.mark.slow
def test_a_question_never_waits_and_taken_names_are_left_out(root: Path) -> None:
    workspace = Workspace([root])
    syntax = parse(document(root, "main.py", "json = 1\n"))
    assert "os" not in {one.text for one in workspace.context(syntax, 9).importable}
    workspace.read_libraries(syntax.document, 120)
    first = workspace.context(syntax, 9).importable
    assert {"os", "shopkit"} <= {one.text for one in first}
    assert "json" not in {one.text for one in first}
    assert workspace.context(syntax, 9).importable is first
    workspace.close()


@pytest.mark.slow
def test_what_was_read_is_kept(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    monkeypatch.setattr(package_reader, "_standard", {})
    for _ in range(2):
        workspace = Workspace([root], store=tmp_path / "store.sqlite")
        workspace.index()
        found.append(
            [offered(workspace, root, name, word) for name, word in (("main.py", "Car"), ("web/main.ts", "alp"))]
        )
        workspace.close()
        monkeypatch.setattr(package_reader, "_standard", {})
        monkeypatch.setattr(PackageReader, "_facts", lambda *_: pytest.fail("it was read before"))
    assert found[0] == found[1]
    assert all(found[0])


def test_a_manifest_that_changes_is_read_again(tmp_path: Path) -> None:
    lay_out(tmp_path, {name: text for name, text in FILES.items() if name.startswith("web/")})
    with closing(Workspace([tmp_path])) as workspace:
        workspace.index()
        assert offered(workspace, tmp_path, "web/main.ts", "alpha")
        (tmp_path / "web/package.json").write_text("{}")
        workspace.refresh([tmp_path / "web/package.json"])
        assert not offered(workspace, tmp_path, "web/main.ts", "alpha")
        assert offered(workspace, tmp_path, "web/main.ts", "gunzip")


def test_a_manifest_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(_directory: Path) -> list[script.ScriptPackage]:
        monkeypatch.undo()
        project.refresh([tmp_path / "package.json"])
        return []

    monkeypatch.setattr(script, "typed", changed)
    package = {"package.json": '{"name": "@types/late", "version": "1"}', "index.d.ts": "declare const lateThing: 1;\n"}
    lay_out(tmp_path / "node_modules" / "@types" / "late", package)
    project, syntax = Workspace([tmp_path]), parse(document(tmp_path, "main.ts", ""))
    for _ in range(2):
        project.read_libraries(syntax.document, 120)
    assert "lateThing" in project.context(syntax, 0).names
    project.close()


def test_libraries_that_cannot_be_read_are_tried_ever_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[logging.LogRecord]
) -> None:
    now, tries, workspace = 1000.0, 0, Workspace([tmp_path])

    def broken(_directory: Path) -> NoReturn:
        nonlocal tries
        tries += 1
        raise RuntimeError("a broken file")

    def at_a_key() -> list[str]:
        found = [one.text for one in offered(workspace, tmp_path, "main.js", "gunzipS")]
        workspace.read_libraries(document(tmp_path, "main.js", ""), 120)  # waits for what the question began to read
        return found

    monkeypatch.setattr(backoff, "monotonic", lambda: now)
    with monkeypatch.context() as patched:
        patched.setattr(script, "typed", broken)
        tried = []
        for _ in range(500):
            before = tries
            assert at_a_key() == []
            tried += [now] * (tries - before)
            now += 0.125
    assert [later - earlier for earlier, later in pairwise(tried)] == [0.5, 1, 2, 4, 8, 16]
    last = "could not be read (RuntimeError: a broken file); tried again in 16 s at the earliest"
    assert any(last in record.getMessage() for record in logged)
    assert at_a_key() == []  # it would work now, and is not tried yet
    workspace.refresh([tmp_path / "package.json"])
    assert at_a_key() == ["gunzipSync"]
    workspace.close()


def test_a_file_that_is_too_deep_costs_its_own_names_only(tmp_path: Path) -> None:
    files = {
        "package.json": '{"dependencies": {"kit": "1"}}',
        "node_modules/kit/package.json": '{"exports": {".": "./good.js", "./deep": "./deep.js"}}',
        "node_modules/kit/good.js": "export const goodThing = 1;\n",
        "node_modules/kit/deep.js": "export const " + "[\n" * 3_000 + "a" + "]" * 3_000 + " = [];\n",
    }
    lay_out(tmp_path, files)
    workspace = Workspace([tmp_path])
    assert [one.text for one in offered(workspace, tmp_path, "main.js", "goodT")] == ["goodThing"]
    workspace.close()


def test_what_a_store_cannot_tell_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = {"node_modules/kit/index.js": "export const goodThing = 1;\n", "node_modules/kit/package.json": "{}"}
    lay_out(tmp_path, kit | {"package.json": '{"dependencies": {"kit": "1"}}'})
    monkeypatch.setattr(Store, "library", lambda *_: b"[[1]]")
    workspace = Workspace([tmp_path], store=tmp_path / "store.sqlite")
    assert [one.text for one in offered(workspace, tmp_path, "main.js", "goodT")] == ["goodThing"]
    workspace.close()


DECLARED = [
    ("pyproject.toml", "[project]\ndependencies = [\"A.b[x]>=1; python_version > '3'\"]", {"a-b"}),
    ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3'\nrequests = '*'", {"requests"}),
    (
        "pyproject.toml",
        '[project.optional-dependencies]\ndev = ["x"]\n[dependency-groups]\nt = ["y", {a = "b"}]',
        {"x", "y"},
    ),
    ("pyproject.toml", "not toml [", set()),
    ("pyproject.toml", f"a = {'[' * 9999}", set()),
    ("pyproject.toml", "project = 3\ntool = []", set()),
    ("pyproject.toml", "[project]\ndependencies = 'abc'\noptional-dependencies = ['a']", set()),
    ("pyproject.toml", "[project.optional-dependencies]\na = 3\nb = ['x', 4]\n[tool.poetry]\ndependencies = 3", {"x"}),
    ("requirements.txt", "\ufeffflask\n", {"flask"}),
    ("requirements-dev.txt", "# c\nFlask==1\n-r other.txt\nnumpy >= 2\n", {"flask", "numpy"}),
]


@pytest.mark.parametrize(("name", "text", "expected"), DECLARED)
def test_what_a_project_says_that_it_needs(name: str, text: str, expected: set[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "requirements-none.txt").mkdir()
    assert python.declared(tmp_path) == expected


@pytest.mark.parametrize(
    ("said", "version"),
    [(b"version = 3.9.1\n", (3, 9)), (b"\xff\nversion_info = 3.12.0", (3, 12)), (b"\xff\xfe", sys.version_info[:2])],
)
def test_the_python_of_an_environment(said: bytes, version: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_bytes(said)
    assert python.version_of(tmp_path) == version


PRUNED = [
    ("if sys.version_info >= (3, 12):\n    a = 1\nelse:\n    b = 1\n", ["b"]),
    ("if sys.version_info < (3, 12):\n    a = 1\nelif sys.platform == 'linux':\n    b = 1\nelse:\n    c = 1\n", ["a"]),
    ("if sys.platform == 'win32':\n    a = 1\nelif sys.platform == 'linux':\n    b = 1\nelse:\n    c = 1\n", ["b"]),
    (
        "if sys.platform != 'x' and sys.version_info >= (3,):\n    a = 1\n    if sys.platform == 'x':\n        b = 1",
        ["a"],
    ),
    ("if TYPE_CHECKING:\n    a = 1\nelse:\n    b = 1\n", ["a", "b"]),
    ("if sys.version_info >= (3, 13): a = 1\n", ["a"]),
    ("if x == None:\n    a = 1\nelse:\n    b = 1\n", ["a", "b"]),
    ("if sys.version_info == 3:\n    a = 1\n", ["a"]),
    ("if sys.platform == 'win32' or sys.version_info >= (3, 13):\n    a = (\n 1)\n    b = 2\nc = 3\n", ["c"]),
    ("if x:\n\tif sys.platform == 'win32':\n\t\ta = 1\n\tb = 2\n", ["b"]),
    ("# a \f page\nif sys.version_info >= (3, 13):\n    a = 1\n    b = 2\nc = 3\n", ["c"]),
]


@pytest.mark.parametrize(("text", "expected"), PRUNED)
def test_stubs_are_read_for_one_python(text: str, expected: list[str]) -> None:
    left = pruner("3.11 linux")(text)
    assigned = [node.targets[0] for node in ast.walk(ast.parse(left)) if isinstance(node, ast.Assign)]
    assert sorted(map(ast.unparse, assigned)) == expected


def test_a_stub_that_does_not_parse_is_read_as_it_is() -> None:
    text = "a = = 1\nif sys.version_info >= (3, 13):\n    b = 1\n"
    assert pruner("3.11 linux")(text) == text


def test_a_branch_is_left_out_with_its_first_decorators() -> None:
    text = "if sys.version_info >= (3, 13):\n    @a\n    @b(\n        1)\n    def f(): ...\nc = 1\n"
    assert " ".join(pruner("3.11 linux")(text).split()) == "if sys.version_info >= (3, 13): pass c = 1"


@pytest.mark.slow
def test_what_is_offered_of_the_standard_library_is_there() -> None:
    """Held against the running CPython. What differs are constants of other systems and terminals."""
    reader = PackageReader(None, Event())
    package = python.standard_library(sys.version_info[:2])
    assert package is not None
    target = f"{sys.version_info[0]}.{sys.version_info[1]} {sys.platform}"
    facts = reader._facts([str(path) for path in package.modules.values()], target)
    exports = python.exports_of(package, {name: facts[str(path)] for name, path in package.modules.items()})
    ask = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
missing = []
for module, name in json.load(sys.stdin):
    try:
        found = hasattr(importlib.import_module(module), name) or importlib.import_module(f"{module}.{name}")
    except Exception:
        missing.append([module, name])
json.dump(missing, sys.stdout)
"""
    names = [(export.module, export.text) for export in exports if not export.is_module]
    done = subprocess.run(
        [sys.executable, "-c", ask], input=json.dumps(names), capture_output=True, text=True, check=True
    )
    missing = json.loads(done.stdout.splitlines()[-1])
    assert len(names) > 7_000
    assert len(missing) <= len(names) * 0.03


@pytest.mark.parametrize(
    ("name", "types", "package", "expected"),
    [
        ("main.ts", "", "", []),
        ("main.tsx", "", "", []),
        ("main.js", "", "", ["node:zlib"]),
        ("main.ts", "node_modules/@types/node/package.json", "", ["node:zlib"]),
        ("main.ts", "../node_modules/@types/node/package.json", "", ["node:zlib"]),
        ("main.ts", "", "zlib", ["zlib"]),
        ("main.ts", "node_modules/@types/node/package.json", "zlib", ["node:zlib", "zlib"]),
        ("main.js", "", "zlib", ["node:zlib", "zlib"]),
        ("plain.js", "", "zlib", ["zlib"]),
    ],
)
def test_typescript_has_nodes_modules_where_it_has_their_types(
    tmp_path: Path, name: str, types: str, package: str, expected: list[str]
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    files = {types: "{}"} if types else {}
    if package:
        files["package.json"] = json.dumps({"dependencies": {package: "1"}})
        files[f"node_modules/{package}/package.json"] = "{}"
        files[f"node_modules/{package}/index.d.ts"] = "export declare function gunzipSync(a: string): string;\n"
    lay_out(root, files)
    with closing(Workspace([root])) as workspace:
        text = "import p from 'path'; gunzipS" if name == "plain.js" else "gunzipS"
        assert [one.module for one in offered(workspace, root, name, text)] == expected
