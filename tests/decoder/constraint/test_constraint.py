"""ConstraintState, balance and masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.syntax_rule import SyntaxConstraint
from context_index.symbols import Language, SymbolContext
from decoder.choice import CHECKED_BEFORE_WALK, check, choose
from decoder.constraint.balance import Balance
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState
from decoder.grammar import Entries
from decoder.models.vocabulary import Vocabulary
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.scripted import byte_vocabulary, variables

# prefix ^ suffix : what is fed, `|` before the first character that the suffix supplies; ⏎ is a line end
BALANCE = """
f(^            : a)
f(^            : a]
f(^)           : a|)
f(g(^)         : a)|)
f(^, b)        : a|)
x = {^⏎}       : a|}
if (a) {⏎^⏎}else {⏎} : b;|}
if (a) {⏎^⏎b()⏎} : } else {
({a, ^⏎ b;⏎})  : c })
`${a^⏎b}`      : c}
x = "a^"       : b|"
x = "a^        : b" + f()
if (a) {^}     : f();|}
`${^}`         : a|}
// a^          : )))
f(^ /* ) */    : a)
f("a^          : b")
f("a^"         : b|"
f("a^")        : b|"
"""


def _balance_cases() -> list[tuple[str, str, str]]:
    rows = []
    for line in BALANCE.strip().splitlines():
        place, fed = line.split(" : ")
        prefix, suffix = place.strip().replace("⏎", "\n").split("^")
        rows.append((prefix, suffix, fed))
    return rows


@pytest.mark.parametrize(("prefix", "suffix", "fed"), _balance_cases())
def test_a_suggestion_ends_where_the_text_after_it_closes_it(prefix: str, suffix: str, fed: str) -> None:
    accepted, mark, refused = fed.partition("|")
    state = Balance.at(prefix, suffix, language=Language.JAVASCRIPT).advance(accepted)
    assert not isinstance(state, Refusal)
    if mark:
        after = state.advance(refused[0])
        assert after == Refusal(Rule.BALANCE, refused[0])


def test_a_string_that_nothing_ends_is_closed_by_the_suggestion_although_other_lines_hold_quotes() -> None:
    state = Balance.at('print(f"error: ', '\n    x = f"a"\n', language=Language.PYTHON).advance('{a}")')
    assert not isinstance(state, Refusal)


def test_bytes_of_unfinished_characters_are_held_back() -> None:
    euro = "€".encode()
    constraint: ConstraintState | Refusal = ConstraintState((Balance.at("", "", language=Language.PYTHON),))
    for byte in euro[:2]:
        assert not isinstance(constraint, Refusal)
        constraint = constraint.advance(bytes([byte]))
        assert not isinstance(constraint, Refusal)
        assert constraint.may_stop() == Refusal(Rule.ENCODING, repr(constraint.partial))
    assert isinstance(constraint, ConstraintState)
    done = constraint.advance(euro[2:])
    assert not isinstance(done, Refusal)
    assert done.may_stop() is None
    refused = constraint.advance(b"a")
    assert isinstance(refused, Refusal)
    assert refused.rule is Rule.ENCODING


def test_the_output_must_begin_with_the_word_that_was_taken_back() -> None:
    constraint = ConstraintState(required_prefix=b"tot")
    assert constraint.may_stop() is not None
    assert isinstance(constraint.advance(b"x"), Refusal)
    after = constraint.advance(b"total")
    assert not isinstance(after, Refusal)
    assert after.may_stop() is None


def _constraint(prefix: str, suffix: str, required_prefix: str) -> ConstraintState:
    context = SymbolContext(Language.JAVASCRIPT, variables("total", "items"))
    entry = Entries(Language.JAVASCRIPT).enter(prefix + suffix, len(prefix))
    scope = ScopeConstraint.of(entry, context)
    return ConstraintState(
        (Balance.at(prefix, suffix, language=Language.JAVASCRIPT), scope), required_prefix=required_prefix.encode()
    )


def allowed_tokens(constraint: ConstraintState, vocabulary: Vocabulary) -> np.ndarray:
    """The mask that `choose` goes without: every token is asked about, the end of the text included."""
    return np.array([not isinstance(check(token, constraint, vocabulary), Refusal) for token in range(vocabulary.size)])


_PLACES = st.sampled_from(
    [("x = ", "", ""), ("f(", ")", ""), ("return ", "", "it"), ("x = {", "}", ""), ('"', '"', "")]
)


@given(_PLACES, st.integers(0, 2**32), st.sampled_from([0.0, 1.0]))
def test_lazy_choice_equals_masked_choice(place: tuple[str, str, str], seed: int, temperature: float) -> None:
    vocabulary, constraint = byte_vocabulary(), _constraint(*place)
    logits = np.random.default_rng(seed).normal(size=vocabulary.size).astype(np.float32)
    preferences = Sampler(SamplingOptions(temperature=temperature, seed=seed)).preferences(logits, 0)
    allowed = allowed_tokens(constraint, vocabulary)
    choice = choose(preferences, constraint, vocabulary)
    assert choice is not None
    if not any(refusal.rule is Rule.BALANCE for _, refusal in choice.refused):
        assert choice.token == np.where(allowed, preferences, -np.inf).argmax()


_UNFINISHED = st.sampled_from(["x = ", "x = fo", "if (a) ret", "x = `${a} b", "({ if", "// é", "f(a)\n", "x = 'a"])


def _parsing(prefix: str) -> ConstraintState:
    rule = SyntaxConstraint.of(Entries(Language.JAVASCRIPT).enter(prefix, len(prefix)))
    assert rule is not None
    return ConstraintState((rule,))


@given(_UNFINISHED, st.integers(0, 2**32))
def test_a_walk_finds_what_a_mask_would_leave(prefix: str, seed: int) -> None:
    vocabulary, constraint = byte_vocabulary(), _parsing(prefix)
    allowed = allowed_tokens(constraint, vocabulary)
    preferences = np.random.default_rng(seed).normal(size=vocabulary.size)
    preferences[allowed] -= 100  # all others are tried before
    choice = choose(preferences, constraint, vocabulary)
    assert choice is not None
    assert choice.token == np.where(allowed, preferences, -np.inf).argmax()


def test_a_token_far_down_is_found_by_a_walk() -> None:
    vocabulary, constraint = byte_vocabulary(), _parsing("let x")
    allowed = allowed_tokens(constraint, vocabulary)
    assert allowed.sum() < vocabulary.size - CHECKED_BEFORE_WALK
    preferences = np.where(allowed, 0.0, 1.0)
    choice = choose(preferences, constraint, vocabulary)
    assert choice is not None
    assert choice.walked
    assert choice.token == np.where(allowed, preferences, -np.inf).argmax()
    assert len(choice.refused) == CHECKED_BEFORE_WALK


def test_a_walk_ends_with_the_request() -> None:
    vocabulary, constraint = byte_vocabulary(), _parsing("let x")
    allowed = allowed_tokens(constraint, vocabulary)
    asked: list[None] = []

    def is_late() -> bool:
        asked.append(None)
        return len(asked) > 3

    assert choose(np.where(allowed, 0.0, 1.0), constraint, vocabulary, is_late=lambda: True) is None
    found = choose(np.where(allowed, 0.0, 1.0), constraint, vocabulary, is_late=is_late)
    assert found is None or allowed[found.token]
    favourite = np.where(allowed, 1.0, 0.0)
    in_time = choose(favourite, constraint, vocabulary, is_late=lambda: True)
    assert in_time is not None  # no walk was needed
    assert not in_time.walked


PARTS = """
f(^)             : "") -> ""
f(b^)            : ()) -> ()
f(g(b^)          : )) -> )
x = [b^]         : {}] -> {}
f("a^")          : ") ->
f(b^)            : ) ->
f(b^)            : ,) -> ,
"""


@pytest.mark.parametrize("case", PARTS.strip().splitlines())
def test_of_a_token_that_the_text_below_goes_on_with_the_part_is_taken_that_is_the_outputs_own(case: str) -> None:
    place, _, tokens = case.rpartition(" : ")
    (before, after), (meant, part) = place.split("^"), (one.strip().encode() for one in tokens.split("->"))
    given = byte_vocabulary()
    written = [*given.token_bytes, meant, part if len(part) > 1 else b"zz"]
    vocabulary = Vocabulary(written, encode=given.encode, special=given.special, end=given.end)
    preferences = np.zeros(vocabulary.size)
    preferences[given.size] = 1.0
    rule = Balance.at(before.rstrip(), after.strip(), language=Language.JAVASCRIPT)
    choice = choose(preferences, ConstraintState((rule,)), vocabulary)
    assert choice is not None
    assert choice.ends == (not part)
    assert choice.meant == given.size
    assert choice.ends or written[choice.token] == part
