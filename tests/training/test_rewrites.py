"""Rewrites: each kind does what its instruction says, and the result is what the compilers accept."""

import ast
import random
import re
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.random_programs import reads_javascript
from context_index.symbols import Language
from decoder.controller.quickjs import Machine
from training.rewrites import functions, javascript, javascript_functions, python, rewrites
from training.rewrites.javascript import make_original_for_const, use_arrow, use_const
from training.rewrites.javascript_templates import make_original_for_templates, use_templates
from training.rewrites.javascript_tokens import tokens
from training.rewrites.python import annotate_return
from training.rewrites.python_formatting import make_original_for_f_strings, use_f_strings
from training.rewrites.task import Function, Rewrite, new_name
from training.rewrites.wordings import PARTS, UNSEEN_WORDINGS, InstructionKind, UnseenDraw, draw_wording

PY, JS = Language.PYTHON, Language.JAVASCRIPT

CASES = [
    (PY, use_f_strings, 'def f(a, b):\n return "%s: %d" % (a, b.c)\n', 'def f(a, b):\n return f"{a}: {b.c:d}"\n'),
    (PY, use_f_strings, 'def f(a):\n    return "<{}>".format(a)\n', 'def f(a):\n    return f"<{a}>"\n'),
    (PY, use_f_strings, 'def f(a):\n    return "%5.2f" % a\n', None),
    (PY, use_f_strings, 'def f(a):\n    return "{}%".format(a)\n', None),
    (PY, use_f_strings, "def f(a):\n    return 5 % a\n", None),
    (PY, annotate_return, "def __init__(self):\n    self.a = 1\n", "def __init__(self) -> None:\n    self.a = 1\n"),
    (PY, annotate_return, "def __init__(self) -> None:\n    self.a = 1\n", None),
    (JS, use_const, "function f() {\n  var a;\n  h(a);\n}\n", "function f() {\n  let a;\n  h(a);\n}\n"),
    (JS, use_const, "function f() {\n  var a = 1;\n}\n", "function f() {\n  const a = 1;\n}\n"),
    (JS, use_const, "function f() {\n  var a = 1;\n  a++;\n}\n", "function f() {\n  let a = 1;\n  a++;\n}\n"),
    (JS, use_const, "function f(x) {\n  if (x) {\n    var a = 1;\n  }\n  return a;\n}\n", None),
    (JS, use_const, "function f() {\n  var a = 1;\n  var a = 2;\n}\n", None),
    (JS, use_arrow, "async function f(a) {\n  g(a);\n}\n", "const f = async (a) => {\n  g(a);\n};\n"),
    (JS, use_arrow, "function f() {\n  return this.a;\n}\n", None),
    (JS, use_arrow, "function f(n) {\n  return f(n - 1);\n}\n", None),
    (JS, use_templates, "function f(a) {\n  g('x ' + a + '!');\n}\n", "function f(a) {\n  g(`x ${a}!`);\n}\n"),
    (JS, use_templates, "function f(a) {\n  return 'x' + a.b;\n}\n", None),
    (JS, use_templates, "function f(a) {\n  return 1 + a;\n}\n", None),
    # a name that may mean two things
    (PY, python.rename, "def f(a):\n    def g(a):\n        return a\n    return g\n", None),
    (PY, python.rename, "def f(a):\n    return [a for a in range(3)]\n", None),
    (PY, python.rename, "def f(a):\n    return f'{a}'\n", None),
    (PY, python.rename, "def f():\n    global a\n    a = 1\n    return a\n", None),
    (PY, python.rename, "def f(a: a):\n    return a\n", None),
    (PY, python.rename, "def f(a=a):\n    return a\n", None),
    (PY, python.rename, "def f() -> a:\n    a = g()\n    return a\n", None),
    (PY, python.rename, "def f():\n    a: a = g()\n    return a\n", None),
    (PY, python.rename, "def f(**a):\n    a = dict(a)\n    return a\n", None),
    (PY, python.rename, "def f(*a):\n    a = list(a)\n    return a\n", None),
    (PY, python.extract_constant, "def f(a):\n    match a:\n        case 7:\n            return a\n", None),
    (JS, javascript.rename, "function f(a) {\n  return { a };\n}\n", None),
    (JS, javascript.rename, "function f(a) {\n  return { a: a };\n}\n", None),
    # without values or strings
    (PY, python.PLANTED, 'def f(a):\n    """Only words."""\n', None),
    (PY, python.PLANTED, "def f():\n    return 'no values'\n", None),
    (JS, javascript.PLANTED, "function f() {\n  return 'no values';\n}\n", None),
    (JS, javascript.PLANTED, "function f(a) {\n  return { 'some key': a };\n}\n", None),
]  # fmt: skip


@pytest.mark.parametrize(("language", "kind", "original", "expected"), CASES)
def test_certain_results(
    language: Language, kind: Callable[[Function, random.Random], Rewrite | None], original: str, expected: str | None
) -> None:
    for seed in range(10):
        made = kind(Function(language, original), random.Random(seed))
        assert (made.result if made else None) == expected


@pytest.mark.parametrize(
    ("text", "original"),
    [
        ("def f(a):\n    return f'<{a}>'\n", ["'<{}>'.format(a)", "'<%s>' % a"]),
        ("def f(a, b):\n    g(f'{a}: {b.c}', b)\n", ["'{}: {}'.format(a, b.c)", "'%s: %s' % (a, b.c)"]),
        ("def f(a):\n    return f'<{a}>'.strip()\n", ["'<{}>'.format(a)"]),  # `%` would take the stripped value
        ("def f(a):\n    return f'<{a}>' * 3\n", ["'<{}>'.format(a)", "'<%s>' % a"]),
        ("def f(a):\n    return 3 * f'<{a}>'\n", ["'<{}>'.format(a)"]),
        ("def f(a):\n    return f'{a:>3}'\n", []),
    ],
)
def test_an_f_string_is_undone_only_where_it_means_the_same(text: str, original: list[str]) -> None:
    made = [make_original_for_f_strings(Function(PY, text), random.Random(seed)) for seed in range(20)]
    assert all(one.result == text for one in made if one)
    assert {one.original for one in made if one} == {re.sub(r"f'.*'", lambda _: way, text) for way in original}  # noqa: B023


@pytest.mark.parametrize(
    ("undone", "text", "original"),
    [
        (make_original_for_templates, "`x ${a}!`", "'x ' + a + '!'"),
        (make_original_for_templates, "`x ${a}`.trim()", None),
        (make_original_for_const, "const b = a; g(b)", "var b = a; g(b)"),
        (make_original_for_const, "let b = a; b++", "var b = a; b++"),
        (make_original_for_const, "let b = a; g(b)", None),
        (make_original_for_const, "let b", "var b"),
    ],
)
def test_javascript_is_undone_only_where_it_means_the_same(
    undone: Callable[[Function, random.Random], Rewrite | None], text: str, original: str | None
) -> None:
    around = "function f(a) {\n  *;\n}\n"
    made = undone(Function(JS, around.replace("*", text)), random.Random(0))
    assert (made.original if made else None) == (original and around.replace("*", original))


def test_rename_changes_the_name_and_nothing_else() -> None:
    original = 'def f(item, *, n=1):\n    """About item."""\n    item.n = item[n]\n    return [n for x in item]\n'
    for seed in range(20):
        made = python.rename(Function(PY, original), random.Random(seed))
        assert made is not None
        (new,) = set(re.findall(r"\w+", made.result)) - set(re.findall(r"\w+", original))
        old = next(word for word in re.findall(r"\w+", made.instruction) if word in ("item", "n"))
        assert new in made.instruction
        assert made.result.count(new) >= 2
        assert re.sub(rf"\b{new}\b", old, made.result) == original
        assert '"""About item."""' in made.result


@pytest.mark.parametrize("seed", range(5))
def test_new_names_follow_the_style_of_the_old(seed: int) -> None:
    draw, function = random.Random(seed), Function(PY, "")
    assert new_name("MAX_SIZE", function, set(), draw, camel=True).isupper()
    assert "_" not in new_name("maxSize", function, set(), draw, camel=False)
    assert new_name("max_size", function, set(), draw, camel=True).islower()
    assert new_name("Size", function, set(), draw, camel=False)[0].isupper()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("like", "camel", "style"),
    [
        ("_private", False, r"_[a-z]+(_[a-z]+)*"),
        ("__mangled", False, r"__[a-z]+(_[a-z]+)*"),
        ("class_", False, r"[a-z]+(_[a-z]+)*"),
        ("_two_words", True, r"_[a-z]+(_[a-z]+)*"),
        ("_twoWords", False, r"_[a-z]+([A-Z][a-z]+)*"),
        ("_private", True, r"_[a-z]+([A-Z][a-z]+)*"),
        ("_Class", False, r"_([A-Z][a-z]+)+"),
        ("_MAX_SIZE", False, r"_[A-Z]+(_[A-Z]+)*"),
        ("_", False, r"[a-z]+(_[a-z]+)*"),
    ],
)
def test_new_names_keep_the_underscores_before_the_old(like: str, camel: bool, style: str, seed: int) -> None:
    new = new_name(like, Function(PY, ""), set(), random.Random(seed), camel=camel)
    assert re.fullmatch(style, new), new


def test_new_names_are_made_of_the_files_words_and_never_of_those_kept_for_evaluation() -> None:
    text = "\n".join(f"gauge{letter}Quill_ticket = {letter}zebra" for letter in "abcdefghijklmnopqrstuvwxyz" * 4)
    text += "\ndef f(a):\n    return a + a\n" + "\n".join(f"# {letter * 3}" for letter in string.ascii_lowercase * 3)
    (function,) = functions(text, PY)
    names = {new_name("some_name", function, set(), random.Random(seed), camel=False) for seed in range(200)}
    assert any("quill" in name for name in names)
    assert not any("ticket" in name for name in names)
    assert any("ticket" in new_name("a", function, set(), UnseenDraw(seed), camel=False) for seed in range(200))


PLANTED = [
    (PY, "def f(a, b):\n    raise ValueError('no such thing')\n    g(b.c)\n"),
    (PY, 'def f(self):\n    """Of no use."""\n    x = g(self.name, "some words here", {"keys": 1})\n'),
    (PY, 'def f(a):\n    """Only a thing."""\n    a += 1\n    return a\n'),
    (JS, "function f(a, b) {\n  const c = g('no such thing');\n}\n"),
    (JS, 'function f(a) {\n  throw new Error("some words: here");\n}\n'),
]


@pytest.mark.parametrize(("language", "text"), PLANTED)
@pytest.mark.parametrize("seed", range(10))
def test_what_is_planted_is_formatted_in_the_original_and_not_in_the_result(
    language: Language, text: str, seed: int
) -> None:
    plant, again = (
        (python.PLANTED, use_f_strings) if language.family == "python" else (javascript.PLANTED, use_templates)
    )
    made = plant(Function(language, text), random.Random(seed))
    assert made is not None
    alone = again(Function(language, made.original), random.Random(seed))
    assert alone is not None
    assert alone.result == made.result
    assert ("f'" in made.result or 'f"' in made.result) if language.family == "python" else "`" in made.result
    kept = [line for line in text.splitlines() if "words" not in line and "thing" not in line]
    assert all(line in made.original.splitlines() and line in made.result.splitlines() for line in kept)


def test_new_names_are_no_reserved_words() -> None:
    words = ("with", "enum", "debugger", "public", "class", "await", "interface", "let")
    taken = javascript_functions.KEYWORDS
    function = Function(JS, "", words * 10)
    free = {new_name("a", function, taken, random.Random(seed), camel=True) for seed in range(300)}
    assert not free & {*words}


def test_what_seldom_applies_is_always_asked_for() -> None:
    text = "def f(a):\n    return '%s' % a\n"
    made = [one.kind for seed in range(20) for one in rewrites(text, PY, random.Random(seed))]
    assert 40 < made.count(InstructionKind.F_STRING) < 60  # two ways to one, and half of the time one is planted
    assert 20 < len(made) - made.count(InstructionKind.F_STRING) < 40  # others once, or twice


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("a / b / c", True),
        ("x = /a'[/]b/g.test(y)", True),
        ("return /'/", True),
        ("} / 2", False),
        ("`a ${b} c`", True),
        ("`a ${`b`} c`", False),
        ("'unfinished", False),
    ],
)
def test_what_is_not_certain_is_not_read(text: str, certain: bool) -> None:
    assert (tokens(text) is not None) is certain


@pytest.mark.slow
def test_the_same_draw_makes_the_same_rewrites() -> None:
    text = ast.unparse(ast.parse(Path(ast.__file__).read_text("utf-8")))
    first, second = (list(rewrites(text, PY, random.Random(3))) for _ in range(2))
    assert first == second
    assert len({made.kind for made in first}) > 3


@pytest.mark.slow
@pytest.mark.usefixtures("quickjs")
def test_every_rewrite_of_real_functions_is_accepted_by_the_languages_own_parser() -> None:
    python_files = random.Random(0).sample(sorted(Path(ast.__file__).parent.glob("*.py")), 12)
    draw, machine, seen = random.Random(1), Machine({}), Counter[Language]()
    kinds = set()
    javascript_files = sorted((Path(__file__).parents[2] / "examples").rglob("*.js"))
    for path in (*python_files, *javascript_files * 4):
        language = PY if path.suffix == ".py" else JS
        for made in rewrites(path.read_text("utf-8"), language, draw):
            if language.family == "python":
                ast.parse("if True:\n" + made.result if made.result[0] == " " else made.result)
            elif made.result.lstrip().startswith(("function ", "const ", "async function ")):
                assert reads_javascript(machine, made.result), made.result
            else:
                continue
            kinds.add(made.kind)
            seen[language] += 1
    assert {InstructionKind.RENAME, InstructionKind.CLEAN, InstructionKind.PARAMETER, InstructionKind.GUARD} <= kinds
    assert min(seen[PY], seen[JS]) > 30


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(:", []),
        ("a = 1\n\ndef f(a):\n    return a\n", ["def f(a):\n    return a\n"]),
        ("\x0c\ndef f(a):\n    return '\u2028'\n", ["def f(a):\n    return '\u2028'\n"]),
    ],
)
def test_functions_are_found_where_the_parser_finds_them(text: str, found: list[str]) -> None:
    assert [one.text for one in functions(text, PY)] == found


@pytest.mark.parametrize("kind", PARTS)
def test_instructions_put_together_name_what_they_are_about(kind: InstructionKind) -> None:
    names = {"old": "oldName", "new": "newName", "value": "30", "name": "function"}
    wanted = {word for word in names if all(f"{{{word}}}" in one for one in UNSEEN_WORDINGS[kind])} - {"name"}
    draw = random.Random(3)
    instructions = {draw_wording(kind, draw, **names) for _ in range(300)}
    assert len(instructions) > 150
    assert all(names[word] in instruction for instruction in instructions for word in wanted)
    assert not any("{" in instruction for instruction in instructions if kind is not InstructionKind.TEMPLATE)


def test_no_instruction_of_training_is_one_of_evaluation() -> None:
    names = {"old": "oldName", "new": "newName", "value": "30", "name": "function"}
    kept = {one.format(**names).lower().rstrip(".") for some in UNSEEN_WORDINGS.values() for one in some}
    draw = random.Random(4)
    for kind in InstructionKind:
        assert kept.isdisjoint(draw_wording(kind, draw, **names).lower().rstrip(".") for _ in range(2000))
