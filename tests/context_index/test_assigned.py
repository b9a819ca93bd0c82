"""Constants that are assigned: `^` stands before the word that declares one, `|` where its name is assigned."""

from __future__ import annotations

import pytest

from context_index import Document, Language, assigned_constants, parse

ASSIGNED = """
^const a = 1; |a = 2;
^const a = 1; |a += 2;
^const a = 1; function f() { --|a; }
^const { b, c: [a] } = d; |a++;
^const b = 1, a = 2; |a = b;
^const a = () => { |a = 1; };
for (^const a of b) { |a = 1; }
^const a = 1; for (|a of b) {}
^const a = 1; ({ |a } = b);
^const a = 1; ({ b: |a } = c);
^const a = 1; [b, ...|a] = c;
^const a = 1; ({ |a = 2 } = c);
export ^const a = 1; |a = 2;
let a;⏎{⏎^const a = 1;⏎|a = 2;⏎}
"""
FREE = """
let a = 1; a = 2;
var a = 1; a++;
const a = {}; a.b = 1;
const a = []; a[0]++;
const a = 1; function f(a) { a = 2; }
const a = 1;⏎{⏎let a;⏎a = 2;⏎}
for (let a of b) { a = 1; }
const b = 1; let a = b; a = 2;
a = 1;
const a = 1; for (const b of a) {}
const a = { a: 1 }; f({ a: 2 });
"""
CASES = [(line.replace("⏎", "\n"), True) for line in ASSIGNED.strip().splitlines()] + [
    (line.replace("⏎", "\n"), False) for line in FREE.strip().splitlines()
]


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.TYPESCRIPT])
@pytest.mark.parametrize(("line", "assigned"), CASES)
def test_assignments_to_constants(line: str, language: Language, *, assigned: bool) -> None:
    declared_at, assigned_at = line.replace("|", "").find("^"), line.replace("^", "").find("|")
    text = line.replace("^", "").replace("|", "") if assigned else line
    found = assigned_constants(parse(Document("untitled:a", language, text)))
    assert [(one.name, one.declared_at, one.assigned_at) for one in found] == (
        [("a", declared_at, assigned_at)] if assigned else []
    )


def test_one_line_with_two_declarations_of_a_name_is_left_alone() -> None:
    text = "const a = 1; { let a; a = 2; }"
    assert assigned_constants(parse(Document("untitled:a", Language.JAVASCRIPT, text))) == ()
