"""Specifiers to files and back, in small workspaces laid out on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context_index.modules import PythonStyle, Resolver, ScriptStyle

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
    "ts/src/models/item.ts": "",
    "ts/src/models/index.ts": "",
    "ts/src/types.d.ts": "",
    "ts/src/view.tsx": "",
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
based/b/c/two.js            a/one                   => based/a/one.js
app.js                      @shop/lib               => lib/src/main.js
app.js                      @shop/lib/src/money     => lib/src/money.js
app.js                      core                    => core/a.ts
app.js                      core/sub                => core/sub/index.js
app.js                      core/hidden             => -
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
based/b/c/two.js            based/a/one.js          => a/one
app.js                      lib/src/main.js         => @shop/lib
app.js                      lib/src/money.js        => @shop/lib/src/money
app.js                      core/a.ts               => core
app.js                      core/sub/index.js       => core/sub
app.js                      core/hidden.js          => -
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
api/tests/test_book.py      api/src/orders/book.py  => orders.book
shop/cart.py                odd/not-a-name.py       => -
shop/cart.py                space/inner/leaf.py     => space.inner.leaf
"""

STYLES = {
    "": (ScriptStyle(), PythonStyle()),
    "+ext": (ScriptStyle(extensions=True), PythonStyle()),
    "+ts": (ScriptStyle(extensions=True, typescript_extensions=True), PythonStyle()),
    "+rel": (ScriptStyle(), PythonStyle(relative=True)),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("workspace")
    for name, text in LAYOUT.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")
    return top


def resolver(root: Path) -> Resolver:
    files = {root / name for name in LAYOUT if not name.endswith((".json", ".toml"))}
    found = Resolver([root], files.__contains__)
    for path in files:
        found.learn(path)
    return found


@pytest.mark.parametrize("case", RESOLVE.strip().splitlines())
def test_resolve(case: str, root: Path) -> None:
    left, expected = (part.strip() for part in case.split("=>"))
    importer, specifier = left.split()
    found = resolver(root).resolve(root / importer, specifier)
    assert (found.relative_to(root).as_posix() if found else "-") == expected


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
