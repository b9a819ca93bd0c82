"""Bits per byte and next-token accuracy on rows of held-out text, by the model alone and with n-gram caches."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from decoder import Corpus, Model, joined, tokenised
from decoder.ngrams import SuffixArray
from decoder.ngrams.mixture import ORDERS
from decoder.prompt.layouts import language_marker
from training.corpus import SourceFile

LENGTH = 512
"""Tokens of a row."""
ABOVE = 512
"""Tokens above a row that a model reads first, where it is asked what it knows after a context, as at a cursor."""
_ANEW = 16
"""Tokens after which what was read of the row is counted: a suggestion's, which do not count themselves."""


@dataclass(frozen=True, slots=True)
class LikelihoodRow:
    """A stretch of a file, as tokens; the language's marker is the first of the file's."""

    file: SourceFile
    above: Sequence[int]
    """The text before it in its file."""
    tokens: Sequence[int]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How well text is foreseen."""

    bits_per_byte: float
    top_1: float
    """Share of the tokens that were the favourite."""


def rows(model: Model, files: Sequence[SourceFile], count: int, draw: random.Random) -> list[LikelihoodRow]:
    """The texts in rows of tokens, drawn by file."""
    found: list[LikelihoodRow] = []
    for file in draw.sample(files, len(files)):
        marker = model.vocabulary.special[language_marker(file.language).spelling]
        tokens = [marker, *model.vocabulary.encode(file.text)]
        starts = range(0, len(tokens) - LENGTH + 1, LENGTH)
        found += [LikelihoodRow(file, tokens[:at], tokens[at : at + LENGTH]) for at in starts]
        if len(found) >= count:
            break
    return found[:count]


def corpora(model: Model, files: Sequence[SourceFile]) -> dict[str, Corpus]:
    """By package, the texts of the files that people wrote."""
    texts: dict[str, dict[str, npt.NDArray[np.int32]]] = {}
    for file in files:
        texts.setdefault(file.package, {})[file.path] = joined(tokenised(file.text, model.vocabulary))
    return {package: Corpus.of(own) for package, own in texts.items()}


def likelihood(model: Model, texts: Iterable[LikelihoodRow], above: int = 0) -> Likelihood:
    """Read every row from nothing; the bytes of its first token are not counted, for nothing foretells it.

    Args:
        above: So many tokens of the text above the row are read first.
    """
    tally = _Tally(model)
    for row in texts:
        logs = _predicted(model, row, above)
        following = np.asarray(row.tokens[1:])
        tally.add(row, logs[np.arange(len(following)), following], logs.argmax(axis=1) == following)
    return tally.result()


def likelihood_with(model: Model, texts: Iterable[LikelihoodRow], elsewhere: dict[str, Corpus] | None) -> Likelihood:
    """The same with the text above the row, and what the other files of its package say, if given."""
    mixture = model.vocabulary.mixture
    assert mixture is not None  # noqa: S101 - it is measured for models that have one
    tally = _Tally(model)
    for row in texts:
        logs = _predicted(model, row)
        corpus = None if elsewhere is None else elsewhere.get(row.file.package)
        others = None if corpus is None or row.file.path not in corpus.spans else corpus.without(row.file.path)
        found, hits = [], []
        here = SuffixArray.of([])
        for place, (token, log) in enumerate(zip(row.tokens[1:], logs, strict=True)):
            if place % _ANEW == 0:
                here = SuffixArray.of([[*row.above, *row.tokens[: place + 1]]])
            context = [*row.above[-max(ORDERS) :], *row.tokens[: place + 1]][-max(ORDERS) :]
            said = () if others is None else others.following(context, ORDERS)
            expected = mixture.expected(here.following(context, ORDERS), said)
            probabilities = np.exp(log) * expected.kept
            probabilities[np.fromiter(expected.added, np.intp)] += np.fromiter(expected.added.values(), np.float64)
            found.append(math.log(probabilities[token]))
            hits.append(int(probabilities.argmax()) == token)
        tally.add(row, np.array(found), np.array(hits))
    return tally.result()


def _predicted(model: Model, row: LikelihoodRow, above: int = 0) -> npt.NDArray[np.float64]:
    """Natural logarithms of the probabilities of what follows each token but the last, [tokens - 1, vocabulary]."""
    model.truncate(0)
    marker, before = row.above[:1], row.above[1:]
    context = [*marker, *before[-above:]] if above else []
    logits = model.forward([*context, *row.tokens], rows=len(row.tokens))[:-1].astype(np.float64)
    best = logits.max(axis=1, keepdims=True)
    logs: npt.NDArray[np.float64] = logits - (best + np.log(np.exp(logits - best).sum(axis=1, keepdims=True)))
    return logs


class _Tally:
    def __init__(self, model: Model) -> None:
        self._bytes = model.vocabulary.token_bytes
        self._nats, self._size, self._hits, self._tokens = 0.0, 0, 0, 0

    def add(self, row: LikelihoodRow, logs: npt.NDArray[np.float64], hits: npt.NDArray[np.bool_]) -> None:
        self._nats -= float(logs.sum())
        self._hits += int(hits.sum())
        self._tokens += len(logs)
        self._size += sum(len(self._bytes[token]) for token in row.tokens[1:])

    def result(self) -> Likelihood:
        return Likelihood(self._nats / math.log(2) / max(self._size, 1), self._hits / max(self._tokens, 1))
