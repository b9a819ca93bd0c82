"""What an output is expected to be, as a request says it, and the drafter that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from decoder.draft.aligned import Aligned
from decoder.draft.drafter import Drafter
from decoder.draft.forward_costs import costs_of
from decoder.draft.policies import Reference, Undrafted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.draft.counts import Ledger
    from decoder.models.model import Model


class DraftPolicy(StrEnum):
    """How a draft is used. No output depends on it."""

    ALIGNED = "aligned"
    REFERENCE = "reference"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Prediction:
    """A draft, and how it is verified."""

    text: str | None = None
    """The expected result; None where nothing is expected."""
    policy: DraftPolicy = DraftPolicy.ALIGNED
    lookahead: int | None = None
    """Tokens verified in one forward; None for 16 (reference), or as many as pay on this machine (aligned)."""
    recovery: int | None = None
    """Tokens that must agree with the draft after a mismatch before it is followed again; None for 32 (reference), or
    for as few as make it probable (aligned)."""

    def drafter(self, prompt: Sequence[int], model: Model, ledger: Ledger) -> Drafter:
        """The drafter of one output.

        Args:
            ledger: The output's ledger, which records which tokens are the draft's.
        """
        if self.policy is DraftPolicy.PLAIN or not model.rolls_back:
            return Undrafted()
        draft = () if self.text is None else model.vocabulary.encode(self.text)
        if self.policy is DraftPolicy.REFERENCE:
            return Reference(draft, lookahead=self.lookahead or 16, confirmed=self.recovery or 32)
        costs = partial(costs_of, model)
        return Aligned(draft, prompt, costs=costs, ledger=ledger, lookahead=self.lookahead, recovery=self.recovery)
