"""A rewrite follows its original: what is expected next, what that does to the choice, and what it never changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.bias import Biases
from decoder.constraint.guard import Guard
from decoder.draft import Drafter
from decoder.models.vocabulary import Vocabulary
from decoder.rewriting import instruction
from decoder.rewriting.copy_bias import (
    BETWEEN_WORDS,
    INSTRUCTED,
    NAME,
    PAIR,
    PROSE,
    REPLACED,
    STRING,
    SURE,
    USUAL,
    WITHIN_WORD,
    CopyBias,
    Told,
)
from decoder.rewriting.following import Following
from decoder.rewriting.toward_bias import TowardBias
from decoder.sampling import SamplingOptions
from tests.decoder.draft.test_lossless import POLICIES, few_tokens
from tests.decoder.drafting import drafted
from tests.decoder.scripted import END, byte_vocabulary, token
from tests.examples import examples


def _longest_first(text: str) -> list[int]:
    """As tokenizers cut: the longest token that begins what is left."""
    tokens, rest = list[int](), text.encode()
    while rest:
        *_, longest = BYTES.beginning_of(rest)
        tokens.append(longest)
        rest = rest[len(BYTES.token_bytes[longest]) :]
    return tokens


BYTES = byte_vocabulary()
VOCABULARY = Vocabulary(BYTES.token_bytes, encode=_longest_first, special=BYTES.special, end=BYTES.end)
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
        ("f(x, a, a=a)", "f(x, b, ", "a=b"),  # that is what the argument is called
        ("let a = {a: a};", "let b = {", "a: b"),
        ("f(a);g(...a)", "f(b);g(...", "b)"),
        ('x = "{}{}".format(a.b, a.c)', 'x = f"{a.b}{a.', None),  # JavaScript
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


FORMATTED = 'x = "a %s: %s" % (b, c.d)\ny = "{}".format(x)\nz = "e"\n'


@pytest.mark.parametrize(
    ("written", "expected", "replaces"),
    [
        ("x = ", '"a %s:', False),
        ("x = f", '"a {b}: {c.d}"', True),
        ('x = f"a {', 'b}: {c.d}"', True),
        ('x = f"a {b}: {c.d', '}"\ny = ', True),
        ('x = f"a {b}: {c.d}"', "\ny = ", False),
        ('x = f"a {b}: {c.d}"\ny = ', 'f"{x}"', True),  # as before
        ('x = f"a {b}: {c.d}"\ny = f"{x}"\nz = ', '"e"', False),
        ('x = f"a {b}: {c.d}"\ny = "{}', '".format(x)', False),  # this one is kept
        ("x = f(", None, False),
    ],
)
def test_an_f_string_says_what_the_formatted_string_does(written: str, expected: str | None, replaces: bool) -> None:
    following = Following(FORMATTED, python=True)
    following.feed(written)
    found = following.expected()
    assert (found and found.text.startswith(expected or "?"), found and found.replaces) == (
        (True, replaces) if expected else (None, None)
    )


JOINED = "x = 'a ' + b + '.';\ny = \"c\" + d;\nz = 'e';\n"


@pytest.mark.parametrize(
    ("written", "expected", "replaces"),
    [
        ("x = ", "'a ' + b", False),
        ("x = `", "a ${b}.`;", True),
        ("x = `a ${", "b}.`;", True),
        ("x = `a ${b}.`", ";\ny", False),
        ("x = `a ${b}.`;\ny = ", "`c${d}`", True),  # as before
        ("x = `a ${b}.`;\ny = `c${d}`;\nz = ", "'e'", False),
        ('x = `a ${b}.`;\ny = "', 'c" + d', False),  # this one is kept
        ("x = 'a ' + b + '.';\ny = \"c\" + d;\nz = `", None, False),
    ],
)
def test_a_template_says_what_the_joined_string_does(written: str, expected: str | None, replaces: bool) -> None:
    following = Following(JOINED)
    following.feed(written)
    found = following.expected()
    assert (found and found.text.startswith(expected or "?"), found and found.replaces) == (
        (True, replaces) if expected else (None, None)
    )


def test_behind_a_name_that_may_be_replaced_so_the_rest_is_expected() -> None:
    for pairs, expected in (({"a": "total"}, ", b = f"), (None, None)):
        following = Following("a, b = f(a)", pairs=pairs)
        following.feed("total")
        found = following.expected()
        assert (found and found.text[:7]) == expected


def test_what_is_told_is_expected_from_the_start() -> None:
    following = Following("a = b.a + f(a, a=1)", told={"a": "total"})
    assert following.text == "total = b.a + f(total, a=1)"
    found = following.expected()
    assert found is not None
    assert found.replaces
    following.feed("a = b.a + f(")
    assert following.text == "a = b.a + f(a, a=1)"  # it was not


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
        ("", [], {b"total": BETWEEN_WORDS + USUAL}),
        ("to", [], {b"t": WITHIN_WORD + USUAL}),
        ("return", [], {}),
        ("amount = a.total + b\nreturn ", [], {b"a": REPLACED + USUAL}),
        ("am", ["amount", "total"], {b"o": INSTRUCTED}),
        ("amount = a.total + b\nreturn am", ["amount"], {b"o": REPLACED + USUAL + INSTRUCTED}),
        ("tot", ["totals"], {b"a": WITHIN_WORD + USUAL + INSTRUCTED}),
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
        ("total = f(", [], {b"total": BETWEEN_WORDS + NAME + USUAL}),
        ("total = f(", ["total"], {b"t": NAME, b"total": NAME, b"z": NAME}),
        ("total = f(total, a.", ["total"], {b"total": BETWEEN_WORDS + NAME + USUAL}),
        ("total = f(total, a.total)  # ", ["total"], {b"total": BETWEEN_WORDS + PROSE + USUAL}),
        ("total = f", [], {b"(": BETWEEN_WORDS + USUAL}),
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
    assert found == pytest.approx(BETWEEN_WORDS + (STRING + USUAL if expected.strip() == "plain" else 0))


def test_a_shorter_token_than_the_usual_one_means_something_else() -> None:
    found = raised("a.length", "a")
    assert found == {token(b".length"): BETWEEN_WORDS + USUAL}


@pytest.mark.parametrize(("original", "usual"), [("x('a')", USUAL + STRING), ("x('a' + b)", 0)])
def test_where_a_string_may_change_no_token_that_opens_it_is_the_usual_one(original: str, usual: float) -> None:
    opens = len(BYTES.token_bytes)
    quoting = Vocabulary([*BYTES.token_bytes, b"('"], encode=lambda _: [opens], special={}, end=BYTES.end)
    logits = np.zeros(quoting.size, dtype=np.float32)
    found = CopyBias(quoting, original).applied(logits, "x", Guard(), ())
    assert found[opens] == pytest.approx(BETWEEN_WORDS + usual)


def test_a_name_becomes_the_one_that_is_to_replace_it() -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    bias = CopyBias(VOCABULARY, CALL, ["zz"], ["total"], python=True, pairs={"total": "zz"})
    assert bias.applied(logits, "total = f(", Guard(), ())[ord("z")] == pytest.approx(NAME + PAIR)
    told = CopyBias(VOCABULARY, CALL, ["zz"], ["total"], python=True, told=Told({"total": "zz"}))
    assert told.applied(logits, "", Guard(), ())[ord("z")] == pytest.approx(REPLACED + USUAL + SURE)


def test_behind_the_whole_original_the_end_does() -> None:
    assert raised("f()", "f()") == {END: BETWEEN_WORDS}


def test_within_a_character_nothing_is_changed() -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    assert CopyBias(VOCABULARY, "é", ()).applied(logits, "�", Guard(partial=b"\xc3"), ()) is logits


@examples(60)
@given(st.data(), st.sampled_from(sorted(POLICIES)), st.integers(0, 50), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted(data: st.DataObject, policy: str, seed: int, temperature: float) -> None:
    among = [*b"ab( \n", END]
    original = "".join(data.draw(st.lists(st.sampled_from(["ab", "ba(", " ", "\n"]), max_size=20)))
    toward = data.draw(st.sampled_from(["", f"aab ab\n{original}", original.replace("ab", "aab")]))
    sampling = SamplingOptions(temperature=temperature, seed=seed)

    def written(drafter: Drafter | None) -> list[int]:
        bias = Biases(
            [CopyBias(VOCABULARY, original, ["aab"]), TowardBias(VOCABULARY, original, toward, python=True, sure=False)]
        )
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
        ("Sort rows.", {"rows"}),
        ("please sort the rows", {"rows"}),
        ("`sort` rows", {"sort", "rows"}),
        ("subTotal for total", {"subTotal", "total"}),
        ("sub_total for total", {"sub_total", "total"}),
        ("amount is a better name for total", {"amount", "better", "total"}),
        ("amount, not total", {"amount", "total"}),
    ],
)
def test_the_words_of_an_instruction_that_may_be_names(sentence: str, names: set[str]) -> None:
    assert instruction.names(sentence) == names
