"""Bits per byte and next-token accuracy on rows of held-out text, by the model alone and with n-gram caches.

A part of `inscope bench model`; `inscope bench number-types` uses it too.
"""

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
"""Tokens above a row that the model reads first where it is measured after a context, as it has one at a cursor."""
_RECOUNT = 16
"""Every so many tokens, the row's tokens up to there are added to the n-gram counts.

In the product a suggestion's own tokens are not counted either while it is written.
"""


@dataclass(frozen=True, slots=True)
class LikelihoodRow:
    """A stretch of a file, as tokens; the language's marker is the first of the file's."""

    file: SourceFile
    above: Sequence[int]
    """The tokens before it in its file."""
    tokens: Sequence[int]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How well text is predicted."""

    bits_per_byte: float
    top_1: float
    """The share of tokens that were the most probable one."""


def rows(model: Model, files: Sequence[SourceFile], count: int, draw: random.Random) -> list[LikelihoodRow]:
    """At most `count` rows of `LENGTH` tokens: all whole rows of one random file after another."""
    drawn: list[LikelihoodRow] = []
    for file in draw.sample(files, len(files)):
        marker = model.vocabulary.special[language_marker(file.language).spelling]
        tokens = [marker, *model.vocabulary.encode(file.text)]
        starts = range(0, len(tokens) - LENGTH + 1, LENGTH)
        drawn += [LikelihoodRow(file, tokens[:at], tokens[at : at + LENGTH]) for at in starts]
        if len(drawn) >= count:
            break
    return drawn[:count]


def corpora(model: Model, files: Sequence[SourceFile]) -> dict[str, Corpus]:
    """By package: the tokens of its files, for n-gram counts of a workspace."""
    texts: dict[str, dict[str, npt.NDArray[np.int32]]] = {}
    for file in files:
        texts.setdefault(file.package, {})[file.path] = joined(tokenised(file.text, model.vocabulary))
    return {package: Corpus.of(by_path) for package, by_path in texts.items()}


def likelihood(model: Model, texts: Iterable[LikelihoodRow], above: int = 0) -> Likelihood:
    """The likelihood of rows by the model alone. A row's first token does not count, as nothing predicts it.

    Args:
        above: How many tokens of the text above the row are read before it.
    """
    tally = _Tally(model)
    for row in texts:
        logs = _log_probabilities(model, row, above)
        following = np.asarray(row.tokens[1:])
        tally.add(row, logs[np.arange(len(following)), following], logs.argmax(axis=1) == following)
    return tally.result()


def likelihood_with(model: Model, texts: Iterable[LikelihoodRow], elsewhere: dict[str, Corpus] | None) -> Likelihood:
    """The likelihood of rows with n-gram counts mixed in: of the text above, and of the package's other files.

    Args:
        elsewhere: The files of each package; None to count only the text above.
    """
    mixture = model.card.mixture
    assert mixture is not None  # noqa: S101 - it is measured for models that have one
    tally = _Tally(model)
    for row in texts:
        logs = _log_probabilities(model, row)
        corpus = None if elsewhere is None else elsewhere.get(row.file.package)
        other_files = None if corpus is None or row.file.path not in corpus.spans else corpus.without(row.file.path)
        token_logs, hits = [], []
        text_above = SuffixArray.of([])
        for place, (token, log) in enumerate(zip(row.tokens[1:], logs, strict=True)):
            if place % _RECOUNT == 0:
                text_above = SuffixArray.of([[*row.above, *row.tokens[: place + 1]]])
            context = [*row.above[-max(ORDERS) :], *row.tokens[: place + 1]][-max(ORDERS) :]
            in_other_files = () if other_files is None else other_files.following(context, ORDERS)
            change = mixture.change(text_above.following(context, ORDERS), in_other_files)
            probabilities = np.exp(log) * change.kept
            probabilities[np.fromiter(change.added, np.intp)] += np.fromiter(change.added.values(), np.float64)
            token_logs.append(math.log(probabilities[token]))
            hits.append(int(probabilities.argmax()) == token)
        tally.add(row, np.array(token_logs), np.array(hits))
    return tally.result()


def _log_probabilities(model: Model, row: LikelihoodRow, above: int = 0) -> npt.NDArray[np.float64]:
    """Natural logarithms of the model's probabilities after each token but the last: [tokens - 1, vocabulary]."""
    model.truncate(0)
    marker, before = row.above[:1], row.above[1:]
    context = [*marker, *before[-above:]] if above else []
    logits = model.forward([*context, *row.tokens], rows=len(row.tokens))[:-1].astype(np.float64)
    best = logits.max(axis=1, keepdims=True)
    logs: npt.NDArray[np.float64] = logits - (best + np.log(np.exp(logits - best).sum(axis=1, keepdims=True)))
    return logs


class _Tally:
    """Sums over rows: nats, bytes, tokens, and tokens that were the most probable one."""

    def __init__(self, model: Model) -> None:
        self._bytes = model.vocabulary.token_bytes
        self._nats, self._size, self._hits, self._tokens = 0.0, 0, 0, 0

    def add(self, row: LikelihoodRow, logs: npt.NDArray[np.float64], hits: npt.NDArray[np.bool_]) -> None:
        """Add a row: for each token but the first its log-probability, and whether it was the most probable one."""
        self._nats -= float(logs.sum())
        self._hits += int(hits.sum())
        self._tokens += len(logs)
        self._size += sum(len(self._bytes[token]) for token in row.tokens[1:])

    def result(self) -> Likelihood:
        return Likelihood(self._nats / math.log(2) / max(self._size, 1), self._hits / max(self._tokens, 1))
