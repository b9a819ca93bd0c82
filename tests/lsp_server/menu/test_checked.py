"""The menu over real type checkers: what they list, and what they say of an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index import Workspace, import_edit, parse
from lsp_server.engine.menu.candidates import Lister, MenuCandidates
from lsp_server.engine.menu.imports import offered_import
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.site import Site
from lsp_server.engine.verification import Candidate as Accepted
from lsp_server.engine.verification.applied import Applied
from lsp_server.lsp.handlers import resolve
from tests import needs
from tests.context_index.checkers import project
from tests.files import document, lay_out
from tests.lsp_server.fakes import Editor, conversation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

CASES = """
ts   import { Cart } from './shop';<>new Cart().^                   | items total         | secret trim
ts   import { Cart } from './shop';<>new Cart().to^                 | total                | items
ts   import { Cart } from './shop';<>new Cart()['^']                | items total         | trim
ts   import { ^ } from './shop';                                    | Cart Options place | Array
ts   import { Cart } from './^';                                    | shop                 | Cart
ts   import { place } from './shop';<>place({ ^ }, 'fast')          | left mode right    | place
ts   import { place } from './shop';<>place({ left: 1, mode: '^' }, 'fast') | a b                 | left
ts   let any: any;<>any.^                                           |                       | toString
js   const own = { ab: 1 };<>own.^                                  | ab                   | own
tsx  function B(p: { items: number }) { return <p/> }<><B ^ />      | items                | B
py   from cart import Cart<>Cart().^                                | items total         | left
py   from cart import ^                                             | Cart Options        | len
py   from cart import Cart<>Cart().total(^)                         | mode= tax= Cart len | items
py   from cart import Options<>def f(o: Options):<>    o['^']       | left right          | Cart
py   import os.^                                                    | path                 | len
py   def test_a(tmp_path=^): ...                                    | len                   | capsys
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def workspace(root: Path) -> Iterator[Workspace]:
    workspace = Workspace([root])
    yield workspace
    workspace.close()


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_menu_lists_what_the_checker_knows(case: str, root: Path, workspace: Workspace) -> None:
    place, present, absent = (part.strip() for part in case.split("|"))
    suffix, _, marked = place.partition(" ")
    needs.checker(suffix)
    marked = marked.strip().replace("<>", "\n")
    syntax = parse(document(root, f"menu.{suffix}", marked.replace("^", "", 1)))
    found = Lister().at(Site(workspace, syntax, marked.index("^")))
    names = {one.text for one in found.items}
    assert {*present.split()} <= names
    assert not {*absent.split()} & names
    assert present or not names


def test_a_class_has_its_own_members_before_those_of_every_object(root: Path, workspace: Workspace) -> None:
    """TypeScript does not list the latter."""
    marked = "from cart import Cart\nCart().^"
    shown = parse(document(root, "menu.py", marked.replace("^", "")))
    found = {one.text: one.is_universal for one in Lister().at(Site(workspace, shown, marked.index("^"))).items}
    assert (found["total"], found["items"], found["__eq__"]) == (False, False, True)


UNIMPORTED = """
py  print(json.du^)                     | dumps | import json
py  x = os.path.jo^                     | join  | import os
py  if re.com^:<>    pass               | compile | import re
py  x = [math.fl^ for y in z]           | floor | import math
py  'Says.'<>x = sh.co^            | copy  | import shutil as sh
py  import os<>x = cabc.Seq^            | Sequence | import collections.abc as cabc
js  path.jo^                            | join  | import path from 'node:path'
js  const x = fs.readFileS^             | readFileSync | import fs from 'node:fs'
js  f(1);<>const x = os.cp^             | cpus  | import os from 'node:os';
py  np.^                                |       |
py  jso.^                               |       |
py  json = 1<>json.du^                  |       |
py  def f(json: int): return json.real^ | real  |
"""
"""What is typed, what is listed of it, and the import that comes with each entry."""


@pytest.mark.parametrize("case", UNIMPORTED.strip().splitlines())
def test_members_of_a_module_that_is_not_imported_bring_its_import(case: str, unimported: Workspace) -> None:
    place, name, statement = (part.strip() for part in case.split("|"))
    suffix, _, marked = place.partition(" ")
    needs.checker(suffix)
    marked = marked.strip().replace("<>", "\n")
    syntax = parse(document(unimported.roots[0], f"menu.{suffix}", marked.replace("^", "", 1)))
    unimported.read_libraries(syntax.document, 60.0)
    found = Lister().at(Site(unimported, syntax, marked.index("^")))
    assert name in {one.text for one in found.items} or not (name or found.items)
    edits = {import_edit(syntax, one.importable).text.strip() for one in found.items if one.importable}
    assert edits == ({statement} if statement else set())


PACKAGES = {
    "http/fetcher.ts": "export class Fetcher {}\nexport const other = 1;\nexport default class Client {}\n",
    "http/index.ts": "export { Fetcher } from './fetcher';\n",
    "uses/one.ts": "import * as web from '../http/fetcher';\nimport Net from '../http/fetcher';\n",
    "uses/two.ts": "import * as web from '../http/fetcher';\nimport * as web2 from './one';\n",
    "uses/three.js": "import * as mender from '../cjs.js';\n",
    "cjs.js": "module.exports = { mend: 1, sew: 2 };\n",
    "pkg/__init__.py": "from .inner import pickle_plums\n",
    "pkg/inner.py": "def pickle_plums(): ...\nclass Jar: ...\n",
}


@pytest.fixture(scope="module")
def unimported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = project(tmp_path_factory.mktemp("unimported"))
    if not (root / "node_modules").is_dir():
        pytest.skip("no types of Node are installed; see CONTRIBUTING.md")
    (root / "tsconfig.json").unlink()
    lay_out(root, {"other.py": "import shutil as sh\nimport collections.abc as cabc\nfrom . import x as jso\n"})
    lay_out(root, PACKAGES)
    workspace = Workspace([root])
    workspace.index()
    yield workspace
    workspace.close()


EXPORTERS = """
ts  import { Fetcher } from '^'                      | ./http ./http/fetcher
ts  import { Fetcher } from '^                       | ./http ./http/fetcher
ts  import { Fetcher } from './^'                    | http http/fetcher
ts  import { Fetcher } from './http/^'               | fetcher
ts  import { Fetcher as F } from "./h^"              | http http/fetcher
ts  import { Fetcher, other } from '^';<>f();        | ./http/fetcher
ts  import Client from '^                            | ./http/fetcher
ts  import type { Fetcher } from '^'                 | ./http ./http/fetcher
ts  export { Fetcher } from '^'                      | ./http ./http/fetcher
ts  import * as web from '^'                         | ./http/fetcher
ts  import * as web from './h^'                      | http/fetcher
ts  import * as web2 from '^                         | ./uses/one
ts  import Net from '^'                              | ./http/fetcher
ts  import * as elsewhere from '^'                   |
js  import * as mender from '^'                      | ./cjs
ts  import { nothing } from '^'                      |
ts  import '^'                                       |
js  import { mend } from './^'                       | cjs
js  const { mend } = require('^')                    | ./cjs
js  const { mend, sew } = require("^                 | ./cjs
js  const { mend: fix } = require('./c^')            | cjs
js  const { readFileSync } = require('^')            | node:fs
py  from ^ import pickle_plums                             | pkg pkg.inner
py  from ^ import Jar                                | pkg.inner
py  from p^ import Jar, pickle_plums                       | pkg.inner
py  from pkg.^ import Jar                            | inner
py  from ^ import inner                              | pkg
py  from ^ import (<>    Jar,<>)                     | pkg.inner
py  from ^ import nothing                            |
"""
"""An import whose module is being typed, and the modules that come first."""


@pytest.mark.parametrize("case", EXPORTERS.strip().splitlines())
def test_what_exports_the_names_of_an_import_comes_first(case: str, unimported: Workspace) -> None:
    place, expected = (part.strip() for part in case.split("|"))
    suffix, _, marked = place.partition(" ")
    needs.checker(suffix)
    marked = marked.strip().replace("<>", "\n")
    syntax = parse(document(unimported.roots[0], f"menu.{suffix}", marked.replace("^", "", 1)))
    unimported.read_libraries(syntax.document, 60.0)
    found = Lister().at(Site(unimported, syntax, marked.index("^")))
    scores = dict.fromkeys((one.text for one in found.items), -1.0)
    for by_model in ({}, scores):
        listed = [one.text for one in ordered(found.items, by_model) if one.exporter_rank is not None]
        assert listed == expected.split()
        assert [one.text for one in ordered(found.items, by_model)][: len(listed)] == listed
    assert len({one.text for one in found.items}) == len(found.items)


def test_the_checkers_own_import_comes_with_a_member(unimported: Workspace) -> None:
    syntax = parse(document(unimported.roots[0], "menu.py", "import os\n\nprint(json.du)\n"))
    unimported.read_libraries(syntax.document, 60.0)
    found = Lister().at(Site(unimported, syntax, 24))
    (wanted,) = {one.importable for one in found.items if one.text == "dumps"}
    assert wanted is not None
    checker = unimported.checker_of(syntax.document)
    entry = Accepted(found.start, "dumps", 2)
    assert offered_import(unimported, checker, Applied(syntax, entry), wanted, 60.0)


PROJECT = "[project]\nname = 'larder'\nversion = '1'\n"
LAYOUTS = {
    "src": {},
    "src with a project": {"pyproject.toml": PROJECT},
    "lib": {},
    "lib of setuptools": {"pyproject.toml": PROJECT + "[tool.setuptools.packages.find]\nwhere = ['lib']\n"},
    "lib of poetry": {"pyproject.toml": "[tool.poetry]\npackages = [{include = 'larder', from = 'lib'}]\n"},
    "python of uv": {"pyproject.toml": PROJECT + "[tool.uv.build-backend]\nmodule-root = 'python'\n"},
    "code of hatch": {"pyproject.toml": "[tool.hatch.build.targets.wheel]\npackages = ['code/larder']\n"},
    "code of setup.cfg": {"setup.cfg": "[options]\npackage_dir =\n    = code\n"},
    "code of pytest": {"pyproject.toml": "[tool.pytest.ini_options]\npythonpath = 'code'\n"},
}
"""The folder of the sources, and the files that say so."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_modules_are_named_from_the_folder_that_the_project_imports_from(layout: str, tmp_path: Path) -> None:
    folder = layout.split(maxsplit=1)[0]
    files = {"__init__.py": "from .inner import pickle_plums\n", "inner.py": "def pickle_plums(): ...\n"}
    files = {**files, "deep/__init__.py": "", "relative.py": "from .inner import pickle_plums as _p\n"}
    lay_out(tmp_path, {**LAYOUTS[layout], **{f"{folder}/larder/{name}": text for name, text in files.items()}})
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        for name in ("larder/jam.py", "larder/deep/more.py", "script.py", "../run.py", "../tests/test_jam.py"):
            assert imports_at(workspace, f"{folder}/{name}", "") == {
                "from larder import pickle_plums",
                "from larder.inner import pickle_plums",
            }
        assert "from .inner import pickle_plums" in imports_at(
            workspace, f"{folder}/larder/jam.py", "from . import x\n"
        )
    finally:
        workspace.close()


def imports_at(workspace: Workspace, name: str, head: str) -> set[str]:
    """What the entries of a half-typed name insert."""
    path = (workspace.roots[0] / name).resolve()
    syntax = parse(document(path.parent, path.name, f"{head}pickle_pl\n"))
    offset = len(syntax.document.text) - 1
    found = Lister().at(Site(workspace, syntax, offset))
    applied = Applied(syntax, Accepted(found.start, "pickle_plums", offset - found.start))
    inserted = set()
    for wanted in (one.importable for one in found.items if one.importable and one.text == "pickle_plums"):
        edits = offered_import(workspace, workspace.checker_of(syntax.document), applied, wanted, 60.0)
        inserted.add((edits or (import_edit(syntax, wanted),))[0].text.strip())
    return inserted


WITHOUT_IMPORTS = """
mendA^
mendA^();
function f() {<>  mendA^<>}
'use strict';<><>mendA^
module.exports = () => mendA^;
class A {<>  f() { return mendA^ }<>}<>module.exports = A;
"""


@pytest.mark.parametrize("marked", WITHOUT_IMPORTS.strip().splitlines())
def test_a_file_without_imports_gets_no_empty_first_line(marked: str, tmp_path: Path) -> None:
    needs.typescript()
    others = {"b.js": "function mendAll() {}\nmodule.exports = { mendAll };\n", "c.js": "const b = require('./b');\n"}
    lay_out(tmp_path, others)
    workspace = Workspace([tmp_path])
    workspace.index()
    workspace.update(document(tmp_path, "b.js", others["b.js"]))  # without a configuration, open files are a project
    try:
        marked = marked.replace("<>", "\n") + "\n"
        syntax = parse(document(tmp_path, "a.js", marked.replace("^", "")))
        found = Lister().at(Site(workspace, syntax, marked.index("^")))
        (wanted,) = {one.importable for one in found.items if one.text == "mendAll" and one.importable}
        assert wanted is not None
        applied = Applied(syntax, Accepted(found.start, "mendAll", 5))
        (edit,) = offered_import(workspace, workspace.checker_of(syntax.document), applied, wanted, 60.0)
        assert "require(" in edit.text
        assert syntax.document.edited([edit], 1).text[:1] != "\n"
    finally:
        workspace.close()


DESCRIBED = """
ts  import { Cart } from './shop';<>new Cart().to^ | total | (method) Cart.total(): number
py  from cart import Cart<>Cart().^                | items | list[str]
py  /^                                             | len   |
ts  export const own = 1;<>ow^                     | own   | const own: 1
"""


@pytest.mark.parametrize("case", DESCRIBED.strip().splitlines())
@conversation
async def test_an_entry_is_described_by_the_checker(
    editor: Editor, case: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the protocol; only the service, which needs a model, is not the real one."""
    place, label, signature = (part.strip() for part in case.split("|"))
    suffix, _, marked = place.partition(" ")
    needs.checker(suffix)
    monkeypatch.setattr(resolve, "_SECONDS", 60.0)

    def only(found: MenuCandidates) -> MenuCandidates:
        return MenuCandidates(found.start, tuple(one for one in found.items if one.text == label), kind=found.kind)

    await editor.start(roots=[root])
    lister = Lister()
    monkeypatch.setattr(editor.service, "candidates", lambda site, _patience: only(lister.at(site)))
    uri = (root / f"described.{suffix}").as_uri()
    language = "python" if suffix == "py" else "typescript"
    marked_text = marked.strip().replace("<>", "\n").replace("/^", "^")
    (item,) = (await editor.menu(editor.open(marked_text, uri, language), uri))["items"]
    found = (await editor.ask("completionItem/resolve", **item))["result"]
    assert signature in found["detail"]
    assert signature or found["documentation"]["value"].startswith("Return the number of items")


IMPORTS = {
    # file, text, entry, what the file begins with once it is accepted
    "NodeNext wants the suffix": ("a.ts", "const c = formatC^;\n", 'import { formatCents } from "./money.js";\n\n'),
    "joins the import of the module": (
        "b.ts",
        "import { parse } from './money.js';\nparse(formatC^);\n",
        "import { formatCents, parse } from './money.js';\n",
    ),
    "the file's own line ends": (
        "c.ts",
        "const c = formatC^;\r\n",
        'import { formatCents } from "./money.js";\r\n\r\n',
    ),
    "and below other imports": (
        "d.ts",
        "import { join } from './paths.js';\r\njoin(formatC^);\r\n",
        "import { formatCents } from './money.js';\r\nimport { join } from './paths.js';\r\n",
    ),
    "and in Python": ("c.py", "x = format_c^\r\n", "from money import format_cents\r\n"),
    "Python": ("a.py", "x = format_c^\n", "from money import format_cents\n"),
    "a module": ("b.py", "x = graphl^\n", "import graphlib\n"),
    "no require in a package of ES modules": (
        "plain/a.js",
        "f(formatC^);\n",
        "import { formatCents } from './cents.js';\n\n",
    ),
}
MONEY = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext", "types": []}}',
    "package.json": '{"type": "module"}',
    "money.ts": "export const formatCents = (cents: number) => `${cents}`;\nexport const parse = (a: string) => a;\n",
    "paths.ts": "export const join = (a: string) => a;\n",
    "money.py": "def format_cents(cents: int) -> str: ...\n",
    "plain/package.json": '{"type": "module"}',
    "plain/cents.js": "export function formatCents(cents) {}\n",
    "plain/main.js": "import { formatCents } from './cents.js';\nformatCents(1);\n",
}


@pytest.mark.parametrize("case", IMPORTS)
@conversation
async def test_an_entry_brings_the_import_that_the_checker_makes(
    editor: Editor, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "_SECONDS", 60.0)
    name, marked, expected = IMPORTS[case]
    suffix = name[-2:]
    needs.checker(suffix)
    lay_out(tmp_path, MONEY)
    label = "graphlib" if "graph" in marked else "format_cents" if suffix == "py" else "formatCents"
    item = {"resolveSupport": {"properties": ["additionalTextEdits"]}}
    capabilities = {"textDocument": {"completion": {"completionItem": item}, "inlineCompletion": {}}}
    await editor.start(capabilities, roots=[tmp_path])
    workspace = editor.workspaces[-1]
    workspace.index()
    syntax = parse(document(tmp_path, name, marked.replace("^", "")))
    workspace.read_libraries(syntax.document, 60)
    editor.service.candidates = Lister().at  # type: ignore[method-assign,assignment]  # it needs no model
    uri = (tmp_path / name).as_uri()
    place = editor.open(marked, uri, {"ts": "typescript", "py": "python", "js": "javascript"}[suffix])
    listed = [one for one in (await editor.menu(place, uri))["items"] if one["label"] == label]
    assert "additionalTextEdits" not in listed[0]
    for _ in range(2):  # the checker may not have read the project at the first
        found = (await editor.ask("completionItem/resolve", **listed[0]))["result"]
    (edit,) = found["additionalTextEdits"]
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"] == 0
    first = marked.splitlines(keepends=True)[0] if "import" in marked else ""
    assert first[: start["character"]] + edit["newText"] + first[end["character"] :] == expected


def test_each_entry_of_a_name_that_many_modules_export_brings_its_own_import(tmp_path: Path) -> None:
    needs.checker("ts")
    names = [f"money{number}" for number in range(5)]
    for name in names:
        (tmp_path / f"{name}.ts").write_text(MONEY["money.ts"], "utf-8")
    (tmp_path / "tsconfig.json").write_text(MONEY["tsconfig.json"], "utf-8")
    workspace = Workspace((tmp_path,))
    try:
        workspace.index()
        syntax = parse(document(tmp_path, "a.ts", "formatC"))
        checker = workspace.checker_of(syntax.document)
        applied = Applied(syntax, Accepted(0, "formatCents", len("formatC")))
        for entry in (
            one for one in Lister().at(Site(workspace, syntax, len("formatC"))).items if one.importable is not None
        ):
            assert entry.importable is not None
            (edit,) = offered_import(workspace, checker, applied, entry.importable, 60)
            assert f"/{names.pop(0)}" in edit.text
        assert not names
    finally:
        workspace.close()


PASSED_ON = {
    # what the package's __init__ begins with, the module that declares the name, the file, and what is inserted
    "beside an import of the package": (
        "name = 1",
        "money",
        "from shop import name\n\nformat_c",
        {"shop.money": ["from shop.money import format_cents\n"]},
    ),
    "a private module of its own package": (
        "name = 1",
        "_money",
        "format_c",
        {"shop._money": ["from shop._money import format_cents\n"]},
    ),
    "a package that imports the file": (
        "from shop.a import total",
        "_money",
        "format_c",
        {"shop._money": ["from shop._money import format_cents\n"]},
    ),
}


@pytest.mark.parametrize("case", PASSED_ON)
def test_an_entry_is_imported_from_its_own_module_though_the_package_passes_it_on(case: str, tmp_path: Path) -> None:
    needs.checker("py")
    first, module, text, expected = PASSED_ON[case]
    lay_out(
        tmp_path,
        {
            "shop/__init__.py": f"{first}\nfrom shop.{module} import format_cents\n",
            f"shop/{module}.py": "def format_cents(cents: int) -> str: ...\n",
            "shop/a.py": "total = 1\n",
        },
    )
    workspace = Workspace((tmp_path,))
    try:
        workspace.index()
        syntax = parse(document(tmp_path, "shop/a.py", text))
        applied = Applied(syntax, Accepted(len(text) - len("format_c"), "format_cents", len("format_c")))
        listed = [one.importable for one in Lister().at(Site(workspace, syntax, len(text))).items if one.importable]
        checker = workspace.checker_of(syntax.document)
        found = {one.module: offered_import(workspace, checker, applied, one, 60) for one in listed}
        assert {module: [edit.text for edit in edits] for module, edits in found.items()} == expected
    finally:
        workspace.close()
