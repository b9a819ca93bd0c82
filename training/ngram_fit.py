"""Fits the weights of n-gram counts beside a model (`decoder.ngrams.mixture`) on holes in real files.

A hole is the rest of a line, as an editor asks for it: the model reads the text around it, and the counts are those
of the rest of the file and of the other files of its package. The fitted numbers make the true tokens most probable.
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
from decoder.prompt.packing import packer_for
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
    """Tokens of real holes, as the model and the counts predicted them.

    Args:
        probabilities: float64 [tokens], by the model alone.
        counts: int64 [2, orders, tokens, 3], elsewhere and here: how often the token had followed, how often any, and
            how many different ones.
    """

    probabilities: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]

    def nats(self, parameters: npt.NDArray[np.float64]) -> float:
        """The mean cost of a token; parameters are natural logarithms of the weights [2, orders]."""
        found = self.probabilities
        for source, weights in enumerate(np.exp(parameters).reshape(2, len(ORDERS))):
            for order, weight in enumerate(weights):
                came, all_, kinds = self.counts[source, order].T
                against = weight * kinds
                found = np.where(all_ > 0, (came + against * found) / np.maximum(all_ + against, 1), found)
        return float(-np.log(found).mean())


def projects(files: Sequence[SourceFile], draw: random.Random) -> list[SourceFile]:
    """The files of packages that are projects, of as many packages in Python as in the other languages."""
    families: dict[bool, dict[str, list[SourceFile]]] = {True: defaultdict(list), False: defaultdict(list)}
    for file in files:
        families[file.language.family == "python"][file.package].append(file)
    whole = [[own for own in family.values() if len(own) >= _FEWEST_FILES] for family in families.values()]
    most = min([_PROJECTS, *(len(some) for some in whole if some)])
    return [file for some in whole for own in draw.sample(some, min(most, len(some))) for file in own]


def observed(model: Model, files: Sequence[SourceFile], count: int, draw: random.Random) -> ObservedTokens:
    """The tokens of `count` holes in the files, the same number in each package, and how they were predicted."""
    packages: dict[str, list[SourceFile]] = defaultdict(list)
    for file in files:
        packages[file.package].append(file)
    probabilities: list[float] = []
    counts: list[npt.NDArray[np.int64]] = []
    left = count
    for number, whole in enumerate(draw.sample([*packages.values()], len(packages))):
        own = draw.sample(whole, min(_MOST_FILES, len(whole)))
        corpus = Corpus.of({file.path: joined(tokenised(file.text, model.vocabulary)) for file in own})
        share = -(-left // (len(packages) - number))
        left -= share
        for file, start, stop in _holes(own, share, draw):
            for probability, counted in _predicted(model, corpus, file, start, stop):
                probabilities.append(probability)
                counts.append(counted)
    return ObservedTokens(np.array(probabilities), np.stack(counts, axis=2))


def fitted(seen: ObservedTokens, say: Callable[[str], None]) -> Mixture:
    """The mixture that makes what was observed most probable.

    Raises:
        ModuleNotFoundError: SciPy is not installed.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - only who fits needs it

    start = np.full(2 * len(ORDERS), np.log(8.0))
    bounds = [(-6.0, 9.0)] * len(start)
    found = minimize(seen.nats, start, method="L-BFGS-B", bounds=bounds)
    elsewhere, here = (tuple(map(float, weights)) for weights in np.round(np.exp(found.x), 3).reshape(2, len(ORDERS)))
    before = float(-np.log(seen.probabilities).mean())
    say(f"{len(seen.probabilities)} tokens: {before:.3f} nats a token by the model, {found.fun:.3f} with counts")
    return Mixture(here=here, elsewhere=elsewhere)


def save(mixture: Mixture, directory: Path) -> Path:
    """Write what was fitted into a model's directory; returns the file."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / FILE
    file.write_text(mixture.written(), "utf-8")
    return file


def _holes(files: Sequence[SourceFile], count: int, draw: random.Random) -> Iterator[tuple[SourceFile, int, int]]:
    """Rests of lines, from any column."""
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


def _predicted(
    model: Model, corpus: Corpus, file: SourceFile, start: int, stop: int
) -> Iterator[tuple[float, npt.NDArray[np.int64]]]:
    """The probability of each token of a hole and of its end, with the token's counts [2, orders, 3].

    Of a longer hole, the first `_ROOM` tokens and the next one. To the counts, the end of the line is the end of the
    hole, see `decoder.ngrams.bias`.
    """
    packer = packer_for(model.vocabulary)
    prefix, suffix = file.text[:start], file.text[stop:]
    prompt = packer.pack(PromptSource(file.language, prefix, suffix), model.context - _ROOM).tokens
    hole = packer.lines.encode(file.text[start:stop])
    tokens = hole[:_ROOM]
    before = packer.lines.encode(prefix)
    here = SuffixArray.of([before, packer.lines.encode(suffix)])
    elsewhere = corpus.without(file.path)
    model.truncate(0)
    rows = model.forward([*prompt, *tokens], rows=len(tokens) + 1)
    end = sorted(model.vocabulary.end)
    resuming = {token for first in (b"\n", b"\r") for token in model.vocabulary.starting_with(first).tolist()}
    for place, logits in enumerate(rows):
        is_end = place == len(hole)
        came = resuming if is_end else {hole[place]}
        context = [*before[-LONGEST_CONTEXT:], *tokens[:place]][-LONGEST_CONTEXT:]
        logs = logits - log_normaliser(logits)
        probability = np.exp(logs[[*came, *(end if is_end else [])]], dtype=np.float64).sum()
        counts = [_counts(source.following(context, ORDERS), came) for source in (elsewhere, here)]
        yield min(float(probability), 1.0), np.array(counts, np.int64)


def _counts(following: Iterator[Counter[int]], came: AbstractSet[int]) -> list[tuple[int, int, int]]:
    """By order, how often one of some tokens had followed, how often any, and how many different ones."""
    found = [(sum(one[token] for token in one if token in came), one.total(), len(one)) for one in following]
    return found + [(0, 0, 0)] * (len(ORDERS) - len(found))
