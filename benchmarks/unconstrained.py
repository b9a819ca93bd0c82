"""Generations without constraint, for the benchmarks of the loop and of drafts."""

from __future__ import annotations

from threading import Event

from decoder.constraint.state import ConstraintState
from decoder.generation import Generation
from decoder.models.vocabulary import Vocabulary


def unconstrained(length: int, vocabulary: Vocabulary | None = None) -> Generation:
    """A generation of at most `length` tokens, without rules and deadline, that may repeat itself.

    Args:
        vocabulary: Replaces the model's; one without tokens that end a text makes the text `length` tokens long.
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
