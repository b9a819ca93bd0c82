"""A rewrite follows its original: what is expected next, what that does to the choice, and what it never changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoder import instruction
from decoder.constraint.guard import Guard
from decoder.copy_bias import BETWEEN_WORDS, INSTRUCTED, INTO_WORD, NAME, PROSE, REPLACED, STRING, WITHIN_WORD, CopyBias
from decoder.draft import Drafter
from decoder.following import Following
from decoder.sampling import SamplingOptions
from tests.decoder.drafting import drafted
from tests.decoder.scripted import END, byte_vocabulary, token
from tests.decoder.test_draft_lossless import POLICIES, few_tokens

VOCABULARY = byte_vocabulary()
SUM = "total = a.total + b\nreturn total"


@pytest.mark.parametrize(
    ("original", "written", "expected"),
    [
        (SUM, "", "total = a"),
        (SUM, "tot", "al = a"),
        (SUM, "total", " = a"),
        (SUM, "total = a.", "total + b"),
        (SUM, SUM, ""),
        ("f()", "f()", ""),
        (SUM, "amount", None),  # nobody knows yet how long this goes on
        (SUM, "amount =", " a.total + b"),
        (SUM, "amount = a.total + b\nreturn ", "amount"),
        (SUM, "amount = a.total + b\nreturn am", "ount"),
        (SUM, "if z:\n    return\ntotal", None),  # the word may go on
        (SUM, "if z:\n    return\ntotal ", "= a.total"),
        (SUM, "if a is None:\n    return\ntotal = a.", "total + b"),  # `a` was found again by chance
        ("f(a, b)\ng(c)\nh(d)\n", "f(a, b)\nh(", "d)\n"),  # a line is gone
        ("x = f(a) + f(b)", "x = f(z, a) + f(", "b)"),
        ("let a = 1;\nlet b = a;\n", "const c = 1;\nlet b = ", "c;\n"),
        ("let a = 1;\nlet b = a;\nuse(a)", "const c = 1;\nlet b = a;\nuse(", "a)"),  # not replaced the second time
        ("a = 1\nb = 'a' + a\n", "c = 1\nb = '", "a' + c"),  # what a string says is another thing
        ("let a = 1;\nlet b = a;\n", "const a = 1;\n", "let b"),  # a keyword stands for itself alone
        ('x = "{}{}".format(a.b, a.c)', 'x = f"{a.b}{a.', None),  # the first one has been copied
    ],
)
def test_what_would_come_next(original: str, written: str, expected: str | None) -> None:
    following = Following(original)
    following.feed(written)
    found = following.expected()
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.text.startswith(expected)
        assert bool(found.text) == bool(expected)


TEXTS = st.text(st.sampled_from("ab_ \n(.=é"), max_size=24)


@given(TEXTS, TEXTS, st.lists(st.integers(0, 24), max_size=4))
def test_chunks_do_not_matter(original: str, written: str, cuts: list[int]) -> None:
    whole, parts = Following(original), Following(original)
    whole.feed(written)
    places = [0, *sorted(min(cut, len(written)) for cut in cuts), len(written)]
    for start, end in pairwise(places):
        parts.feed(written[start:end])
    assert parts.expected() == whole.expected()


@given(TEXTS)
def test_a_copy_is_foretold_to_its_end(original: str) -> None:
    following = Following(original)
    for place, character in enumerate(original):
        expected = following.expected()
        if expected is not None:
            assert original[place:].startswith(expected.text[: len(original) - place])
        else:
            assert place  # at the beginning it is known
        following.feed(character)


def raised(original: str, written: str, named: Sequence[str] = ()) -> dict[int, float]:
    """Tokens that become more probable, and by how many nats."""
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    found = CopyBias(VOCABULARY, original, named).applied(logits, written, Guard(), ())
    return {int(one): float(found[one]) for one in np.flatnonzero(found)}


@pytest.mark.parametrize(
    ("written", "named", "expected"),
    [
        ("", [], {b"t": BETWEEN_WORDS, b"total": BETWEEN_WORDS}),
        ("to", [], {b"t": WITHIN_WORD}),
        ("amount = a.total + b\nreturn ", [], {b"a": REPLACED}),
        ("am", ["amount", "total"], {b"o": INSTRUCTED}),
        ("tot", ["totals"], {b"a": WITHIN_WORD + INSTRUCTED}),
    ],
)
def test_tokens_that_go_on_so_become_more_probable(
    written: str, named: list[str], expected: dict[bytes, float]
) -> None:
    assert raised(SUM, written, named) == {token(piece): pytest.approx(nats) for piece, nats in expected.items()}


CALL = "total = f(total, a.total)  # total\n"


@pytest.mark.parametrize(
    ("written", "mentioned", "expected"),
    [
        ("total = f(", [], {b"t": BETWEEN_WORDS + NAME, b"total": BETWEEN_WORDS + NAME}),
        ("total = f(", ["total"], {b"t": NAME, b"total": NAME, b"z": NAME}),
        ("total = f(total, a.", ["total"], {b"t": BETWEEN_WORDS + NAME, b"total": BETWEEN_WORDS + NAME}),
        ("total = f(total, a.total)  # ", ["total"], {b"t": BETWEEN_WORDS + PROSE, b"total": BETWEEN_WORDS + PROSE}),
        ("total = f", [], {b"(": BETWEEN_WORDS}),
    ],
)
def test_what_stands_there_decides_how_much(written: str, mentioned: list[str], expected: dict[bytes, float]) -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    bias = CopyBias(VOCABULARY, CALL, ["zz"], mentioned, python=True)
    found = bias.applied(logits, written, Guard(), ())
    assert {int(one): float(found[one]) for one in np.flatnonzero(found)} == {
        token(piece): pytest.approx(nats) for piece, nats in expected.items()
    }


# where a quote is due; words that the instruction mentions behind #
STRINGS = """
f(^"text", a)               -> plain
f(^"", a)                   -> plain
f(^"text", a) # text        -> not
f(^"of %s", a)              -> not
f(^"of {}", a)              -> not
f(^"some" % a)              -> not
f(^"some".format(a))        -> not
f(^"some".upper())          -> plain
f(a, ^'some' + b)           -> not
f(a + ^'some')              -> not
f("some^")                  -> not
f(^"a
"                           -> not
"""


@pytest.mark.parametrize("case", STRINGS.strip().split("\nf(")[1:], ids=str)
def test_the_quote_of_a_string_that_nothing_is_put_into_is_kept(case: str) -> None:
    said, expected = f"f({case}".split("->")
    original, _, mentioned = said.rstrip(" ").partition(" #")
    written, rest = original.split("^")
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    bias = CopyBias(VOCABULARY, written + rest, mentioned=mentioned.split(), python=True)
    found = bias.applied(logits, written, Guard(), ())[ord(rest[0])]
    assert found == pytest.approx(BETWEEN_WORDS + (STRING if expected.strip() == "plain" else 0))


def test_a_token_that_begins_the_word_behind_a_sign_knows_more() -> None:
    found = raised("a.length", "a")
    assert found == {ord("."): BETWEEN_WORDS, token(b".length"): BETWEEN_WORDS + INTO_WORD}


def test_behind_the_whole_original_the_end_does() -> None:
    assert raised("f()", "f()") == {END: BETWEEN_WORDS}


def test_within_a_character_nothing_is_changed() -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    assert CopyBias(VOCABULARY, "é", ()).applied(logits, "�", Guard(partial=b"\xc3"), ()) is logits


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(POLICIES)), st.integers(0, 50), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted(data: st.DataObject, policy: str, seed: int, temperature: float) -> None:
    among = [*b"ab( \n", END]
    original = "".join(data.draw(st.lists(st.sampled_from(["ab", "ba(", " ", "\n"]), max_size=20)))
    sampling = SamplingOptions(temperature=temperature, seed=seed)

    def written(drafter: Drafter | None) -> list[int]:
        bias = CopyBias(VOCABULARY, original, ["aab"])
        return drafted(few_tokens(seed, among), drafter, sampling=sampling, bias=bias, max_tokens=32)[0]

    plain = written(None)
    draft = data.draw(st.sampled_from([list(original.encode()), plain, [*plain[:5], 40, *plain[5:]]]))
    assert written(POLICIES[policy](draft)) == plain


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Please rename `total`: it should read amount.", {"total", "amount"}),
        ("call it 'it'", {"it"}),
        ("rename $a to b2 everywhere", {"$a", "b2"}),
        ("", set()),
    ],
)
def test_the_words_of_an_instruction_that_may_be_names(sentence: str, names: set[str]) -> None:
    assert instruction.names(sentence) == names
