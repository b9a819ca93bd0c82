"""What a model is shown of other files: which lines, in which order, within which budget, and when it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Budget, Document, Language, Snippet, Workspace, cursor_at, parse
from context_index.retrieve.excerpt import excerpt
from tests.files import document, lay_out

ROOM = Budget(10_000)
FILES = {
    "money.ts": (
        "export class Money {\n"
        "  private secret = 1;\n"
        "  constructor(readonly amount: number) {}\n\n"
        "  plus(other: Money): Money {\n    return new Money(this.amount + other.amount);\n  }\n}\n"
    ),
    "cart.ts": (
        'import { Money } from "./money";\n\n'
        "export interface Line {\n  sku: string;\n  price: Money;\n}\n\n"
        "export function total(\n  lines: Line[],\n  tax: number,\n): Money {\n  return lines[0].price;\n}\n"
    ),
    "index.ts": 'export * from "./cart";\nexport { Money as Cash } from "./money";\n',
    "main.ts": (
        'import { Line, total } from "./index";\nimport { Money } from "./money";\n\n'
        "export function order(lines: Line[]) {\n  const due = total(lines, 1);\n  \n}\n"
    ),
    "shop.py": (
        "import helper\nfrom helper import Basket, parse\n\n\ndef order(text):\n"
        "    basket = parse(text)\n    helper.report(basket)\n    \n"
    ),
    "helper.py": (
        "class Basket(list):\n    limit = 3\n\n    def add(self, item: str) -> None:\n        self.append(item)\n\n"
        "    def _hidden(self): ...\n\n\ndef parse(text: str) -> Basket:\n    return Basket()\n\n\n"
        "def report(basket: Basket) -> None: ...\n"
    ),
    ".env": "TOKEN=1\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return lay_out(tmp_path, FILES)


def indexed(root: Path) -> Workspace:
    workspace = Workspace([root])
    workspace.index()
    return workspace


def ask(workspace: Workspace, of: Document, offset: int, budget: Budget = ROOM) -> tuple[Snippet, ...]:
    syntax = parse(of)
    return workspace.snippets(syntax, cursor_at(syntax, offset), budget)


def typed_at(workspace: Workspace, root: Path, name: str, before: str, typed: str = "") -> tuple[Snippet, ...]:
    """What is shown after `before` once `typed` stands there."""
    place = FILES[name].index(before) + len(before)
    of = document(root, name, FILES[name][:place] + typed + FILES[name][place:])
    workspace.update(of)
    return ask(workspace, of, place + len(typed))


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("a.py", "def f(a: A) -> B:\n    return 1\n", "def f(a: A) -> B: ...\n"),
        ("a.py", "def f(\n    a: A,\n) -> B:\n    return 1\n", "def f(\n    a: A,\n) -> B: ...\n"),
        ("a.py", "class A(B):\n    x: int = 1\n\n    def m(self): ...\n    def _p(self): ...\nz = 1\n",
         "class A(B):\n    x: int = 1\n    def m(self): ...\n"),
        ("a.py", "class A:\n    def __init__(self):\n        pass\n", "class A:\n    def __init__(self): ...\n"),
        ("a.ts", "export class A extends B {\n  private x = 1;\n  #y = 2;\n  m(a: A): B {\n    return 1;\n  }\n}\nz\n",
         "export class A extends B {\n  m(a: A): B ...\n}\n"),
        ("a.ts", "interface I {\n  a: A;\n  m(b: B): C;\n}\nx", "interface I {\n  a: A;\n  m(b: B): C;\n}\n"),
        ("a.ts", "export enum E { A, B }\nfoo()", "export enum E { A, B }\n"),
        ("a.ts", "type T =\n  | 'a'\n  | 'b';\nfoo()", "type T =\n  | 'a'\n  | 'b';\n"),
        ("a.ts", "export const f = (a: A) => {\n  return 1;\n};\n", "export const f = (a: A) => ...;\n"),
        ("a.js", "const a = function (_b) { return 1 }", "const a = function (_b) ...\n"),
    ],
)  # fmt: skip
def test_the_text_of_a_declaration(name: str, code: str, expected: str) -> None:
    assert excerpt(parse(document(Path("/"), name, code)), 0) == expected


def test_a_declaration_outside_of_the_text_has_no_lines() -> None:
    assert excerpt(parse(Document("", Language.PYTHON, "def f(): ...")), 7) == ""


def test_imported_names_are_followed_to_where_they_are_declared(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "main.ts", "total(lines, 1);\n  ")
    text = {snippet.path: snippet.text for snippet in shown}  # of one path the last
    assert text["cart.ts"].splitlines() == [
        "export function total(",
        "  lines: Line[],",
        "  tax: number,",
        "): Money ...",
    ]
    assert text["money.ts"].splitlines()[0] == "export class Money {"
    assert "secret" not in text["money.ts"]


FAR = (
    'import { Money } from "./money";\nimport { total } from "./cart";\n'
    + "\n" * 20
    + "const due = total([], 1);\n\n"
    + "\n" * 20
    + "const one = new Money(1);\n\n"
)
"""Two places, of which each has one imported name in reach."""


def shown_after(workspace: Workspace, shop: Path, text: str, before: str) -> list[str]:
    """The files of what is shown on the line after `before`."""
    of = document(shop, "main.ts", text)
    workspace.update(of)
    return [snippet.path for snippet in ask(workspace, of, text.index(before) + len(before))]


def test_names_in_reach_come_first(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "main.ts", "total(lines, 1);\n  ")
    assert [snippet.path for snippet in shown] == ["cart.ts", "cart.ts", "money.ts"]
    assert shown_after(indexed(shop), shop, FAR, "total([], 1);\n") == ["cart.ts", "money.ts"]
    assert shown_after(indexed(shop), shop, FAR, "new Money(1);\n") == ["money.ts", "cart.ts"]


def test_of_a_whole_module_the_names_in_reach_are_shown(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "shop.py", "helper.report(basket)\n    ")
    lines = [line for snippet in shown for line in snippet.text.splitlines()]
    assert {"def parse(text: str) -> Basket: ...", "def report(basket: Basket) -> None: ..."} <= {*lines}
    assert "    def add(self, item: str) -> None: ..." in lines
    assert not any("_hidden" in line for line in lines)


def test_typing_on_a_line_changes_nothing(shop: Path) -> None:
    workspace = indexed(shop)
    before = typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    for typed in ("r", "re", "return ", "return du", "return due.", "return due.plus"):
        assert typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ", typed) == before


def test_what_stays_keeps_its_order(shop: Path) -> None:
    """Although another name is in reach now."""
    workspace = indexed(shop)
    first = typed_at(workspace, shop, "shop.py", "basket = parse(text)\n")
    then = typed_at(workspace, shop, "shop.py", "helper.report(basket)\n    ")
    assert [snippet for snippet in then if snippet in first] == [snippet for snippet in first if snippet in then]
    assert then[0] == first[0]
    assert shown_after(workspace, shop, FAR, "total([], 1);\n") == ["cart.ts", "money.ts"]
    assert shown_after(workspace, shop, FAR, "new Money(1);\n") == ["cart.ts", "money.ts"]


def test_a_changed_import_changes_what_is_shown(shop: Path) -> None:
    workspace = indexed(shop)
    of = document(shop, "main.ts", 'import { Money } from "./money";\nx\n')
    workspace.update(of)
    assert [snippet.path for snippet in ask(workspace, of, len(of.text) - 1)] == ["money.ts"]
    of = document(shop, "main.ts", 'import { Line } from "./cart";\nx\n')
    workspace.update(of)
    assert [snippet.path for snippet in ask(workspace, of, len(of.text) - 1)] == ["cart.ts"]


def test_the_unsaved_text_of_another_file_is_what_counts(shop: Path) -> None:
    workspace = indexed(shop)
    typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    workspace.update(document(shop, "money.ts", "export class Money {\n  halved(): Money {\n  }\n}\n"))
    shown = typed_at(workspace, shop, "main.ts", "lines: Line[]) {\n")  # another line: else what was shown stays
    assert any("halved(): Money" in snippet.text for snippet in shown)
    workspace.forget((shop / "money.ts").as_uri())
    shown = typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    assert not any("halved" in snippet.text for snippet in shown)


def test_declarations_far_away_in_the_same_file_are_shown(shop: Path) -> None:
    workspace = indexed(shop)
    text = "function far(a: A): B {\n  return 1;\n}\n" + "\n" * 200 + "const x = far(1);\n\n"
    of = document(shop, "main.ts", text)
    assert [snippet.text for snippet in ask(workspace, of, len(text))] == ["function far(a: A): B ...\n"]
    near = document(shop, "main.ts", text.replace("\n" * 200, "\n"))
    assert ask(workspace, near, len(near.text)) == ()


def test_a_withheld_file_gets_nothing(shop: Path) -> None:
    of = Document((shop / ".env").as_uri(), Language.PYTHON, FILES["shop.py"])
    assert ask(indexed(shop), of, len(of.text)) == ()


def test_an_untitled_text_gets_nothing(shop: Path) -> None:
    of = Document("untitled:1", Language.PYTHON, FILES["shop.py"])
    assert ask(indexed(shop), of, len(of.text)) == ()


TEXTS = st.lists(st.text("ab\n ", max_size=60).map(lambda text: Snippet("p.py", text + "\n")), max_size=6)


@given(TEXTS, st.integers(0, 200))
def test_a_budget_is_kept_and_snippets_stay_in_order(snippets: list[Snippet], size: int) -> None:
    budget = Budget(size, len)
    kept = budget.fitting(snippets)
    assert sum(budget.cost_of(snippet) for snippet in kept) <= size
    assert [*kept[:-1]] == snippets[: max(len(kept) - 1, 0)]
    assert all(short.text == whole.text[: len(short.text)] for short, whole in zip(kept, snippets, strict=False))
    assert all(snippet.text.endswith("\n") for snippet in kept)


def test_form_feeds_and_separators_end_no_line(shop: Path) -> None:
    (shop / "helper.py").write_text(f"import os\n\f\nLINE = '\u2028'\n{FILES['helper.py']}", encoding="utf-8")
    shown = "".join(
        one.text for one in ask(indexed(shop), document(shop, "shop.py", FILES["shop.py"]), len(FILES["shop.py"]) - 1)
    )
    assert "def parse(text: str) -> Basket" in shown
    assert "class Basket(list)" in shown
