"""Mixes the counts of what followed the same tokens with the model's probabilities (`Mixture`).

The last k tokens were followed c(w) times by token w, C times in all, by D different tokens. With these counts the
probability of w is

    p_k(w) = (c(w) + m p_{k-1}(w)) / (C + m),    m = worth_k D,

where p_0 is the model's probability. This is Witten and Bell's interpolation (1991, "The zero-frequency problem"). The
workspace's counts are mixed in first, then the file's own. The worth of each source and order is fitted for a model to
files of many projects (`training.ngram_fit`) and stored beside its weights. Without such a file a model's probabilities
stay as they are. A part of m that does not grow with D was fitted to zero.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

ORDERS: Final = (1, 2, 3, 4, 6, 8, 12)
"""The numbers of tokens of context, k above. With 1, 2, 3 and 6 alone a token costs 2.32 instead of 2.31 nats, and
fewer whole lines are right."""
LONGEST_CONTEXT: Final = max(ORDERS)
"""The most tokens of context."""
FILE: Final = "ngrams.json"
"""The file beside a model's weights."""


@dataclass(frozen=True, slots=True)
class ProbabilityChange:
    """How a model's probabilities are changed: each is multiplied by `kept`, then `added` is added."""

    kept: float
    """The model's share of the mixture, from 0 to 1."""
    added: Mapping[int, float]
    """By token: the probability that the counts add."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """The weights for one model: for each order its worth, see above. The larger they are, the less the counts weigh.

    Args:
        here: The weights of the counts in the file that is being written.
        elsewhere: The weights of the counts in the workspace's other files.

    Raises:
        ValueError: there is not one finite weight above 0 for each order.
    """

    here: tuple[float, ...]
    elsewhere: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.here) == len(self.elsewhere) == len(ORDERS):
            message = f"it must hold {len(ORDERS)} numbers of each kind, for {ORDERS} tokens of context"
            raise ValueError(message)
        if not all(0 < worth < math.inf for worth in (*self.here, *self.elsewhere)):
            message = "its numbers must all be above 0, and finite"
            raise ValueError(message)

    def change(self, here: Iterable[Counter[int]], elsewhere: Iterable[Counter[int]]) -> ProbabilityChange:
        """How the counts change a model's probabilities.

        Args:
            here: The counts of what followed in the file, one for each order; fewer where nothing did
                (`SuffixArray.following`).
            elsewhere: The same, in the workspace's other files.
        """
        sources = ((self.elsewhere, elsewhere), (self.here, here))
        in_order = [pair for worths, counted in sources for pair in zip(worths, counted, strict=False)]
        kept, added = 1.0, defaultdict[int, float](float)
        for worth, counts in reversed(in_order):  # backwards: only what is mixed in later scales counts down
            if counts:
                model_weight = worth * len(counts)  # m above
                share = kept / (counts.total() + model_weight)
                for token, count in counts.items():
                    added[token] += count * share
                kept = model_weight * share
        return ProbabilityChange(kept, added)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Mixture:
        """The mixture in the parsed content of `FILE`.

        Raises:
            ValueError: the content is no weights, or weights of other orders.
        """
        try:
            if tuple(fields["orders"]) != ORDERS:
                message = f"its numbers are for {fields['orders']} tokens of context, not for {ORDERS}"
                raise ValueError(message)
            return cls(*(tuple(map(float, fields[source])) for source in ("here", "elsewhere")))
        except KeyError as fault:
            message = f"it lacks {fault}"
            raise ValueError(message) from fault
        except (TypeError, OverflowError) as fault:
            message = "it does not hold lists of numbers"
            raise ValueError(message) from fault

    def written(self) -> str:
        """The content of `FILE`."""
        return json.dumps({"orders": ORDERS, **asdict(self)}, indent=1) + "\n"
