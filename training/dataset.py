"""Examples as sequences of one length, in files that are mapped into memory.

Examples are packed into rows of the length that the data set was made with; weights are stored beside the tokens. A
longer sequence is several rows. The order of the sequences is a function of the seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.examples import Tokens
from training.packing import packed
from training.recipe import Recipe

_TOKENS, _WEIGHTS, _ABOUT = "tokens.u16", "weights.u8", "dataset.json"


@dataclass(frozen=True, slots=True)
class Dataset:
    """All sequences of a corpus.

    Args:
        tokens: uint16 [count].
        weights: uint8 [count], the weight of each token in the loss.
    """

    tokens: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.uint8]

    def sequences(self, length: int) -> int:
        """The number of sequences of a length."""
        return (len(self.tokens) - 1) // length

    def batch(self, step: int, recipe: Recipe) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The sequences of a step, each with one token more than its length, and the weights of all but their first.

        Returns:
            int64 [batch, length + 1], float32 [batch, length].
        """
        count = self.sequences(recipe.length)
        epoch, first = divmod(step * recipe.batch, count)
        order = np.random.default_rng((recipe.seed, epoch)).permutation(count)
        chosen = [int(order[(first + i) % count]) * recipe.length for i in range(recipe.batch)]
        stop = recipe.length + 1
        tokens = np.stack([self.tokens[at : at + stop] for at in chosen]).astype(np.int64)
        weights = np.stack([self.weights[at + 1 : at + stop] for at in chosen]).astype(np.float32)
        return tokens, weights


def write(tokenised: Iterable[Tokens], directory: Path, recipe: Recipe, *, padding: int) -> int:
    """Write a data set in rows of the recipe's length; returns its number of tokens, at most those of the run.

    Prompts with an answer that are longer than a row are left out: if cut, they would be answers without a question.

    Args:
        padding: The token that fills the end of a row.
    """
    directory.mkdir(parents=True, exist_ok=True)
    count = 0
    with (directory / _TOKENS).open("wb") as tokens, (directory / _WEIGHTS).open("wb") as weights:
        whole = (one for one in tokenised if len(one.ids) <= recipe.length or one.answer == len(one.ids))
        for row in packed(((one.ids, _weights(one, recipe)) for one in whole), recipe.length, padding):
            np.asarray(row.tokens, np.uint16).tofile(tokens)
            np.asarray(row.weights, np.uint8).tofile(weights)
            count += recipe.length
            if count > recipe.tokens:
                break
    (directory / _ABOUT).write_text(json.dumps({"tokens": count}) + "\n", "utf-8")
    return count


def _weights(example: Tokens, recipe: Recipe) -> list[int]:
    answer = len(example.ids) - example.answer
    weights = [1] * example.answer + [recipe.middle_weight] * (answer - 1) + [recipe.end_weight] * (answer > 0)
    for at in example.changes:
        weights[at] = max(weights[at], recipe.change_weight)
    return weights


def read(directory: Path) -> Dataset:
    """Open a data set that `write` has written.

    Raises:
        FileNotFoundError: there is none, or it is incomplete.
    """
    expected = json.loads((directory / _ABOUT).read_text("utf-8"))["tokens"]
    tokens = np.memmap(directory / _TOKENS, np.uint16, "r")
    weights = np.memmap(directory / _WEIGHTS, np.uint8, "r")
    if not len(tokens) == len(weights) == expected:
        message = f"the data set in '{directory}' is not complete; make it again"
        raise FileNotFoundError(message)
    return Dataset(tokens, weights)
