"""The whole context at a cursor: what is visible, what is global, what could be imported."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from context_index.scan import ScanSettings
from context_index.symbols import Origin, SymbolContext
from context_index.syntax import parse
from context_index.uris import path_of
from context_index.workspace import Workspace
from tests.files import document, lay_out

EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace"


def context_at(workspace: Workspace, root: Path, name: str, marked: str, uri: str | None = None) -> SymbolContext:
    """The context at the `^` of a text."""
    offset = marked.index("^")
    shown = document(root, name, marked.replace("^", "", 1))
    syntax = parse(replace(shown, uri=uri or shown.uri))
    workspace.update(syntax.document)
    context = workspace.context(syntax, offset)
    assert workspace.names_at(syntax, offset) == context.names
    return context


FILES = {
    "js/cart.js": "export function total(items) {}\nexport default class Cart {}\n",
    "js/main.js": "",
    "ts/types.d.ts": "declare const SHOP: string;\ninterface Shared { a: 1 }\n",
    "ts/main.ts": "",
    "py/pyproject.toml": "",
    "py/shop/__init__.py": "",
    "py/shop/cart.py": "class Cart: ...\ndef total(items): ...\n_own = 1\n",
    "py/main.py": "",
    ".env": "TOKEN=1",
}

CASES = """
js/main.js   let a = 1; ^                            => a local, console global, SHOP global, not Shared
js/main.js   ^                                       => import total ./cart, import Cart ./cart, not total
js/main.js   import { total } from './cart'; ^       => total import, no import total, import Cart ./cart
js/main.js   const total = 1; ^                      => total local, no import total
js/main.js   const open = 1; ^                       => open local
ts/main.ts   ^                                       => SHOP global, Shared global, Record global, Promise global
ts/main.ts   let SHOP = 1; ^                         => SHOP local
py/main.py   x = 1; ^                                => x local, print global, import Cart shop.cart, no import _own
py/main.py   from shop.cart import *; ^              => Cart import, total import, not _own, no import Cart
py/main.py   from shop.cart import *; total = 1; ^   => total local
py/main.py   from numpy import *; ^                  => incomplete
js/main.js   with (o) { ^ }                          => incomplete
js/main.js   with (o) { } ^                          => complete
py/shop/cart.py  ^                                   => no import Cart
"""


REQUIRED = "const a = require('a');"
IMPORTED = "import a from 'a';"
AROUND = [
    # files, the one that is asked about, how it is loaded
    ({"b.js": REQUIRED}, "a.js", "commonjs"),
    ({"b.js": IMPORTED}, "a.js", "module"),
    ({"b.js": "exports.a = 1;"}, "a.js", "commonjs"),
    ({"b.js": "f();"}, "a.js", None),
    ({"b.ts": REQUIRED, "c.cjs": REQUIRED}, "a.js", None),
    ({"b.js": REQUIRED, "c.js": REQUIRED, "d.js": IMPORTED}, "a.js", "commonjs"),
    ({"package.json": '{"type": "module"}', "b.js": REQUIRED}, "a.js", "module"),
    ({"package.json": '{"type": "commonjs"}', "b.js": IMPORTED}, "a.js", "commonjs"),
    ({"package.json": '{"type": "commonjs"}'}, "a.mjs", "module"),
    ({"package.json": "{}"}, "a.js", None),
    ({"package.json": "{}", "lib/b.js": REQUIRED}, "a.js", "commonjs"),
    ({"package.json": "{}", "lib/b.js": REQUIRED}, "test/a.js", "commonjs"),
    ({"package.json": "{}", "b.js": REQUIRED, "test/b.js": IMPORTED}, "test/a.js", "module"),
    ({"package.json": "{}", "b.js": REQUIRED, "site/package.json": "{}"}, "site/a.js", None),
    ({"package.json": "{}", "a.js": REQUIRED}, "a.js", None),
    ({"b.js": REQUIRED}, "a.ts", None),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("workspace"), FILES)


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    workspace = Workspace([root])
    workspace.index()
    yield workspace
    workspace.close()  # else it goes on reading the standard library


@pytest.mark.parametrize(("files", "name", "kind"), AROUND)
def test_script_is_loaded_as_what_is_around_it(
    tmp_path: Path, files: dict[str, str], name: str, kind: str | None
) -> None:
    lay_out(tmp_path, files)
    workspace = Workspace([tmp_path])
    workspace.index()
    shown = document(tmp_path, name, "")
    workspace.update(shown)
    assert workspace.module_kind(shown) == kind
    assert workspace.context(parse(shown), 0).module_kind == kind


def holds(context: SymbolContext, claim: str) -> bool:
    """Whether a context is as one part of a case says."""
    match claim.split():
        case ["import", text, module]:
            return (text, module) in {(item.text, item.module) for item in context.importable}
        case ["no", "import", text]:
            return text not in {item.text for item in context.importable}
        case ["not", text]:
            return text not in context.names
        case ["complete" | "incomplete" as state]:
            return context.complete == (state == "complete") == (not context.caveats)
        case [text, origin]:
            return text in context.names and context.names[text].origin is Origin(origin)
    return False


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_context(case: str, root: Path, workspace: Workspace) -> None:
    left, expected = case.split("=>")
    name, _, marked = left.strip().partition(" ")
    context = context_at(workspace, root, name, marked.strip())
    for claim in expected.split(","):
        assert holds(context, claim.strip()), (claim, sorted(context.names)[:40], context.importable, context.caveats)


def test_source_text_without_a_place_see_names_and_globals(root: Path, workspace: Workspace) -> None:
    context = context_at(workspace, root, "x.py", "a = 1\n^", uri="untitled:Untitled-1")
    assert (context.names["a"].origin, context.names["len"].origin) == (Origin.LOCAL, Origin.GLOBAL)
    assert (context.importable, context.complete) == ((), True)


def test_a_notebook_cell_imports_as_its_notebook_would(root: Path, workspace: Workspace) -> None:
    uri = (root / "py" / "analysis.ipynb").as_uri().replace("file:", "vscode-notebook-cell:") + "#W0sZmlsZQ"
    context = context_at(workspace, root, "cell.py", "^", uri=uri)
    assert holds(context, "import Cart shop.cart")


def test_unsaved_texts_count_at_once_and_no_more_when_closed(root: Path, workspace: Workspace) -> None:
    basket = document(root, "py/shop/cart.py", "class Basket: ...\n")
    workspace.update(basket)
    assert holds(context_at(workspace, root, "py/main.py", "^"), "import Basket shop.cart")
    workspace.forget(basket.uri)
    context = context_at(workspace, root, "py/main.py", "^")
    assert holds(context, "no import Basket")
    assert holds(context, "import Cart shop.cart")


def test_the_importable_tuple_is_the_same_from_key_to_key(root: Path, workspace: Workspace) -> None:
    first = context_at(workspace, root, "js/main.js", "const total = 1; ^")
    again = context_at(workspace, root, "js/main.js", "const total = 1; undefi^")
    assert first.importable is again.importable


EXCLUDED = [
    (".env", "secret", "secret"),
    ("config/.env.local", "secret", "secret"),
    ("off.py", "setting", "setting"),
    ("node_modules/x/index.js", None, "vendored"),
    ("notes.md", None, "unknown_language"),
    ("py/main.py", None, None),
]


@pytest.mark.parametrize(("name", "withheld", "skipped"), EXCLUDED)
def test_what_is_withheld_and_what_is_only_not_indexed(
    name: str, withheld: str | None, skipped: str | None, root: Path
) -> None:
    workspace = Workspace([root], settings=ScanSettings(exclude=("off.py",)))
    assert (workspace.excluded(root / name), workspace.skipped(root / name)) == (withheld, skipped)


SHOWN = [
    # the roots, a path, and how it is shown
    (["a"], "a/src/cart.py", "src/cart.py"),
    (["a", "b"], "b/src/cart.py", "b/src/cart.py"),
    (["a", "a/src"], "a/src/cart.py", "src/cart.py"),
    (["a"], "b/cart.py", None),
    (["a", "b"], "c/cart.py", None),
]


@pytest.mark.parametrize(("roots", "path", "wanted"), SHOWN)
def test_paths_of_several_roots_are_told_apart(roots: list[str], path: str, wanted: str | None, tmp_path: Path) -> None:
    opened = Workspace([tmp_path / root for root in roots])
    try:
        assert opened.shown(tmp_path / path) == (wanted or str(tmp_path / path))
    finally:
        opened.close()


URIS = """
file:///a/b%20c.py                       => /a/b c.py
file:///a/%C3%A4.py                      => /a/ä.py
vscode-notebook-cell:/a/n.ipynb#W1       => /a/n.ipynb
vscode-notebook-cell:///a/n.ipynb#W1     => /a/n.ipynb
untitled:Untitled-1                      => -
git:/a/b.py?ref=HEAD                     => -
/a/b.py                                  => /a/b.py
"""


@pytest.mark.skipif(Path("/").drive != "", reason="paths with a drive are judged by the system's own rules")
@pytest.mark.parametrize("case", URIS.strip().splitlines())
def test_paths_of_uris(case: str) -> None:
    uri, expected = (part.strip() for part in case.split("=>"))
    path = path_of(uri)
    assert (path.as_posix() if path else "-") == expected


def test_the_example_workspace_knows_its_own_modules(tmp_path: Path) -> None:
    example = Path(shutil.copytree(EXAMPLE, tmp_path / "shop"))
    workspace = Workspace([example])
    report = workspace.index()
    (example / "storefront" / "src" / "draft.js").write_text("// somebody tries something\n")
    assert workspace.index().files == report.files + 1
    name = "reports/reports/cli.py"
    text = (example / name).read_text(encoding="utf-8")
    context = context_at(workspace, example, name, text.replace("    return 0", "    return ^0"))
    assert holds(context, "load_orders import")
    assert holds(context, "orders local")
    assert holds(context, "import count_products .summary")
    workspace.close()
