"""`gen` with a stop writes every text that ends with the stop and has it nowhere before; grammars say the same."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.grammar_engines import EbnfEngine, GbnfEngine, LarkEngine, LLGuidanceEngine
from decoder.constraint.protocol import Refusal
from decoder.program import Program, gen
from tests.examples import examples

STOPS = ("-->", "--", "aaa", "aab", "abab", "abcab", "aabaab", "*/", "</p>", "\n\n", "é-é", ".")
ENGINES = (LarkEngine, LLGuidanceEngine, GbnfEngine, EbnfEngine)


def program(stop: str) -> Program:
    async def main() -> None:
        await gen(stop_at=stop)

    return Program.of(main)


def is_written(stop: str, text: str) -> bool:
    """What the words of the documentation say."""
    return text.find(stop) == len(text) - len(stop) >= 0


def texts(stop: str, length: int) -> list[str]:
    """All texts up to a length of the stop's characters and another, each alone and with the stop after it."""
    characters = (
        "".join(drawn) for count in range(length + 1) for drawn in product(sorted({*stop, "x"}), repeat=count)
    )
    return [text + end for text in characters for end in ("", stop)]


def accepts(read: Program, text: str) -> bool:
    state = read.constraint()
    for character in text:
        after = state.advance(character)
        if isinstance(after, Refusal):
            return False
        state = after
    return state.may_stop() is None


@pytest.mark.parametrize("stop", STOPS)
def test_all_texts_up_to_the_first_stop(stop: str) -> None:
    read = program(stop)
    for text in texts(stop, 3):
        assert accepts(read, text) is is_written(stop, text), text


@examples(60)
@given(stop=st.text("ab-", min_size=1, max_size=6), text=st.text("ab-x", max_size=12), data=st.data())
def test_random_stops(stop: str, text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    read = program(stop)
    for one in (text, text + stop, text[:at] + stop, text[:at] + stop[:-1] + text[at:] + stop):
        assert accepts(read, one) is is_written(stop, one), one


@pytest.mark.parametrize("stop", STOPS)
def test_grammars_say_the_same(stop: str) -> None:
    lowered = {dialect: program(stop).lowered(dialect) for dialect in ("lark", "gbnf", "ebnf")}
    assert not any(one.approximated for one in lowered.values())
    for engine in ENGINES:
        name = "lark" if engine is LLGuidanceEngine else engine.__name__.removesuffix("Engine").lower()
        read = engine(lowered[name].text)
        for text in texts(stop, 3):
            assert read.accepts(text) is is_written(stop, text), (name, text)


def test_a_long_stop_is_a_short_grammar() -> None:
    stop = "<!-- the end of the answer, and of the whole document -->"
    lowered = program(stop).lowered("lark").text
    assert len(lowered) < 60 * len(stop)
    assert LarkEngine(lowered).accepts(f"<!--<!-- the end{stop}")
