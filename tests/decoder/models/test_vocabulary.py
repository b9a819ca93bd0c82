"""Which tokens begin like a text: found by search, equal to looking at every token."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoder.choice import choose
from decoder.constraint.protocol import Rule
from decoder.constraint.state import ConstraintState
from decoder.models.vocabulary import Vocabulary

BYTES = st.binary(max_size=4) | st.text("ab\xff", max_size=4).map(lambda text: text.encode("latin-1"))
TOKENS = st.lists(BYTES, max_size=30)


def vocabulary(tokens: list[bytes]) -> Vocabulary:
    return Vocabulary(tokens, encode=lambda text: list(text.encode()), special={}, end=frozenset())


@given(tokens=TOKENS, prefix=BYTES)
def test_tokens_starting_with_a_prefix_are_all_found_in_the_order_of_their_bytes(
    tokens: list[bytes], prefix: bytes
) -> None:
    expected = sorted((text, token) for token, text in enumerate(tokens) if text and text.startswith(prefix))
    assert list(vocabulary(tokens).starting_with(prefix)) == [token for _, token in expected]


@given(tokens=TOKENS, text=BYTES)
def test_tokens_that_are_a_beginning_of_a_text_are_all_found_shortest_first(tokens: list[bytes], text: bytes) -> None:
    found = list(vocabulary(tokens).beginning_of(text))
    assert sorted(found) == [token for token, piece in enumerate(tokens) if piece and text.startswith(piece)]
    lengths = [len(tokens[token]) for token in found]
    assert lengths == sorted(lengths)


@given(tokens=TOKENS, text=BYTES.filter(bool))
def test_tokens_that_are_a_text_are_all_found(tokens: list[bytes], text: bytes) -> None:
    assert sorted(vocabulary(tokens).writing(text)) == [token for token, piece in enumerate(tokens) if piece == text]


def test_a_character_cut_in_two_is_whole_when_both_halves_are_there() -> None:
    both = vocabulary(["é".encode()[:1], "é".encode()[1:], b"x"])
    assert both.decode([2, 0, 1]) == "xé"
    assert both.decode([0, 2]) == "\ufffdx"
    assert both.size == 3
    assert both.longest == 1


PIECES = (b" response", b" re", b" ", b"s", b"re", b"r", b"e", b"<end>")


def longest_first(text: str) -> list[int]:
    """Cut as by a tokenizer that takes the longest piece."""
    left, tokens = text.encode(), []
    while left:
        token = next((token for token, piece in enumerate(PIECES) if left.startswith(piece)), None)
        tokens += [] if token is None else [token]
        left = left[len(PIECES[token]) if token is not None else 1 :]
    return tokens


CUT = Vocabulary(PIECES, encode=longest_first, special={}, end=frozenset({7}))


def test_what_begins_with_a_text_begins_with_few_tokens() -> None:
    assert CUT.first_of(" re") == {1}
    assert CUT.first_of(" r") == {1, 2}  # ` re` and ` r`
    assert CUT.first_of("r") == {4, 5}


def preferring(*tokens: int) -> np.ndarray:
    return np.array([10.0 - tokens.index(token) if token in tokens else 0.0 for token in range(len(PIECES))])


def test_a_word_taken_back_is_written_as_the_tokenizer_cuts_it() -> None:
    choice = choose(preferring(3, 2, 1), ConstraintState(required_prefix=b" res"), CUT)
    assert choice is not None
    assert CUT.token_bytes[choice.token] == b" re"  # not the space, though the model prefers it
    assert [(token, refusal.rule) for token, refusal in choice.refused] == [(3, Rule.HEALING)]  # the favourite


def test_it_is_written_somehow_where_that_is_refused() -> None:
    choice = choose(preferring(1, 2), ConstraintState(required_prefix=b" res"), CUT, banned=frozenset({0, 1}))
    assert choice is not None
    assert CUT.token_bytes[choice.token] == b" "
