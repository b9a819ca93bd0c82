"""What many tokens do to a stack together is what each of them does alone."""

from __future__ import annotations

import pytest

from decoder.grammar import Grammar
from decoder.grammar.automaton import Automaton, bits
from decoder.grammar.lookahead import Lookahead, Taken
from decoder.grammar.lr import Outcome, Stepper
from decoder.grammar.stack import Node
from decoder.grammar.watched import Answers, Way, Ways
from tests.decoder.grammar.test_soundness import LANGUAGES, fixture


@pytest.mark.parametrize("name", LANGUAGES)
def test_tokens_together_are_tokens_alone(name: str) -> None:
    language, text = LANGUAGES[name], fixture(name)
    grammar = Grammar.load(language)
    automaton = Automaton(grammar.tables, grammar.automaton.reader, Stepper(grammar.tables))
    stepper = automaton.stepper
    lookahead = Lookahead(automaton)
    taken = Taken(lookahead, stepper, Ways())
    found: set[int] = set()
    for at in range(0, len(text), 61):
        state = grammar.start().feed(text[:at])
        assert state is not None
        for version in state.versions:
            node = version.node
            tokens = list(bits(grammar.tables.valid_tokens(node.state) & ~1))
            steps = {token: stepper.step(node, token) for token in tokens}
            alone = {token for token in tokens if stepper.takes(node, token)}
            again = {token for token in tokens if any(outcome is Outcome.REDUCED for outcome, _ in steps[token])}
            for _ in range(2):  # found anew, then remembered
                takes, reread = taken.of(node, sum(1 << token for token in tokens))
                assert set(bits(takes)) == alone, text[:at][-40:]
                assert set(bits(reread)) <= again, text[:at][-40:]
            found |= alone
    assert len(found) > 20


def test_a_keyword_that_has_no_place_is_asked_about_as_a_word() -> None:
    grammar = Grammar.load(LANGUAGES["shop.js"])
    lookahead = Lookahead(grammar.automaton)
    state = grammar.start().feed("x = ")
    assert state is not None
    keyword = lookahead.code(grammar.tables.names.index("target"), is_keyword=True)
    assert lookahead.token(keyword) == (grammar.tables.names.index("target"), True)
    (reduced,) = lookahead.reduced(state.versions[0].node, 1 << keyword)
    assert reduced.asks == 1 << keyword


def stack(*states: int) -> Node:
    node: Node | None = None
    for state in states:
        node = Node(state, node)
    assert node is not None
    return node


def test_answers_are_found_for_stacks_that_begin_alike() -> None:
    ways = Ways()
    answers = Answers()
    answers.keep(ways.down(stack(7, 1, 2, 3)), 2, 5)
    assert answers.find(ways.down(stack(9, 8, 2, 3))) == 5
    assert answers.find(ways.down(stack(9, 4, 3))) is None
    assert answers.find(ways.down(stack(3))) is None
    answers.keep(ways.down(stack(3)), 2, 6)
    assert answers.find(ways.down(stack(3))) == 6
    assert answers.find(ways.down(stack(1, 3))) is None


def test_a_way_ends_where_stacks_were_merged() -> None:
    ways = Ways()
    merged = Node(3, stack(1), also=(stack(2),))
    assert Way(ways, Node(4, merged)).bottom() is None
    assert Way(ways, stack(1, 2)).bottom() == Way(ways, stack(1, 2)).bottom() != Way(ways, stack(2, 2)).bottom()
