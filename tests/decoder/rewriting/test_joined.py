"""What strings of JavaScript equal that are joined to values, which are left alone, and when all are written so."""

from __future__ import annotations

import pytest

from decoder.rewriting.formatted import LONGEST
from decoder.rewriting.interpolation import interpolation
from decoder.rewriting.joined import count, joined
from decoder.rewriting.original import Original
from decoder.rewriting.worth import UNEVEN, Worth

EQUAL = """
'a ' + b                    -> a ${b}`
"[" + a.b + ']'             -> [${a.b}]`
"" + a                      -> ${a}`
'a' + this.b?.c             -> a${this.b?.c}`
"it's" + f(1, '+')[0] + "'" -> it's${f(1, '+')[0]}'`
'a' + 'b' + c               -> ab${c}`
'\\n' + a                   -> \\n${a}`
'$' + a                     -> $${a}`
'a'
'a' + 'b'
a + 'b'
'a' + b * c
'a' + b ** c
'a' + b - 1
'a' + b++
'a' + (b ? c : d)
'a' + await b
'a' + new B()
'a' + 1
'a' += b
'`' + a
'${' + a
'$' + '{' + a
'a' + b!.c
'a' + f<T>(b)
'\\1' + a
'a' + f({})
'a' + `b`
'a' + b`c`
'a' + f(
"""


@pytest.mark.parametrize("case", EQUAL.strip().splitlines())
def test_a_string_with_values_equals_a_template(case: str) -> None:
    text, _, expected = (part.strip() for part in case.partition(" -> "))
    found = joined(text)
    assert (found.text if found else "") == expected
    assert found is None or found.length == len(text)


@pytest.mark.parametrize(
    ("rest", "ends"),
    [
        (";", True),
        (" === c", True),
        (" !== c", True),
        (" < c", True),
        (" ? c : d", True),
        ("\n  ? c : d", True),
        ("\nc()", True),
        (" // d\nc()", True),
        ("\n  .d()", False),
        ("\n  ?.d()", False),
        (" // c\n  .d()", False),
        ("\n  - c", False),
    ],
)
def test_what_follows_must_not_bind_closer(rest: str, ends: bool) -> None:
    found = joined("'a' + b" + rest)
    assert (found is not None) == ends
    assert found is None or found.length == len("'a' + b")


def test_they_are_counted() -> None:
    assert count("a = 'b' + c + 'd';\ne = `f`;\ng = \"h\" + i.j;\nk = 'l';\nm = n + 'o' + (p);\n") == 2


ORIGINAL = "const a = 'b' + c + 'd';\ne(f + 'g', \"h\" + i);"
DONE = "const a = `b${c}d`;\ne(f + 'g', `h${i}`);"


@pytest.mark.parametrize(
    ("instruction", "made"),
    [
        ("prefer backticks", True),
        ("Use template literals.", True),
        ("`${}` over +", True),
        ("interpolate these strings", True),
        ("use const", False),
        ("check that `c` is a string", False),  # quotes
        ("fix the template", False),
        ("no templates", False),
        ("replace template literals with +", False),
        ("add linear interpolation", False),
        ("f-strings please", False),
    ],
)
def test_all_are_written_so_where_a_wish_speaks_of_them(instruction: str, made: bool) -> None:
    found = interpolation(instruction, ORIGINAL, python=False)
    assert (found and found.text) == (DONE if made else None)
    assert found is None or (found.is_made_in(DONE) and not found.is_made_in(ORIGINAL))


def test_what_is_cut_off_may_go_on() -> None:
    text = "'" + "a" * (LONGEST - 6) + "' + b.c"
    assert Original(text, python=False).all_otherwise() == text


def test_what_strings_say_must_not_be_lost() -> None:
    guess = interpolation("use templates", ORIGINAL, python=False)
    assert guess is not None
    worth = Worth("use templates", ORIGINAL, guess, python=False)
    assert worth.of(DONE) == 0
    assert worth.of(DONE.replace("`h${i}`", "i")) == -2 * UNEVEN


def test_in_python_they_are_f_strings() -> None:
    found = interpolation("f-strings please", "a = '%s' % b\nc = '{}'.format(d)\ne = 'f' + g", python=True)
    assert found is not None
    assert found.text == "a = f'{b}'\nc = f'{d}'\ne = 'f' + g"
    assert interpolation("% instead of f-strings", "a = '%s' % b", python=True) is None
    assert interpolation("f-strings please", "a = 'b'", python=True) is None  # nothing is to be done


@pytest.mark.parametrize(
    ("text", "nats"),
    [
        (DONE, 0),
        (DONE.replace("`h${i}`", '"h" + i'), -UNEVEN),
        (DONE.replace("'g'", "`g`"), -UNEVEN),  # a template that nothing is put into
    ],
)
def test_one_is_written_as_the_other(text: str, nats: float) -> None:
    assert Worth("use templates", ORIGINAL, None, python=False).of(text) == nats
