"""The bias towards what follows the same tokens elsewhere in the file and in the workspace.

Counted texts have no end, while a completion ends where the text after the cursor begins. So in the counts, a token
that begins like the text after the cursor stands for the end, too: a line end, or the bracket after the cursor. How its
probability is divided between the end and a line end with more text after it stays the model's decision. The output
itself is not counted, so that no text becomes more probable by being written.

A bias forbids nothing: the constraint still allows or refuses each token, and a choice is still a sample of a
distribution restricted to legal tokens, only of another one. It is a function of the model's logits and of the tokens
written so far, so a drafted token is chosen as an undrafted one. So that drafts stay exact to the last bit
(`decoder.grouping`), it does not amplify rounding: it adds to logits, whatever they are, or sets one by the sum of
others' probabilities.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from decoder.ngrams.mixture import LONGEST_CONTEXT, ORDERS
from decoder.ngrams.suffix_array import SuffixArray
from decoder.prefill import shared_length
from decoder.prompt.packing import packer_for
from decoder.sampling import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams.corpus import WorkspaceTokens
    from decoder.ngrams.mixture import Expected, Mixture

_TINY = 1e-30
"""Stands for a factor of 0, whose logarithm is not finite."""
_ABOVE, _BELOW = 60_000, 20_000
"""Characters of the file, above and below the output, that are counted."""


class NgramBias:
    """The bias of all outputs at one place.

    Args:
        mixture: The weights of counts beside the model's probabilities.
        vocabulary: The model's vocabulary.
        prefix: The text before the output in its file.
        suffix: The text after it.
        workspace_tokens: The workspace's other files, if they have been read.
    """

    def __init__(
        self,
        mixture: Mixture,
        vocabulary: Vocabulary,
        prefix: str,
        suffix: str,
        workspace_tokens: WorkspaceTokens | None = None,
    ) -> None:
        self._mixture = mixture
        self._end = np.array(sorted(vocabulary.end), np.intp)
        self._resuming = _resuming(vocabulary, suffix)
        lines = packer_for(vocabulary).lines
        above, line = lines.last_cut(_near(prefix))
        before, self._around = _counted_around(vocabulary, above, suffix[:_BELOW])
        self._before = (*before, *lines.encode(line))
        """The last tokens above the cursor's line, and the line's up to the cursor."""
        self._line = range(len(before), len(self._before))
        """Where the latter are; they are counted apart, as the line changes while it is typed."""
        self._workspace_tokens = workspace_tokens
        self._counted: dict[tuple[int, ...], Expected] = {}
        """By context; cached, since the outputs of one search have their beginnings in common."""

    def apply(self, model: Distribution, tokens: Sequence[int]) -> Distribution:
        """The model's distribution mixed with the counts; the same object where there is nothing to change.

        Args:
            tokens: The output so far.
        """
        known = model.derived.get(self)  # of an output that this one turns off from (`observer.TracedRecord`)
        if known is not None:
            return known
        expected = self._expected((*self._before[-LONGEST_CONTEXT:], *tokens[-LONGEST_CONTEXT:])[-LONGEST_CONTEXT:])
        if not expected.added:
            return model
        kept = expected.kept
        mixed = model.logits + np.float32(math.log(kept) - model.normaliser)
        own_end, own_resuming = _mass(mixed[self._end]), _mass(mixed[self._resuming])
        counted, added = np.fromiter(expected.added, np.intp), np.fromiter(expected.added.values(), np.float64)
        mixed[counted] = np.log(np.exp(mixed[counted], dtype=np.float64) + added)
        if own_end:
            self._share_with_end(mixed, own_end, own_resuming)
        found = model.derived[self] = Distribution(mixed, normaliser=0.0)
        return found

    def _share_with_end(self, mixed: npt.NDArray[np.float32], own_end: float, own_resuming: float) -> None:
        """Divide the probability of the end and of the resuming tokens between the two as the model does.

        Args:
            mixed: Natural logarithms of the mixed probabilities; changed in place.
            own_end: The probability of the end by the model, times the part of it that is in the mixture.
            own_resuming: The same of the resuming tokens.
        """
        mixed_resuming = _mass(mixed[self._resuming])
        growth = (own_end + mixed_resuming) / (own_end + own_resuming)
        mixed[self._end] += np.float32(math.log(growth))
        if mixed_resuming:
            mixed[self._resuming] += np.float32(math.log(max(growth * own_resuming / mixed_resuming, _TINY)))

    def _expected(self, context: tuple[int, ...]) -> Expected:
        expected = self._counted.get(context)
        if expected is None:
            elsewhere = () if self._workspace_tokens is None else self._workspace_tokens.following(context, ORDERS)
            expected = self._mixture.expected(self._here(context), elsewhere)
            self._counted[context] = expected
        return expected

    def _here(self, context: tuple[int, ...]) -> Iterable[Counter[int]]:
        """The counts of what follows in the file, by order."""
        around = self._around.following(context, ORDERS)
        in_line = [
            (shared_length(self._before[place - 1 :: -1], context[::-1]), self._before[place])
            for place in self._line
            if place and self._before[place - 1] == context[-1]
        ]
        if not in_line:
            return around
        by_order = (Counter(token for shared, token in in_line if shared >= order) for order in ORDERS)
        return (one + other for one, other in zip_longest(around, by_order, fillvalue=Counter[int]()))


@lru_cache(maxsize=4)  # while a line is typed, what is around it stays the same
def _counted_around(vocabulary: Vocabulary, above: str, below: str) -> tuple[Sequence[int], SuffixArray]:
    """The last tokens of a text, and the suffix array of it and of the text below the line that follows."""
    encode = packer_for(vocabulary).lines.encode
    before = encode(above)
    return before[-LONGEST_CONTEXT:], SuffixArray.of([before, encode(below)])


def _near(prefix: str) -> str:
    """The last whole lines of a prefix, at most `_ABOVE` characters; of a line longer than that its end."""
    near = prefix[-_ABOVE:]
    return near if len(near) == len(prefix) else near[near.find("\n") + 1 :]


def _resuming(vocabulary: Vocabulary, suffix: str) -> npt.NDArray[np.intp]:
    """The tokens with which the text after the output may begin."""
    rest = suffix.partition("\n")[0]
    if rest.strip():
        return np.array(vocabulary.encode(rest)[:1], np.intp)
    return np.concatenate([vocabulary.starting_with(end) for end in (b"\n", b"\r")])


def _mass(logs: npt.NDArray[np.float32]) -> float:
    """The sum of probabilities given as natural logarithms."""
    return float(np.exp(logs, dtype=np.float64).sum())
