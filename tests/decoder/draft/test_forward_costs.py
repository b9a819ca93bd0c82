"""What forwards cost is measured once, but not where the context has no room for it."""

from __future__ import annotations

from decoder.draft import Costs, costs_of
from tests.decoder.drafting import said_by


def test_costs_that_were_assumed_for_want_of_room_are_measured_by_the_next_draft() -> None:
    model = said_by([])
    model.tokens = [0] * (model.context - 1)
    assert costs_of(model) == Costs()
    model.truncate(0)
    measured = costs_of(model)
    assert measured != Costs()
    assert costs_of(model) is measured
