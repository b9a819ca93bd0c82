"""Regular expressions of programs match what Python's own match."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from decoder.constraint.protocol import Refusal
from decoder.program import Program, ProgramError, gen
from decoder.program.regex import parse
from tests.examples import examples

EXPRESSIONS = (
    r"\d\d", r"a|b|", r"(ab)*c?", r"[^a-c]+", r"a{2,3}b{0}", r"(?:a|ab)(c|bcd)", r"\w+\s\W", r".{1,3}", r"[\d_-]x",
    r"((a*)*)*b", r"\x61\u0062\.", r"a+?b{1,}", r"^ab$", r"(?P<n>a)1", r"[\]a]\\",
)  # fmt: skip


def matches(expression: str, text: str) -> bool:
    async def main() -> None:
        await gen(regex=expression)

    state = Program.of(main).constraint().advance(text)
    return not isinstance(state, Refusal) and state.may_stop() is None


@pytest.mark.parametrize("expression", EXPRESSIONS)
@examples(30)
@given(data=st.data())
def test_expressions_match_as_in_python(expression: str, data: st.DataObject) -> None:
    pattern = re.compile(expression, re.ASCII)
    whole = st.from_regex(pattern, fullmatch=True)
    longer = whole.map(lambda text: (text + text[-1:])[-9:])  # short: Python tries all ways to match what it does not
    text = data.draw(st.one_of(whole, longer, st.text("abcdx10_-.\\] \n", max_size=6)))
    assume(not {"\r", "\u2028", "\u2029"} & {*text})  # which JavaScript's dot leaves out, too
    assert matches(expression, text) is (pattern.fullmatch(text) is not None)


REFUSED = {
    "(?=a)": "looks ahead", "(?<!a)b": "looks ahead", r"(a)\1": "refers back", "(a": "not closed", "a)": "not opened",
    "[b-a]": "backwards", "*a": "repeats nothing", "a^": "beginning only", r"\pL": "not known", "a{2000}": "0 to 1000",
    "[a": "too early", "a++": "repeated again", r"\00": "octal", "({2}a)": "repeats nothing",
    "a{2}{3}": "repeated again", "a{,3}": "write {0,3}", "(?<name": "'>' is missing", "(?P<name": "'>' is missing",
    r"\u{41": "'}' is missing", "(?P=name)": "refers back", "(?i:a)": "not known",
    "[^]]+": "first in brackets differently", "[]a]": "first in brackets differently",
}  # fmt: skip


@pytest.mark.parametrize("expression", REFUSED)
def test_what_cannot_be_followed_is_refused(expression: str) -> None:
    with pytest.raises(ProgramError, match=REFUSED[expression]):
        parse(expression)


@pytest.mark.parametrize(
    ("expression", "text", "allowed"),
    [
        (r"\S", "a", True),
        (r"\S", " ", False),
        (r"\S", "\xa0", False),
        (r"\S", "\ufeff", False),
        (r"\S", "\x1c", False),
        (".", "a", True),
        (".", "\r", False),
        (".", "\u2028", False),
    ],
)
def test_nothing_is_written_that_either_language_leaves_out(expression: str, text: str, allowed: bool) -> None:
    assert matches(expression, text) is allowed
