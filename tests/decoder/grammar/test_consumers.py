"""What is computed for whole tables at once equals what each of their cells gives."""

from __future__ import annotations

from collections import defaultdict

import pytest

from benchmarks.grammar_yields import actions, successors
from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.actions import Production, productions
from decoder.grammar.consumers import Consumer, Consumers
from decoder.grammar.tables import START_STATE, Tables


def every_production(tables: Tables) -> dict[int, frozenset[Production]]:
    return {
        state: frozenset().union(*map(productions, actions(tables, state).values()))
        for state in range(START_STATE, tables.state_count)
    }


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(language, marks=() if language is Language.PYTHON else pytest.mark.slow)  # ten times as large
        for language in Language
    ],
)
def test_reductions_are_those_of_all_cells(language: Language) -> None:
    tables = Grammar.load(language).tables
    asked = every_production(tables)
    assert {state: tables.reductions(state) for state in asked} == asked
    single = defaultdict(set)
    for state, made in asked.items():
        for symbol, production, count in made:
            if count == 1:
                single[Consumer(symbol, production, 0)].add(state)
    assert Consumers(tables).alone(lambda _: True) == single


@pytest.mark.slow
@pytest.mark.parametrize("language", Language)
def test_what_is_on_top_of_a_state_and_how_far_rules_reach(language: Language) -> None:
    tables = Grammar.load(language).tables
    consumers = Consumers(tables)
    entered = defaultdict(set)
    for state in range(START_STATE, tables.state_count):
        for symbol, target in successors(tables, state):
            entered[target].add(symbol)
            assert consumers.reach(state) >= consumers.reach(target) - 1
    for state in range(START_STATE, tables.state_count):
        assert consumers.symbols(state) == entered[state]
        assert consumers.reach(state) >= max((made.count for made in tables.reductions(state)), default=0)
