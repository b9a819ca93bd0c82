"""What many tokens do to a stack together is what each of them does alone."""

from __future__ import annotations

import pytest

from decoder.grammar import Grammar
from decoder.grammar.automaton import Automaton, bits
from decoder.grammar.lr import Outcome
from decoder.grammar.masks.lookahead import Lookahead, Taken
from decoder.grammar.masks.places import Places
from decoder.grammar.masks.remembered import Answers, Memory, Stacks, Way
from decoder.grammar.masks.watched import EXISTS, STATE, Watch, WatchedNode, WatchingStepper
from decoder.grammar.stack import Node
from tests.decoder.grammar.test_soundness import LANGUAGES, fixture


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name.endswith((".ts", ".tsx")) else ()) for name in LANGUAGES],
)
def test_tokens_together_are_tokens_alone(name: str) -> None:
    language, text = LANGUAGES[name], fixture(name)
    grammar = Grammar.load(language)
    automaton = Automaton(grammar.tables, grammar.automaton.reader, WatchingStepper(grammar.tables, 512))
    stepper = automaton.stepper
    lookahead = Lookahead(automaton)
    places = Places(grammar.tables, grammar.automaton.reader)
    taken = Taken(lookahead, stepper, Memory(grammar.tables), places.reads)
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


def watched(top: Node) -> tuple[Watch, WatchedNode]:
    tables = Grammar.load(LANGUAGES["shop.js"]).tables
    watch = Watch(top, Places(tables, Grammar.load(LANGUAGES["shop.js"]).automaton.reader).reads)
    return watch, watch.node


def test_an_answer_holds_for_stacks_that_say_the_same() -> None:
    answers = Answers(Memory(Grammar.load(LANGUAGES["shop.js"]).tables))
    top = stack(7, 1, 2, 3)
    watch, node = watched(top)
    below = node.below
    assert below is not None
    assert (node.state, below.state) == (3, 2)
    answers.keep(Way(top), watch.told().asked, 5)
    assert answers.find(Way(stack(9, 8, 2, 3))) == 5
    assert answers.find(Way(stack(9, 4, 3))) is None
    assert answers.find(Way(stack(3))) is None
    top = stack(3)
    watch, node = watched(top)
    assert node.state == 3
    assert node.below is None
    answers.keep(Way(top), watch.told().asked, 6)
    assert answers.find(Way(stack(3))) == 6
    assert answers.find(Way(stack(1, 3))) is None


def test_cells_that_nobody_asks_about_may_be_any() -> None:
    grammar = Grammar.load(LANGUAGES["shop.js"])
    stepper = WatchingStepper(grammar.tables, 512)
    state = grammar.start().feed("x = f(a")
    assert state is not None
    top = state.versions[0].node
    comma = grammar.tables.names.index(",")
    watch, node = watched(top)
    assert stepper.takes(node, comma)
    answers = Answers(Memory(grammar.tables))
    answers.keep(Way(top), watch.told().asked, 1)
    other = grammar.start().feed("if (b) { return g.h(c")
    assert other is not None
    assert answers.find(Way(other.versions[0].node)) == 1
    assert answers.find(Way(grammar.start().versions[0].node)) is None


def test_what_is_asked_of_a_copy_of_a_copy_is_noted_for_both() -> None:
    outer, node = watched(stack(1, 2, 3))
    inner, copy = watched(node.under or node)
    assert copy.state == 2
    assert copy.below is not None
    assert copy.below.below is None
    assert inner.told().asked == {0: STATE, 1: EXISTS, 2: EXISTS}
    assert outer.told().asked == {1: STATE, 2: EXISTS, 3: EXISTS}


def test_stacks_that_were_merged_are_not_numbered() -> None:
    stacks = Stacks()
    merged = Node(3, stack(1), also=(stack(2),))
    assert stacks.number(Node(4, merged)) is None
    assert stacks.number(stack(1, 2)) == stacks.number(stack(1, 2)) != stacks.number(stack(2, 2))
    way = Way(Node(4, merged))
    assert way.cell(1) is merged
    assert way.cell(2) is None
    assert way.is_merged
