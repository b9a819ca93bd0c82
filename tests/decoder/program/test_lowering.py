"""Programs as grammars: the text of each dialect, and what no grammar can say."""

from __future__ import annotations

import pytest

from decoder.program import Program, ProgramError
from tests.decoder.program.walking import EXAMPLES

FIVE = '"meaningOfLife.answer" | "meaningOfLife.question" | "meaningOfLife.author.name" | '
FIVE += '"meaningOfLife.author.born" | "meaningOfLife.author.died"'
EXACT = {
    "ebnf": f"text ::= ({FIVE})\n",
    "lark": f"start: TEXT\nTEXT: ({FIVE})\n",
    "gbnf": f"root ::= ({FIVE})\n",
}


@pytest.mark.parametrize("dialect", EXACT)
def test_a_choice_is_lowered_exactly(dialect: str) -> None:
    with Program.load(EXAMPLES / "five_ways.js") as program:
        lowered = {"ebnf": program.to_ebnf, "lark": program.to_lark, "gbnf": program.to_gbnf}[dialect]()
    assert (lowered.text, lowered.unsaid) == (EXACT[dialect], ())


UNSAID = {
    "context.js": [],
    "requests.js": [],
    "repeated.js": ["repeated where the blank stands again"],
    "calculator.js": ["must be new and not reserved", "declared before they are used"],
}


@pytest.mark.parametrize("name", UNSAID)
def test_what_a_grammar_cannot_say_is_told(name: str) -> None:
    with Program.load(EXAMPLES / name) as program:
        unsaid = program.to_gbnf().unsaid
    assert len(unsaid) == len(UNSAID[name])
    assert all(said in sentence for said, sentence in zip(UNSAID[name], unsaid, strict=True))


def test_types_become_rules_and_alternatives() -> None:
    with Program.load(EXAMPLES / "context.js") as program:
        text = program.to_gbnf().text
    assert '"fetch(" (string | "api.url" | "session.user.email" | "session.user.name") ", {\\n' in text
    assert '\nstring ::= "\\"" (' in text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if ((await gen({options: ['a', 'b']})) === 'b') await $`!`", "depends on what was written"),
        ("const n = await gen({regex: /\\d+/}); await $`${n * n}`", "depends on what was written"),
        ("for (;;) await $`a`", "does not end"),
    ],
)
def test_programs_that_are_no_grammar_are_refused(body: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        Program.javascript(f"async function main() {{ {body} }}").to_lark()
