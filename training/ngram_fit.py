"""Fits the weights of n-gram counts beside a model (`decoder.ngrams.mixture`) on holes in real files.

A hole is the rest of a line, as an editor asks for it. The model reads the text around it, and the counts are those of
the rest of the file and of the other files of its package. The weights are fitted so that the true tokens are most
probable. `inscope train --ngrams` writes them to a model's directory.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from decoder.ngrams import Corpus, SuffixArray, joined, tokenised
from decoder.ngrams.mixture import FILE, LONGEST_CONTEXT, ORDERS, Mixture
from decoder.prompt.families import PromptSource
from decoder.prompt.packing import pack
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    from decoder.models.model import Model
    from training.corpus import SourceFile

_SHORTEST, _LONGEST = 3, 160
"""The fewest and the most characters of a hole."""
_ROOM: Final = 64
"""Tokens of the context that are kept free of the prompt, as for a suggestion."""
_FEWEST_FILES, _MOST_FILES = 3, 150
"""A package with fewer files than the first number is no project. One with more than the second is a collection of
projects, of which only that many files are read."""
_PROJECTS: Final = 40
"""The most projects in Python, and the most in the other languages together."""


@dataclass(frozen=True, slots=True)
class ObservedTokens:
    """What the model and the counts predicted of the tokens of real holes.

    Args:
        probabilities: float64 [tokens], the probability of each token by the model alone.
        counts: int64 [2, orders, tokens, 3], of the other files (0) and of the hole's file (1): how often the token had
            followed the context of that order, how often any token had, and how many different tokens had.
    """

    probabilities: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]

    def nats(self, parameters: npt.NDArray[np.float64]) -> float:
        """The mean negative log-probability of a token under some weights.

        Args:
            parameters: The natural logarithms of the weights, [2 * orders].
        """
        probabilities = self.probabilities
        for source, weights in enumerate(np.exp(parameters).reshape(2, len(ORDERS))):
            for order, weight in enumerate(weights):
                same, total, different = self.counts[source, order].T
                against = weight * different
                mixed = (same + against * probabilities) / np.maximum(total + against, 1)
                probabilities = np.where(total > 0, mixed, probabilities)
        return float(-np.log(probabilities).mean())


def projects(files: Sequence[SourceFile], draw: random.Random) -> list[SourceFile]:
    """The files of random packages that are projects: as many packages in Python as in the other languages."""
    families: dict[bool, dict[str, list[SourceFile]]] = {True: defaultdict(list), False: defaultdict(list)}
    """By whether it is Python, and by package."""
    for file in files:
        families[file.language.family == "python"][file.package].append(file)
    by_family = [
        [package for package in family.values() if len(package) >= _FEWEST_FILES] for family in families.values()
    ]
    most = min([_PROJECTS, *(len(packages) for packages in by_family if packages)])
    return [
        file
        for packages in by_family
        for package in draw.sample(packages, min(most, len(packages)))
        for file in package
    ]


def observe(model: Model, files: Sequence[SourceFile], count: int, draw: random.Random) -> ObservedTokens:
    """What is predicted of the tokens of `count` random holes, equally many in each package."""
    packages: dict[str, list[SourceFile]] = defaultdict(list)
    for file in files:
        packages[file.package].append(file)
    probabilities: list[float] = []
    counts: list[npt.NDArray[np.int64]] = []
    left = count
    for number, package in enumerate(draw.sample([*packages.values()], len(packages))):
        read = draw.sample(package, min(_MOST_FILES, len(package)))
        corpus = Corpus.of({file.path: joined(tokenised(file.text, model.vocabulary)) for file in read})
        share = -(-left // (len(packages) - number))
        left -= share
        for file, start, stop in _holes(read, share, draw):
            for probability, token_counts in _predict(model, corpus, file, start, stop):
                probabilities.append(probability)
                counts.append(token_counts)
    return ObservedTokens(np.array(probabilities), np.stack(counts, axis=2))


def fit(seen: ObservedTokens, say: Callable[[str], None]) -> Mixture:
    """The mixture under which the observed tokens are most probable.

    Args:
        say: Called with a sentence on what the counts improve.

    Raises:
        ModuleNotFoundError: SciPy is not installed.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - only needed for fitting

    start = np.full(2 * len(ORDERS), np.log(8.0))
    bounds = [(-6.0, 9.0)] * len(start)
    best = minimize(seen.nats, start, method="L-BFGS-B", bounds=bounds)
    elsewhere, here = (tuple(map(float, weights)) for weights in np.round(np.exp(best.x), 3).reshape(2, len(ORDERS)))
    by_model = float(-np.log(seen.probabilities).mean())
    say(f"{len(seen.probabilities)} tokens: {by_model:.3f} nats a token by the model, {best.fun:.3f} with counts")
    return Mixture(here=here, elsewhere=elsewhere)


def save(mixture: Mixture, directory: Path) -> Path:
    """Write a mixture to a model's directory; the path of the file."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / FILE
    file.write_text(mixture.written(), "utf-8")
    return file


def _holes(files: Sequence[SourceFile], count: int, draw: random.Random) -> Iterator[tuple[SourceFile, int, int]]:
    """Up to `count` random rests of lines, from any column: the file, and where the hole begins and ends."""
    tries = 0
    while count > 0 and tries < 20 * (count + 1):
        tries += 1
        file = draw.choice(files)
        start = draw.randrange(len(file.text))
        stop = file.text.find("\n", start)
        stop = stop if stop >= 0 else len(file.text)
        if len(file.text[start:stop].strip()) >= _SHORTEST and stop - start <= _LONGEST:
            count -= 1
            yield file, start, stop


def _predict(
    model: Model, corpus: Corpus, file: SourceFile, start: int, stop: int
) -> Iterator[tuple[float, npt.NDArray[np.int64]]]:
    """The model's probability of each token of a hole and of its end, with the token's counts [2, orders, 3].

    If the hole is longer than `_ROOM` tokens, these and the next one are predicted, and not its end. For the counts,
    the end of the line is the end of the hole, see `decoder.ngrams.bias`.
    """
    lines = model.vocabulary.lines
    prefix, suffix = file.text[:start], file.text[stop:]
    prompt = pack(model.card, PromptSource(file.language, prefix, suffix), model.context - _ROOM).tokens
    hole = lines.encode(file.text[start:stop])
    tokens = hole[:_ROOM]
    before = lines.encode(prefix)
    here = SuffixArray.of([before, lines.encode(suffix)])
    elsewhere = corpus.without(file.path)
    model.truncate(0)
    rows = model.forward([*prompt, *tokens], rows=len(tokens) + 1)
    end = sorted(model.vocabulary.end)
    line_ends = {token for first in (b"\n", b"\r") for token in model.vocabulary.starting_with(first).tolist()}
    for place, logits in enumerate(rows):
        is_end = place == len(hole)
        true = line_ends if is_end else {hole[place]}
        context = [*before[-LONGEST_CONTEXT:], *tokens[:place]][-LONGEST_CONTEXT:]
        logs = logits - log_normaliser(logits)
        probability = np.exp(logs[[*true, *(end if is_end else [])]], dtype=np.float64).sum()
        counts = [_counts(source.following(context, ORDERS), true) for source in (elsewhere, here)]
        yield min(float(probability), 1.0), np.array(counts, np.int64)


def _counts(following: Iterator[Counter[int]], true: AbstractSet[int]) -> list[tuple[int, int, int]]:
    """By order: how often one of the true tokens had followed, how often any token, and how many different tokens.

    Args:
        following: By order, how often each token had followed; it ends at the first order whose context never occurred.
    """
    counts = [(sum(seen[token] for token in seen if token in true), seen.total(), len(seen)) for seen in following]
    return counts + [(0, 0, 0)] * (len(ORDERS) - len(counts))
