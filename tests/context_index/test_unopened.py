"""What a line has to leave open: `^` is the cursor."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from context_index import open_brackets, parse, unopened
from context_index.symbols import Language
from context_index.text import Document

JAVASCRIPT, TYPESCRIPT, PYTHON = Language.JAVASCRIPT, Language.TYPESCRIPT, Language.PYTHON
CASES = {
    "a block": (JAVASCRIPT, "if (a ^\n  b();\n}\n", "{"),
    "of a word": (TYPESCRIPT, "function f(byte^\n  return 1\n}\n", "{"),
    "a call with a function": (JAVASCRIPT, "function g() {\n  xs^\n    return 1;\n  });\n}\n", "({"),
    "one of two is open already": (JAVASCRIPT, "each(^\n  a();\n});\n", "({"),
    "an argument list": (PYTHON, "x = f^\n    1,\n    2,\n)\n", "("),
    "closed on a deeper line": (PYTHON, "x = f^\n      1,\n      2)\ny = 1\n", "("),
    "condition on two lines": (JAVASCRIPT, "if^\n    b) && c) {\n  d();\n}\n", "(("),
    "another block on the line that closes": (JAVASCRIPT, "try ^\n  a();\n} catch (e) {\n}\n", "{"),
    "after a bracket of its own": (JAVASCRIPT, "if (a) {\n  b();\n} else ^\n  c();\n}\n", "{"),
    "blank lines between": (JAVASCRIPT, "while (^\n\n  a();\n\n}\n", "{"),
    "what a line above has open": (JAVASCRIPT, "f(\n  a, b, ^\n    c: d\n  });\n", "{"),
    "on a level with the bracket that is closed": (JAVASCRIPT, "switch (x) {\ncase 1^\n  f();\n}\n", ""),
    "left of its block": (JAVASCRIPT, "x = {\nc^\n  d: 1,\n};\n", ""),
    "closed on a line that goes on": (JAVASCRIPT, "  useEffect(^\n    f();\n  }, [a]);\n", "({"),
    "the line that closes opens again": (JAVASCRIPT, "p.then(a ^\n  f();\n}, e => {\n});\n", "{"),
    "an argument on two lines": (PYTHON, 'f(\n    "a", "b^\n      "c")\n', ""),
    "an operand on two lines": (JAVASCRIPT, "f(\n    a +^\n      b);\nlet = ;\n", ""),
    "a value on two lines": (PYTHON, "X = {\n    'a': 1,\n    'b':^\n        2}\nx = = 1\n", ""),
    "the end of a block on a deeper line": (JAVASCRIPT, "g(function () {\n  f(a,\n    b^\n      .c); });\n", ""),
    "left of a long block": (JAVASCRIPT, "class A {\n" + "  a() {}\n" * 60 + "x.^\n  b() {\n  }\n}\n", ""),
    "a comment": (JAVASCRIPT, "if (a) // b^\n  f();\n}\n", ""),
    "a piece of a format": (PYTHON, 'def f^\n    if a:\n        return f"({a}){b}"\n', ""),
    "nothing is deeper": (JAVASCRIPT, "function f() {\n  x = ^\n}\n", ""),
    "a line of the block's own": (JAVASCRIPT, "function f() {\n  const a = [^\n  g();\n}\n", ""),
    "a colon": (PYTHON, "if ^\n    a()\nb()\n", ""),
    "code goes on on the line": (JAVASCRIPT, "if (^) {\n  b();\n}\n", ""),
    "it parses": (JAVASCRIPT, "f(a, {\n  b,^\n  c,\n});\n", ""),
    "the closing bracket is still to come": (JAVASCRIPT, "function f() {\n  if (^\n    a();\n", ""),
    "a long block": (JAVASCRIPT, "function f(^\n" + "  if (a) { b(); }\n" * 60 + "}\n", "{"),
    "carriage returns": (JAVASCRIPT, "if (a ^\r\n  b();\r\n}\r\n", "{"),
    "tabs": (TYPESCRIPT, "\tif (a ^\n\t\tb();\n\t}\n", "{"),
}


@pytest.mark.parametrize(("language", "code", "expected"), CASES.values(), ids=CASES)
def test_what_a_line_has_to_leave_open(language: Language, code: str, expected: str) -> None:
    above, below = code.split("^")
    assert unopened(parse(Document("file:///a", language, above + below)), len(above)) == expected


def test_of_formatted_code_it_is_what_the_line_had_open() -> None:
    chance, asked = random.Random(0), 0
    for path in sorted(Path(__file__).parents[2].glob("context_index/*.py")):
        text = path.read_text("utf-8")
        whole = parse(Document(path.as_uri(), PYTHON, text))
        lines = range(len(whole.document.lines) - 1)
        opening = [number for number in lines if whole.document.line_text(number).endswith(("(", "[", "{"))]
        for number in chance.sample(opening, min(6, len(opening))) + chance.sample(lines, 3):
            start, line = whole.document.lines[number], whole.document.line_text(number)
            offset = start + chance.randint(0, len(line))
            end = start + len(line)
            torn = Document(path.as_uri(), PYTHON, text[:offset] + text[end:])
            if found := unopened(parse(torn), offset):
                opened = [one.text for one in open_brackets(whole, end) if one.start >= start]
                assert found == "".join(opened), (path.name, number, line)
                asked += 1
    assert asked > 30
