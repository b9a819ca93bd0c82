"""What formatted strings of Python equal, and which are left alone."""

from __future__ import annotations

import pytest

from decoder.rewriting.formatted import count, formatted

EQUAL = """
"%s has %s" % (a, b.c)              -> "{a} has {b.c}"
'(%s)' % no                         -> '({no})'
"%d%%" % (x,)                       -> "{x:d}%"
"%d of %d" % (len(a), b.c)          -> "{len(a)} of {b.c:d}"
"%d, %d" % (a.b.count(c), 3)        -> "{a.b.count(c)}, {3}"
"%d" % (a // b,)                    -> "{a // b:d}"
"%d%%" % (100 * a / b)
"%d" % (a * 1.5)
"%s" % args
"%s" % e.args
"%s" % (args,)                      -> "{args}"
"%s" % e.args[0]                    -> "{e.args[0]}"
"%r, %.2f" % (a, b)                 -> "{a!r}, {b:.2f}"
"{%s}" % a                          -> "{{{a}}}"
"{}{}x".format(a.b, c[0])           -> "{a.b}{c[0]}x"
"{a} {b!r:>3}".format(a=x, b=c.d)   -> "{x} {c.d!r:>3}"
"{1}{0}".format(a, f(b, 'c'))       -> "{f(b, 'c')}{a}"
"{{}} {}".format(a)                 -> "{{}} {a}"
"{0} {0}".format(a.b)               -> "{a.b} {a.b}"
"%s" % f(a)[0].b                    -> "{f(a)[0].b}"
"a"
"a" + b
"%s %s" % x
"%s" % (a, b)
"%s" % {1: 2}
"%(a)s" % b
"%5s" % x
"%s" % a ** 2
"%s" % "a"
"%s" % f("a")
"%s" % (lambda: a)
"{} {}".format(*a)
"{}".format(a, b)
"{a}".format(b=c)
"{}".format({})
"%s" % (a
"%.3d" % a
"%.3r" % a
"%.2s" % a
"{0.a} {0}".format(b)
"{a[0]} {a}".format(a=b)
"{0} {0}".format(a())
"%s" % await a()
"%s" % b'a'
"\\N{BULLET} %s" % a
"""


@pytest.mark.parametrize("case", EQUAL.strip().splitlines())
def test_a_formatted_string_equals_an_f_string(case: str) -> None:
    text, _, expected = (part.strip() for part in case.partition("->"))
    found = formatted(text)
    assert (found.text if found else "") == expected
    assert found is None or found.length == len(text)


def test_what_follows_is_none_of_it() -> None:
    found = formatted('"%s" % x for x in y')
    assert found is not None
    assert found.length == len('"%s" % x')


def test_formatted_strings_are_counted() -> None:
    assert count('a = "b"\nc = "%s" % a\nd = "{}".format(a) if b else \'(%s)\' % c\ne = "f" % g\n') == 3
    assert count("f('a', 'b %s' % c)") == 1
