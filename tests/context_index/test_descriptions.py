"""What checkers say of a name, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index.oracles import Description, Limits, Oracle, Server
from context_index.oracles.description import described
from context_index.oracles.jedi import Jedi
from context_index.symbols import Open
from tests.context_index.checkers import PATIENCE, checker_for, document, jedi_worker, project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ("```ts\nlet a: 1\n```\n", Description("let a: 1")),
        ("```ts\nlet a: {\n  b: 1\n}\n```\nWhy.\n\nMore.", Description("let a: {\n  b: 1\n}", "Why.\n\nMore.")),
        ("```python\na: int\n```\n---\nWhy.", Description("a: int", "Why.")),
        ("Why.", Description("", "Why.")),
        ([{"language": "ts", "value": "let a: 1"}, "Why."], Description("let a: 1", "Why.")),
        ({"kind": "markdown", "value": "```ts\nlet a\n```"}, Description("let a")),
        ("", None),
        ({}, None),
        ([], None),
    ],
)
def test_a_hover_is_a_signature_and_prose(contents: object, expected: Description | None) -> None:
    assert described({"contents": contents}) == expected
    assert described(None) is None


CASES = """
ts   /** Sums up. */ function f(x: number): string { return '' } ^f(1)  => function f(x: number): string | Sums up.
ts   import { Cart } from './shop'; new Cart().^total()                 => (method) Cart.total(): number |
ts   import { Cart } from './shop'; new Cart().^zebra                   => any |
js   /** Sums up. */ function f(x = 1) {} ^f()                          => function f(x?: number): void | Sums up.
py   def f(x: int) -> str:<>    '''Sums up.'''<><>^f(1)                 => def f(x: int) -> str | Sums up.
jedi def f(x: int) -> str:<>    '''Sums up.'''<><>^f(1)                 => f(x: int) -> str | Sums up.
"""


def source(kind: str, root: Path) -> Server | Jedi:
    if kind == "jedi":
        return Jedi(jedi_worker(root), root)
    return Server(checker_for(kind), root, Limits(answer=PATIENCE))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_checkers_describe_the_name_at_a_place(case: str, tmp_path: Path) -> None:
    left, _, right = case.rpartition(" => ")
    kind, _, marked = left.partition(" ")
    marked = marked.strip().replace("<>", "\n")
    suffix = "py" if kind == "jedi" else kind
    root = project(tmp_path)
    oracle = Oracle([source(kind, root)])
    asked = document(root, f"named.{suffix}", marked.replace("^", "", 1))
    try:
        found = oracle.describe(asked, marked.index("^")).wait(PATIENCE).value
    finally:
        oracle.close()
    signature, _, about = (part.strip() for part in right.partition(" | "))
    assert not isinstance(found, Open)
    assert (found.signature, found.documentation) == (signature.removesuffix(" |"), about)
