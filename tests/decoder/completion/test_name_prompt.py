"""A prompt that was read ahead gives the scores that reading it anew gives."""

from __future__ import annotations

from threading import Event
from typing import Any

import numpy as np
import pytest

from context_index import Document, Language, Workspace, parse
from decoder import CompletionTask, Model, NamePrompt, load_model
from decoder.models.model import Logits

NAMES = ["load", "loads", "path", "zebra"]
PLACES = [
    "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return json.^\n",
    "def load(path):\n    return ^\n",
    "def load(path):\n    return pa^\n",
]


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(None)


def task(marked: str) -> CompletionTask:
    prefix, _, suffix = marked.partition("^")
    syntax = parse(Document("file:///a.py", Language.PYTHON, prefix + suffix))
    return CompletionTask(prefix, suffix, Workspace(()).context(syntax, len(prefix)))


@pytest.mark.parametrize("forwards", [0, 2, None])
@pytest.mark.parametrize("marked", PLACES)
@pytest.mark.parametrize("is_disturbed", [False, True], ids=["at once", "after another prompt"])
def test_read_ahead_is_read_anew(model: Model, marked: str, forwards: int | None, *, is_disturbed: bool) -> None:
    anew = NamePrompt(model, task(marked)).rank(model, NAMES, budget_forwards=forwards)
    model.truncate(0)
    prompt = NamePrompt(model, task(marked))
    prompt.read_ahead(model, Event())
    if is_disturbed:
        model.truncate(0)
        model.forward([1, 2, 3])
    ahead = prompt.rank(model, NAMES, budget_forwards=forwards)
    assert [*ahead] == [*anew]
    np.testing.assert_allclose([*ahead.values()], [*anew.values()], atol=1e-3)


def test_what_was_read_ahead_is_ranked_without_a_forward(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = NamePrompt(model, task(PLACES[0]))
    prompt.read_ahead(model, Event())
    monkeypatch.setattr(model, "forward", None)
    scores = prompt.rank(model, NAMES, budget_forwards=0)
    assert max(NAMES, key=scores.__getitem__) == "load"


@pytest.mark.parametrize("forwards", [0, 2, 8])
def test_to_read_ahead_costs_no_forward(model: Model, forwards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    count, forward = 0, model.forward

    def counted(*arguments: Any) -> Logits:  # noqa: ANN401 - handed on
        nonlocal count
        count += 1
        return forward(*arguments)

    monkeypatch.setattr(model, "forward", counted)
    model.truncate(0)
    prompt = NamePrompt(model, task(PLACES[0]))
    prompt.rank(model, NAMES, budget_forwards=forwards)
    anew, count = count, 0
    model.truncate(0)
    prompt.read_ahead(model, Event())
    prompt.rank(model, NAMES, budget_forwards=forwards)
    assert count == anew


def test_a_reading_that_was_stopped_leaves_nothing_behind(model: Model) -> None:
    anew = NamePrompt(model, task(PLACES[0])).rank(model, NAMES, budget_forwards=0)
    stopped = Event()
    stopped.set()
    prompt = NamePrompt(model, task(PLACES[0]))
    prompt.read_ahead(model, stopped)
    assert prompt.rank(model, NAMES, budget_forwards=0) == pytest.approx(anew, abs=1e-3)
