"""Which tokens begin like a text: found by search, equal to looking at every token."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decoder.vocabulary import Vocabulary

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


def test_a_character_cut_in_two_is_whole_when_both_halves_are_there() -> None:
    both = vocabulary(["é".encode()[:1], "é".encode()[1:], b"x"])
    assert both.decode([2, 0, 1]) == "xé"
    assert both.decode([0, 2]) == "\ufffdx"
    assert both.size == 3
    assert both.longest == 1
