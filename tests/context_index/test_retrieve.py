"""What a model is shown of other files: which lines, in which order, within which budget, and when it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Budget, Document, Snippet, Workspace, cursor_at, language_of, parse
from context_index.retrieve.declarations import declaration
from context_index.retrieve.edits import EditedPlace, RecentEdits
from context_index.retrieve.parameters import argument_at, parameter_for
from context_index.retrieve.similar import SimilarPassages
from context_index.retrieve.texts import Source
from tests.files import lay_out

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


def document(root: Path, name: str, text: str | None = None) -> Document:
    language = language_of(name)
    assert language is not None
    return Document((root / name).as_uri(), language, FILES[name] if text is None else text)


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
    ("code", "expected"),
    [
        ("def f(a: A) -> B:\n    return 1\n", ["def f(a: A) -> B"]),
        ("def f(\n    a: A,\n) -> B:\n    return 1\n", ["def f(", "    a: A,", ") -> B"]),
        ("class A(B):\n    x: int = 1\n\n    def m(self): ...\n    def _p(self): ...\nz = 1\n",
         ["class A(B)", "    x: int = 1", "    def m(self): ..."]),
        ("export class A extends B {\n  private x = 1;\n  #y = 2;\n  m(a: A): B {\n    return 1;\n  }\n}\nlet z = 1;\n",
         ["export class A extends B", "  m(a: A): B"]),
        ("interface I {\n  a: A;\n  m(b: B): C;\n}\nx", ["interface I", "  a: A;", "  m(b: B): C;"]),
        ("export enum E { A, B }\nfoo()", ["export enum E { A, B }"]),
        ("type T =\n  | 'a'\n  | 'b';\nfoo()", ["type T =", "  | 'a'", "  | 'b';"]),
        ("export const f = (a: A) => {\n  return 1;\n};\n", ["export const f = (a: A) =>"]),
    ],
)  # fmt: skip
def test_the_lines_of_a_declaration(code: str, expected: list[str]) -> None:
    assert declaration(code.splitlines(), 0) == expected


def test_a_declaration_outside_of_the_text_has_no_lines() -> None:
    assert declaration(["def f(): ..."], 7) == []


def test_imported_names_are_followed_to_where_they_are_declared(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "main.ts", "total(lines, 1);\n  ")
    text = {snippet.path: snippet.text for snippet in shown if snippet.path != "index.ts"}
    assert text["cart.ts"].splitlines() == [
        "export interface Line", "  sku: string;", "  price: Money;",
        "export function total(", "  lines: Line[],", "  tax: number,", "): Money",
    ]  # fmt: skip
    assert text["money.ts"].splitlines()[0] == "export class Money"
    assert "secret" not in text["money.ts"]


def test_names_in_reach_come_first(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "main.ts", "total(lines, 1);\n  ")
    assert [snippet.path for snippet in shown][:2] == ["cart.ts", "money.ts"]


def test_of_a_whole_module_the_names_in_reach_are_shown(shop: Path) -> None:
    shown = typed_at(indexed(shop), shop, "shop.py", "helper.report(basket)\n    ")
    lines = [line for snippet in shown for line in snippet.text.splitlines()]
    assert {"def parse(text: str) -> Basket", "def report(basket: Basket) -> None: ..."} <= {*lines}
    assert "    def add(self, item: str) -> None" in lines
    assert not any("_hidden" in line for line in lines)


def test_typing_on_a_line_changes_nothing(shop: Path) -> None:
    workspace = indexed(shop)
    before = typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    for typed in ("r", "re", "return ", "return du", "return due.", "return due.plus"):
        assert typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ", typed) == before


def test_what_stays_keeps_its_order(shop: Path) -> None:
    workspace = indexed(shop)
    first = typed_at(workspace, shop, "shop.py", "basket = parse(text)\n")
    then = typed_at(workspace, shop, "shop.py", "helper.report(basket)\n    ")
    assert [snippet for snippet in then if snippet in first] == [snippet for snippet in first if snippet in then]
    assert then[0] == first[0]


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
    shown = typed_at(workspace, shop, "main.ts", "lines: Line[]) {\n")
    assert any("halved(): Money" in snippet.text for snippet in shown)
    workspace.forget((shop / "money.ts").as_uri())
    shown = typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    assert not any("halved" in snippet.text for snippet in shown)


def test_places_edited_last_are_shown(shop: Path) -> None:
    workspace = indexed(shop)
    workspace.update(document(shop, "helper.py"))
    workspace.update(
        document(shop, "helper.py", FILES["helper.py"].replace("self.append(item)", "self.insert(0, item)"))
    )
    shown = typed_at(workspace, shop, "main.ts", "total(lines, 1);\n  ")
    assert any("self.insert(0, item)" in snippet.text for snippet in shown)


def test_declarations_far_away_in_the_same_file_are_shown(shop: Path) -> None:
    workspace = indexed(shop)
    text = "function far(a: A): B {\n  return 1;\n}\n" + "\n" * 200 + "const x = far(1);\n\n"
    of = document(shop, "main.ts", text)
    assert [snippet.text for snippet in ask(workspace, of, len(text))] == ["function far(a: A): B\n"]
    near = document(shop, "main.ts", text.replace("\n" * 200, "\n"))
    assert ask(workspace, near, len(near.text)) == ()


def test_similar_passages_are_shown_but_nothing_of_secrets(shop: Path) -> None:
    passage = "def load(path):\n    with path.open() as handle:\n        rows = json.load(handle)\n    return rows\n"
    (shop / "other.py").write_text("import json\n\n\n" + passage, encoding="utf-8")
    (shop / "secret_rows.pem").write_text(passage, encoding="utf-8")
    of = document(
        shop, "shop.py", "def load_all(path):\n    with path.open() as handle:\n        rows = json.load(handle)\n    "
    )
    shown = ask(indexed(shop), of, len(of.text))
    assert [snippet.path for snippet in shown] == ["other.py"]
    assert "rows = json.load(handle)" in shown[0].text


def test_a_withheld_file_gets_nothing(shop: Path) -> None:
    of = Document((shop / ".env").as_uri(), parse(document(shop, "shop.py")).language, FILES["shop.py"])
    assert ask(indexed(shop), of, len(of.text)) == ()


def test_an_untitled_text_gets_nothing(shop: Path) -> None:
    of = Document("untitled:1", parse(document(shop, "shop.py")).language, FILES["shop.py"])
    assert ask(indexed(shop), of, len(of.text)) == ()


TEXTS = st.lists(st.text("ab\n ", max_size=60).map(lambda text: Snippet("p.py", text + "\n")), max_size=6)


@given(TEXTS, st.integers(0, 200))
def test_a_budget_is_kept_and_snippets_stay_in_order(snippets: list[Snippet], size: int) -> None:
    budget = Budget(size, len)
    kept = budget.fitting(snippets)
    assert sum(budget.of(snippet) for snippet in kept) <= size
    assert [*kept[:-1]] == snippets[: max(len(kept) - 1, 0)]
    assert all(short.text == whole.text[: len(short.text)] for short, whole in zip(kept, snippets, strict=False))
    assert all(snippet.text.endswith("\n") for snippet in kept)


@given(st.text("ab\n", max_size=80), st.integers(0, 80), st.integers(0, 80), st.text("abc\n", max_size=5))
def test_the_line_of_an_edit(text: str, start: int, end: int, inserted: str) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    after = text[:start] + inserted + text[end:]
    edits = RecentEdits()
    edits.note(Path("a"), text, after)
    if text == after:
        assert edits.places == ()
    else:
        same = next(
            (at for at, (a, b) in enumerate(zip(text, after, strict=False)) if a != b), min(len(text), len(after))
        )
        assert edits.places == (EditedPlace(Path("a"), after.count("\n", 0, same)),)


def test_edits_near_each_other_are_one_place() -> None:
    edits = RecentEdits()
    text = "\n" * 50
    edits.note(Path("a"), text, "x" + text)
    edits.note(Path("a"), text, text[:5] + "x" + text[5:])
    edits.note(Path("b"), text, text[:40] + "x" + text[40:])
    assert edits.places == (EditedPlace(Path("b"), 40), EditedPlace(Path("a"), 5))


def test_a_passage_must_share_enough_words() -> None:
    lines = ["alpha beta gamma", "delta epsilon zeta"]
    source = Source(Path("a"), "\n".join(lines), lines)
    assert [passage.start for passage in SimilarPassages().find([source], lines, 1000)] == [0]
    assert SimilarPassages().find([source], ["alpha beta other words entirely"], 1000) == []
    assert SimilarPassages().find([source], ["alpha"], 1000) == []


@given(st.lists(st.text("abc \n", max_size=30), max_size=40), st.integers(1, 60))
def test_a_file_indexed_in_slices_is_indexed_as_a_whole(pieces: list[str], room: int) -> None:
    lines = ["needle thread cotton fabric button", *pieces, "needle thread cotton fabric zipper"]
    source = Source(Path("a"), "\n".join(lines), lines)
    wanted = ["needle thread cotton fabric zipper"]
    slowly = SimilarPassages()
    found = [slowly.find([source], wanted, room) for _ in range(len(lines))]
    assert found[-1] == SimilarPassages().find([source], wanted, 1 << 20)


PARAMETERS = """
py | f(^)                     | (a: int, b=1) -> int => a: int
py | f(1, ^)                  | (a: int, b=1) -> int => b=1
py | f(1, g(2, 3), ^)         | (a, b: dict[str, int] = {1: 2}, *c: str) => *c: str
py | f(1, 2, 3, 4, ^)         | (a, *rest) => *rest
py | f(1, b=^)                | (a, *, b: str = ",", **more) => b: str = ","
py | f(1, ^)                  | (a, *, b: str = ",") => -
py | f(1, ^)                  | (self, a, /, b) => b
py | f([1, ^])                | (a, b) => -
py | (^)                      | (a, b) => a
py | f(1, 2, ^)               | (a, b) => -
py | f(1, ^)                  | (a, b: Callable[[int, str],… => -
ts | f(x, (y) => y, ^)        | <T, U>(a: Map<T, U>, b: (x: T, y: U) => void, c?: number): T => c?: number
ts | f(...^)                  | (...items: string[]) => ...items: string[]
ts | f(a, { k: 1, l: 2 }, ^)  | (a: { k: number, l: string }, b, c = [1, 2]) => c = [1, 2]
"""


@pytest.mark.parametrize("case", PARAMETERS.strip().splitlines())
def test_the_parameter_that_an_argument_is_for(case: str) -> None:
    left, _, expected = case.rpartition(" => ")
    language, call, signature = (part.strip() for part in left.split(" | "))
    before, _, after = call.partition("^")
    name = f"a.{language}"
    kind = language_of(name)
    assert kind is not None
    argument = argument_at(parse(Document(f"file:///{name}", kind, before + after)), len(before))
    assert ((parameter_for(argument, signature) if argument else None) or "-") == expected.strip()


@pytest.mark.parametrize(
    ("name", "before", "typed", "expected"),
    [
        ("main.ts", "  const due = total(lines, 1);\n", "  total(lines, ", ("cart.ts", "tax: number")),
        ("main.ts", "  const due = total(lines, 1);\n", "  order(", ("main.ts", "lines: Line[]")),
        ("shop.py", "    helper.report(basket)\n", "    helper.report(", ("helper.py", "basket: Basket")),
        ("shop.py", "    helper.report(basket)\n", "    parse(text=", ("helper.py", "text: str")),
    ],
)
def test_the_active_parameter_comes_last(
    name: str, before: str, typed: str, expected: tuple[str, str], shop: Path
) -> None:
    snippets = typed_at(indexed(shop), shop, name, before, typed)
    path, parameter = expected
    assert snippets[-1].path == path
    assert snippets[-1].text.splitlines()[-1].partition(": ")[2] == parameter
    assert "argument" not in "".join(snippet.text for snippet in snippets[:-1])


def test_form_feeds_and_separators_end_no_line(shop: Path) -> None:
    (shop / "helper.py").write_text(f"import os\n\f\nLINE = '\u2028'\n{FILES['helper.py']}", encoding="utf-8")
    shown = "".join(one.text for one in ask(indexed(shop), document(shop, "shop.py"), len(FILES["shop.py"]) - 1))
    assert "def parse(text: str) -> Basket" in shown
    assert "class Basket(list)" in shown
