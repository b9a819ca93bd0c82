"""Examples as batches of sequences, made while the model trains: no text comes twice with the same holes.

Worker processes (`torch.utils.data`) each read a part of the files, again and again, and give batches by turns, so the
batches are a function of the files, the recipe and the number of workers. A core makes some 600,000 tokens a second,
more than any processor trains on: only a GPU needs more than one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from training.examples import ExampleTokens, examples, tokenised
from training.packing import Row, packed
from training.tokenizer import PADDING

if TYPE_CHECKING:
    from training.corpus import SourceFile
    from training.recipe import Recipe

_AHEAD = 4
"""Batches that a worker makes before they are asked for."""

Batch = tuple[torch.Tensor, torch.Tensor]
"""Tokens, int64 [batch, length + 1], and the weight in the loss of all but the first, float32 [batch, length]."""


class NothingToLearnError(Exception):
    """No source may be trained on, or no example can be made of it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a run's examples are made of."""

    files: Sequence[SourceFile]
    tokenizer: Tokenizer


def batches(sources: Sources, recipe: Recipe, *, first: int = 0, workers: int = 0) -> Iterator[Batch]:
    """The batches of a run, without end.

    Args:
        first: The step to begin with; what comes before it is made and thrown away.
        workers: Processes that make them; 0 makes them in this one.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # else the tokenizer prints a warning for each process
    stream = _Stream(sources, recipe, first, max(1, workers))
    loader = DataLoader(
        stream, batch_size=None, num_workers=workers, prefetch_factor=_AHEAD if workers else None,
    )  # fmt: skip
    return cast("Iterator[Batch]", iter(loader))


class _Stream(IterableDataset[Batch]):
    def __init__(self, sources: Sources, recipe: Recipe, first: int, workers: int) -> None:
        self._sources, self._recipe, self._first, self._workers = sources, recipe, first, workers

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        at = worker.id if worker is not None else 0
        turn = (at + self._first) % self._workers  # the loader begins with worker 0, whatever step that is
        made = _batches(self._sources, self._recipe, turn, self._workers)
        for _ in range((self._first + at) // self._workers):
            next(made)
        return made


def _batches(sources: Sources, recipe: Recipe, turn: int, workers: int) -> Iterator[Batch]:
    """Every `workers`-th batch of a run, from that of the step `turn` on."""
    rows: list[Row] = []
    draw = random.Random(f"{recipe.seed} {turn}")
    for row in _rows(sources, recipe, turn, workers):
        rows.append(row)
        if len(rows) >= max(recipe.shuffled, 2 * recipe.batch):
            draw.shuffle(rows)
            while len(rows) >= max(recipe.shuffled // 2, recipe.batch):
                yield _batch(rows[: recipe.batch])
                del rows[: recipe.batch]


def _rows(sources: Sources, recipe: Recipe, turn: int, workers: int) -> Iterator[Row]:
    """Rows of the recipe's length and one token more: what is read, and what follows each token of it.

    Prompts with an answer that are longer than a row are left out: if cut, they would be answers without a question.

    Raises:
        NothingToLearnError: nothing can be made of the files.
    """
    size = recipe.length + 1
    padding = sources.tokenizer.get_vocab()[PADDING]
    files = list(sources.files[turn::workers] or sources.files)
    for epoch in count():
        draw = random.Random(f"{recipe.seed} {turn} {epoch}")
        draw.shuffle(files)
        made = tokenised(examples(files, draw, holes=recipe.holes), sources.tokenizer)
        whole = (one for one in made if len(one.ids) <= size or one.answer == len(one.ids))
        empty = True
        for row in packed(((one.ids, weights(one, recipe)) for one in whole), size, padding):
            empty = False
            yield row
        if empty:
            message = f"no example of at most {recipe.length} tokens can be made; name more directories with --root"
            raise NothingToLearnError(message)


def _batch(rows: Sequence[Row]) -> Batch:
    tokens = np.array([row.tokens for row in rows], np.int64)
    return torch.from_numpy(tokens), torch.from_numpy(np.array([row.weights[1:] for row in rows], np.float32))


def weights(example: ExampleTokens, recipe: Recipe) -> list[int]:
    """What each token of an example counts in the loss."""
    answer = len(example.ids) - example.answer
    found = [1] * example.answer + [recipe.middle_weight] * (answer - 1) + [recipe.end_weight] * (answer > 0)
    for at in example.changes:
        found[at] = max(found[at], recipe.change_weight)
    return found
