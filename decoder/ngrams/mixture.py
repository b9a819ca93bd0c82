"""How the counts of what followed the same tokens are mixed with the model's probabilities.

With counts c of what followed the last k tokens, C in all and D different ones, the probability of a token w is

    p_k(w) = (c(w) + m p_{k-1}(w)) / (C + m),    m = worth_k D,

beginning with the model's for p_0: Witten and Bell's interpolation (1991, "The zero-frequency problem"), over a base
that knows the language. The workspace's counts are mixed in first, then the file's own. The `worth` of each source
and order is fitted for a model to files of many projects (`training.ngram_fit`) and stored beside its weights; a
model without such a file is left as it is. A part of m that does not grow with D was fitted to zero.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

ORDERS: Final = (1, 2, 3, 4, 6, 8, 12)
"""Tokens of context, k above. With 1, 2, 3 and 6 alone tokens cost nearly the same, 2.32 instead of 2.31 nats, but
fewer whole lines are right."""
LONGEST_CONTEXT: Final = max(ORDERS)
FILE: Final = "ngrams.json"
"""The file beside a model's weights."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How a model's probabilities are changed: each is multiplied by `kept`; `added` is then added, by token."""

    kept: float
    added: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Mixture:
    """The weights for one model: `worth` above, by order. The larger they are, the less the counts weigh.

    Args:
        here: For the counts of the file that is being written.
        elsewhere: For the counts of the workspace's other files.
    """

    here: tuple[float, ...]
    elsewhere: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.here) == len(self.elsewhere) == len(ORDERS):
            message = f"it must hold {len(ORDERS)} numbers of each kind, for {ORDERS} tokens of context"
            raise ValueError(message)
        if min(*self.here, *self.elsewhere) <= 0:
            message = "its numbers must all be above 0"
            raise ValueError(message)

    def expected(self, here: Iterable[Counter[int]], elsewhere: Iterable[Counter[int]]) -> Expected:
        """How the counts change a model's probabilities.

        Args:
            here: The counts of what followed in the file, by order (`SuffixArray.following`).
            elsewhere: The same, in the workspace's other files.
        """
        sources = ((self.elsewhere, elsewhere), (self.here, here))
        mixed = [pair for worths, counted in sources for pair in zip(worths, counted, strict=False)]
        kept, added = 1.0, defaultdict[int, float](float)
        for worth, counts in reversed(mixed):  # what is mixed in last is not scaled down by the others
            if counts:
                against = worth * len(counts)
                share = kept / (counts.total() + against)
                for token, count in counts.items():
                    added[token] += count * share
                kept = against * share
        return Expected(kept, added)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Mixture:
        """From the contents of `FILE`.

        Raises:
            ValueError: The contents are no weights, or weights of other orders.
        """
        try:
            if tuple(fields["orders"]) != ORDERS:
                message = f"its numbers are for {fields['orders']} tokens of context, not for {ORDERS}"
                raise ValueError(message)
            return cls(*(tuple(map(float, fields[source])) for source in ("here", "elsewhere")))
        except KeyError as fault:
            message = f"it lacks {fault}"
            raise ValueError(message) from fault
        except TypeError as fault:
            message = "it does not hold lists of numbers"
            raise ValueError(message) from fault

    def written(self) -> str:
        """The contents of `FILE`."""
        return json.dumps({"orders": ORDERS, **asdict(self)}, indent=1) + "\n"
