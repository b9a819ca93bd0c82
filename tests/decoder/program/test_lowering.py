"""Programs as grammars: the text of each dialect, and what no grammar can say."""

from __future__ import annotations

import sys

import pytest

from decoder.program import Program, ProgramError, gen, text
from tests.decoder.program.walking import EXAMPLES

FIVE = '"meaningOfLife.answer" | "meaningOfLife.question" | "meaningOfLife.author.name" | '
FIVE += '"meaningOfLife.author.born" | "meaningOfLife.author.died"'
EXACT = {
    "ebnf": f"text ::= {FIVE}\n",
    "lark": f"start: TEXT\nTEXT: {FIVE}\n",
    "gbnf": f"root ::= {FIVE}\n",
}


@pytest.mark.parametrize("dialect", EXACT)
def test_a_choice_is_lowered_exactly(dialect: str) -> None:
    with Program.load(EXAMPLES / "five_ways.js") as program:
        lowered = program.lowered(dialect)
    assert (lowered.text, lowered.approximated) == (EXACT[dialect], ())


APPROXIMATED = {
    "context.js": [],
    "requests.js": [],
    "repeated.js": ["repeated where the blank stands again"],
    "calculator.js": ["must be new and not reserved", "declared before it is used"],
}


@pytest.mark.parametrize("name", APPROXIMATED)
def test_what_a_grammar_cannot_say_is_reported(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        approximated = program.lowered("gbnf").approximated
    assert len(approximated) == len(APPROXIMATED[name])
    assert all(said in sentence for said, sentence in zip(APPROXIMATED[name], approximated, strict=True))


def test_types_become_rules_and_alternatives() -> None:
    with Program.load(EXAMPLES / "context.js") as program:
        text = program.lowered("gbnf").text
    assert '"fetch(" (string | "api.url" | "session.user.email" | "session.user.name") ", {\\n' in text
    assert '\nstring ::= "\\"" (' in text


BRANCHES = [
    (
        "if ((await gen({options: ['a', 'b']})) === 'b') await $`!`; await gen({regex: /x+/})",
        'root ::= "a" "x"+ | "b!" "x"+\n',
    ),
    ("for (const _ of [1, 2]) await oneOf($`a`, $`b`)", 'root ::= ("a" | "b") ("a" | "b")\n'),
    (
        "const n = Number(await gen({regex: /[0-2]/})); for (let i = 0; i < n; i++) await $`.`",
        'root ::= "0" | "1." | "2.."\n',
    ),
    ("const n = await gen({regex: /a{1,2}/}); await $`${n}`", 'root ::= "aa" | "aaaa"\n'),
    ("await gen({options: ['', 'a']})", 'root ::= ("a")?\n'),
    ("await $`a`; await gen({regex: /()*/})", 'root ::= "a"\n'),
    ("await manyOf()", 'root ::= ""\n'),
    (
        "await contextOf(membersOf`u`(property`ok`(bool), property`n`(num))); if (await bool() === 'u.ok') await $`!`",
        'root ::= "false" | "true" | "u.ok!"\n',
    ),
    ("if ((await bool()) === 'true') await $`!`", 'root ::= "false" | "true!"\n'),
    (
        "for (let i = 0; i < 40; i++) if (await gen({options: ['a', 'b']}) === 'b') return",
        "root ::= " + '"a" (' * 39 + '"a" | "b"' + ') | "b"' * 39 + "\n",
    ),
    ("const one = () => gen({regex: /a+/}); await one(); await $`.`", 'root ::= "a"+ "."\n'),
    ("await(gen({regex: /a+/}))", 'root ::= "a"+\n'),
    ("await (await gen({options: ['a', 'b']}) === 'a' ? $`1` : gen({regex: /2+/}))", 'root ::= "a1" | "b" "2"+\n'),
]


@pytest.mark.parametrize(("body", "grammar"), BRANCHES)
def test_every_branch_is_followed(body: str, grammar: str) -> None:
    assert Program.read("program.js", f"async function main() {{ {body} }}").lowered("gbnf").text == grammar


REFUSED = [
    (
        "const n = await gen({regex: /\\d+/}); await $`${n * n}`",
        r"program.js:1:35 for gen of /\\d\+/, .* more than 64 texts",
    ),
    ("await variable`x`(bool()); if (await bool() === 'x') await $`!`", "for a boolean"),
    ("if (await num() === '17') await $`!`", "program.js:1:29 for a number"),
    ("await Promise.resolve(gen({regex: /a+/})).then((it) => it === 'aa' && $`!`)", "for gen of /a\\+/"),
    ("const one = async () => { return gen({regex: /a+/}) }; if (await one()) await $`!`", "for gen of /a\\+/"),
    ("\n for await (const one of [gen({regex: /a+/})]) if (one === 'aa') await $`!`", "program.js:2 for gen of /a\\+/"),
    ("\n const [one] = await Promise.all([gen({regex: /a+/})]); await $`${one}`", "program.js:2 for gen of /a\\+/"),
    ("\n await $`a`; await callOf`if (x`(num())", r"\(at main \(program.js:2:20\)\)"),
    ("for (;;) await $`a`", "more than 200 parts in a row, the last at program.js:1:34"),
    pytest.param(
        "for (let i = 0; i < 40; i++) if ((await gen({options: ['a', 'b']})) === 'a') await $`!`",
        "1000 parts in all ways",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("body", "said"), REFUSED)
def test_programs_that_are_no_grammar_are_refused(body: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        Program.read("program.js", f"async function main() {{ {body} }}").lowered("lark")


async def asked() -> str:
    return await gen(options=("yes", "no"))


async def by_helper() -> None:
    await text("?")
    if await asked() == "yes":
        await gen(regex="!+")


async def by_number() -> None:
    for _ in range(int(await gen(regex="[0-9]+"))):
        await text(".")


def test_python_knows_where_it_waits_and_what_becomes_of_it() -> None:
    assert Program.of(by_helper).lowered("gbnf").text == 'root ::= "?" ("no" | "yes" "!"+)\n'
    with pytest.raises(ProgramError, match=r"test_lowering.py:\d+ for gen of /\[0-9\]\+/"):
        Program.of(by_number).lowered("gbnf")


async def until_no() -> None:
    for _ in range(199):
        if await gen(options=("yes", "no")) == "no":
            return


def test_choices_that_are_too_deep_for_python_are_refused() -> None:
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(500)  # how deep 1,000 reaches is not the same in all versions
    try:
        with pytest.raises(ProgramError, match="too many levels"):
            Program.of(until_no).lowered("gbnf")
    finally:
        sys.setrecursionlimit(usual)


def test_what_is_approximated_is_said_in_the_grammar() -> None:
    with Program.load(EXAMPLES / "repeated.js") as program:
        texts = (program.lowered("gbnf").text, program.lowered("lark").text, program.lowered("ebnf").text)
    begins = ("# approximated, wider: ", "// approximated, wider: ", "/* approximated, wider: ")
    assert all(text.startswith(begin) for text, begin in zip(texts, begins, strict=True))
