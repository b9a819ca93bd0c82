"""Where a text stands: brackets, strings, comments, and the tokens before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.languages.record import Lexis, StringForm
from context_index.symbols import Language
from decoder.lexical import Lexical, scan

# text => frames open at its end, innermost last
PLACES = {
    False: """
        f(a[                    => ( [
        function f(a            => (
        class A { m(            => class{ (
        class A { x = f(        => class{ (
        x = { m(                => object{ (
        x = { p: f(             => object{ (
        if (a) {                => {
        x = {                   => object{
        return {                => object{
        a => {                  => {
        <h1>{                   => {
        (a, b                   => (
        async (a                => (
        "a\\"b (                => "
        'it' + "                => "
        `a ${ b                 => ` ${
        `a ${ b } c             => `
        `a ${ {b: 1} } c        => `
        // it's (               => //
        /* it's ( */ (          => (
        x = /[/"]'/g; f(        => (
        a / b / f(              => (
        !/^a[(]/.test(          => (
        return /'/.test(        => (
        x++ / 2; '              => '
    """,
    True: """
        f(a[                    => ( [
        def f(a                 => (
        {'a': [                 => { [
        x = ''; f(              => (
        x = ''' it's (          => '''
        '''a 'b' ''' + f(       => (
        \"\"\"a \\\"\"\" b      => \"\"\"
        f"{a                    => f" f{
        f"{{a                   => f"
        f"{a!r:>{w}}" + f(      => (
        f"{n:#x}" + f(          => (
        rb'\\\\' + '            => '
        # it's (                => #
        x = a // b; f(          => (
        1.5.real.f(             => (
    """,
}


OTHER = Lexis(
    strings={
        '"': StringForm(hole="#{"),
        "'": StringForm(has_escapes=False),
        "`": StringForm(has_escapes=False, has_lines=True),
        '"""': StringForm(has_lines=True),
    },
    has_bare_headers=True,
)
"""Of no language: whatever a record can say of strings and braces that JavaScript's and Python's do not."""
OTHER_PLACES = """
    `a\\` + f(                => (
    `a\\n (                   => `
    `a ${ (                   => `
    "a #{ f(                  => " #{ (
    "a \\" (                  => "
    "a $ # { (                => "
    'a\\' + f(                => (
    '''a (                   => '
    \"\"\"a 'b' (            => \"\"\"
    if x > 0 {                => {
    for i := range x[1] {     => {
    if x == "a" {             => {
    x = {                     => object{
"""


@pytest.mark.parametrize("case", OTHER_PLACES.strip().splitlines())
def test_frames_by_what_a_record_says(case: str) -> None:
    text, frames = case.strip().rsplit(" => ", 1)
    assert list(Lexical(OTHER).advance(text.rstrip()).frames) == frames.split()


def _lexis(python: bool) -> Lexis:
    return (Language.PYTHON if python else Language.JAVASCRIPT).record.lexis


def _cases() -> list[tuple[bool, str, list[str]]]:
    cases = []
    for python, block in PLACES.items():
        for line in block.strip().splitlines():
            text, frames = line.strip().rsplit(" => ", 1)
            cases.append((python, text.rstrip(), frames.split()))
    return cases


@pytest.mark.parametrize(("python", "text", "frames"), _cases())
def test_which_frames_are_open(python: bool, text: str, frames: list[str]) -> None:
    assert list(Lexical(_lexis(python)).advance(text).frames) == frames


# Brackets, quotes, escapes and operators, dense enough to meet each other.
_SOUP = st.text(st.sampled_from("ab1 \n\\'\"`/*#(){}[]$=<>.:,;fr"), max_size=60)


@given(st.sampled_from([_lexis(python=True), _lexis(python=False), OTHER]), _SOUP, st.integers(0, 60))
def test_scanning_equals_stepping_in_any_portions(lexis: Lexis, text: str, cut: int) -> None:
    stepped = Lexical(lexis).advance(text)
    assert scan(scan(Lexical(lexis), text[:cut])[0], text[cut:])[0] == stepped
    assert Lexical(lexis).advance(text[:cut]).advance(text[cut:]) == stepped


@given(st.booleans(), _SOUP)
def test_least_depth_is_the_least_of_all_places(python: bool, text: str) -> None:
    state = Lexical(_lexis(python), frames=("(", "["))
    depths = [state.advance(text[:end]).depth for end in range(len(text) + 1)]
    assert scan(state, text)[1] == min(depths)
