"""A mask says of every text what feeding it would say."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.masks import LateError, Masker
from decoder.grammar.pinned import capsule
from tests.decoder.grammar.test_laws import LANGUAGE, TEXTS
from tests.decoder.grammar.test_soundness import LANGUAGES, fixture

ODDITIES = (
    "",
    "\0",
    "é",
    "😀",
    "中文",
    "\r\n",
    "\\",
    "\\n",
    "'''",
    '"""',
    "*/",
    "/*",
    "//",
    "#!",
    "0x",
    "1e",
    "1.",
    "...",
    "=>",
    *(
        "enum",
        "index",
        "inside",
        "utt",
        "rb",
        "Nx",
        "0b1",
        "1f",
        "e5",
        "x1f",
        "a,a",
        "a, b",
        "b)",
        "a =",
        ") =>",
        "c, c",
    ),
)
PREFIXES = (*("".join(letters) for letters in product("bfrut", repeat=2)), "utf", "buff", "rbr", "turf")
"""Words that may all be prefixes of strings, as far as a scanner sees."""
BLANKS = (*(" " * width for width in range(1, 9)), *("\n" + " " * width for width in range(9)), "\n\n", "\t", "\n\t")


@cache
def texts() -> tuple[str, ...]:
    """What a vocabulary has: pieces of code of all lengths, white space before and within them, and oddities."""
    found = {*ODDITIES, *PREFIXES, *BLANKS}
    for name in LANGUAGES:
        text = fixture(name)
        found |= {text[at : at + width] for width in (1, 2, 3, 5, 8) for at in range(width, len(text), 29)}
    return tuple(sorted(found))


@cache
def masker(language: Language) -> Masker:
    automaton = Grammar.load(language).automaton
    return Masker(automaton.tables, automaton.reader, texts())


def check(language: Language, before: str) -> None:
    state = Grammar.load(language).start().feed(before)
    if state is None:
        return
    asked = [state.feed(text) is not None for text in texts()]
    for _ in range(2):  # found anew or remembered, then certainly remembered
        said = masker(language).mask(state)
        wrong = [text for text, one, other in zip(texts(), said, asked, strict=True) if one != other]
        assert not wrong, before[-40:]


def test_what_is_remembered_is_bounded() -> None:
    automaton = Grammar.load(Language.PYTHON).automaton
    bounded = Masker(automaton.tables, automaton.reader, texts(), most=400_000)
    text = fixture("shop.py")
    largest = dropped = before = 0
    for at in range(0, len(text), 211):
        state = Grammar.load(Language.PYTHON).start().feed(text[:at])
        assert state is not None
        said = bounded.mask(state)
        assert (said == masker(Language.PYTHON).mask(state)).all(), text[:at][-40:]
        largest, dropped, before = max(largest, bounded.size), dropped + (bounded.size < before), bounded.size
    assert dropped
    assert largest < 4_000_000  # one place more, at most


@pytest.mark.parametrize(
    ("language", "before"), [(Language.PYTHON, "x = f'a{b} "), (Language.TSX, "x = <A>text {"), (Language.TSX, "f(a, ")]
)
def test_who_is_late_gets_no_mask_and_spoils_none(language: Language, before: str) -> None:
    automaton = Grammar.load(language).automaton
    hurried = Masker(automaton.tables, automaton.reader, texts())
    state = Grammar.load(language).start().feed(before)
    assert state is not None
    late = 0
    for most in range(0, 10_000, 7):
        asked = iter([False] * most)
        try:
            said = hurried.mask(state, partial(next, asked, True))
        except LateError:
            late += 1
        else:
            break
    assert late > 3
    assert said.tolist() == masker(language).mask(state).tolist()


@pytest.mark.parametrize(
    ("language", "first", "then"),
    [
        (Language.PYTHON, "match com", "match c"),
        (Language.TYPESCRIPT, "type A<T> = T extends infer K ? (K exte", "type A<T> = T extends infer K ? (K extends"),
    ],
)
def test_unfinished_words_are_told_apart(language: Language, first: str, then: str) -> None:
    """What may follow one word is no answer for another that may become a keyword."""
    check(language, first)
    check(language, then)


@pytest.mark.parametrize(
    ("language", "before"),
    [
        (Language.TSX, "x = <A b={c"),
        (Language.TSX, "x = <A>text {"),
        (Language.TSX, "x = <A b='c"),
        (Language.TSX, "x = <A><B></"),
        (Language.JAVASCRIPT, "x = <a.b c"),
        (Language.JAVASCRIPT, "<<"),
        (Language.PYTHON, "class A:\n    def f(self):\n        if x:\n            y\n    "),
        (Language.PYTHON, 'def f():\n    """words of a text,\n    '),
        (Language.PYTHON, "async def f():\n    x = await "),
        (Language.PYTHON, "x = f(a,"),
        (Language.PYTHON, "x = 'a' + ("),
        (Language.PYTHON, "x = f'a"),
        (Language.JAVASCRIPT, "for (;;) { switch (x) { case 1: "),
        (Language.JAVASCRIPT, "x = `words of a text,\n    "),
        (Language.TYPESCRIPT, "f(a, (b + c"),
        (Language.TYPESCRIPT, "class A {\n  constructor() { super() }\n"),
        # words of strings that begin like keywords, and what a string of Python may take for more than its text
        (Language.PYTHON, "x = 'de"),
        (Language.PYTHON, "x = 'None"),
        (Language.PYTHON, "x = r'\\b"),
        (Language.PYTHON, "x = '{}[{"),
        (Language.PYTHON, 'x = """\n    '),
        (Language.JAVASCRIPT, "x = `if"),
        (Language.JAVASCRIPT, "x = `\n\t"),
        # tokens that are over before the texts begin
        (Language.PYTHON, "f(a,\n# words\n    "),
        (Language.PYTHON, "if x:\n    # words\n    "),
        (Language.JAVASCRIPT, "x = 1\n/** words */\n"),
        (Language.JAVASCRIPT, "class A { a() {}\n\tstatic get"),
        (Language.TYPESCRIPT, "f(a /* words */\n"),
        # tokens that leave a stack several ways, to be read again
        (Language.JAVASCRIPT, "let f = (size ="),
        (Language.JAVASCRIPT, "f(a, typeof b?"),
        (Language.TYPESCRIPT, "let f = (size?"),
    ],
)
def test_masks_of_elements_blocks_and_texts(language: Language, before: str) -> None:
    check(language, before)


@pytest.mark.parametrize("before", ["", "x = ", "f(a", "x = `a${", "if (x) ret", "x = /a"])
def test_the_mask_of_a_lexer_that_was_not_learned(before: str) -> None:
    grammar = Grammar.of_parser(capsule(Language.JAVASCRIPT))
    some = texts()[::9]
    state = grammar.start().feed(before)
    assert state is not None
    said = Masker(grammar.tables, grammar.automaton.reader, some).mask(state)
    assert said.tolist() == [state.feed(text) is not None for text in some]


def test_the_mask_of_a_grammar_without_a_scanner() -> None:
    grammar = Grammar.of_parser(pytest.importorskip("tree_sitter_json").language())
    some = ("", ",", '"', "{", "}", '"a"', ": 1", "[1, 2", " ]", "tru", "e", "x", "\n", "1.", '"a": {', " null", "é")
    masker = Masker(grammar.tables, grammar.automaton.reader, some)
    for before in ("", "{", '{"a"', "[1", '{"a": tr', '"x'):
        state = grammar.start().feed(before)
        assert state is not None
        assert masker.mask(state).tolist() == [state.feed(text) is not None for text in some], before


@pytest.mark.slow
@settings(max_examples=60)
@given(LANGUAGE, TEXTS)
def test_the_mask_of_any_text(language: Language, before: str) -> None:
    check(language, before)


@pytest.mark.slow
@settings(max_examples=120)
@given(st.sampled_from(sorted(LANGUAGES)), st.data())
def test_the_mask_within_real_files(name: str, data: st.DataObject) -> None:
    text = fixture(name)
    check(LANGUAGES[name], text[: data.draw(st.integers(0, len(text)))])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "before"),
    [
        *(
            (Language.JAVASCRIPT, text)
            for text in ("", "let x", "x = ", "x = '", "x = `a${b} ", "f(a, ", "if (x) ret", "a\n", "(a, b", "({if")
        ),
        *(
            (Language.PYTHON, text)
            for text in (
                "",
                "if x:\n    y",
                "if x:\n    y\n",
                "x = 'a",
                "def f(a, ",
                "x = [1,\n",
                "f'{",
                "if x:\n  y\ntr",
            )
        ),
        *((Language.TYPESCRIPT, text) for text in ("let x: ", "type A = ", "class A { ")),
    ],
)
def test_mask(language: Language, before: str) -> None:
    check(language, before)
