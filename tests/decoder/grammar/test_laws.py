"""Laws that hold for any text: chunking does not matter, states are values, both lexers are one."""

from __future__ import annotations

import gc
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.grammar import Entries, Grammar, State, automaton
from decoder.grammar.stack import StackNode
from tests.decoder.grammar.test_soundness import LANGUAGES, fixture
from tests.examples import examples

PIECES = st.sampled_from((
    *"x1={}()[]<>/\\.,:#\"'`é😀", "${", "=>", "/*", "*/", "\n", "\r\n", "\t", " ", "    ",
    "if", "async", "return", "function", "class A", "def f():",
))  # fmt: skip
TEXTS = st.lists(PIECES, max_size=12).map("".join)
LANGUAGE = st.sampled_from(list(Language))
INSIDE = {
    "template": (Language.JAVASCRIPT, "x = `", "`"),
    "block comment": (Language.TYPESCRIPT, "x\n/* ", "*/"),
    "docstring": (Language.PYTHON, 'x = """', '"""\n'),
    "string with holes": (Language.PYTHON, 'x = f"""', '"""\n'),
    "comments": (Language.PYTHON, "if x:\n    y\n# ", "\nz\n"),
}


def verdict(state: State | None) -> tuple[bool, bool, frozenset[str]]:
    return (False, False, frozenset()) if state is None else (True, state.complete(), state.expected())


@pytest.mark.slow
@settings(max_examples=80)
@given(LANGUAGE, TEXTS, st.lists(st.integers(0, 60), max_size=6))
def test_chunking_does_not_matter(language: Language, text: str, cuts: list[int]) -> None:
    start = Grammar.load(language).start()
    state: State | None = start
    for a, b in pairwise(sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})):
        state = state and state.advance(text[a:b])
    assert verdict(state) == verdict(start.advance(text))


LONG = st.lists(
    st.sampled_from(("some words", " ", "\n", "* ", "`", "${x}", '"', "\\n", "-->", "# ", "é", "{x}")), max_size=40
)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.sampled_from(tuple(INSIDE)), LONG, st.integers(1, 9))
def test_long_tokens_are_shortened_without_a_trace(name: str, pieces: list[str], width: int) -> None:
    language, head, end = INSIDE[name]
    text = head + "many words, " * 60 + "".join(pieces) + "more of them " * 3
    state: State | None = Grammar.load(language).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "LONG_TOKEN", 10**9)
        slow = Grammar.load(language).start().advance(text)
        slowly_ended = slow and slow.advance(end)
    for at in range(0, len(text), width):
        state = state and state.advance(text[at : at + width])
    assert verdict(state) == verdict(slow)
    assert verdict(state and state.advance(end)) == verdict(slowly_ended)


@examples(40)
@given(LANGUAGE, TEXTS, TEXTS, TEXTS)
def test_what_was_tried_and_dropped_leaves_no_trace(language: Language, before: str, tried: str, text: str) -> None:
    loaded = Grammar.load(language)
    tried_with, fresh = (Grammar(loaded.tables, loaded.lexer) for _ in range(2))
    state = tried_with.start().advance(before)
    if state is None:
        return
    state.advance(tried)
    assert verdict(state.advance(text)) == verdict(fresh.start().advance(before + text))


@pytest.mark.slow
@settings(max_examples=30)
@given(LANGUAGE, TEXTS)
def test_the_portable_lexer_says_the_same(language: Language, text: str) -> None:
    native, portable = (Grammar.load(language, portable=portable).start().advance(text) for portable in (False, True))
    assert verdict(native) == verdict(portable)


HALVES = (
    (Language.JAVASCRIPT, "x = `a\ud83d"),
    (Language.JAVASCRIPT, "x = `a\ud83db`\n"),
    (Language.TSX, "x = <p>a\ud83d"),
    (Language.PYTHON, 'x = f"a\ud83d'),
    (Language.PYTHON, 'x = """a\ud83d"""\n'),
)


@pytest.mark.parametrize(("language", "text"), HALVES)
def test_half_of_a_surrogate_pair_is_read(language: Language, text: str) -> None:
    native, portable = (Grammar.load(language, portable=portable).start().advance(text) for portable in (False, True))
    assert native is not None
    assert verdict(native) == verdict(portable)


@pytest.mark.slow
@settings(max_examples=8)
@given(st.sampled_from(sorted(LANGUAGES)), st.data())
def test_entering_after_edits_equals_entering_afresh(name: str, data: st.DataObject) -> None:
    language, text = LANGUAGES[name], fixture(name)
    kept = Entries(language)
    for _ in range(3):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(TEXTS) + text[at + data.draw(st.integers(0, 3)) :]
        cursor = data.draw(st.integers(0, len(text)))
        again, afresh = kept.enter(text, cursor), Entries(language).enter(text, cursor)
        assert verdict(again.state) == verdict(afresh.state)


@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
def test_there_is_a_state_exactly_where_the_text_above_parses(name: str) -> None:
    text = fixture(name)
    entries = Entries(LANGUAGES[name])
    for cursor in range(0, len(text), 97):
        assert entries.enter(text, cursor).state is not None
    broken = text[:300] + ")]}" + text[300:]
    assert entries.enter(broken, len(broken)).state is None


@pytest.mark.slow
def test_stacks_are_freed_when_nothing_refers_to_them() -> None:
    def nodes() -> int:
        gc.collect()
        return sum(isinstance(thing, StackNode) for thing in gc.get_objects())

    grammar = Grammar(Grammar.load(Language.PYTHON).tables, Grammar.load(Language.PYTHON).lexer)
    before = nodes()
    for _ in range(2):
        state = grammar.start().advance(fixture("shop.py") * 6)
        assert state is not None
    del state
    assert nodes() - before < 60_000  # what the stepper remembers of late, and no more however much is fed
    grammar.automaton.forget()
    assert nodes() - before < 100


def test_a_scanner_forgets_the_file_before() -> None:
    text = "def f():\n    x\n"
    grammar = Grammar.load(Language.PYTHON)
    assert grammar.start().advance('f"{x') is not None
    assert verdict(grammar.start().advance(text))[:2] == (True, True)


# Two comments, and blanks after something that is no token either: the scanner has decided neither.
BEFORE = {
    ("x = 1\n# c\n# d", "x = 1\\\n|    |y"): Language.PYTHON,
    ('"""a"""\n# c\n# d', '"""a"""\\\n|   |One two'): Language.PYTHON,
    ("x = 1 // a\n// b", "x = 1\n/* a */|  |y z"): Language.JAVASCRIPT,
    ("x = 1\n/* a */ // b", "x = 1\n/* a */|  |y z"): Language.TYPESCRIPT,
}


@pytest.mark.parametrize(("before", "refused"), BEFORE)
def test_what_was_read_elsewhere_changes_nothing(before: str, refused: str) -> None:
    grammar = Grammar.load(BEFORE[before, refused])
    fresh = Grammar(grammar.tables, grammar.lexer)
    assert fresh.start().advance(before) is not None
    state: State | None = fresh.start()
    for piece in refused.split("|"):
        state = state and state.advance(piece)
    assert state is None
