"""What an instruction may want to have a name, where that name is bound, and what such a text is worth."""

from __future__ import annotations

import pytest

from decoder.rewriting.extraction import Extraction, extraction
from decoder.rewriting.worth import UNCHANGED, UNEVEN, Worth

PYTHON = '''\
def load(self, *, most=5):
    """Reads 50 rows."""
    # at most 50
    try:
        rows = read(self, 1)
    except OSError:
        # once more
        for row in again(
            50, 'utf-8'
        ):
            use(row, "it's", '\\'', 0.5)
    return 7
'''

CASES = {
    "name the number 50: limit": "limit = 50\n    try:",
    "call 'utf-8' ENCODING here": "ENCODING = 'utf-8'\n    try:",
    "please extract the constant `share`, it is 0.5": "share = 0.5\n    try:",
    "introduce seven for 7": "seven = 7\n    return seven",
    "default_most instead of 5": "default_most = 5\ndef load(self, *, most=default_most)",  # of no function's body
    "limit": None,  # which?
    "put 1 and 50 into limits": None,
    "the number 50 is too big": None,  # too many words
    "make 50 self": None,  # not new
    "name 50 None": None,
    "name 60 limit_60": None,
    "call 'utf-8' encoding": "encoding = 'utf-8'\n    try:",
    "introduce limit for '50'": "limit = 50\n    try:",
    "introduce limit for -50": None,
    "turn 50 into a parameter called limit": None,  # something else is asked for
    "raise LimitError above 50": None,
    "replace 50 with settings.LIMIT": None,
    "use get_limit() instead of 50": None,
}


@pytest.mark.parametrize(("instruction", "expected"), CASES.items())
def test_a_literal_that_is_mentioned_gets_the_new_name(instruction: str, expected: str | None) -> None:
    found = extraction(instruction, PYTHON, python=True)
    assert (found and expected is not None and expected in found.text) == (None if expected is None else True)


PLACES = """
@a
@b(50)
def f(x):
    return x
---
limit = 50
@a
@b(limit)
def f(x):
    return x
===
a = 1
@b(
    1,
)
def f(x=50):
    return x
---
a = 1
limit = 50
@b(
    1,
)
def f(x=limit):
    return x
===
def f(
    x,
    y=50,
):
    return x
---
limit = 50
def f(
    x,
    y=limit,
):
    return x
===
def f(x):
    g(x,
h, 50)
---
def f(x):
    limit = 50
    g(x,
h, limit)
===
def f(x):
    if x:
        g()
    # else
    elif 50:
        h()
---
def f(x):
    limit = 50
    if x:
        g()
    # else
    elif limit:
        h()
"""


@pytest.mark.parametrize("case", PLACES.split("==="))
def test_the_name_is_bound_before_a_whole_statement(case: str) -> None:
    original, expected = case.strip().split("\n---\n")
    found = extraction("introduce limit for 50", original, python=True)
    assert (found and found.text) == expected


NO_VALUES = """
py | match a:<>    case 50: pass         | 50
py | b'a b'                              | 'a b'
py | f('a b' 'c')                        | 'a b'
py | f('c'<>    'a b')                   | 'a b'
py | f('a b' rb'c')                      | 'a b'
py | def f():<>    'a b'<>    return 1   | 'a b'
py | def f() -> 'a b': pass              | 'a b'
py | a: Literal['a b'] = c               | 'a b'
py | a = 50.                             | 50
js | a = { 50: b };                      | 50
js | a = { 'a b': b };                   | 'a b'
js | class A { 'a b'() {} }              | 'a b'
js | class A { 'a b' = 1 }               | 'a b'
js | import a from 'a b';                | 'a b'
js | 'a b';<>c();                        | 'a b'
js | a = /50/;                           | 50
js | a = <b c='a b' />;                  | 'a b'
js | a = <b>50</b>;                      | 50
js | a = <b>50 rows</b>;                 | 50
js | a = <b>at most 50</b>;              | 50
js | a = b as 'a b';                     | 'a b'
js | a = 'a b' as const;                 | 'a b'
js | let a: 'a b' | 'c';                 | 'a b'
js | let a: 'c' | 'a b';                 | 'a b'
js | type A = 'a b';                     | 'a b'
js | let a: A<50>;                       | 50
js | a = 50..b();                        | 50
"""


@pytest.mark.parametrize("case", NO_VALUES.strip().splitlines())
def test_what_is_no_value_of_its_own_gets_no_name(case: str) -> None:
    *left, literal = case.split(" | ")
    text = " | ".join(left[1:]).strip().replace("<>", "\n")
    assert literal.strip() in text
    assert extraction(f"introduce LIMIT for {literal.strip()}", text, python=left[0].strip() == "py") is None


def test_a_literal_that_stands_twice_is_none_that_is_meant() -> None:
    assert extraction("name 2 two", "a = 2 + 2", python=True) is None
    assert extraction("name 2 two", "a = 2 + 20", python=True) is not None


def test_a_literal_in_quotes_is_not_the_name() -> None:
    found = extraction("store 'dark' in DEFAULT_THEME", "a = 'dark'", python=True)
    assert found is not None
    assert found.text == "DEFAULT_THEME = 'dark'\na = DEFAULT_THEME"


def test_a_name_that_means_something_is_no_new_one() -> None:
    assert extraction("name 2 two", "a = 2", python=True, known={"two"}) is None


JAVASCRIPT = """
function serve(app) {
  app.listen(3000, () => {
    log('up');
  });
}
---
function serve(app) {
  const PORT = 3000;
  app.listen(PORT, () => {
    log('up');
  });
}
===
const pick = (a) => {
  if (a) {
    b()
  } else if (a > 3000) {
    c()
  }
}
---
const pick = (a) => {
  const PORT = 3000
  if (a) {
    b()
  } else if (a > PORT) {
    c()
  }
}
===
class A {
  at(
    index,
  ) {
    while (index < 3000) {
      index += 1;
    }
  }
}
---
class A {
  at(
    index,
  ) {
    const PORT = 3000;
    while (index < PORT) {
      index += 1;
    }
  }
}
===
serve(3000);
---
const PORT = 3000;
serve(PORT);
===
(() => serve(3000))()
---
const PORT = 3000;
(() => serve(PORT))()
===
function serve()
{
  for (let i = 0; i < 3000; i++) {
    go({
      i,
    });
  }
}
---
function serve()
{
  const PORT = 3000;
  for (let i = 0; i < PORT; i++) {
    go({
      i,
    });
  }
}
===
class A {
  at(a: number): void {
    go((b) =>
      b > a ? 3000 : 1);
  }
}
---
class A {
  at(a: number): void {
    const PORT = 3000;
    go((b) =>
      b > a ? PORT : 1);
  }
}
===
function serve() {
  return go({
    on: 3000 || 1,
  });
}
---
function serve() {
  const PORT = 3000;
  return go({
    on: PORT || 1,
  });
}
===
switch (a) {
case 1:
  go(3000);
}
---
const PORT = 3000;
switch (a) {
case 1:
  go(PORT);
}
===
const at = (
  a,
  b = 3000,
) => (
  a + b
);
---
const PORT = 3000;
const at = (
  a,
  b = PORT,
) => (
  a + b
);
"""


@pytest.mark.parametrize("case", JAVASCRIPT.split("==="))
def test_in_javascript_the_name_is_a_const(case: str) -> None:
    original, expected = case.strip().split("\n---\n")
    found = extraction("move 3000 to PORT", original, python=False)
    assert found is not None
    assert found.text == expected
    assert found.is_made_in(expected)
    assert not found.is_made_in(original)


ORIGINAL = "def f(a):\n    b(a)\n    return a > 50\n"
DONE = "def f(a):\n    b(a)\n    limit = 50\n    return a > limit\n"


@pytest.fixture
def guess() -> Extraction:
    found = extraction("name 50 limit", ORIGINAL, python=True)
    assert found is not None
    assert found.text == DONE
    return found


@pytest.mark.parametrize(
    ("text", "nats"),
    [
        (DONE, 0),
        (ORIGINAL, -UNCHANGED),
        (DONE.replace("> limit", "> 50"), -2 * UNEVEN),  # bound and never used
        (DONE.replace("b(a)", "b()"), -UNEVEN),
        (ORIGINAL.replace("a", "b"), -UNEVEN),  # the name is not there
        (ORIGINAL.replace("b(a)", "limit = b(a)"), -UNEVEN),  # it has another value
        (ORIGINAL.replace("f(a)", "f(a, limit=50)"), 0),  # something else was asked for
        (ORIGINAL.replace("f(a)", "f(a, limit: int = 50)"), 0),
    ],
)
def test_what_is_bound_is_used_and_nothing_else_changed(guess: Extraction, text: str, nats: float) -> None:
    assert Worth("name 50 limit", ORIGINAL, guess, python=True).of(text) == nats
