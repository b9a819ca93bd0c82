"""The bias of the decode loop towards what follows the same tokens elsewhere in the file and in the workspace.

`NgramBias.apply` changes the model's distribution before each choice.

- Resuming tokens. Counted texts have no end, while a completion ends where the text after the cursor begins. So in the
  counts a token that begins like the text after the cursor (a line end, or the bracket after the cursor) stands for the
  end, too. How its probability is divided between the end and such a token stays the model's decision.
- The output itself is not counted, so that no text becomes more probable by being written.
- A bias forbids nothing: the constraint still allows or refuses each token, and a choice is still a sample of a
  distribution restricted to legal tokens, only of another one.
- The bias is a function of the model's logits and of the tokens written so far, so a drafted token is chosen as an
  undrafted one. It does not amplify rounding, so that drafts stay exact to the last bit (`decoder.grouping`): it adds
  to logits, or sets a logit by the sum of others' probabilities.
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
from decoder.sampling import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams.corpus import WorkspaceTokens
    from decoder.ngrams.mixture import Mixture, ProbabilityChange

_TINY = 1e-30
"""Stands for a factor of 0, whose logarithm is not finite."""
_ABOVE, _BELOW = 60_000, 20_000
"""The most characters of the file, above and below the output, whose tokens are counted."""


class NgramBias:
    """The bias of all outputs at one place.

    Args:
        mixture: The weights of counts beside the model's probabilities.
        vocabulary: The model's vocabulary.
        prefix: The text before the output in its file.
        suffix: The text after the output.
        workspace_tokens: The workspace's other files; None where they have not been read.
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
        """The end tokens."""
        self._resuming = _resuming_tokens(vocabulary, suffix)
        """The resuming tokens, see the module's docstring."""
        lines = vocabulary.lines
        above, line = lines.last_cut(_last_lines(prefix))
        above_end, self._around = _index_around(vocabulary, above, suffix[:_BELOW])
        self._before = (*above_end, *lines.encode(line))
        """The last tokens above the cursor's line, then those of the line up to the cursor."""
        self._line = range(len(above_end), len(self._before))
        """The indices of the line's tokens in `_before`; they are counted apart, as the line changes with each key."""
        self._workspace_tokens = workspace_tokens
        self._change_after: dict[tuple[int, ...], ProbabilityChange] = {}
        """By context; cached, since the outputs of one search have their beginnings in common."""

    def apply(self, model: Distribution, tokens: Sequence[int]) -> Distribution:
        """The model's distribution mixed with the counts; the same object where nothing was counted.

        Args:
            tokens: The output so far.
        """
        derived = model.derived.get(self)  # from the output that this one begins as (`observer.TracedRecord`)
        if derived is not None:
            return derived
        change = self._change((*self._before[-LONGEST_CONTEXT:], *tokens[-LONGEST_CONTEXT:])[-LONGEST_CONTEXT:])
        if not change.added:
            return model
        mixed = model.logits + np.float32(math.log(change.kept) - model.normaliser)
        model_end, model_resuming = _sum_of(mixed[self._end]), _sum_of(mixed[self._resuming])
        counted, added = np.fromiter(change.added, np.intp), np.fromiter(change.added.values(), np.float64)
        mixed[counted] = np.log(np.exp(mixed[counted], dtype=np.float64) + added)
        if model_end:
            self._share_with_end(mixed, model_end, model_resuming)
        derived = model.derived[self] = Distribution(mixed, normaliser=0.0)
        return derived

    def _share_with_end(self, mixed: npt.NDArray[np.float32], model_end: float, model_resuming: float) -> None:
        """Divide the probability of the end and of the resuming tokens between the two as the model does.

        Args:
            mixed: Natural logarithms of the mixed probabilities; changed in place.
            model_end: The probability of the end tokens by the model, times the model's share of the mixture.
            model_resuming: The same of the resuming tokens.
        """
        mixed_resuming = _sum_of(mixed[self._resuming])
        growth = (model_end + mixed_resuming) / (model_end + model_resuming)
        mixed[self._end] += np.float32(math.log(growth))
        if mixed_resuming:
            mixed[self._resuming] += np.float32(math.log(max(growth * model_resuming / mixed_resuming, _TINY)))

    def _change(self, context: tuple[int, ...]) -> ProbabilityChange:
        """The change of the model's probabilities after a context, by the counts of the file and the workspace."""
        change = self._change_after.get(context)
        if change is None:
            elsewhere = () if self._workspace_tokens is None else self._workspace_tokens.following(context, ORDERS)
            change = self._mixture.change(self._counts_in_file(context), elsewhere)
            self._change_after[context] = change
        return change

    def _counts_in_file(self, context: tuple[int, ...]) -> Iterable[Counter[int]]:
        """The counts of what follows the context in the file, one for each order of `ORDERS`."""
        around = self._around.following(context, ORDERS)
        in_line = [  # for each occurrence of the last token: how many tokens of context match, and what follows
            (shared_length(self._before[place - 1 :: -1], context[::-1]), self._before[place])
            for place in self._line
            if place and self._before[place - 1] == context[-1]
        ]
        if not in_line:
            return around
        line_counts = (Counter(token for matching, token in in_line if matching >= order) for order in ORDERS)
        pairs = zip_longest(around, line_counts, fillvalue=Counter[int]())
        return (around_count + line_count for around_count, line_count in pairs)


@lru_cache(maxsize=4)  # while a line is typed, the text around it stays the same
def _index_around(vocabulary: Vocabulary, above: str, below: str) -> tuple[Sequence[int], SuffixArray]:
    """The last tokens above the cursor's line, and the suffix array of the texts above and below the line."""
    encode = vocabulary.lines.encode
    above_tokens = encode(above)
    return above_tokens[-LONGEST_CONTEXT:], SuffixArray.of([above_tokens, encode(below)])


def _last_lines(prefix: str) -> str:
    """The last whole lines of a prefix, at most `_ABOVE` characters; of a longer line its end."""
    end = prefix[-_ABOVE:]
    return end if len(end) == len(prefix) else end[end.find("\n") + 1 :]


def _resuming_tokens(vocabulary: Vocabulary, suffix: str) -> npt.NDArray[np.intp]:
    """The tokens with which the text after the output may begin."""
    rest = suffix.partition("\n")[0]
    if rest.strip():
        return np.array(vocabulary.encode(rest)[:1], np.intp)
    return np.concatenate([vocabulary.starting_with(end) for end in (b"\n", b"\r")])


def _sum_of(logs: npt.NDArray[np.float32]) -> float:
    """The sum of probabilities that are given as natural logarithms."""
    return float(np.exp(logs, dtype=np.float64).sum())
