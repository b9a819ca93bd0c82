"""The probability that a text, or a beginning of it, is exactly what is typed next: a logistic regression.

Completions are shown if it is high enough, and `Calibration.least_score` lets the search give hopeless texts up. The
weights are fitted for a model (`inscope train --calibration`) and are stored beside the model's own. A model without
that file uses the built-in model's: suggestions keep their order, but the probabilities are not measured.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoder import embedded
from decoder.beginnings import FEWEST_CHARACTERS
from decoder.prompt.healing import heal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoder.prompt.healing import Healed

FILE: Final = "calibration.json"
"""The file beside a model's weights."""
FEATURES: Final = ("score", "certainty", "length", "lines", "word", "blank")
"""What the regression weighs; `features_of` computes them.

`score` is the log of the model's probability p, `certainty` is -log(1 - p): with equal weights they are the log odds.
With `score` alone the result rises too slowly for probable texts. `length` is the log of the number of characters.
`lines` is 1 if the text has more than one line. `word` and `blank` are 1 if a word is half-typed at the cursor, or its
line is blank. On packages outside of the fit each of the last four lowers the logarithmic loss by 0.5 to 3 %.

Tried, and of no use: the score per character, how sure the word ends there, the language, the text below the cursor,
and whether the file would have errors elsewhere.
"""
_MOST_CERTAIN = 0.999
"""A probability above this one counts as this one, so that `certainty` stays finite."""
_LOWEST_TENTHS = 500
"""The lowest score that `least_score` looks at, in tenths of a nat below 0."""
_LONGEST = 399
"""The longest text that `least_score` looks at, in characters."""


class Begun(NamedTuple):
    """What has begun at the cursor."""

    word: bool
    """Whether a word is half-typed."""
    line: bool
    """Whether there is more than white space before the cursor on its line."""

    @classmethod
    def of(cls, healed: Healed) -> Begun:
        """What has begun at the end of a prefix whose half-typed word was split off."""
        word = bool(healed.word.strip())
        return cls(word, word or bool(healed.prefix.rpartition("\n")[2].strip()))

    @classmethod
    def at(cls, prefix: str) -> Begun:
        """What has begun at the end of a prefix."""
        return cls.of(heal(prefix))


def features_of(score: float, text: str, begun: Begun) -> dict[str, float]:
    """The features of a text, or of a beginning of it, by their names in `FEATURES`.

    Args:
        score: Natural logarithm of the probability of its tokens.
        text: More than white space.
    """
    length = len(text.strip())
    return {
        "score": score,
        "certainty": _certainty(score),
        "length": math.log(length),
        "lines": float("\n" in text.strip()),
        "word": float(begun.word),
        "blank": float(not begun.line),
    }


def _certainty(score: float) -> float:
    """Minus the natural logarithm of the probability that is left for other texts."""
    return -math.log1p(-min(math.exp(score), _MOST_CERTAIN))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of a logistic regression."""

    intercept: float
    weights: Mapping[str, float]
    """By feature."""

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that a text with these features is exactly what is typed next."""
        logit = self.intercept + math.fsum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))  # bounded, as `exp` overflows for large numbers

    def least_score(self, probability: float, begun: Begun) -> float:
        """The score below which no text of one line, however long, is as probable as `probability`; to a tenth.

        Minus infinity where every text is, or where the probability does not rise with the score.
        """
        if probability <= 0 or min(self.weights["score"], self.weights["certainty"]) < 0:
            return -math.inf
        extremes = ("." * FEWEST_CHARACTERS, "." * _LONGEST)  # the probability rises or falls steadily with the length

        def is_missed(tenths: int) -> bool:
            return all(self.probability(features_of(-tenths / 10, text, begun)) < probability for text in extremes)

        missed_from = bisect_left(range(_LOWEST_TENTHS), True, key=is_missed)  # noqa: FBT003 - the first that is missed
        return -math.inf if missed_from == _LOWEST_TENTHS else -missed_from / 10

    @classmethod
    def read(cls, fields: Mapping[str, Any], names: Sequence[str] = FEATURES) -> Calibration:
        """The calibration in a parsed `calibration.json`.

        Args:
            names: The features that need a weight; others may have none.

        Raises:
            ValueError: the fields are no calibration; the message says why.
        """
        try:
            weights = {str(name): float(weight) for name, weight in fields["weights"].items()}
            intercept = float(fields["intercept"])
        except (KeyError, TypeError, AttributeError, OverflowError) as fault:
            message = "it needs a number 'intercept' and an object of numbers 'weights'"
            raise ValueError(message) from fault
        if not all(map(math.isfinite, (intercept, *weights.values()))):
            message = "its numbers must be finite"
            raise ValueError(message)
        if set(weights) != set(names):
            message = f"weights are needed for {', '.join(names)}"
            raise ValueError(message)
        return cls(intercept, weights)

    def written(self, recipe: Mapping[str, object]) -> str:
        """The content of a `calibration.json`.

        Args:
            recipe: How the weights were fitted.
        """
        weights = {name: round(weight, 4) for name, weight in self.weights.items()}
        fields = {"intercept": round(self.intercept, 4), "weights": weights, "recipe": recipe}
        return json.dumps(fields, indent=1) + "\n"


@cache
def built_in() -> Calibration:
    """The built-in model's calibration."""
    return Calibration.read(json.loads((embedded.path() / FILE).read_text("utf-8")))
