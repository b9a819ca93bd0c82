"""Batches of a run: where it goes on they are those that would have come, with any number of workers."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from context_index.symbols import Language
from decoder.prompt import layouts
from training.corpus import SourceFile
from training.examples import ExampleTokens
from training.recipe import Recipe
from training.stream import NothingToLearnError, Sources, batches, weights
from training.tokenizer import learn

pytestmark = pytest.mark.slow
TEXTS = [
    "".join(f"def {name}_{at}(value):\n    return value + {at}\n\n\n" for at in range(40))
    for name in ("first", "second", "third", "fourth")
]
SOURCES = Sources(
    [SourceFile("a", f"a/{at}.py", Language.PYTHON, text) for at, text in enumerate(TEXTS)], learn(TEXTS, 400)
)
RECIPE = Recipe(length=64, batch=4, shuffled=16)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_goes_on_reads_what_it_would_have_read(workers: int) -> None:
    whole = list(islice(batches(SOURCES, RECIPE, workers=workers), 8))
    for first in (1, 5):
        on = list(islice(batches(SOURCES, RECIPE, first=first, workers=workers), 8 - first))
        for expected, found in zip(whole[first:], on, strict=True):
            assert all(torch.equal(*pair) for pair in zip(expected, found, strict=True))
    assert not any(torch.equal(whole[0][0], tokens) for tokens, _ in whole[1:])


def test_a_batch_has_the_token_after_each_that_is_read() -> None:
    tokens, weighed = next(batches(SOURCES, RECIPE))
    assert tokens.shape == (4, 65)
    assert weighed.shape == (4, 64)
    padding = SOURCES.tokenizer.get_vocab()["<|fim_pad|>"]
    assert torch.equal(weighed.eq(0), tokens[:, 1:].eq(padding))


def test_what_matters_weighs_more() -> None:
    recipe = Recipe(end_weight=5, middle_weight=2, change_weight=7)
    assert weights(ExampleTokens([9, 9, 9, 3, 4, 5, 0], answer=3, changes=frozenset([4])), recipe) == [
        1,
        1,
        1,
        2,
        7,
        2,
        5,
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_files_that_nothing_can_be_made_of_end_the_run(workers: int) -> None:
    plain = Sources([SourceFile("a", "a/a.py", Language.PYTHON, "value = 1\n" * 40)], SOURCES.tokenizer)
    with pytest.raises(NothingToLearnError, match="no example of at most 64 tokens"):
        next(batches(plain, replace(RECIPE, holes=0.0), workers=workers))


def test_an_answer_is_not_cut_from_its_question() -> None:
    ends = SOURCES.tokenizer.token_to_id(layouts.END)
    middle = SOURCES.tokenizer.token_to_id(layouts.MIDDLE)
    for tokens, _ in islice(batches(SOURCES, RECIPE), 20):
        for row in tokens.tolist():
            assert row.count(middle) <= row.count(ends)
