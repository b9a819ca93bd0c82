"""What controllers are given about the place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from context_index.symbols import Importable, Language, Name, NameKind, Origin, SymbolContext
from decoder.controller.place_data import place_data
from decoder.controller.session import WANTED

NAMES = {
    "total": Name("total", NameKind.VARIABLE, Origin.LOCAL, 0, detail="number"),
    "format": Name("format", NameKind.FUNCTION, Origin.IMPORT, 2, detail="./text"),
}
SYMBOLS = SymbolContext(Language.TYPESCRIPT, NAMES, (Importable("cart", NameKind.CLASS, "./cart"),))


class Knows:
    """A prior for tests."""

    def names(self) -> SimpleNamespace:
        return SimpleNamespace(names=("format", "total"), probabilities=np.array([0.25, 0.75]))


def at(*wants: str, prior: object = None) -> tuple[dict[str, Any], list[str]]:
    asked: list[str] = []

    def path() -> list[str]:
        asked.append("path")
        return ["program", "call_expression"]

    def snippets() -> list[dict[str, str]]:
        asked.append("snippets")
        return [{"path": "a.ts", "text": "export"}]

    around = ("x" * 9000 + "b", "a")
    given = {"path": path, "snippets": snippets}
    return place_data(frozenset(wants), SYMBOLS, around, given, prior), asked  # type: ignore[arg-type]  # a prior for tests


def test_names_have_kinds_and_types_and_imports_their_modules() -> None:
    found, asked = at("symbols")
    assert found["names"][0] == {
        "name": "total", "kind": "variable", "detail": "number", "origin": "local", "distance": 0}  # fmt: skip
    assert found["imports"] == [{"name": "format", "kind": "function", "module": "./text"}]
    assert found["importable"] == [{"name": "cart", "kind": "class", "module": "./cart"}]
    assert found["path"] == ["program", "call_expression"]
    assert (len(found["before"]), found["after"], asked) == (4000, "a", ["path"])


@pytest.mark.parametrize(
    ("wants", "parts"),
    [((), set()), (("distribution",), set()), (("snippets",), {"snippets"}), (("prior",), {"prior"})],
)
def test_nothing_is_looked_up_that_is_not_wanted(wants: tuple[str, ...], parts: set[str]) -> None:
    found, asked = at(*wants, prior=Knows())
    assert {*found} == parts
    assert asked == [one for one in wants if one == "snippets"]


def test_the_prior_is_reported_by_name_and_may_have_nothing_to_say() -> None:
    assert at("prior", prior=Knows())[0] == {"prior": {"format": 0.25, "total": 0.75}}
    assert at("prior")[0] == {"prior": {}}


def test_without_a_workspace_there_are_no_snippets() -> None:
    assert place_data(WANTED, SYMBOLS, ("", ""), {}, None)["snippets"] == []
