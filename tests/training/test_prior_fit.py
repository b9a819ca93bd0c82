"""How the prior is fitted: places are drawn, and a regression over them is written to a file that people can read."""

from __future__ import annotations

import json

import numpy as np
import pytest

from context_index.prior.features import FEATURES
from context_index.prior.weights import KINDS, SHIPPED, Weights, weights_of
from training import prior_fit
from training.prior_places import PriorExample, PriorProject, examples

FILE = """
def load{n}(path, encoding):
    text = path.read_text(encoding)
    rows = text.splitlines()
    return [parse{n}(row) for row in rows]


def parse{n}(row):
    key, value = row.split("=")
    return key, value
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> PriorProject:
    tmp_path = tmp_path_factory.mktemp("parts")
    for number in range(5):
        (tmp_path / f"part{number}.py").write_text(FILE.format(n=number), "utf-8")
    return PriorProject("parts", tmp_path, tuple(sorted(tmp_path.glob("*.py"))))


def draw(project: PriorProject) -> list[PriorExample]:
    return list(examples(project, names=40, members=0, per_file=8, seed=1))


@pytest.fixture(scope="module")
def places(project: PriorProject) -> list[PriorExample]:
    return draw(project)


def test_places_are_drawn_with_the_name_that_was_there(project: PriorProject, places: list[PriorExample]) -> None:
    assert len(places) > 20
    assert {one.kind for one in places} == {"python names"}
    assert {one.candidates.names[one.true] for one in places} >= {"text", "rows", "row"}
    again = draw(project)
    assert [one.true for one in again] == [one.true for one in places]


def test_what_is_scored_is_what_is_fitted(places: list[PriorExample]) -> None:
    row = np.random.default_rng(0).normal(size=len(FEATURES))
    for one in places:
        fast = Weights.of(row).scores(one.candidates, one.place, one.table)
        slow = prior_fit.expand(one.candidates, one.place, one.table) @ row
        assert fast == pytest.approx(slow, rel=1e-3, abs=1e-3)


@pytest.mark.slow
def test_a_fit_beats_knowing_nothing(places: list[PriorExample]) -> None:
    _, before = prior_fit.measure(places, np.zeros(len(FEATURES)))
    top1, after = prior_fit.measure(places, prior_fit.fit(places))
    assert top1 > 0.8
    assert after < before / 3


def test_weights_are_read_as_they_were_written() -> None:
    row = np.round(np.random.default_rng(1).normal(size=len(FEATURES)), 4)
    row[3] = 0.0
    found = weights_of(json.loads(prior_fit.weights_file(dict.fromkeys(KINDS, row), {})))
    for weights in found.values():
        assert np.array_equal(weights.dense, Weights.of(row).dense)
        assert np.array_equal(weights.groups, Weights.of(row).groups)


def test_the_shipped_weights_tell_where_they_come_from() -> None:
    said = json.loads(SHIPPED.read_text("utf-8"))
    assert sorted(said["weights"]) == sorted(KINDS)
    for kind in KINDS:
        assert said["recipe"][kind]["places"] > 400
        assert not {"jinja2", "rich", "click", "express", "axios", "koa"} & {*said["recipe"][kind]["packages"]}
        assert not {*said["weights"][kind]} - {*FEATURES}
