"""A line has to leave open what a line below closes: until then neither it nor its statement ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.constraint.opening import Opening
from decoder.constraint.protocol import Refusal, Rule
from tests.decoder.scripted import letters

# text before ~ wanted ~ what is written, `|` before what is refused ~ whether it may end there; ⏎ is a line end
CASES = """
if (a             ~ {  ~ && b) {       ~ yes
if (a             ~ {  ~ && b)         ~ no
if (a             ~ {  ~ )|⏎           ~ no
if (a             ~ {  ~ ) b()|;       ~ no
for (let i = 0    ~ {  ~ ; i < n; i++) {  ~ yes
f(); xs.map       ~ ({ ~ ((x) => {     ~ yes
f(); xs.map       ~ ({ ~ ((x) => [     ~ no
each(             ~ ({ ~ {             ~ yes
x =               ~ (  ~ f(            ~ yes
x =               ~ (  ~ f(a)|⏎        ~ no
g(a,⏎  b,         ~ {  ~ {             ~ yes
}                 ~ {  ~ else {        ~ yes
p.then            ~ {  ~ (a => {       ~ yes
p.then            ~ {  ~ ({}, (        ~ no
if (a             ~ {  ~ ) {⏎  b();⏎}⏎ ~ yes
s =               ~ (  ~ "(            ~ no
s =               ~ (  ~ "(|⏎          ~ no
s =               ~ (  ~ `(⏎           ~ no
if (a             ~ {  ~ ) { // it's   ~ yes
if (a             ~ {  ~ ) { // it's⏎  ~ yes
s =               ~ (  ~ "(" + f(      ~ yes
"""


def _cases() -> list[tuple[str, ...]]:
    rows = (line.split("~") for line in CASES.strip().splitlines())
    return [tuple(cell.strip().replace("⏎", "\n") for cell in row) for row in rows]


@pytest.mark.parametrize(("above", "wanted", "written", "may_end"), _cases())
def test_a_line_ends_where_it_has_opened_what_is_wanted(above: str, wanted: str, written: str, may_end: str) -> None:
    accepted, _, refused = written.partition("|")
    state = Opening.at(above, wanted, language=Language.JAVASCRIPT).advance(accepted)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) == (may_end == "yes")
    if refused:
        assert state.advance(refused) == Refusal(Rule.OPENING, wanted)


@given(
    st.sampled_from(["", "if (a", "f(b, ", "x = `", "  } else "]),
    st.sampled_from(["{", "({", "(", "["]),
    st.text("ab(){}[];\n'`/ ", max_size=14),
    st.data(),
)
def test_it_does_not_matter_how_a_text_is_cut(above: str, wanted: str, text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    state = Opening.at(above, wanted, language=Language.JAVASCRIPT)
    whole, first = state.advance(text), state.advance(text[:cut])
    assert whole == (first if isinstance(first, Refusal) else first.advance(text[cut:]))
    stepwise: Opening | Refusal = state
    for letter in letters(text):
        stepwise = stepwise if isinstance(stepwise, Refusal) else stepwise.advance(letter.decode())
    assert whole == stepwise
