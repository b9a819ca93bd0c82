"""What may follow, judged on the automaton. `¦` in a case stands before the first character that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Importable, Language, Name, NameKind, Origin, SymbolContext
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from tests.decoder.scripted import variables
from tests.examples import examples

CASES = Path(__file__).with_name("cases")
NAMES = {
    **variables("total", "items", "f", "g", "print", "any", distance=3),
    "User": Name("User", NameKind.INTERFACE, Origin.LOCAL, 3, is_type=True),
    "Shape": Name("Shape", NameKind.CLASS, Origin.LOCAL, 3),
    "Ns": Name("Ns", NameKind.NAMESPACE, Origin.LOCAL, 3),
}
FILES = (
    ("javascript", Language.JAVASCRIPT),
    ("python", Language.PYTHON),
    ("typescript", Language.TYPESCRIPT),
)


def cases() -> list[tuple[Language, str]]:
    found: list[tuple[Language, str]] = []
    for name, language in FILES:
        lines = (CASES / f"{name}.txt").read_text("utf-8").splitlines()
        found += [(language, line) for line in lines if line.strip() and not line.startswith("# ")]
    return found


def rule_at(
    language: Language,
    prefix: str = "",
    suffix: str = "",
    names: dict[str, Name] | None = None,
    *,
    importable: tuple[Importable, ...] = (),
    imports: bool = False,
) -> ScopeConstraint:
    symbols = SymbolContext(language, NAMES if names is None else names, importable)
    entry = Entries(language).enter(prefix + suffix, len(prefix))
    return ScopeConstraint.of(entry, symbols, imports=imports)


def refused_at(rule: ScopeConstraint, text: str) -> int | None:
    """Where the first character stands that is refused."""
    for at, character in enumerate(text):
        following = rule.advance(character)
        if isinstance(following, Refusal):
            return at
        rule = following
    return None


def at_mark(line: str) -> tuple[str, int | None]:
    """The text of a case, and where it is refused."""
    text = line.replace("⏎", "\n")
    mark = text.find("¦")
    return text.replace("¦", ""), None if mark < 0 else mark


@pytest.mark.parametrize(("language", "line"), cases())
def test_what_may_follow(language: Language, line: str) -> None:
    text, mark = at_mark(line)
    assert refused_at(rule_at(language), text) == mark


AROUND = """
function h(a) { ^      : return total; } h(total)
const k = 1; ^         : let k
const k = 1; { ^       : let k = 2
lab: for (;;) { ^      : break lab
for (;;) { ^           : break lab
const s = (p, ^        : q) => p + q
const s = (p, ^        : q) ¦+ 1
f(total, ^             : items)
total ^                : + ¦w
if (total) { ^         : } else { w¦
"""


@pytest.mark.parametrize("line", AROUND.strip().splitlines())
def test_what_may_follow_a_text_above(line: str) -> None:
    above, fed = line.split(" : ")
    prefix, (text, mark) = at_mark(above.strip().split("^")[0])[0], at_mark(fed.strip())
    declared = {
        "a": Name("a", NameKind.PARAMETER, Origin.LOCAL, 0, 0),
        "h": Name("h", NameKind.FUNCTION, Origin.LOCAL, 1, 0),
        "k": Name("k", NameKind.CONSTANT, Origin.LOCAL, 1 if "{" in prefix else 0, 7),
    }
    named = {text: name for text, name in declared.items() if f" {text}" in prefix or f"({text})" in prefix}
    found = refused_at(rule_at(Language.JAVASCRIPT, prefix, names={**NAMES, **named}), text + ";")
    assert found is None if mark is None else found is not None and found >= mark - 1


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.PYTHON, "fix + ﬁx"),
        (Language.PYTHON, "fix + ﬁx¦ed"),
        (Language.JAVASCRIPT, "fix + ¦ﬁx"),
    ],
)
def test_python_has_one_name_for_compatible_spellings(language: Language, line: str) -> None:
    text, mark = at_mark(line)
    assert refused_at(rule_at(language, names=variables("fix")), f"{text}\n") == mark


# where a suggestion may not end, with the name because of which
ENDS = {
    Language.JAVASCRIPT: """
total + items                         =>
total + ite                           => ite
total + tru                           => tru
total + true                          =>
total + "ite                          =>
total + `ite                          =>
total // ite                          =>
class A { #b; c() { return total + #b =>
let ite                               =>
""",
    Language.PYTHON: """
total + items                         =>
total + ite                           => ite
total + No                            => No
total + None                          =>
total + "ite                          =>
total + # ite                         =>
f(total + #ite                        =>
f(total, ite                          =>
ite                                   =>
""",
}


@pytest.mark.parametrize(
    ("language", "line"), [(language, line) for language in ENDS for line in ENDS[language].strip().splitlines()]
)
def test_where_a_suggestion_may_end(language: Language, line: str) -> None:
    text, name = (part.strip() for part in line.split("=>"))
    state = rule_at(language).advance(text)
    assert not isinstance(state, Refusal)
    assert state.may_stop() == (Refusal(Rule.SCOPE, name) if name else None)


def test_an_importable_name_is_a_reference_only_where_imports_are_wanted() -> None:
    importable = (Importable("helper", NameKind.FUNCTION, "./helper"),)
    text = "total = helper(items);"
    assert refused_at(rule_at(Language.JAVASCRIPT, importable=importable), text) is not None
    assert refused_at(rule_at(Language.JAVASCRIPT, importable=importable, imports=True), text) is None


ELSEWHERE = """
helper(total)                      => helper
f(helper)                          => helper
f(g(total, helper))                => helper
f(g(total, helper), helper)        => helper, helper
total = [f(helper), g(helper, 1)]  => helper, helper
f(helper for helper in items)      =>
f(g(total, helper) for x in items) => helper
"""


@pytest.mark.parametrize("line", ELSEWHERE.strip().splitlines())
def test_what_no_comprehension_binds_in_a_bracket_comes_from_elsewhere(line: str) -> None:
    text, expected = (part.strip() for part in line.split("=>"))
    names = tuple(name for name in expected.split(", ") if name)
    importable = (Importable("helper", NameKind.FUNCTION, "helpers"),)
    assert refused_at(rule_at(Language.PYTHON, importable=importable, imports=True), text + "\n") is None
    entry = Entries(Language.PYTHON).enter("", 0)
    some = ScopeConstraint.of(entry, SymbolContext(Language.PYTHON, NAMES, complete=False)).advance(text + "\n")
    assert not isinstance(some, Refusal)
    assert some.report().unlisted == names
    assert (refused_at(rule_at(Language.PYTHON), text + "\n") is None) is (not names)


def test_unknown_names_are_reported_where_not_all_names_are_known() -> None:
    symbols = SymbolContext(Language.PYTHON, NAMES, complete=False)
    entry = Entries(Language.PYTHON).enter("", 0)
    rule = ScopeConstraint.of(entry, symbols).advance("x = zebra + total\ny")
    assert not isinstance(rule, Refusal)
    assert rule.report().unlisted == ("zebra", "y")
    declared = rule.advance(" = 1\ny")
    assert not isinstance(declared, Refusal)
    assert declared.report().unlisted == ("zebra",)
    started = ScopeConstraint.of(entry, symbols).advance("class Zoo:\n    stripes")
    assert not isinstance(started, Refusal)
    assert not isinstance(started.advance(" = 1"), Refusal)
    assert started.report().unlisted == ("stripes",), "what it went on with before it was cut binds nothing"
    handled = ScopeConstraint.of(entry, symbols).advance("try: f()\nexcept zebra:")
    assert not isinstance(handled, Refusal)
    assert handled.report().unlisted == ("zebra",), "it is not decided yet what it is"


def test_refusals_say_whose_they_are() -> None:
    name = rule_at(Language.JAVASCRIPT).advance("total + w")
    assert isinstance(name, Refusal)
    assert (name.rule, name.what) == (Rule.SCOPE, "w")
    syntax = rule_at(Language.JAVASCRIPT).advance("total )")
    assert isinstance(syntax, Refusal)
    assert syntax.rule is Rule.SYNTAX


@examples(60)
@given(st.sampled_from(cases()), st.randoms(use_true_random=False))
def test_chunks_do_not_matter(case: tuple[Language, str], draw: object) -> None:
    language, line = case
    text, mark = at_mark(line)
    rule = rule_at(language)
    at = 0
    while at < len(text):
        size = draw.randint(1, 6)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
        following = rule.advance(text[at : at + size])
        if isinstance(following, Refusal):
            assert mark is not None
            assert at <= mark < at + size
            return
        rule, at = following, at + size
    assert mark is None


@examples(40)
@given(st.sampled_from(cases()), st.sampled_from(cases()))
def test_asking_in_vain_changes_nothing(case: tuple[Language, str], other: tuple[Language, str]) -> None:
    language, line = case
    text, mark = at_mark(line)
    rule = rule_at(language)
    for at, character in enumerate(text):
        rule.advance(at_mark(other[1])[0][:5])
        following = rule.advance(character)
        if isinstance(following, Refusal):
            assert at == mark
            return
        rule = following
    assert mark is None


@pytest.mark.parametrize("opening", ["total = ((", "total = (total, (total, (", "f((f, (items, "])
def test_nested_brackets_stay_few_readings(opening: str) -> None:
    rule = rule_at(Language.JAVASCRIPT).advance(opening)
    for _ in range(12):
        assert not isinstance(rule, Refusal)
        assert len(rule.state.versions) <= 16
        rule = rule.advance("(total, ")
