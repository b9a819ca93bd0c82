"""Closings: what is proposed at a cursor. With one of the proposals, every beginning of a file parses."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Language, parse
from decoder.closing import Closer
from decoder.grammar import Grammar
from tests.examples import examples

FIXTURES = Path(__file__).parent.parent / "grammar" / "fixtures"
FILES = {
    Language.JAVASCRIPT: "shop.js",
    Language.TYPESCRIPT: "shop.ts",
    Language.TSX: "panel.tsx",
    Language.PYTHON: "shop.py",
}
CASES = """
js   foo(a, {b^                              => })
js   foo(^)\\nbar();                           => nothing
js   const x = a ? ^                         => inscope_any:inscope_any
js   const x = a ? b ^: c;                   => nothing
js   if (x) {\\n  foo(`a${b^                   => }`);}
js   foo(`a^                                 => `)
js   foo(a, // x^                            => \\n)
js   /* note^\\nfoo();                         => */
js   class A extends ^                       => inscope_any{}
js   function f() {\\n  foo(() => {^\\n}\\nfoo(); => })
js   function f() {\\n  if (a) {^\\n  foo();\\n}  => nothing
js   import {a^                              => }from""
js   export function ^                       => inscope_any(){}
js   switch (a) {\\n  case ^                   => inscope_any:}
js   do {^                                   => }while(inscope_any)
js   'a^                                     => '
tsx  const e = <p>a^                         => </>
tsx  const e = <p onCl^                      => />
tsx  const e = <A b={c^/>;                   => }
ts   interface A {\\n  a: ^                    => inscope_any}
ts   type F<T extends string = string,^      => >=inscope_any
ts   const x: A<^                            => inscope_any>
ts   const f: (a: number^                    => )=>inscope_any
py   foo(a, {b^                              => })
py   [name.^ for name in rows]\\n              => inscope_any
py   x = f"{a^                               => }"
py   x = '''a^\\ny = 1\\n                      => '''
py   for x in y:^\\n    pass\\n                 => nothing
py   if a:\\n    b()\\nelse^                    => :
py   return a if b ^                         => else inscope_any
py   from a import ^                         => inscope_any
py   @a^                                     => \\nclass inscope_any:
py   class A:\\n    @a^                        => \\n    class inscope_any:
py   x = ..^                                 => .
py   x = a + \\\\^                             => \\ninscope_any
c    int f(int a) {\\n#if X\\n  g(^           => );\\n#endif\\n}
"""
SUFFIXES = {
    "js": Language.JAVASCRIPT,
    "ts": Language.TYPESCRIPT,
    "tsx": Language.TSX,
    "py": Language.PYTHON,
    "c": Language.C,
}


def unescaped(text: str) -> str:
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_cheapest_closing_is_proposed_first(case: str) -> None:
    marked, _, expected = case.partition("=> ") if " => {" not in case else case.rpartition("=> ")
    suffix, _, marked = marked.partition(" ")
    before, _, after = unescaped(marked.strip()).partition("^")
    proposals = Closer(SUFFIXES[suffix]).proposals(before, "", after)
    assert next(proposals) == ("" if expected.strip() == "nothing" else unescaped(expected.strip()))


def test_another_reading_of_a_bracket_is_proposed_as_well() -> None:
    assert ")=>inscope_any" in set(Closer(Language.TYPESCRIPT).proposals("const f = async (", "a", ""))


@pytest.mark.parametrize(
    ("language", "text", "continuations"),
    [
        (Language.TYPESCRIPT, "const x ", {"=inscope_any", ":inscope_any", ",inscope_any"}),
        (Language.JAVASCRIPT, "return ", {"inscope_any", "[]", "new inscope_any"}),
        (Language.JAVASCRIPT, "const f = async ", {"function(){}", "inscope_any=>inscope_any", "()"}),
        (Language.PYTHON, "from a import b, ", {"inscope_any"}),
        (Language.PYTHON, "return ", {"inscope_any", "not inscope_any", "[]"}),
        (Language.PYTHON, "x = a ", {"if inscope_any else inscope_any", ".inscope_any", "()"}),
    ],
)
def test_a_text_goes_on_with_each_kind_of_code(language: Language, text: str, continuations: set[str]) -> None:
    proposed = [*Closer(language).continuations("", text, "")]
    assert continuations <= set(proposed)
    broken = [one for one in proposed if parse(Document("file:///a", language, text + one)).errors]
    assert broken == []
    assert [*Closer(language).continuations("", "a b c", "")] == []


def test_nothing_is_proposed_for_what_does_not_parse() -> None:
    assert list(Closer(Language.JAVASCRIPT).proposals("a b ", "c", "")) == []
    assert list(Closer(Language.JAVASCRIPT).proposals("", "f()) ", "")) == []


def test_a_string_is_not_left_open_before_more_code() -> None:
    assert list(Closer(Language.PYTHON).proposals("print(", '"a', ")\n")) == []


def test_a_closer_follows_the_edits_of_its_document() -> None:
    closer = Closer(Language.PYTHON)
    assert next(closer.proposals("def f():\n    return ", "g(", "")) == ")"
    assert next(closer.proposals("class A:\n    x = ", "{", "")) == "}"


@pytest.mark.parametrize("language", FILES)
def test_a_closer_asked_from_many_lines_answers_as_a_new_one(language: Language) -> None:
    text = (FIXTURES / f"{FILES[language]}.txt").read_bytes().decode()
    chance = random.Random(7)
    closer, lines = Closer(language), [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    chosen = chance.sample(lines, 10)
    for _ in range(30):
        begin, cut = sorted((chance.choice(chosen), chance.randrange(len(text))))
        asked = text[begin:cut], text[cut : cut + 3], text[cut + 3 :]
        assert list(islice(closer.proposals(*asked), 3)) == list(islice(Closer(language).proposals(*asked), 3))


@pytest.mark.slow
@pytest.mark.parametrize("language", FILES)
@examples(100)
@given(seed=st.integers())
def test_every_beginning_of_a_file_parses_with_a_proposal(language: Language, seed: int) -> None:
    text = (FIXTURES / f"{FILES[language]}.txt").read_bytes().decode()
    chance = random.Random(seed)
    cut = chance.randrange(len(text))
    begin = chance.choice([0, cut, max(0, cut - 20)])
    proposals = Closer(language).proposals(text[:begin], text[begin:cut], "")
    closed = [text[:cut] + closing for closing in proposals]
    assert closed
    for one in closed:
        state = Grammar.load(language).start().advance(one)
        assert state is not None
        assert state.complete()
    assert any(not parse(Document("file:///a", language, one)).errors for one in closed)


def test_a_token_without_a_spelling_is_never_proposed() -> None:
    """Go's grammar reads a NUL where a file ends, which is cheaper than any text and none that could be written."""
    parser = pytest.importorskip("tree_sitter_go").language()
    grammar = Grammar.of_parser(parser)
    before = "package a\n\ntype T struct {"
    state = grammar.start().advance(before)
    assert state is not None
    tokens = next(grammar.closings({"identifier": 1.0}).of(state.ended()))
    assert "" not in tokens
    closed = grammar.start().advance(before + "".join(tokens))
    assert closed is not None
    assert closed.complete()
