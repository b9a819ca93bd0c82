"""Programs in the decode loop: which texts they allow, alone and at a place of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.languages.ecmascript.written_types import script_type
from context_index.symbols import (
    ANY_VALUE,
    FunctionType,
    Language,
    Name,
    NameKind,
    Origin,
    SymbolContext,
    TypedName,
)
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState
from decoder.grammar import Entries
from decoder.program import Program, ProgramConstraint, ProgramError, ProgramTask, write
from decoder.program.combinators import (
    call_of,
    context_of,
    gen,
    members_of,
    num,
    obj,
    property_,
    str_,
    text,
)  # fmt: skip
from decoder.search import NotAccepted
from tests.decoder.program.walking import EXAMPLES, allows, walk
from tests.decoder.scripted import randomly
from tests.examples import examples

POST = (
    'fetch("https://api.example.com/users", {\n  method: "POST",\n  body: {\n    name: NAME,\n    email: "b",\n  },\n})'
)
IN_CONTEXT = 'fetch(URL, {\n  method: "POST",\n  body: {\n    name: NAME,\n    email: "b",\n  },\n})'
CASES = {
    "answer.js": {
        "Ultimate answer is to the life, universe and everything is 42": True,
        "Ultimate answer is to the life, universe and everything is 4": False,
        "Ultimate answer is to the life, universe and everything is 421": False,
    },
    "member.js": {"user": True, "user.name": True, "user.email": True, "user.age": False, "user.": False, "": False},
    "five_ways.js": {
        "meaningOfLife.answer": True, "meaningOfLife.question": True, "meaningOfLife.author.name": True,
        "meaningOfLife.author.born": True, "meaningOfLife.author.died": True,
        "meaningOfLife": False, "meaningOfLife.author": False, "meaningOfLife.name": False,
    },
    "computed.js": {
        "inventory.fruit[2]": True, "inventory.fruit[3]": False, "userMap[userId]": True,
        "window.localStorage.getItem(userMap[userId])": True, "window.localStorage.getItem(userMap)": False,
    },
    "requests.js": {
        'fetch("https://api.example.com/users?email=ann@example.com")': True,
        "fetch('https://api.example.com/users?email=a')": False,
        POST.replace("NAME", '"John Doe"'): True,
        POST.replace("NAME", '"John \\"'): False,
        POST.replace("NAME", "12"): False,
        POST.replace("\n", ""): False,
    },
    "repeated.js": {
        'fetch("https://api.example.com/users?email=a", {\n  headers: {\n    from: "a",\n  },\n})': True,
        'fetch("https://api.example.com/users?email=a", {\n  headers: {\n    from: "b",\n  },\n})': False,
    },
    "context.js": {
        IN_CONTEXT.replace("URL", "api.url").replace("NAME", "session.user.name"): True,
        IN_CONTEXT.replace("URL", '"/users"').replace("NAME", '"Ann"'): True,
        IN_CONTEXT.replace("URL", "api.url").replace("NAME", "session.user.age"): False,
        IN_CONTEXT.replace("URL", "api.public").replace("NAME", '"Ann"'): False,
    },
    "calculator.js": {
        "let apples = 3;\nlet price = 3.99;\nlet total = mul(apples, price);\nreturn total;": True,
        "let a = 1;\nreturn -0.5;": True,
        "return 1;": False,
        "let a = b;\nreturn a;": False,
        "let a = a;\nreturn a;": False,
        "let a = 1;\nlet a = 2;\nreturn a;": False,
        "let let = 1;\nreturn 1;": False,
        "let add = 1;\nreturn 1;": False,
        "let a = pow(1, 2);\nreturn a;": False,
        "let a = 1;\nreturn a": False,
        'let a = "1";\nreturn a;': False,
        "let a = 01;\nreturn a;": False,
    },
}  # fmt: skip
CASES["calculator_short.js"] = CASES["calculator.js"]


@pytest.mark.parametrize("name", CASES)
def test_examples_allow_what_the_article_shows(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        start = program.constraint()
        assert {written: allows(start, written) for written in CASES[name]} == CASES[name]


email = str_()


async def known() -> None:
    await context_of(members_of("user")(property_("mail")(str_), property_("age")(num)))
    await call_of("get")(str_("?q=", email), obj(property_("n")(num())))


def test_nothing_is_begun_that_cannot_go_on() -> None:
    state = Program.read("program.js", "async function main() { await manyOf(variable`x`(num())) }").constraint()
    once = state.advance("let x = 1;")
    assert isinstance(once, ProgramConstraint)
    assert isinstance(once.advance("\n"), Refusal)  # `x` cannot be declared twice


async def same_digit() -> None:
    await text(await gen(regex="[0-9]"))


@pytest.mark.parametrize(("written", "whole"), [("x122", True), ("x12", False), ("x1", False), ("x121", None)])
def test_a_program_begins_after_a_prefix(written: str, whole: bool | None) -> None:
    state = Program.of(same_digit).constraint("x1").advance(written)
    assert (None if isinstance(state, Refusal) else state.may_stop() is None) is whole


def name(written: str, kind: NameKind) -> Name:
    return Name(written, kind, Origin.LOCAL, 0, line=0)


class Types:
    """What a checker would say: types by their paths, and the statements that it takes."""

    TYPES = MappingProxyType({"rate": "number", "title": "string", "user": "User", "user.name": "string"})
    SIGNATURES = MappingProxyType({"bill": "(user: User, amount: number, note?: string) => void"})
    TAKEN = frozenset({
        "((_: number) => 0)(rate)", "((_: string) => 0)(title)", "((_: string) => 0)(user.name)",
        f"bill(user, {ANY_VALUE})", f"bill({ANY_VALUE}, rate)", f"bill({ANY_VALUE}, 0.8125)",
    })  # fmt: skip

    def of(self, names: Sequence[str], seconds: float | None = None) -> Mapping[str, TypedName]:
        del seconds
        return {one: TypedName(text, script_type(text)) for one in names if (text := self.TYPES.get(one)) is not None}

    def members(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, NameKind]]:
        return {path: {"name": NameKind.PROPERTY} if path == "user" else {} for path in paths}

    def signature(self, callee: str) -> TypedName:
        found = script_type(self.SIGNATURES.get(callee, "any"))
        return TypedName(None, found, found if isinstance(found, FunctionType) else None, why="it is a mystery")

    def accepted(self, statements: Sequence[str]) -> tuple[bool, ...]:
        return tuple(one in self.TAKEN for one in statements)


PLACE = SymbolContext(
    Language.TYPESCRIPT,
    {
        one: Name(one, NameKind.VARIABLE, Origin.LOCAL, 0, line=0)
        for one in ("rate", "title", "user", "bill", "mystery")
    },
    types=Types(),
)
CALLS = {"bill(user, rate)": True, "bill(user, 3)": True, "bill(rate, 3)": False, "bill(user, title)": False}


def test_a_call_takes_what_type_checks_at_the_place() -> None:
    with Program.load(EXAMPLES / "here.js", params={"function": "bill"}, symbols=PLACE) as program:
        start = program.constraint()
    assert {call: allows(start, call) for call in CALLS} == CALLS


@pytest.mark.parametrize(
    ("function", "said"),
    [("mystery", "nothing is known of what 'mystery' takes: it is a mystery"), ("nobody", "no function 'nobody'")],
)
def test_what_cannot_be_called_is_reported(function: str, said: str) -> None:
    program = Program.load(EXAMPLES / "here.js", params={"function": function}, symbols=PLACE)
    with program, pytest.raises(ProgramError, match=said):
        program.constraint()


def test_paths_of_the_place_fill_blanks_and_no_new_name_hides_them() -> None:
    body = "await contextOf(symbols); await variable`${id()}`(str()); await returnOf(str())"
    start = Program.read("program.js", f"async function main() {{ {body} }}", symbols=PLACE).constraint()
    texts = {
        "let a = user.name;\nreturn title;": True, "let a = title;\nreturn a;": True,
        "let a = rate;\nreturn title;": False, "let user = title;\nreturn title;": False,
        "let mystery = title;\nreturn title;": False,
    }  # fmt: skip
    assert {text: allows(start, text) for text in texts} == texts


@examples(40)
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(0, 200), max_size=8))
def test_portions_do_not_matter_and_states_stay_as_they_are(seed: int, cuts: list[int]) -> None:
    start = Program.of(known).constraint()
    written = walk(start, Random(seed), free=40)
    places = [0, *sorted(min(cut, len(written)) for cut in cuts), len(written)]
    state = start
    for first, last in pairwise(places):
        before = state
        fed = before.advance(written[first:last])
        assert not isinstance(fed, Refusal)
        assert isinstance(before.advance("\x00"), Refusal)
        state = fed
    assert state.readings == _fed(start, written).readings
    assert state.may_stop() is None


def _fed(start: ProgramConstraint, written: str) -> ProgramConstraint:
    state = start.advance(written)
    assert not isinstance(state, Refusal)
    return state


def test_programs_compose_with_syntax_and_scope() -> None:
    entry = Entries(Language.JAVASCRIPT).enter("", 0)
    scope = ScopeConstraint.of(entry, SymbolContext(Language.JAVASCRIPT, {"f": name("f", NameKind.FUNCTION)}))
    program = Program.read(
        "program.js", "async function main() { await gen({regex: /\\w/}); await $`(`; await gen({regex: /[\\d)]+;/}) }"
    )
    constraint = ConstraintState((program.constraint(), scope))
    assert not isinstance(constraint.advance(b"f(12);"), Refusal)
    refused = {text: constraint.advance(text) for text in (b"g(12);", b"f(1));", b"f(a", "f(é".encode()[:3])}
    rules = [refusal.rule if isinstance(refusal, Refusal) else None for refusal in refused.values()]
    assert rules == [Rule.SCOPE, Rule.SYNTAX, Rule.PROGRAM, Rule.ENCODING]


def at(prefix: str, suffix: str, body: str, *names: Name, language: Language = Language.JAVASCRIPT) -> ProgramTask:
    program = Program.read("program.js", f"async function main() {{ {body} }}")
    symbols = SymbolContext(language, {one.text: one for one in names})
    return ProgramTask(program, prefix=prefix, suffix=suffix, symbols=symbols, max_tokens=12)


def test_at_a_place_its_names_and_its_syntax_hold_too() -> None:
    names = (name("total", NameKind.VARIABLE), name("tax", NameKind.FUNCTION))
    task = at("const a = 1 + ", ";\n", "await gen({regex: /t[ao][a-z]{1,3}/})", *names)
    assert {write(randomly(seed), task).text for seed in range(12)} == {"total", "tax"}


def test_another_way_is_tried_where_rules_have_none_together() -> None:
    names = (name("total", NameKind.VARIABLE), name("tax", NameKind.FUNCTION))
    task = at("const a = 1 + ", ";\n", "await gen({regex: /t[ao][a-z]{2,3}/})", *names)
    assert {write(randomly(seed), task).text for seed in range(12)} == {"total"}
    alone = replace(task, symbols=None)
    assert len({write(randomly(seed), alone).text for seed in range(12)}) > 1


@pytest.mark.slow
def test_what_is_not_verified_is_written_otherwise() -> None:
    names = (name("total", NameKind.VARIABLE), name("tax", NameKind.FUNCTION))
    task = at("const a = 1 + ", ";\n", "await gen({regex: /t[ao][a-z]{1,3}/})", *names)
    for seed in range(12):
        for refused, other in (("total", "tax"), ("tax", "total")):
            judged: list[str] = []

            def verify(text: str, refused: str = refused, judged: list[str] = judged) -> NotAccepted | None:
                judged.append(text)
                return NotAccepted() if text == refused else None

            assert write(randomly(seed), task, verify=verify).text == other
            assert judged in ([other], [refused, other])
    with pytest.raises(ProgramError, match="nothing that the program writes is accepted at the place"):
        write(randomly(1), task, verify=lambda _: NotAccepted())


@pytest.mark.slow
@pytest.mark.parametrize("taken", [64, 65])
def test_after_64_texts_that_are_rejected_the_place_is_given_up(taken: int) -> None:
    program = Program.read("program.js", "async function main() { await gen({regex: /[0-9]{3}/}) }")
    judged: list[str] = []

    def verify(text: str) -> NotAccepted | None:
        judged.append(text)
        return None if len(judged) == taken else NotAccepted()

    with nullcontext() if taken <= 64 else pytest.raises(ProgramError, match="nothing that the program writes is acc"):
        assert write(randomly(1), ProgramTask(program), verify=verify).text == judged[-1]
    assert len(judged) == 64


def test_what_cannot_stand_at_the_place_is_reported() -> None:
    with pytest.raises(ProgramError, match=r"cannot stand at the place|nothing that it allows can follow"):
        write(randomly(1), at("const a = ", ";\n", "await $`return 1`"))
    with pytest.raises(ProgramError, match="writes javascript, and the file at the place is python"):
        write(randomly(1), at("a = ", "\n", "await $`1`", language=Language.PYTHON))
