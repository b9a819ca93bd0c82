"""What an import may name while it is half written. `^` is the place; `=>` what is listed there, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from context_index.import_lists import Exports, listed
from context_index.symbols import Closed, Importable, Listed, NameKind, Position
from context_index.text import Document, language_of
from context_index.workspace import Workspace

OFFERS = [
    Importable("memo", NameKind.FUNCTION, "react"),
    Importable("useState", NameKind.FUNCTION, "react"),
    Importable("State", NameKind.FUNCTION, "react"),
    Importable("useCart", NameKind.FUNCTION, "./cart"),
    Importable("Cart", NameKind.CLASS, "./cart"),
    Importable("Cart", NameKind.CLASS, "../old/cart"),
    Importable("Box", NameKind.FUNCTION, "./Box", is_default=True),
    Importable("Props", NameKind.TYPE, "./Box"),
    Importable("fs", NameKind.MODULE, "node:fs", is_module=True),
]


def of(modules: Iterable[str]) -> dict[str, NameKind]:
    wanted = set(modules)
    return {one.text: one.kind for one in OFFERS if one.module in wanted and not one.is_default}


EXPORTS = Exports(
    starting_with=lambda word: [one for one in OFFERS if one.text.lower().startswith(word.lower())],
    everything=lambda: of(one.module for one in OFFERS),
    of=of,
    packages=lambda: frozenset({"react", "axios", "fs"}),
    spellings=lambda module: (module, "@/cart") if module == "./cart" else (module,),
)
NAMES, MODULES = Position.IMPORTED_NAME, Position.MODULE
CASES = [
    (NAMES, "import { ^ }\n", "Cart Props State fs memo useCart useState"),
    (NAMES, "import { ^\n", "Cart Props State fs memo useCart useState"),
    (NAMES, "import { memo, ^ }\n", "State useState"),
    (NAMES, "import { memo, ^\nimport { x } from './x'\n", "State useState"),
    (NAMES, "import { type memo, useState, ^ }\n", "State"),
    (NAMES, "import { memo as m, ^ }\n", "State useState"),
    (NAMES, "import Box, { ^ }\n", "Props"),
    (NAMES, "import React, { ^ }\n", "State memo useState"),
    (NAMES, "import zz, { ^ }\n", "Cart Props State fs memo useCart useState"),
    (NAMES, "import type { Cart, ^ }\n", "useCart"),
    (NAMES, "import { zz, ^ }\n", "Cart Props State fs memo useCart useState"),
    (NAMES, "import { ^ } from 'react'\n", None),
    (NAMES, "import { ^, memo } from 'react'\n", None),
    (NAMES, "import {\n  ^\n  memo,\n} from 'react'\n", None),
    (NAMES, "import {\n  memo,\n  ^\n\nimport x from './x'\n", "State useState"),
    (NAMES, "import { memo } from 'react'\nconst { ^ }\n", None),
    (MODULES, "import { useCart } from '^'\n", "./cart @/cart"),
    (MODULES, "import { Cart } from '^\n", "../old/cart ./cart @/cart"),
    (MODULES, "import { Cart, useCart } from '^'\n", "./cart @/cart"),
    (MODULES, "import { Cart as C, useCart } from '^'\n", "./cart @/cart"),
    (MODULES, "import { Cart } from '^./'\n", "../old/cart ./cart @/cart"),
    (MODULES, "import { Cart } from '^@/'\n", "../old/cart ./cart @/cart"),
    (MODULES, "import { Cart } from '^~/'\n", None),
    (MODULES, "import { Cart, memo } from '^'\n", None),
    (MODULES, "import { zz } from '^'\n", None),
    (MODULES, "import Box from '^'\n", "./Box"),
    (MODULES, "import Box, { Props } from '^'\n", "./Box"),
    (MODULES, "import React, { memo } from '^'\n", "react"),
    (MODULES, "import axios from '^'\n", "axios"),
    (MODULES, "import zz from '^'\n", None),
    (MODULES, "const { Cart, useCart: use } = require('^')\n", "./cart @/cart"),
    (MODULES, "const { memo } = await import('^')\n", "react"),
    (MODULES, "const fs = require('^')\n", "node:fs"),
    (MODULES, "require('^')\n", None),
    (MODULES, "import '^'\n", None),
    (Position.MEMBER, "import { memo } from 'react'\nmemo.^", None),
]


@pytest.mark.parametrize(("position", "marked", "expected"), CASES)
def test_listed(position: Position, marked: str, expected: str | None) -> None:
    offset = marked.index("^")
    found = listed(marked.replace("^", ""), offset, position, EXPORTS)
    is_own = position is MODULES and expected is not None and "." in expected
    assert found is None or isinstance(found, Closed if is_own else Listed)
    assert (None if found is None else " ".join(sorted(found.names))) == expected


def test_nothing_is_closed_before_what_is_installed_is_read() -> None:
    text = "import { Cart } from ''"
    found = listed(text, len(text) - 1, MODULES, replace(EXPORTS, packages=lambda: None))
    assert isinstance(found, Listed)
    assert found.names.keys() == {"./cart", "@/cart", "../old/cart"}


@pytest.mark.parametrize(
    ("name", "marked", "position", "expected"),
    [
        ("main.js", "import { total, ^ }", NAMES, {"VAT"}),
        ("main.ts", "import { total, ^ }", NAMES, {"VAT", "Rate"}),
        ("main.ts", "import { total } from '^'", MODULES, {"./cart"}),
        ("main.js", "const { total } = require('^')", MODULES, {"./cart"}),
        ("main.js", "const { join } = require('^')", MODULES, {"node:path"}),
        ("main.ts", "import { total } from '^'", MODULES, {"./cart", "@/cart"}),
    ],
)
def test_the_workspace_tells(tmp_path: Path, name: str, marked: str, position: Position, expected: set[str]) -> None:
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"@/*": ["./*"]}}}')
    is_typed = name.endswith(".ts")
    cart = "export type Rate = number;\n" * is_typed + "export function total() {}\nexport const VAT = 1;\n"
    (tmp_path / ("cart.ts" if is_typed else "cart.js")).write_text(cart)
    workspace = Workspace([tmp_path])
    workspace.index()
    language = language_of(name)
    assert language is not None
    offset, text = marked.index("^"), marked.replace("^", "")
    document = Document((tmp_path / name).as_uri(), language, text)
    workspace.read_libraries(document, 20)
    asked = workspace.types(document).ask(text, offset, position)
    assert asked.done
    answer = asked.answer(0)
    assert isinstance(answer.members, (Closed, Listed))
    assert expected <= answer.members.names.keys()
    assert position is MODULES or "join" not in answer.members.names
    workspace.close()
