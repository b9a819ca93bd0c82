"""Makes batches of sequences while the model trains, so that no text comes twice with the same holes.

Worker processes (`torch.utils.data`) each read a part of the files, again and again, and give batches in turn. So the
batches depend only on the files, the recipe and the number of workers. A core makes about 600,000 tokens a second, more
than any CPU trains on; only a GPU needs more than one worker.
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

from training.examples import ExampleTokens, examples, tokenise
from training.packing import Row, pack
from training.tokenizer import PADDING

if TYPE_CHECKING:
    from training.corpus import SourceFile
    from training.recipe import Recipe

_AHEAD = 4
"""Batches that a worker makes before they are asked for."""

Batch = tuple[torch.Tensor, torch.Tensor]
"""Tokens, int64 [batch, length + 1], and the weights in the loss of all but the first, float32 [batch, length]."""


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
        first: The step to begin with; the batches before it are made and dropped.
        workers: Processes that make batches; 0 to make them in this one.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # else the tokenizer prints a warning for each process
    stream = _Stream(sources, recipe, first, max(1, workers))
    loader = DataLoader(
        stream, batch_size=None, num_workers=workers, prefetch_factor=_AHEAD if workers else None,
    )  # fmt: skip
    return cast("Iterator[Batch]", iter(loader))


class _Stream(IterableDataset[Batch]):
    """The batches that one worker of a `DataLoader` gives, from those of step `first` on."""

    def __init__(self, sources: Sources, recipe: Recipe, first: int, workers: int) -> None:
        self._sources, self._recipe, self._first, self._workers = sources, recipe, first, workers

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        number = worker.id if worker is not None else 0
        turn = (number + self._first) % self._workers  # the loader begins with worker 0, whatever step that is
        all_batches = _batches(self._sources, self._recipe, turn, self._workers)
        for _ in range((self._first + number) // self._workers):
            next(all_batches)
        return all_batches


def _batches(sources: Sources, recipe: Recipe, turn: int, workers: int) -> Iterator[Batch]:
    """Every `workers`-th batch of a run, beginning with that of step `turn`."""
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
    """Rows of the recipe's length and one token more, as the last token is only a target.

    Examples with an answer that are longer than a row are left out; cut, they would be answers without a question.

    Raises:
        NothingToLearnError: nothing can be made of the files.
    """
    size = recipe.length + 1
    padding = sources.tokenizer.get_vocab()[PADDING]
    files = list(sources.files[turn::workers] or sources.files)
    for epoch in count():
        draw = random.Random(f"{recipe.seed} {turn} {epoch}")
        draw.shuffle(files)
        made = tokenise(examples(files, draw, holes=recipe.holes), sources.tokenizer)
        fitting = (example for example in made if len(example.ids) <= size or example.answer == len(example.ids))
        is_empty = True
        for row in pack(((example.ids, weights(example, recipe)) for example in fitting), size, padding):
            is_empty = False
            yield row
        if is_empty:
            message = f"no example of at most {recipe.length} tokens can be made; name more directories with --root"
            raise NothingToLearnError(message)


def _batch(rows: Sequence[Row]) -> Batch:
    """Rows as tensors."""
    tokens = np.array([row.tokens for row in rows], np.int64)
    return torch.from_numpy(tokens), torch.from_numpy(np.array([row.weights[1:] for row in rows], np.float32))


def weights(example: ExampleTokens, recipe: Recipe) -> list[int]:
    """The weight of each token of an example in the loss."""
    length = len(example.ids) - example.answer
    result = [1] * example.answer + [recipe.middle_weight] * (length - 1) + [recipe.end_weight] * (length > 0)
    for index in example.changes:
        result[index] = max(result[index], recipe.change_weight)
    return result
