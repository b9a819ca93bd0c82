"""Guard, balance and masks."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.syntax_rule import SyntaxConstraint
from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from decoder.choice import CHECKED_BEFORE_MASK, choose
from decoder.constraint import parsing
from decoder.constraint.balance import Balance
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard, Line
from decoder.constraint.mask import allowed_tokens
from decoder.constraint.parsing import parsing_tokens
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from decoder.grammar.masks import Masker
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.scripted import byte_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables

# prefix ^ suffix : what is fed, `|` before the first character refused, `|!` where the suffix supplies that one
BALANCE = """
f(^            : a)
f(^            : a|]
f(^)           : a|!)
f(g(^)         : a)|!)
x = [^         : a|)
x = "a^"       : b|!"
x = "a^        : b" + f()
if (a) {^}     : f();|!}
`${^}`         : a|!}
// a^          : )))
f(^ /* ) */    : a)
f("a^          : b")
f("a^"         : b|!"
f("a^")        : b|!"
"""


def _balance_cases() -> list[tuple[str, str, str]]:
    rows = []
    for line in BALANCE.strip().splitlines():
        place, fed = line.split(" : ")
        prefix, suffix = place.strip().split("^")
        rows.append((prefix, suffix, fed))
    return rows


@pytest.mark.parametrize(("prefix", "suffix", "fed"), _balance_cases())
def test_balance(prefix: str, suffix: str, fed: str) -> None:
    accepted, mark, refused = fed.partition("|")
    state = Balance.at(prefix, suffix, python=False).feed(accepted)
    assert not isinstance(state, Refusal)
    if mark:
        after = state.feed(refused.lstrip("!")[0])
        assert isinstance(after, Refusal)
        assert after.supplied == refused.startswith("!")


def test_a_brace_that_only_the_following_text_closes_may_stay_open() -> None:
    opened = Balance.at("function f() ", "\n  return 1;\n}\n", python=False).feed("{")
    assert not isinstance(opened, Refusal)
    assert opened.may_stop() is None
    twice = opened.feed(" if (a) {")
    assert not isinstance(twice, Refusal)
    assert twice.may_stop() is not None


@pytest.mark.parametrize(
    ("line", "fed", "may_stop"),
    [
        ("^\n  g();\n});\n", "f(() => {", True),
        ("^\n  a: 1\n});\n", "f(b, {", True),
        ("^\n  1,\n];\n", "x = [", True),
        ("^\n  a,\n);\n", "f(", True),
        ("^\n  g();\n}\n", "f(() => {", False),
        ("^\n  g();\n});\n", "f(() => { if (a) {", False),
        ("f(() => {\n  ^\n});\n", "g(() => {", False),
        ("f(() => {\n  ^\n    h();\n  });\n});\n", "g(() => {", True),
        ("f(^)\n", "g(", False),
        ("f(^))\n", "g(", True),
        ("f({^\n", "a: [", False),
        ("f({^\n  b]\n", "a: [", True),
        ("^ and so on`;\n", "x = `It is", False),  # too often another string is meant
        ("^\n", "x = `It is", False),
    ],
)
def test_a_bracket_that_the_following_text_closes_besides_its_own_may_stay_open(
    line: str, fed: str, may_stop: bool
) -> None:
    prefix, suffix = line.split("^")
    state = Balance.at(prefix, suffix, python=False).feed(fed)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) is may_stop


def test_a_string_that_nothing_ends_is_closed_by_the_suggestion_although_other_lines_hold_quotes() -> None:
    state = Balance.at('print(f"error: ', '\n    x = f"a"\n', python=True).feed('{a}")')
    assert not isinstance(state, Refusal)


_LONG = "\n  /* and so on */" * 400


@pytest.mark.parametrize(
    ("prefix", "suffix", "fed", "may_stop"),
    [
        ("", "", "f(", False),
        ("", "", "f()", True),
        ("f(", "", "a", True),
        ("", "", '"a', False),
        ("", "", "// it's", True),
        ("", "", "`${a", False),
        ("f(", "\n  return 1;\n})\n", "() => {", True),
        ("f(", "\n  return 1;\n})\n", "() => { g(", False),
        ("return g(", "\n  a,\n});\n", "{", True),
        ("class A {\n  a", f"\n    return 1;\n  }}{_LONG}\n}}\n", "() {", True),
        ("class A {\n  a", f"\n    return 1;\n{_LONG}\n}}\n", "() {", False),
        ("import { a", "\nlet b;\n", ' } from "../', False),
        ("import { a", "\nlet b;\n", ' } from "../a"', True),
        ("f('a", "\nlet b;\n", "b", True),
        ("f(`a", "\n}`);\n", "${b", False),
    ],
)
def test_balance_stops_only_where_its_own_brackets_are_closed(
    prefix: str, suffix: str, fed: str, may_stop: bool
) -> None:
    state = Balance.at(prefix, suffix, python=False).feed(fed)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) == may_stop


def test_guard_holds_back_bytes_of_unfinished_characters() -> None:
    euro = "€".encode()
    guard: Guard | Refusal = Guard((Balance.at("", "", python=True),))
    for byte in euro[:2]:
        assert not isinstance(guard, Refusal)
        guard = guard.feed(bytes([byte]))
        assert not isinstance(guard, Refusal)
        assert guard.may_stop() == Refusal(Rule.ENCODING, repr(guard.partial))
    assert isinstance(guard, Guard)
    done = guard.feed(euro[2:])
    assert not isinstance(done, Refusal)
    assert done.may_stop() is None
    refused = guard.feed(b"a")
    assert isinstance(refused, Refusal)
    assert refused.rule is Rule.ENCODING


def test_guard_owes_the_word_that_was_taken_back() -> None:
    guard = Guard(owed=b"tot")
    assert guard.may_stop() is not None
    assert isinstance(guard.feed(b"x"), Refusal)
    after = guard.feed(b"total")
    assert not isinstance(after, Refusal)
    assert after.may_stop() is None


def _guard(prefix: str, suffix: str, owed: str) -> Guard:
    names = {text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0) for text in ("total", "items")}
    context = SymbolContext(Language.JAVASCRIPT, names)
    entry = Entries(Language.JAVASCRIPT).enter(prefix + suffix, len(prefix))
    scope = ScopeConstraint.of(entry, context, prefix=prefix, suffix=suffix)
    return Guard((Balance.at(prefix, suffix, python=False), scope), owed=owed.encode())


_PLACES = st.sampled_from(
    [("x = ", "", ""), ("f(", ")", ""), ("return ", "", "it"), ("x = {", "}", ""), ('"', '"', "")]
)


@given(_PLACES, st.integers(0, 2**32), st.sampled_from([0.0, 1.0]))
def test_lazy_choice_equals_masked_choice(place: tuple[str, str, str], seed: int, temperature: float) -> None:
    vocabulary, guard = byte_vocabulary(), _guard(*place)
    logits = np.random.default_rng(seed).normal(size=vocabulary.size).astype(np.float32)
    preferences = Sampler(SamplingOptions(temperature=temperature, seed=seed)).preferences(logits, 0)
    allowed = allowed_tokens(guard, vocabulary)
    choice = choose(preferences, guard, vocabulary)
    assert choice is not None
    if not any(refusal.supplied for _, refusal in choice.refused):
        assert choice.token == np.where(allowed, preferences, -np.inf).argmax()


@given(_PLACES)
def test_mask_equals_asking_for_every_token(place: tuple[str, str, str]) -> None:
    vocabulary, guard = byte_vocabulary(), _guard(*place)
    asked = [
        (guard.may_stop() is None)
        if token in vocabulary.end
        else bool(written) and not isinstance(guard.feed(written), Refusal)
        for token, written in enumerate(vocabulary.token_bytes)
    ]
    assert allowed_tokens(guard, vocabulary).tolist() == asked


_UNFINISHED = st.sampled_from(["x = ", "x = fo", "if (a) ret", "x = `${a} b", "({ if", "// é", "f(a)\n", "x = 'a"])


def _parsing(prefix: str) -> Guard:
    rule = SyntaxConstraint.of(Entries(Language.JAVASCRIPT).enter(prefix, len(prefix)))
    assert rule is not None
    return Guard((rule,))


@pytest.mark.slow
@given(_UNFINISHED)
def test_syntax_rules_out_just_what_it_refuses(prefix: str) -> None:
    vocabulary, guard = byte_vocabulary(), _parsing(prefix)
    possible = parsing_tokens(guard, vocabulary)
    assert possible is not None
    allowed = allowed_tokens(guard, vocabulary)
    allowed[list(vocabulary.end)] = True
    assert possible.tolist() == allowed.tolist()


def test_a_token_far_down_is_found_among_those_that_parse() -> None:
    vocabulary, guard = byte_vocabulary(), _parsing("let x")
    allowed = allowed_tokens(guard, vocabulary)
    assert allowed.sum() < vocabulary.size - CHECKED_BEFORE_MASK
    preferences = np.where(allowed, 0.0, 1.0)
    choice = choose(preferences, guard, vocabulary)
    assert choice is not None
    assert choice.masked
    assert choice.token == np.where(allowed, preferences, -np.inf).argmax()
    assert len(choice.refused) == CHECKED_BEFORE_MASK


def test_who_is_late_does_not_try_all_that_a_mask_leaves() -> None:
    vocabulary, guard = byte_vocabulary(), _parsing("let x")
    allowed = allowed_tokens(guard, vocabulary)
    asked: list[None] = []

    def is_late() -> bool:
        asked.append(None)
        return len(asked) > 3

    assert choose(np.where(allowed, 0.0, 1.0), guard, vocabulary, is_late=lambda: True) is None
    found = choose(np.where(allowed, 0.0, 1.0), guard, vocabulary, is_late=is_late)
    assert found is None or allowed[found.token]
    assert np.flatnonzero(allowed_tokens(guard, vocabulary, lambda: True)).tolist() in ([], sorted(vocabulary.end))
    favourite = np.where(allowed, 1.0, 0.0)
    in_time = choose(favourite, guard, vocabulary, is_late=lambda: True)
    assert in_time is not None  # no mask was needed
    assert not in_time.masked


def test_what_masks_need_is_waited_for_no_longer_than_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, guard, begun = byte_vocabulary(), _parsing("let x"), Event()

    def slow(tables: Tables, reader: Reader, texts: Iterable[str]) -> Masker:
        assert begun.wait(60)
        return Masker(tables, reader, texts)

    monkeypatch.setattr(parsing, "Masker", slow)
    assert parsing.parsing_tokens(guard, vocabulary, lambda: True) is None
    begun.set()
    possible = parsing.parsing_tokens(guard, vocabulary)
    assert possible is not None
    allowed = allowed_tokens(guard, vocabulary)
    assert possible[allowed].all()


def test_what_masks_need_is_found_once_a_document_is_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Masker] = []

    def counted(tables: Tables, reader: Reader, texts: Iterable[str]) -> Masker:
        made.append(Masker(tables, reader, texts))
        return made[-1]

    monkeypatch.setattr(parsing, "Masker", counted)
    vocabulary = byte_vocabulary()
    DocumentStates().read_ahead("a.js", Language.JAVASCRIPT, "let x", vocabulary)
    assert parsing.parsing_tokens(_parsing("let x"), vocabulary) is not None
    assert len(made) == 1


def test_a_fault_in_what_masks_need_is_told_each_time_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, guard = byte_vocabulary(), _parsing("let x")

    def broken(*_: object) -> Masker:
        raise ZeroDivisionError

    with monkeypatch.context() as broken_for_now:
        broken_for_now.setattr(parsing, "Masker", broken)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                parsing.parsing_tokens(guard, vocabulary)
    assert parsing.parsing_tokens(guard, vocabulary) is not None


def test_no_automaton_rules_nothing_out() -> None:
    balance_alone = Guard((Balance.at("x = ", "", python=False),))
    assert parsing_tokens(balance_alone, byte_vocabulary()) is None


@pytest.mark.parametrize(
    ("before", "after", "fed", "whole"),
    [
        ("x = ", "", "f(y)|\n", True),
        ("x = ", "", "f(y);\n|z", True),
        ("x = ", "", "f(|\n", False),
        ("x = ", "", "f(\n", False),
        ("x = ", "", "é(\r", False),
        ("x = (", ")", "y|\n", True),
        ("x = (", ")", "f(|\n", False),
        ("", "", "\n|\n  |f(y)|\n", True),  # lines on which nothing stands are none
        ("", "", "\n|f(|\n", False),
        ("", "", "  \n", True),
    ],
)
def test_one_line_ends_only_where_it_is_whole(before: str, after: str, fed: str, whole: bool) -> None:
    rules = (Balance.at(before, after, python=False),)
    for pieces in (fed.split("|"), [*fed.replace("|", "")]):
        state: Guard | Refusal = Guard(rules, line=Line.BLANK)
        free: Guard | Refusal = Guard(rules)
        for piece in pieces:
            assert isinstance(state, Guard)
            assert isinstance(free, Guard)
            state, free = state.feed(piece.encode()), free.feed(piece.encode())
        assert isinstance(state, Guard) is whole
        assert isinstance(free, Guard)
