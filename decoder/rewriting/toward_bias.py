"""The bias of a rewrite towards a whole text that its instruction may want, where that departs from the original.

A model that does not understand a sentence copies, and thinks anything else e^16 times less probable. So that such a
text can be weighed with others, it is never thought quite improbable to depart from the original as it does, and likely
to go on so then. Where both go on alike nothing is changed, nor behind an output that is another text already.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from decoder.rewriting.cuts import cuts, rest_of
from decoder.rewriting.following import Along, Following
from decoder.rewriting.original import WORD
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.models.vocabulary import Vocabulary

DEPARTS: Final = -2.0
"""Nats by which the token that departs is more probable than all others together, at least."""
GOES_ON: Final = 2.0
"""The same for those that follow, until both texts go on alike."""
SURE: Final = 7.0
"""The same for every token, where the text is written as a guess."""
_FORETOLD: Final = 80
"""Characters that a tokenizer is shown to cut the first token of them; the indent behind a line end is one."""


class TowardBias:
    """The bias of one output. See `decoder.bias.Bias`.

    Args:
        vocabulary: Of the model.
        original: What is being rewritten.
        text: What the instruction may want.
        python: Whether the original is Python; else JavaScript or TypeScript.
        sure: Whether the text is written as a guess.
    """

    def __init__(self, vocabulary: Vocabulary, original: str, text: str, *, python: bool, sure: bool) -> None:
        self._vocabulary = vocabulary
        self._text = text
        self._sure = sure
        self._cuts = dict(cuts(text, vocabulary))
        self._along = Along(partial(Following, original, python=python))

    def applied(
        self, logits: npt.NDArray[np.float32], written: str, guard: Guard, _tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """The logits, with the token raised by which the text goes on."""
        if guard.partial or not self._text.startswith(written):
            return logits
        if self._sure and written == self._text:
            raised = logits.copy()
            ends = sorted(self._vocabulary.end)
            raised[ends] += max(0.0, float(logits.max() - logits[ends].max())) + SURE
            return raised
        following = self._along.at(written)
        token = self._cuts.get(len(written), self._next_of(self._text[len(written) :], following))
        lead = self._lead(token, following)
        if token is None or lead is None:
            return logits
        raised = logits.copy()
        raised[token] = -math.inf
        raised[token] = max(logits[token], log_normaliser(raised) + lead)
        return raised

    def _lead(self, token: int | None, following: Following) -> float | None:
        """By how much at least a token is to be more probable than all others; None where the original has it, too."""
        if self._sure:
            return SURE
        expected = following.expected()
        if expected is None:
            return GOES_ON
        return None if token == self._next_of(expected.text, following) else DEPARTS

    def _next_of(self, rest: str, following: Following) -> int | None:
        """The token in which a tokenizer cuts what goes on so, behind what has been begun of a word."""
        begun = following.unfinished_word
        word = WORD.match(rest) if begun else None
        if word is not None:
            tokens = rest_of(begun + word[0], begun, self._vocabulary)
        else:
            tokens = list(self._vocabulary.encode(rest[:_FORETOLD]))
        return tokens[0] if tokens else None
