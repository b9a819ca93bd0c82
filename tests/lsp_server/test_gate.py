"""What may be shown. `^` is the cursor; `=>` what is shown of the suggestion, or why nothing is."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.gate import judge, without_overlap
from lsp_server.suggestion import Withheld

CASES = [
    ("x = ^\n", "total", "total"),
    ("x = f(^)\n", "total)", "total"),
    ("x = f(^)\n", "total", "total"),
    ("x = f(^\n", "total)", "total)"),
    ("y; ^\n", "f(", Withheld.SYNTAX_ERROR),
    ("x = f(^)\n", "g(b)", "g(b)"),
    ("x = ^;\n", "b;", "b"),
    ("x = f(^\n", "total", "total"),  # no worse than before
    ("x = ^\n", "   \n ", Withheld.EMPTY),
    ("x = f(^)\n", ")", Withheld.REPEATS_FOLLOWING),
    ("const f ^= (a) => a;\n", "= (a)", Withheld.REPEATS_FOLLOWING),
    ("const x = ^items;\n", "itemCount + ", "itemCount +"),
    ("f(^response)\n", "respond, ", "respond,"),
    ("import React from ^\n\nconst a = 1;\n", "<!-->;", Withheld.SYNTAX_ERROR),
    ("f();\n^\nconst a = 1;\n", "export", Withheld.SYNTAX_ERROR),
    ("f();\n^\n{ g(); }\n", "label: throw", Withheld.SYNTAX_ERROR),
    ("if (!^\n  b();\n", "!(a) => {", Withheld.SYNTAX_ERROR),
    ("f(^ a);\n", "typeof", "typeof"),
    ("x = a.^\n", "new", "new"),
    ("f();\n^\ng();\n", "// this is new", "// this is new"),
    ("const f ^= (arg) => arg;\n", "= (str)", Withheld.REPEATS_FOLLOWING),
    ("throw ^new Error();\n", "new", Withheld.REPEATS_FOLLOWING),
    ("^\nreturn total;\n", "return total;", Withheld.REPEATS_FOLLOWING),
    ("y; ^\n", "f();\ny = (", "f();"),
    ("if (a) {\n  ^\n}\n", "b();\n  c(", "b();"),
    ("let s = '^';\n", "a'", "a"),
    ("x = total^\n", ";", Withheld.TRIVIAL),
    ("x = f(total^\n", ")", Withheld.TRIVIAL),
    ("x = f(total^\n", ");", ");"),
    ("^\ny = 1;\n", "if (a)", Withheld.SYNTAX_ERROR),
    ("^\n  y = 1;\n", "if (a)", "if (a)"),
    ("x = {\n  ^\n  // so\n  f(a) {},\n};\n", "get", Withheld.SYNTAX_ERROR),
    ("x = {\n  ^\n  // so\n  f(a) {},\n};\n", "get,", "get,"),
    ("{\n  ^\n    y();\n}\n", "x =", "x ="),
    ("{\n  ^\n  y();\n}\n", "x =", Withheld.SYNTAX_ERROR),
    ("^\n// so\ny = 1;\n", "x =", Withheld.SYNTAX_ERROR),
    ("^\ny = 1;\n", "a();\nif (a)", "a();"),
    ("^\ny = 1;\n", "x = a", "x = a"),
    ("^\n  .then(b);\n", "x = a", "x = a"),
    ("x = ^\n  b;\n}", "() => {", "() => {"),
    ("if (^\n  b;\n", "a)", "a)"),
    ("x = (\n  ^\n  b\n);\n", "a &&", "a &&"),
    ("x = (\n  ^\n  b\n);\n", "() => {\n    if (a)", Withheld.SYNTAX_ERROR),
    ("class A {\n  ^\n}\n", "constructor;", Withheld.SYNTAX_ERROR),
    ("class A {\n  ^\n}\n", "constructor() {}", "constructor() {}"),
    ("f = (\n  ^\n  b,\n  a = 1) => a;\n", "a,", Withheld.SYNTAX_ERROR),
    ("f = (\n  ^\n  b,\n  a = 1) => a;\n", "c = 1,", "c = 1,"),
    ("#ts\nfunction f(^, a?: B) {}\n", "a: A", Withheld.SYNTAX_ERROR),
    ("#ts\nfunction f(^) {}\n", "a.b: A", Withheld.SYNTAX_ERROR),
    ("#ts\nfunction f(^) {}\n", "a = b.c", "a = b.c"),
    ("function f(^) {}\n", "a.b", Withheld.SYNTAX_ERROR),
    ("#ts\nx = (^);\n", "a: A", Withheld.SYNTAX_ERROR),
    ("#ts\nx = (^) => a;\n", "a: A", "a: A"),
    ("#ts\n^\n", "return a;", Withheld.SYNTAX_ERROR),
    ("import a from 'a';\n^\n", "return a;", Withheld.SYNTAX_ERROR),
    ("if (a) ^\n", "return a;", "return a;"),
    ("#ts\nx = () => { ^ };\n", "return a;", "return a;"),
    ("#ts\ntype A =\n  ^\n  | B\n", "| {},\n", Withheld.SYNTAX_ERROR),
    ("#ts\ntype A =\n  ^\n  | B\n", "| {\n  } |", Withheld.SYNTAX_ERROR),
    ("#ts\ntype A =\n  ^\n  | B\n", "| C", "| C"),
    ("#ts\ntype A =\n  ^\n  | B\n", "|", Withheld.TRIVIAL),
    ("#ts\nx = f<\n  ^\n  <A>(b: A) => A\n>(c)\n", "<", Withheld.TRIVIAL),
    ("x = total ^ items\n", "+", Withheld.TRIVIAL),
    ("#ts\nfunction f(\n  a:\n    | B\n    ^\n    | C) {}\n", "[B]", Withheld.SYNTAX_ERROR),
    ("#ts\ntype A = B^\n", "[C]", "[C]"),
    ("import {\n  a,\n  ^\n} from 'a';\n", "default,", Withheld.SYNTAX_ERROR),
    ("import {\n  a,\n  ^\n} from 'a';\n", "default as b,", "default as b,"),
    ("function f() { ^ }\n", "super.g();", Withheld.SYNTAX_ERROR),
    ("class A extends B { f() { ^ } }\n", "super();", Withheld.SYNTAX_ERROR),
    ("class A extends B { f() { ^ } }\n", "return () => super.g();", "return () => super.g();"),
    ("class A extends B { f() { ^ } }\n", "return super;", Withheld.SYNTAX_ERROR),
    ("class A extends B { constructor() { ^ } }\n", "super(a);", "super(a);"),
    ("x = { f() { ^ } }\n", "super.g();", "super.g();"),
    ("class A extends B { ^ }\n", "x = super.g;", "x = super.g;"),
    ("x = {\n  ^\n}\n", "static f() {},", Withheld.SYNTAX_ERROR),
    ("x = {\n  ^\n}\n", "static() {},", "static() {},"),
    ("class A {\n  ^\n}\n", "static f() {}", "static f() {}"),
    ("#ts\ninterface A {\n  ^\n}\n", "async f(a);", Withheld.SYNTAX_ERROR),
    ("#ts\ninterface A {\n  ^\n}\n", "static a: B;", Withheld.SYNTAX_ERROR),
    ("#ts\ninterface A {\n  ^\n}\n", "readonly a: B;", "readonly a: B;"),
    ("#ts\ninterface A {\n  ^\n}\n", "f(a?: B, c: D): void;", Withheld.SYNTAX_ERROR),
    ("#ts\ninterface A {\n  ^\n}\n", "f(a?: B, c: D = 1, ...e: F): void;", "f(a?: B, c: D = 1, ...e: F): void;"),
    ("#ts\nfunction f(a?: B, ^) {}\n", "c: D", Withheld.SYNTAX_ERROR),
    ("#ts\nfunction f(a: B, ^) {}\n", "c?: D", "c?: D"),
    ("f(\n  ^\n  { a: 1 },\n);\n", "(b) =>", Withheld.SYNTAX_ERROR),
    ("class A {\n  ^\n  constructor() {}\n}\n", "constructor(a) {}", Withheld.SYNTAX_ERROR),
    ("class A {\n  ^\n}\n", "constructor(a) {}", "constructor(a) {}"),
    ("export { a };\n^\n", "export { default as a } from 'a';", Withheld.SYNTAX_ERROR),
    ("export { a };\n^\n", "export { a as b } from 'a';", "export { a as b } from 'a';"),
    ("switch (a) {\n  ^\n    b();\n  default:\n}\n", "default:", Withheld.SYNTAX_ERROR),
    ("switch (a) {\n  ^\n    b();\n  case c:\n}\n", "default:", "default:"),
    ("#py\nf(\n    a=1,\n    ^\n)\n", "a=2,", Withheld.SYNTAX_ERROR),
    ("#py\nx = f(^\ny = 1\n", "a=1, a=2)", Withheld.SYNTAX_ERROR),
    ("#py\nx = [\n    ^\n    a.b(1),\n]\n", "a.", Withheld.SYNTAX_ERROR),
    ("#py\nx = [\n    ^\n    -1,\n]\n", "1.", "1."),
    ("#py\nx = f(^\ny = 1\n", "a=1, b=2)", "a=1, b=2)"),
    ("#py\nprint 1\nx = f(^\ny = 1\n", "a=1, b=2)", "a=1, b=2)"),
    ("#py\nf(\n    a=1,\n    ^\n)\n", "b=2,", "b=2,"),
    ("#py\nx = 1\n^\ny = 2\n", "f(a=1, a=1)", Withheld.SYNTAX_ERROR),
    ("#py\ndef f():\n    ^\n    pass\n", "return 1", "return 1"),
    ("#py\ndef f():\n    ^\n    pass\n", "nonlocal a", Withheld.SYNTAX_ERROR),
    ("function f() {\n  ^\n}\n", "export const a = 1;", Withheld.SYNTAX_ERROR),
    ("^\n", "export const a = 1;", "export const a = 1;"),
    ("#ts\n^\n", "const a: A;", Withheld.SYNTAX_ERROR),
    ("#ts\n^\n", "declare const a: A;", "declare const a: A;"),
    ("#ts\n^\n", "namespace A { export const a = 1; }", "namespace A { export const a = 1; }"),
    ("#ts\n^\n", "for (const a of b) {}", "for (const a of b) {}"),
    ("#py\n^\ny = 1\n", "if x:", Withheld.SYNTAX_ERROR),
    ("#py\nx = 1\n^\n", "from __future__ import annotations", Withheld.SYNTAX_ERROR),
    ("#py\nx = 1\n^\n", "y = 1\nfrom __future__ import annotations", "y = 1"),
    ("#py\n'''x\n'''\n# y\n^\nx = 1\n", "from __future__ import division", "from __future__ import division"),
    ("#py\n^\n", "'x'\n'y'\nfrom __future__ import annotations", "'x'\n'y'"),
    ("#py\n^\nfrom __future__ import annotations\n", "import x", Withheld.SYNTAX_ERROR),
    ("#py\n^\nfrom __future__ import annotations\n", "# so it is", "# so it is"),
    ("#py\nfrom __future__ import annotations\n^\n", "import x", "import x"),
    ("#py\nx = 1\nfrom __future__ import annotations\n^\n", "import x", "import x"),
    ("#py\nimport x\n^\nfrom __future__ import annotations\n", "import y", "import y"),  # no worse than before
    ("#py\n^\n", "if x:\n    y = 1", "if x:\n    y = 1"),
    ("#py\n^\n    y = 1\n", "if x:", "if x:"),  # no worse than before
    ("#py\ndef f():\n    x = 1\n    ^\n", "return x\n    else:", "return x"),
]


NAMED = {"#py\n": ("a.py", Language.PYTHON), "#ts\n": ("a.ts", Language.TYPESCRIPT)}


@pytest.mark.parametrize(("place", "text", "expected"), CASES)
def test_what_is_shown(place: str, text: str, expected: str | Withheld) -> None:
    offset = place.index("^")
    name, language = NAMED.get(place[:4], ("a.js", Language.JAVASCRIPT))
    document = Document(f"file:///{name}", language, place.replace("^", "").replace("#ts", "   "))
    verdict = judge(parse(document), offset, text)
    assert (verdict.withheld or verdict.text) == expected
    assert bool(verdict.reason) == bool(verdict.withheld)


@pytest.mark.parametrize(
    ("text", "rest", "expected"),
    [("a)", ")", "a"), ("a", ")", "a"), ("a);", ");", "a"), ("a", "", "a"), ("f(x)", "f(x)", ""), ("a'", "';", "a")],
)
def test_the_rest_of_the_line_is_not_said_twice(text: str, rest: str, expected: str) -> None:
    assert without_overlap(text, rest) == expected
