"""Specifiers to files and back, in small workspaces laid out on disk."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from context_index.exports.model import Import
from context_index.languages.ecmascript.modules import ScriptStyle
from context_index.languages.python.modules import PythonStyle
from context_index.modules import Resolver
from context_index.modules.jsonc import read_jsonc
from tests.files import lay_out

LAYOUT = {
    "app.js": "",
    "web/package.json": json.dumps({"name": "web", "type": "module"}),
    "web/main.js": "",
    "web/cart.js": "",
    "web/ui/index.js": "",
    "web/ui/button.jsx": "",
    "ts/tsconfig.json": """{
        // aliases, with a trailing comma
        "extends": "./base",
        "compilerOptions": { "strict": true, },
    }""",
    "ts/base.json": json.dumps({"compilerOptions": {"paths": {"@/*": ["./src/*"], "config": ["./src/config.ts"]}}}),
    "ts/src/main.ts": "",
    "ts/src/config.ts": "",
    "ts/src/deep/down/here.ts": "",
    "ts/src/deep/one.ts": "",
    "ts/src/models/item.ts": "",
    "ts/src/models/index.ts": "",
    "ts/src/types.d.ts": "",
    "ts/src/view.tsx": "",
    "many/tsconfig.json": json.dumps({"extends": ["./first.json", "./second"], "compilerOptions": {"strict": True}}),
    "many/first.json": json.dumps({"compilerOptions": {"paths": {"one/*": ["./one/*"], "two/*": ["./no/*"]}}}),
    "many/second.json": json.dumps({"extends": "./third.json"}),
    "many/third.json": json.dumps({"compilerOptions": {"paths": {"two/*": ["./two/*"]}}}),
    "many/one/a.ts": "",
    "many/two/b.ts": "",
    "stars/tsconfig.json": json.dumps(
        {"compilerOptions": {"paths": {"*": ["./*"], "ab*ba": ["./src/*"], "app/*": ["./src/app/*"]}}}
    ),
    "stars/main.ts": "",
    "stars/app/x.ts": "",
    "stars/src/app/x.ts": "",
    "stars/src/index.ts": "",
    "refers/tsconfig.json": json.dumps(
        {"files": [], "references": [{"path": "./none"}, {"path": "./tsconfig.app.json"}]}
    ),
    "refers/tsconfig.app.json": json.dumps({"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["src/*"]}}}),
    "refers/src/view.ts": "",
    "refers/src/deep/leaf.ts": "",
    "installed/node_modules/@tsconfig/app/tsconfig.json": json.dumps(
        {"compilerOptions": {"paths": {"$x": ["./x.ts"]}}}
    ),
    "installed/node_modules/@tsconfig/app/x.ts": "",
    "installed/tsconfig.json": json.dumps({"extends": "@tsconfig/app/tsconfig.json"}),
    "installed/main.ts": "",
    "loop/tsconfig.json": json.dumps({"extends": "./tsconfig.json"}),
    "loop/main.ts": "",
    "based/jsconfig.json": json.dumps({"compilerOptions": {"baseUrl": "."}}),
    "based/a/one.js": "",
    "based/b/c/two.js": "",
    "lib/package.json": json.dumps({"name": "@shop/lib", "main": "./src/main.js"}),
    "lib/src/main.js": "",
    "lib/src/money.js": "",
    "core/package.json": json.dumps(
        {"name": "core", "exports": {".": {"types": "./a.ts", "import": "./b.js"}, "./sub": "./sub/index.js"}}
    ),
    "core/a.ts": "",
    "core/sub/index.js": "",
    "core/hidden.js": "",
    "maps/package.json": json.dumps(
        {
            "name": "maps",
            "exports": {
                ".": "./main.js",
                "./*": "./lib/*.js",
                "./internal/*": None,
                "./cond": {"import": "./no.mjs"},
                "./null": {"node": {"require": None, "import": None}, "default": "./lib/tool.js"},
                "./list": [None, {"deno": "./no.js"}, "./lib/tool.js"],
            },
            "imports": {"#tool": "./lib/tool.js", "#lib/*": "./lib/*.js", "#gone": "./gone.js"},
        }
    ),
    "maps/main.js": "",
    "maps/lib/tool.js": "",
    "maps/lib/deep/one.js": "",
    "maps/lib/internal/secret.js": "",
    "shop/__init__.py": "",
    "shop/cart.py": "",
    "shop/models/__init__.py": "",
    "shop/models/item.py": "",
    "tools/run.py": "",
    "tools/helper.py": "",
    "api/pyproject.toml": "",
    "api/src/orders/__init__.py": "",
    "api/src/orders/book.py": "",
    "api/src/orders/book.pyi": "",
    "api/tests/test_book.py": "",
    "odd/not-a-name.py": "",
    "stubbed/__init__.py": "",
    "stubbed/__init__.pyi": "",
    "twice.py": "",
    "twice/__init__.py": "",
    "twice/inner.py": "",
    "plain.py": "",
    "plain/hidden.py": "",
    "space/inner/leaf.py": "",
}

RESOLVE = """
app.js                      ./web/cart              => web/cart.js
app.js                      ./web/cart.js           => web/cart.js
app.js                      ./web/ui                => web/ui/index.js
app.js                      ./web/ui/button         => web/ui/button.jsx
app.js                      ./gone                  => -
app.js                      react                   => -
web/ui/button.jsx           .                       => web/ui/index.js
web/ui/button.jsx           ..                      => -
web/ui/button.jsx           ../cart.js              => web/cart.js
ts/src/main.ts              ./models                => ts/src/models/index.ts
ts/src/main.ts              ./models/item.js        => ts/src/models/item.ts
ts/src/main.ts              ./types                 => ts/src/types.d.ts
ts/src/main.ts              ./view.jsx              => ts/src/view.tsx
ts/src/main.ts              @/models/item           => ts/src/models/item.ts
ts/src/deep/down/here.ts    config                  => ts/src/config.ts
app.js                      @/models/item           => -
many/one/a.ts               two/b                   => many/two/b.ts
many/two/b.ts               one/a                   => -
stars/main.ts               app/x                   => stars/src/app/x.ts
stars/main.ts               main                    => stars/main.ts
stars/main.ts               aba                     => -
stars/main.ts               abba                    => stars/src/index.ts
refers/src/deep/leaf.ts     ~/view                  => refers/src/view.ts
refers/src/deep/leaf.ts     src/view                => refers/src/view.ts
installed/main.ts           $x                      => installed/node_modules/@tsconfig/app/x.ts
loop/main.ts                ./gone                  => -
based/b/c/two.js            a/one                   => based/a/one.js
app.js                      @shop/lib               => lib/src/main.js
app.js                      @shop/lib/src/money     => lib/src/money.js
app.js                      core                    => core/a.ts
app.js                      core/sub                => core/sub/index.js
app.js                      core/hidden             => -
app.js                      maps                    => maps/main.js
app.js                      maps/tool               => maps/lib/tool.js
app.js                      maps/deep/one           => maps/lib/deep/one.js
app.js                      maps/internal/secret    => -
app.js                      maps/null               => -
app.js                      maps/list               => maps/lib/tool.js
maps/lib/deep/one.js        #tool                   => maps/lib/tool.js
maps/lib/deep/one.js        #lib/deep/one           => maps/lib/deep/one.js
maps/lib/deep/one.js        #gone                   => -
maps/lib/deep/one.js        maps/tool               => maps/lib/tool.js
app.js                      #tool                   => -
tools/run.py                helper                  => tools/helper.py
tools/run.py                shop.cart               => shop/cart.py
tools/run.py                shop                    => shop/__init__.py
tools/run.py                os.path                 => -
shop/cart.py                .models                 => shop/models/__init__.py
shop/cart.py                .models.item            => shop/models/item.py
shop/cart.py                .                       => shop/__init__.py
shop/models/item.py         ..cart                  => shop/cart.py
shop/models/item.py         ...shop.cart            => shop/cart.py
shop/models/__init__.py     .item                   => shop/models/item.py
api/tests/test_book.py      orders.book             => api/src/orders/book.pyi
tools/run.py                stubbed                 => stubbed/__init__.pyi
tools/run.py                twice                   => twice/__init__.py
tools/run.py                twice.inner             => twice/inner.py
tools/run.py                plain.hidden            => -
tools/run.py                space.inner.leaf        => space/inner/leaf.py
tools/run.py                tools.helper            => tools/helper.py
"""

WRITE = """
app.js                      web/cart.js             => web/cart
app.js                      tools/x.js              => ./tools/x
lib/src/main.js             lib/src/money.js        => ./money
web/main.js                 web/ui/index.js         => ./ui
web/ui/button.jsx           web/ui/index.js         => ./index
web/ui/button.jsx           web/cart.js             => ../cart
web/main.js      +ext       web/cart.js             => ./cart.js
web/main.js      +ext       web/ui/index.js         => ./ui/index.js
ts/src/main.ts              ts/src/models/item.ts   => ./models/item
ts/src/main.ts   +ext       ts/src/models/item.ts   => ./models/item.js
ts/src/main.ts   +ts        ts/src/models/item.ts   => ./models/item.ts
ts/src/main.ts              ts/src/types.d.ts       => ./types
ts/src/main.ts              ts/src/models/index.ts  => ./models
ts/src/deep/down/here.ts    ts/src/models/item.ts   => @/models/item
ts/src/deep/down/here.ts    ts/src/config.ts        => config
ts/src/deep/down/here.ts    ts/src/deep/one.ts      => ../one
ts/src/deep/down/here.ts +alias ts/src/deep/one.ts  => @/deep/one
ts/src/main.ts +alias       ts/src/models/item.ts   => ./models/item
based/b/c/two.js            based/a/one.js          => a/one
app.js                      lib/src/main.js         => @shop/lib
app.js                      lib/src/money.js        => @shop/lib/src/money
app.js                      core/a.ts               => core
app.js                      core/sub/index.js       => core/sub
app.js                      core/hidden.js          => -
app.js                      maps/lib/tool.js        => maps/tool
maps/lib/deep/one.js        maps/main.js            => ../../main
maps/lib/deep/one.js        maps/lib/tool.js        => #tool
core/sub/index.js           core/hidden.js          => ../hidden
tools/run.py                tools/helper.py         => helper
tools/run.py                shop/cart.py            => shop.cart
tools/run.py                shop/__init__.py        => shop
shop/cart.py                shop/models/item.py     => shop.models.item
shop/cart.py     +rel       shop/models/item.py     => .models.item
shop/models/item.py +rel    shop/cart.py            => ..cart
shop/models/item.py +rel    shop/__init__.py        => ..
shop/models/item.py +rel    shop/models/__init__.py => .
shop/cart.py     +rel       tools/helper.py         => tools.helper
shop/cart.py     +rel       twice/inner.py          => twice.inner
shop/cart.py     +rel       twice.py                => -
shop/cart.py     +rel       plain.py                => plain
shop/cart.py     +rel       shop/not-a-name.py      => -
shop/models/item.py +rel    shop/class.py           => -
api/tests/test_book.py      api/src/orders/book.py  => orders.book
shop/cart.py                odd/not-a-name.py       => -
shop/cart.py                space/inner/leaf.py     => space.inner.leaf
"""

STYLES = {
    "": (ScriptStyle(), PythonStyle()),
    "+ext": (ScriptStyle(extensions=True), PythonStyle()),
    "+ts": (ScriptStyle(extensions=True, typescript_extensions=True), PythonStyle()),
    "+rel": (ScriptStyle(), PythonStyle(relative=True)),
    "+alias": (ScriptStyle(aliased=True), PythonStyle()),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("workspace"), LAYOUT)


def resolver(root: Path) -> Resolver:
    files = {root / name for name in LAYOUT if not name.endswith((".json", ".toml"))}
    found = Resolver([root], files.__contains__, lambda top: (path for path in files if path.is_relative_to(top)))
    for path in files:
        found.learn(path)
    return found


@pytest.mark.parametrize("case", RESOLVE.strip().splitlines())
def test_resolve(case: str, root: Path) -> None:
    left, expected = (part.strip() for part in case.split("=>"))
    importer, specifier = left.split()
    found = resolver(root).resolve(root / importer, specifier)
    assert (found.relative_to(root).as_posix() if found else "-") == expected


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ("@/models/item", True),
        ("@/models/item ./x react", True),
        ("@/models/item ../x", False),
        ("./x react @babel/core", False),
        ("config", True),
        ("", False),
    ],
)
def test_a_file_that_writes_aliases_gets_more(modules: str, expected: bool, root: Path) -> None:
    imports = [Import(module, (), 0) for module in modules.split()]
    style = resolver(root).style(root / "ts/src/deep/down/here.ts", imports)
    assert isinstance(style, ScriptStyle)
    assert style.aliased is expected


@pytest.mark.parametrize("case", WRITE.strip().splitlines())
def test_write(case: str, root: Path) -> None:
    left, expected = (part.strip() for part in case.split("=>"))
    importer, *mark, target = left.split()
    script, python = STYLES["".join(mark)]
    style = python if importer.endswith(".py") else script
    rules = resolver(root)
    written = rules.specifier(root / importer, root / target, style)
    assert (written or "-") == expected
    if written and target in LAYOUT and "+" not in left:
        back = rules.resolve(root / importer, written)
        assert back is not None
        assert back.with_suffix("") == (root / target).with_suffix(""), "what is written leads back"


def test_a_source_goes_before_its_declarations(tmp_path: Path) -> None:
    files = {tmp_path / name for name in ("a.js", "money.d.ts", "money.js")}
    rules = Resolver([tmp_path], files.__contains__, lambda _top: ())
    assert {rules.resolve(tmp_path / "a.js", one) for one in ("./money", "./money.js")} == {tmp_path / "money.js"}


@pytest.mark.slow
def test_every_file_leads_back_to_itself(root: Path) -> None:
    rules = resolver(root)
    files = [root / name for name in LAYOUT if not name.endswith((".json", ".toml"))]
    for style_pair in STYLES.values():
        for importer in files:
            for target in files:
                python = importer.suffix in {".py", ".pyi"}
                if importer == target or python != (target.suffix in {".py", ".pyi"}):
                    continue
                written = rules.specifier(importer, target, style_pair[python])
                back = rules.resolve(importer, written) if written else target
                assert back is not None, (importer, target, written)
                assert back.with_suffix("") == target.with_suffix(""), (importer, target, written)


ASK_NODE = """
const {createRequire} = require('module');
console.log(JSON.stringify(JSON.parse(process.argv[2]).map(([importer, specifier]) => {
  try { return createRequire(importer).resolve(specifier); } catch { return null; }
})));
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="no node on the path")
def test_maps_are_followed_as_node_follows_them(root: Path, tmp_path: Path) -> None:
    cases = [case.split("=>")[0].split() for case in RESOLVE.strip().splitlines() if "maps" in case.split("=>")[0]]
    assert len(cases) > 6
    links = root / "node_modules"
    links.mkdir(exist_ok=True)
    if not (links / "maps").exists():
        (links / "maps").symlink_to(root / "maps", target_is_directory=True)
    script = tmp_path / "ask.cjs"
    script.write_text(ASK_NODE)
    asked = json.dumps([[str(root / importer), specifier] for importer, specifier in cases])
    done = subprocess.run(["node", script, asked], capture_output=True, text=True, check=True)  # noqa: S607 - found above
    ours = [resolver(root).resolve(root / importer, specifier) for importer, specifier in cases]
    assert [str(found) if found else None for found in ours] == json.loads(done.stdout)


@pytest.mark.parametrize("said", ["", "3", "[]", "{", "{'a': 1}", '{"a": ' * 20_000, "\0"])
def test_a_manifest_that_is_none_says_nothing(said: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(said, "utf-8")
    assert read_jsonc(tmp_path / "package.json") == {}
    assert read_jsonc(tmp_path) == {}, "a directory"


FAR = "x" * 5_000
"""No file system has a name as long as this."""
NOWHERE = ["/", FAR, f"./{FAR}", f"/{FAR}/x", "", ".", "\0", 5, None, ["/", FAR, {}]]


@pytest.mark.parametrize("name", NOWHERE, ids=lambda name: repr(name)[:20])
def test_configurations_that_lead_nowhere_cost_nothing(name: object, tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    for said in ({"extends": name}, {"references": [{"path": name}]}, {"compilerOptions": {"paths": {"x": [name]}}}):
        (web / "tsconfig.json").write_text(json.dumps(said))
        rules = resolver(tmp_path)
        assert rules.resolve(web / "main.js", "./cart") == web / "cart.js", said
        assert rules.resolve(web / "main.js", "gone") is None, said
