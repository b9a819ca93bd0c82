"""Types of the names at a place, by the real checkers: two plain files, what is asked when, and why one has none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index import Language, SymbolContext, UnknownType, Workspace, parse
from tests import needs
from tests.files import document, lay_out

pytestmark = pytest.mark.slow

FILES = {
    "shop.py": """def quote(amount: float, currency: str = "EUR") -> str:
    \"\"\"Write an amount. As people read it.\"\"\"
    return f"{amount} {currency}"


class Chair:
    legs: int = 4
""",
    "main.py": """import json
from shop import Chair, quote

limit: float = 2.5
names = ["a", "b"]
first = names[0]
chair = Chair()


def total(prices: dict[str, float], tax: float | None = None):
    mode = "net" if tax is None else "gross"
    for name, price in prices.items():
        ^
    return mode
""",
    "shop.js": """/**
 * Write an amount. As people read it.
 * @param {number} amount
 * @param {string} [currency]
 * @returns {string}
 */
export function quote(amount, currency) {
  return `${amount} ${currency ?? "EUR"}`;
}
export class Chair {
  legs = 4;
}
""",
    "main.js": """import { Chair, quote } from "./shop.js";
/** @type {"net" | "gross"} */
let mode = "net";
const names = ["a", "b"];
const first = names[0];
const chair = new Chair();
const half = (/** @type {number} */ n) => n / 2;
/**
 * @param {{ name: string, legs?: number }} order
 * @param {Map<string, number>} prices
 */
export function total(order, prices) {
  for (const [name, price] of prices) {
    ^
  }
}
""",
    "package.json": '{"type": "module"}',
}
TYPES = {
    "main.py": {
        "json": "<module 'json'>",
        "Chair": "<class 'Chair'>",
        "quote": '(amount: float, currency: str = "EUR") -> str',
        "limit": "float",
        "names": "list[str]",
        "first": "str",
        "chair": "Chair",
        "prices": "dict[str, float]",
        "tax": "float | None",
        "price": "float",
    },
    "main.js": {
        "Chair": "typeof Chair",
        "quote": "(amount: number, currency?: string) => string",
        "mode": '"gross" | "net"',
        "names": "string[]",
        "first": "string",
        "chair": "Chair",
        "half": "(n: number) => number",
        "order": "{ name: string; legs?: number; }",
        "prices": "Map<string, number>",
        "price": "number",
    },
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    needs.typescript()
    files = {name: text.replace("^", "pass" if name.endswith(".py") else "") for name, text in FILES.items()}
    root = lay_out(tmp_path_factory.mktemp("plain"), files)
    opened = Workspace([root])
    opened.index()
    yield opened
    opened.close()


def at(workspace: Workspace, name: str, marked: str | None = None) -> SymbolContext:
    """The context at the mark."""
    text = FILES[name] if marked is None else marked
    shown = document(workspace.roots[0], name, text.replace("^", ""))
    return workspace.context(parse(shown), text.index("^"))


@pytest.mark.parametrize("name", TYPES)
def test_ten_of_ten_names_of_a_plain_file(workspace: Workspace, name: str) -> None:
    context = at(workspace, name)
    assert context.types is not None
    assert set(TYPES[name]) <= set(context.names)
    found = context.types.of(list(TYPES[name]))
    assert {each: one.type for each, one in found.items()} == TYPES[name]
    assert found["quote"].documentation == "Write an amount."
    assert found["quote"].signature is not None
    assert [one.name for one in found["quote"].signature.parameters] == ["amount", "currency"]


PLACES = {
    # where a list of names cannot stand, and what a name is narrowed to
    "main.ts: function f(a: string | number) {\n  if (typeof a === 'string') {\n    ^\n  }\n}": ("a", "string"),
    "main.ts: function f(a: string | number) {\n  return a.^;\n}": ("a", "string | number"),
    "main.ts: function f(a: number) {\n  const b^ = 1;\n}": ("a", "number"),
    "main.ts: function f(a: number) {\n  let b: ^\n}": ("a", "number"),
    "main.ts: function f(a: number) {\n  return 'text^';\n}": ("a", "number"),
    "main.ts: interface Desk { open: boolean }\n^": ("Desk", "Desk"),
    "main.ts: [1].map(one => one^)": ("one", "number"),
    "main.ts: function f() {\n  const a = new Map<string, number>()\n  a^.clear()\n}": ("a", "Map<string, number>"),
    # where a name stands, and what is expected there
    "main.py: Pairs = dict[str^, int]": ("str", "str"),
    "main.py: from typing import cast\nclass Desk: ...\ndesk = cast(Desk^, None)": ("Desk", "TypeForm[Desk]"),
    "main.py: class Desk:\n    def __init__(self, a: int): ...\ndesk = Desk^(1)": ("Desk", "<class 'Desk'>"),
    "main.ts: class Desk { constructor(a: number) {} }\nnew Desk^(1);": ("Desk", "typeof Desk"),
    "main.ts: function f<T extends 'x' | 'y'>(a: T) {\n  return a^.length;\n}": ("a", '"x" | "y"'),
    "main.ts: function f<T extends 'x' | 'y'>(a: T) {\n  return a^;\n}": ("a", "T"),
    "main.py: def f(a: int | None):\n    if a is not None:\n        ^\n": ("a", "int"),
    "main.py: def f(a: int):\n    return a.^\n": ("a", "int"),
    "main.py: def f(a: int):\n    b^ = 1\n": ("a", "int"),
    "main.py: def f(a: int):\n    print('text^')\n": ("a", "int"),
    "main.py: x = [one for one in [1] if on^]": ("one", "Literal[1]"),
    "main.py: def f(object: str):\n    ^\n": ("object", "str"),
    # where a list of them is the target of an assignment, or a keyword's name
    "main.py: def f(a: int):\n    x = 'b'\n    x^ = 'c'\n": ("a", "int"),
    "main.py: def g(size: str): ...\ndef f(a: int):\n    g(^size='b')\n": ("a", "int"),
    "main.py: def g(size: str): ...\ndef f(size: int):\n    g(^size='b')\n": ("size", "int"),
    "main.py: def f(a: int | str):\n    a^ = 'c'\n": ("a", "int | str"),
}


@pytest.mark.parametrize("place", PLACES)
def test_place(workspace: Workspace, place: str) -> None:
    file, _, marked = place.partition(": ")
    name, expected = PLACES[place]
    context = at(workspace, file, marked)
    assert context.types is not None
    assert context.types.of([name])[name].type == expected


def test_what_is_not_known_says_why(workspace: Workspace) -> None:
    context = at(workspace, "main.py", "def f(a):\n    ^\n")
    assert context.types is not None
    found = context.types.of(["a", "nobody"])
    assert list(found) == ["a"]
    assert (found["a"].type, found["a"].why) == (None, "the checker does not know its type")


def test_without_a_checker_a_type_is_null_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "tsc").write_text("", "utf-8")
    opened = Workspace([tmp_path], typescript=tmp_path / "tsc")
    text = "const a = 1;\n"
    syntax = parse(document(tmp_path, "a.ts", text))
    assert syntax.language is Language.TYPESCRIPT
    context = opened.context(syntax, len(text))
    assert context.types is not None
    found = context.types.of(["a"])["a"]
    opened.close()
    assert found.type is None
    assert "not trusted" in found.why


def test_a_name_is_asked_for_once_while_nothing_changes(workspace: Workspace) -> None:
    context = at(workspace, "main.py")
    assert context.types is not None
    before = context.types.of(["price"])["price"]
    assert context.types.of(["price"])["price"] is before
    again = at(workspace, "main.py")
    assert again.types is not None
    assert again.types.of(["price"])["price"] is before
    workspace.refresh([workspace.roots[0] / "shop.py"])
    assert again.types.of(["price"])["price"] is not before


def test_a_type_that_is_cut_off_is_unknown_and_its_members_are_listed(workspace: Workspace) -> None:
    names = [f"property_of_a_large_object_{number}" for number in range(60)]
    written = ", ".join(f"{name}: {{ deep: '{name}' }}" for name in names)
    context = at(workspace, "main.ts", f"const large = {{ {written} }};\n^")
    assert context.types is not None
    found = context.types.of(["large"])["large"]
    assert found.type is not None
    assert "..." in found.type
    assert isinstance(found.structure, UnknownType)
    assert set(context.types.members(["large"])["large"]) == set(names)


def test_nobody_is_asked_before_a_type_is_wanted(tmp_path: Path) -> None:
    opened = Workspace([tmp_path])
    shown = document(tmp_path, "main.py", "a = 1\n")
    context = opened.context(parse(shown), len("a = 1\n"))
    checker = opened.checker_of(shown)
    before = checker.pid
    assert context.types is not None
    assert context.types.of(["a"])["a"].type == "Literal[1]"
    assert (before is None, checker.pid is None) == (True, False)
    opened.close()
