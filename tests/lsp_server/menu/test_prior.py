"""What the prior does to a menu: with a model and without one, switched on and off."""

from __future__ import annotations

import pytest

from context_index import Document, Language, NameKind, Workspace, parse
from lsp_server.engine.menu.candidates import MenuCandidate
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Policy, Service
from lsp_server.engine.site import Site

CASES = """
without a model          |               | one=0 two=2   | two one
the model is unsure      | one=-1 two=-2 | one=0 two=2   | two one
the model is sure        | one=-1 two=-9 | one=0 two=2   | one two
the prior knows one only | one=-1 two=-1 | two=2         | two one
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_prior_is_added(case: str) -> None:
    _, model, known, expected = (part.strip() for part in case.split("|"))
    scores, prior = (
        {name: float(value) for name, value in (one.split("=") for one in part.split())} for part in (model, known)
    )
    candidates = [MenuCandidate(name, NameKind.VARIABLE) for name in ("one", "two")]
    assert [one.text for one in ordered(candidates, scores, prior=prior)] == expected.split()


TEXT = "def store(path, rows):\n    data = encode(rows)\n    path.write_bytes(data)\n    other = encode("


def service(*, prior: bool) -> Service:
    return Service(Workspace([]), ModelHost(ModelSettings()), Policy(prior=prior))


def test_a_menu_is_ordered_without_a_model() -> None:
    asked = service(prior=True)
    syntax = parse(Document("file:///shop/store.py", Language.PYTHON, TEXT))
    site = Site(asked.workspace, syntax, len(TEXT))
    found = asked.candidates(site, 0)
    prior = asked.prior_scores(site, found)
    asked.workspace.close()
    assert {"rows", "path", "data"} <= {one.text for one in ordered(found.items, {}, prior=prior)[:4]}


def test_switched_off_it_says_nothing() -> None:
    asked = service(prior=False)
    syntax = parse(Document("file:///shop/store.py", Language.PYTHON, TEXT))
    site = Site(asked.workspace, syntax, len(TEXT))
    found = asked.candidates(site, 0)
    assert asked.prior_scores(site, found) == {}
    assert ordered(found.items, {}, prior={}) == list(found.items)
    asked.workspace.close()
