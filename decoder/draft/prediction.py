"""What a request says of its expected output (`Prediction`), and the drafter that is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from decoder.draft.aligned import Aligned
from decoder.draft.forward_costs import costs_of
from decoder.draft.policies import Drafter, Reference, Undrafted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.draft.counts import Ledger
    from decoder.models.model import Model


class DraftPolicy(StrEnum):
    """Which drafter is used. No output depends on it."""

    ALIGNED = "aligned"
    """`Aligned`, which realigns the output with the draft after each edit."""
    REFERENCE = "reference"
    """`Reference`, the policy of a hosted service."""
    PLAIN = "plain"
    """`Undrafted`: plain decoding."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A draft, and how it is verified."""

    text: str | None = None
    """The expected output; None where none is expected, so that only earlier text is copied (`Aligned`)."""
    policy: DraftPolicy = DraftPolicy.ALIGNED
    lookahead: int | None = None
    """The most drafted tokens verified in one forward; None for 16 (reference), or for as many as save time on this
    machine (aligned)."""
    recovery: int | None = None
    """Tokens that must agree with the draft after a mismatch before it is followed again; None for 32 (reference), or
    for as few as make it probable (aligned)."""

    def drafter(self, prompt: Sequence[int], model: Model, ledger: Ledger) -> Drafter:
        """The drafter of one output; `Undrafted` for a model for which a draft saves no time.

        Args:
            prompt: The output's prompt.
            ledger: The output's ledger, in which the drafter records which tokens are the draft's.
        """
        if self.policy is DraftPolicy.PLAIN or not model.abilities.drafts:
            return Undrafted()
        draft = () if self.text is None else model.vocabulary.encode(self.text)
        if self.policy is DraftPolicy.REFERENCE:
            return Reference(draft, lookahead=self.lookahead or 16, confirmed=self.recovery or 32)
        costs = partial(costs_of, model)
        return Aligned(draft, prompt, costs=costs, ledger=ledger, lookahead=self.lookahead, recovery=self.recovery)
