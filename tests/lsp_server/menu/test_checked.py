"""The menu over real type checkers: what they list, and what they say of an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index import Workspace, parse
from lsp_server.handlers import resolve
from lsp_server.menu.candidates import Candidates, Lister
from lsp_server.menu.imports import offered_import
from lsp_server.verification import Candidate as Accepted
from lsp_server.verification.candidate import Applied
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
def lister(root: Path) -> Iterator[Lister]:
    workspace = Workspace([root])
    yield Lister(workspace)
    workspace.close()


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_menu_lists_what_the_checker_knows(case: str, root: Path, lister: Lister) -> None:
    place, present, absent = (part.strip() for part in case.split("|"))
    suffix, _, marked = place.partition(" ")
    needs.checker(suffix)
    marked = marked.strip().replace("<>", "\n")
    found = lister.at(parse(document(root, f"menu.{suffix}", marked.replace("^", "", 1))), marked.index("^"))
    names = {one.text for one in found.items}
    assert {*present.split()} <= names
    assert not {*absent.split()} & names
    assert present or not names


def test_a_class_has_its_own_members_before_those_of_every_object(root: Path, lister: Lister) -> None:
    """TypeScript does not list the latter."""
    marked = "from cart import Cart\nCart().^"
    shown = parse(document(root, "menu.py", marked.replace("^", "")))
    found = {one.text: one.is_universal for one in lister.at(shown, marked.index("^")).items}
    assert (found["total"], found["items"], found["__eq__"]) == (False, False, True)


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

    def only(found: Candidates) -> Candidates:
        return Candidates(found.start, tuple(one for one in found.items if one.text == label), kind=found.kind)

    await editor.start(roots=[root])
    lister = Lister(editor.workspaces[-1])
    monkeypatch.setattr(editor.service, "candidates", lambda syntax, offset, _patience: only(lister.at(syntax, offset)))
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
    lister = Lister(workspace)
    editor.service.candidates = lister.at  # type: ignore[method-assign,assignment]  # it needs no model
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
        for entry in (one for one in Lister(workspace).at(syntax, len("formatC")).items if one.importable is not None):
            assert entry.importable is not None
            (edit,) = offered_import(workspace, checker, applied, entry.importable, 60)
            assert f"/{names.pop(0)}" in edit.text
        assert not names
    finally:
        workspace.close()


PASSED_ON = {
    # what the package's __init__ begins with, the module that declares the name, the file, and what is inserted
    "joined to the import of the package": (
        "name = 1",
        "money",
        "from shop import name\n\nformat_c",
        {"shop.money": [", format_cents"]},
    ),
    "the checker hides what is private": (
        "name = 1",
        "_money",
        "format_c",
        {"shop._money": ["from shop import format_cents\n"]},
    ),
    "not from a package that imports the file": ("from shop.a import total", "_money", "format_c", {"shop._money": []}),
}


@pytest.mark.parametrize("case", PASSED_ON)
def test_an_entry_takes_the_import_from_a_module_that_passes_it_on(case: str, tmp_path: Path) -> None:
    needs.checker("py")
    first, module, text, expected = PASSED_ON[case]
    lay_out(
        tmp_path,
        {
            "shop/__init__.py": f"{first}\nfrom shop.{module} import format_cents as format_cents\n",
            f"shop/{module}.py": "def format_cents(cents: int) -> str: ...\n",
            "shop/a.py": "total = 1\n",
        },
    )
    workspace = Workspace((tmp_path,))
    try:
        workspace.index()
        syntax = parse(document(tmp_path, "shop/a.py", text))
        applied = Applied(syntax, Accepted(len(text) - len("format_c"), "format_cents", len("format_c")))
        listed = [one.importable for one in Lister(workspace).at(syntax, len(text)).items if one.importable]
        checker = workspace.checker_of(syntax.document)
        found = {one.module: offered_import(workspace, checker, applied, one, 60) for one in listed}
        assert {module: [edit.text for edit in edits] for module, edits in found.items()} == expected
    finally:
        workspace.close()
