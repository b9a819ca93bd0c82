"""Bits per byte and next-token accuracy on rows of held-out text."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from decoder import Model
from decoder.prompt.layouts import language_marker
from decoder.training.corpus import SourceFile

LENGTH = 512
"""Tokens of a row: the language's marker and text."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How well a model foresees text."""

    bits_per_byte: float
    top_1: float
    """Share of the tokens that were its favourite."""


def rows(model: Model, files: Sequence[SourceFile], count: int, draw: random.Random) -> list[list[int]]:
    """The texts in rows of tokens, drawn by file."""
    found: list[list[int]] = []
    for file in draw.sample(files, len(files)):
        marker = model.vocabulary.special[language_marker(file.language).spelling]
        tokens = [marker, *model.vocabulary.encode(file.text)]
        found += [tokens[at : at + LENGTH] for at in range(0, len(tokens) - LENGTH + 1, LENGTH)]
        if len(found) >= count:
            break
    return found[:count]


def likelihood(model: Model, texts: Iterable[Sequence[int]]) -> Likelihood:
    """Read every row from nothing; the bytes of its first token are not counted, for nothing foretells it."""
    nats, size, hits, tokens = 0.0, 0, 0, 0
    for row in texts:
        model.truncate(0)
        logits = model.forward(row, rows=len(row))[:-1].astype(np.float64)
        following = np.asarray(row[1:])
        best = logits.max(axis=1)
        normaliser = best + np.log(np.exp(logits - best[:, None]).sum(axis=1))
        nats += float((normaliser - logits[np.arange(len(following)), following]).sum())
        hits += int((logits.argmax(axis=1) == following).sum())
        tokens += len(following)
        size += sum(len(model.vocabulary.token_bytes[token]) for token in row[1:])
    return Likelihood(nats / math.log(2) / max(size, 1), hits / max(tokens, 1))
