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
}


@pytest.mark.parametrize(("instruction", "expected"), CASES.items())
def test_a_literal_that_is_mentioned_gets_the_new_name(instruction: str, expected: str | None) -> None:
    found = extraction(instruction, PYTHON, python=True)
    assert (found and expected is not None and expected in found.text) == (None if expected is None else True)


def test_a_literal_that_stands_twice_is_none_that_is_meant() -> None:
    assert extraction("name 2 two", "a = 2 + 2", python=True) is None
    assert extraction("name 2 two", "a = 2 + 20", python=True) is not None


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
