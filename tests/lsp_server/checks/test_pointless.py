"""What no compiler refuses and nobody means. `^` is the cursor; `=>` whether the suggestion is pointless there."""

from __future__ import annotations

import pytest

from context_index import Document, Edit, Language, parse
from lsp_server.checks.gate import judge
from lsp_server.checks.pointless import pointless
from lsp_server.suggestion import Withheld

AGAIN, NEVER, ITSELF, LOST = "says already", "reached", "to itself", "indented"
TWICE, EITHER, AFTER = "both sides", "either way", "named right before"
TEXT, TYPED, KEY, PASSING, DEFINED = "would be text", "which type", "key twice", "in passing", "defined there already"
LABEL = "label"
CASES = [
    (Language.PYTHON, "import re\n^\n", "import re", AGAIN),
    (Language.PYTHON, "import re\nimport ^\nimport json\n", "json", AGAIN),
    (Language.PYTHON, "import re\nimport ^\n", "json", None),
    (Language.PYTHON, "def f():\n    import re\ndef g():\n    ^\n", "import re", None),
    (Language.PYTHON, "    p.add(1, 2)\n    ^\n", "p.add(1, 2)", AGAIN),
    (Language.PYTHON, "    p.add(1, 2)\n    p.a^\n", "dd(1, 2)", AGAIN),
    (Language.PYTHON, "    p.add(1, 2)\n\n    ^\n", "p.add(1, 2)", AGAIN),
    (Language.PYTHON, "    p.add(1, 2)\n    ^\n", "p.add(1, 3)", None),
    (Language.PYTHON, "a = [\n    'a',\n    ^\n]\n", "'a',", None),
    (Language.PYTHON, "def f():\n    return 1\n    ^\n", "g()", NEVER),
    (Language.PYTHON, "def f():\n    ^\n    g()\n", "return 1", NEVER),
    (Language.PYTHON, "def f():\n    ^\n    # so\n    g()\n", "raise E", NEVER),
    (Language.PYTHON, "def f():\n    ^\n    g()\n", "if a:\n        return 1", None),
    (Language.PYTHON, "def f():\n    return ^\n    g()\n", "1", None),
    (Language.PYTHON, "def f():\n    return\n    ^\n", "yield", None),
    (Language.PYTHON, "def f():\n    return 1\n^\n", "g()", None),
    (Language.PYTHON, "def f():\n    ^\n", "a[0] = a[0]", ITSELF),
    (Language.PYTHON, "def f():\n    ^\n", "a = a", ITSELF),
    (Language.PYTHON, "^\n", "a = a", None),
    (Language.PYTHON, "class A:\n    ^\n", "a = a", None),
    (Language.PYTHON, "try:\n    ^\nexcept NameError:\n    a = str\n", "a = a", None),
    (Language.PYTHON, "class A:\n    if b:\n        ^\n", "a = a", None),
    (Language.PYTHON, "def f():\n    if b:\n        ^\n", "a = a", ITSELF),
    (Language.JAVASCRIPT, "^\n", "a = a;", ITSELF),
    (Language.JAVASCRIPT, "f((a, b) => ^);\n", "random() - random()", None),
    (Language.PYTHON, "a = ^\n", "b.pop() / b.pop()", None),
    (Language.JAVASCRIPT, "a = ^;\n", "b.c - b.c", TWICE),
    (Language.JAVASCRIPT, "a = ^;\n", "b() && b()", TWICE),
    (Language.PYTHON, "f(^)\n", "a=a", None),
    (Language.PYTHON, "^", "        # Examples", LOST),
    (Language.PYTHON, "a = 1\n^\nb = 1\n", "    # so", LOST),
    (Language.PYTHON, "a = 1\n    ^\nb = 1\n", "# so", LOST),
    (Language.PYTHON, "def f():\n^", "    # so", None),
    (Language.PYTHON, "def f():\n    a = 1\n^", "    # so", None),
    (Language.PYTHON, "a = 1\n^\n    b = 1\n", "    # so", None),
    (Language.PYTHON, "def f():\n    '''A.\n\n^\n    '''\n", "        # so", None),
    (Language.PYTHON, "a = 1  ^", "  # so", None),
    (Language.JAVASCRIPT, "^\na();\n", "  // so", LOST),
    (Language.JAVASCRIPT, "const a =\n^\nb();\n", "  /* so */ c();", None),
    (Language.JAVASCRIPT, "const a = 1;\n^\nb();\n", "  /* so */", LOST),
    (Language.JAVASCRIPT, "/*\n^\n*/\n", "  so it is", None),
    (Language.JAVASCRIPT, "import 'a';\nimport ^\nb();\n", "'a';", AGAIN),
    (Language.JAVASCRIPT, "app.use(a);\n^\n", "app.use(a);", AGAIN),
    (Language.JAVASCRIPT, "import {\n  a,\n} from 'a';\n^\n", "import {", None),
    (Language.JAVASCRIPT, "if (a) {\n  b();\n}\n^", "}", None),
    (Language.JAVASCRIPT, "f(() => {\n  ^\n  const a = 1;\n})\n", "return", NEVER),
    (Language.JAVASCRIPT, "function f() {\n  return 1;\n  ^\n}\n", "g();", NEVER),
    (Language.JAVASCRIPT, "function f() {\n  return g();\n  ^\n}\n", "function g() {}", None),
    (Language.JAVASCRIPT, "function f() {\n  ^\n  g();\n}\n", "if (a) return;", None),
    (Language.JAVASCRIPT, "switch (a) {\n  case 1:\n    ^\n    break;\n}\n", "return 1;", None),
    (Language.TYPESCRIPT, "^\n", "this.a = this.a;", ITSELF),
    (Language.TYPESCRIPT, "^\n", "a = b;", None),
    (Language.PYTHON, "if a and ^:\n    b()\n", "a", TWICE),
    (Language.PYTHON, "if a and ^:\n    b()\n", "c and a", None),
    (Language.PYTHON, "if c and a and ^:\n    b()\n", "a", TWICE),
    (Language.PYTHON, "if a and ^:\n    b()\n", "not a", None),
    (Language.PYTHON, "a = a ^\n", "| a", None),
    (Language.PYTHON, "if a ^:\n    b()\n", "!= a", None),
    (Language.JAVASCRIPT, "a = b || ^;\n", "b", TWICE),
    (Language.JAVASCRIPT, "a = b ^;\n", "/ (b - b)", TWICE),
    (Language.JAVASCRIPT, "a = b - c - ^;\n", "c", None),
    (Language.JAVASCRIPT, "a = ^;\n", "0 / 0", None),
    (Language.PYTHON, "a = ^\n", "b - b", TWICE),
    (Language.PYTHON, "a = ^\n", "b + b * b", None),
    (Language.JAVASCRIPT, "a = b && c || ^;\n", "b", None),
    (Language.TYPESCRIPT, "let a: 'x' | ^;\n", "'x'", TWICE),
    (Language.TYPESCRIPT, "let a: 'x' | 'y' | ^;\n", "'x'", TWICE),
    (Language.TYPESCRIPT, "let a: 'x' | ^;\n", "'y'", None),
    (Language.JAVASCRIPT, "a = b ? c : ^;\n", "c", EITHER),
    (Language.JAVASCRIPT, "a = ^;\n", "b ? f() : f()", EITHER),
    (Language.JAVASCRIPT, "a = b ? c : ^;\n", "b", None),
    (Language.JAVASCRIPT, "a = b ? /* so */ c : ^;\n", "c", EITHER),
    (Language.PYTHON, "a = c if b else ^\n", "c", EITHER),
    (Language.PYTHON, "a = c if b else ^\n", "b", None),
    (Language.JAVASCRIPT, "f(a, ^)\n", "a", AFTER),
    (Language.JAVASCRIPT, "f(a, ^)\n", "b, c", None),
    (Language.JAVASCRIPT, "f(a.b, ^)\n", "a.b", AFTER),
    (Language.JAVASCRIPT, "f(a.b, ^)\n", "a.c", None),
    (Language.JAVASCRIPT, "f(a, ^)\n", "b, a", None),
    (Language.JAVASCRIPT, "f(a, a, ^)\n", "b", None),
    (Language.JAVASCRIPT, "f(1, ^)\n", "1", None),
    (Language.JAVASCRIPT, "f(a(), ^)\n", "a()", None),
    (Language.JAVASCRIPT, "useEffect(() => {}, [a, ^]);\n", "a", AFTER),
    (Language.JAVASCRIPT, "a = { b, ^ };\n", "b", AFTER),
    (Language.PYTHON, "f(a, ^)\n", "a", AFTER),
    (Language.PYTHON, "a = b.zip(it, it)\nc = zip(b, ^)\n", "b", None),
    (Language.PYTHON, "a = zip(b, ^)\nc = d.zip(1, 2, *it, it, it)\n", "b", None),
    (Language.PYTHON, "a = zip(it, b)\nc = zip(b, ^)\n", "b", AFTER),
    (Language.PYTHON, "a = zip(it,\n        it)\nc = unzip(b, ^)\n", "b", AFTER),
    (Language.PYTHON, "a = ^\n", "zip(b, b)", AFTER),
    (Language.JAVASCRIPT, "a = new Range(pos, pos);\nb = new Range(^);\n", "a.b, a.b", None),
    (Language.JAVASCRIPT, "a = f(b.c, b);\nd = f(^);\n", "b, b", AFTER),
    (Language.JAVASCRIPT, "a = f(b, b);\nd = [^];\n", "b, b", AFTER),
    (Language.TYPESCRIPT, "a = f(b, b);\nd = f<B>(^);\n", "b, b", AFTER),
    (Language.PYTHON, "f(a, ^)\n", "b=a", None),
    (Language.PYTHON, "from a import ^\n", "a", None),
    (Language.JAVASCRIPT, "a = { b: 1, ^ };\n", "b: 2", KEY),
    (Language.JAVASCRIPT, "a = { b, c, ^ };\n", "b", KEY),
    (Language.JAVASCRIPT, "a = { ^ b: 1 };\n", "b: 2,", KEY),
    (Language.JAVASCRIPT, "a = { b: 1, b: 2, ^ };\n", "c: 2", None),
    (Language.JAVASCRIPT, "a = { b: 1, ...c, ^ };\n", "b: 2", None),
    (Language.JAVASCRIPT, "a = { b: 1, ^ };\n", "c: b", None),
    (Language.JAVASCRIPT, "a = { b: 1, c: { ^ } };\n", "b: 2", None),
    (Language.PYTHON, "a = {'b': 1, ^}\n", "'b': 2", KEY),
    (Language.PYTHON, "a = {'b': 1, **c, ^}\n", "'b': 2", None),
    (Language.TSX, "a = (\n  <b>\n    ^\n  </b>\n);\n", "const a = c();", TEXT),
    (Language.TSX, "a = (\n  <b>\n    ^\n  </b>\n);\n", "c();", TEXT),
    (Language.TSX, "a = (\n  <b>\n    ^\n  </b>\n);\n", "if you like", None),
    (Language.TSX, "a = (\n  <b>\n    ^\n  </b>\n);\n", "<c>It is so.</c>", None),
    (Language.TSX, "a = (\n  <b>\n    x = 1; <c>^</c>\n  </b>\n);\n", "so", None),
    (Language.PYTHON, "def f():\n    pass\n\n^\n", "def f(a):\n    return a", DEFINED),
    (Language.PYTHON, "def f():\n    pass\n\ndef ^\n", "f(a):\n    return a", DEFINED),
    (Language.PYTHON, "def f():\n    pass\n\ndef f^\n", "(a):\n    return a", None),
    (
        Language.PYTHON,
        "class A:\n    ^\n\n    def f(self):\n        pass\n",
        "def f(self, a):\n        return a",
        DEFINED,
    ),
    (Language.PYTHON, "class A:\n    def f(self):\n        pass\n\n^\n", "def f():\n    pass", None),
    (Language.PYTHON, "@a\ndef f():\n    pass\n\n^\n", "def f(a):\n    return a", None),
    (Language.PYTHON, "def f():\n    pass\n\n@a\n^\n", "def f(a):\n    return a", None),
    (Language.PYTHON, "if a:\n    def f():\n        pass\nelse:\n    ^\n", "def f():\n        pass", None),
    (Language.JAVASCRIPT, "^\n", "{ a } from: b;", LABEL),
    (Language.JAVASCRIPT, "a;\n^\n", "b: c", LABEL),
    (Language.JAVASCRIPT, "^\n", "a: for (;;) { break a; }", None),
    (Language.JAVASCRIPT, "^\n", "$: a = b;", None),
    (Language.PYTHON, "f(^)\n", "a:= b", PASSING),
    (Language.PYTHON, "f(^)\n", "a := b", None),
    (Language.PYTHON, "def f(self):\n    ^\n", "self.a.b: int", TYPED),
    (Language.PYTHON, "def f(self):\n    self.a.^\n", "b: int", TYPED),
    (Language.PYTHON, "def f(self):\n    ^\n", "self.a: int = 1", None),
    (Language.PYTHON, "def f(self):\n    ^\n", "self.a.b = 1", None),
]


@pytest.mark.parametrize(("language", "marked", "said", "why"), CASES)
def test_pointless(language: Language, marked: str, said: str, why: str | None) -> None:
    before, _, after = marked.partition("^")
    syntax = parse(Document("file:///a", language, before + after))
    edit = Edit(len(before), len(before), said)
    told = pointless(syntax.edited(syntax.document.edited([edit], 1), [edit]), len(before), len(before) + len(said))
    assert (told is None) is (why is None)
    assert why is None or why in (told or "")
    verdict = judge(syntax, len(before), said)
    assert why is None or (verdict.withheld, verdict.reason) == (Withheld.EMPTY, told)


@pytest.mark.parametrize("text", ["let a: " + " | ".join(f"'{n}'" for n in range(1_500)), "[" * 3_000 + "]" * 3_000])
def test_long_and_deep_texts_are_looked_at(text: str) -> None:
    syntax = parse(Document("file:///a", Language.TYPESCRIPT, f"{text};\n"))
    assert pointless(syntax, 0, len(text)) is None


def test_only_what_is_pointless_of_several_lines_is_left_out() -> None:
    syntax = parse(Document("file:///a", Language.PYTHON, "def f():\n    \n    g()\n"))
    assert judge(syntax, len("def f():\n    "), "a()\n    return 1").text == "a()"
