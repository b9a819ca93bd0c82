"""Generations that nothing constrains: for benchmarks of the loop, of drafts and of forwards."""

from __future__ import annotations

from threading import Event

from decoder.constraint.state import ConstraintState
from decoder.generation import Generation
from decoder.models.vocabulary import Vocabulary


def unconstrained(length: int, vocabulary: Vocabulary | None = None) -> Generation:
    """A text of `length` tokens: no rule, no deadline, and no end where it repeats itself.

    Args:
        vocabulary: In place of the model's; one without tokens that end a text, for example.
    """
    return Generation(
        ConstraintState(),
        None,
        max_tokens=length,
        deadline=None,
        cancel=Event(),
        repeats=lambda _: 0,
        vocabulary=vocabulary,
    )
