"""What is known of a model beside its weights (`ModelCard`): its tokens, how it is asked, and what was fitted to it.

`loading` and `server.tokenizer` make the card, once for each model. Prompts, n-grams and calibration read it. Knows
nothing of weights and of what computes with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from decoder.calibration import Calibration, built_in
from decoder.prompt.families import FENCE, Family, family_of
from decoder.prompt.layouts import Marker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams.mixture import Mixture
    from decoder.prompt.chat import ChatTemplate
    from decoder.prompt.layouts import Layout


@dataclass(frozen=True, eq=False)
class ModelCard:
    """What is known of a model beside its weights."""

    vocabulary: Vocabulary
    """Its tokens."""
    family: Family
    """How it is asked to fill in."""
    chat: ChatTemplate | None = None
    """Its chat template, if it has one."""
    mixture: Mixture | None = None
    """The weights of n-gram counts, if they were fitted to the model; None where n-grams are not used."""
    calibration: Calibration = field(default_factory=built_in)
    """The calibration of suggestions: the model's own if it was fitted, else the built-in model's."""

    @classmethod
    def of(cls, vocabulary: Vocabulary, chat: ChatTemplate | None = None, row: Family | None = None) -> ModelCard:
        """The card of a model to which nothing was fitted.

        Args:
            row: The family that a person configured (`ModelOptions.own_family`); None where the markers tell.

        Raises:
            UnsupportedModelError: the tokenizer lacks a marker of `row`.
        """
        return cls(vocabulary, family_of(vocabulary.special, chat, row), chat)

    @cached_property
    def filling(self) -> Vocabulary:
        """The tokens, of which some more end what the model fills in: a chat model ends it with a fence."""
        fences = () if self.family.chat is None else self.vocabulary.starting_with(FENCE.encode()).tolist()
        return self.vocabulary.ended_by(self.vocabulary.end.union(fences))

    def tokens(self, layout: Layout) -> Iterator[int]:
        """The tokens of a prompt's layout, whatever their number."""
        for part in layout:
            if isinstance(part, Marker):
                yield self.vocabulary.special[part.spelling]
            else:
                yield from self.vocabulary.lines.encode(part.text)
