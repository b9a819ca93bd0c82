"""A text that is known to be wanted: written whatever the model thinks of it, unless a rule refuses it."""

from __future__ import annotations

import pytest

from context_index.symbols import Language, SymbolContext
from decoder.rewriting.guess import Meant
from decoder.rewriting.guesses import is_left_alone
from decoder.rewriting.original import Original
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import Policy, RewriteTask
from decoder.rewriting.worth import MISREAD, UNCHANGED, Worth
from decoder.stops import Stop
from tests.decoder.forced import said

ORIGINAL = "\n\nPORT = 1\n\n\ndef f(a):\n    return a + PORT\n\n"
WANTED = ORIGINAL.replace("a", "b")


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_it_is_written_in_place_of_what_the_model_would_say(policy: Policy, ends: str) -> None:
    original, wanted = ORIGINAL.replace("\n", ends), WANTED.replace("\n", ends)
    symbols = SymbolContext(Language.PYTHON)
    task = RewriteTask(original, "rename a to b", symbols, draft=original, meant=wanted, policy=policy)
    done = rewrite(said("def f(a):\n    return 2\n"), task)
    assert (done.text, done.stop) == (wanted, Stop.END)


def test_what_a_rule_refuses_is_not_written() -> None:
    task = RewriteTask("a = 1\n", "x", SymbolContext(Language.PYTHON), draft="a = 1\n", meant="a = zz\n")
    assert rewrite(said("a = 1"), task).text != "a = zz\n"


@pytest.mark.parametrize(("text", "nats"), [("b", 0), ("a", -UNCHANGED), ("c", -MISREAD)])
def test_nothing_else_is_worth_much(text: str, nats: float) -> None:
    assert Worth("a to b", "a", Meant("b"), python=True).of(text) == nats


@pytest.mark.parametrize(
    ("instruction", "part", "alone"),
    [
        ("total -> amount", "def g(row):\n    return row\n", True),
        ("total -> amount", "def f(total):\n    return total\n", False),
        ("use f-strings", "def g(row):\n    return row\n", True),
        ("use f-strings", "x = '%s' % row\n", False),
        ("put 50 into LIMIT", "def g(row):\n    return row\n", True),
        ("put 50 into LIMIT", "y = 50\n", False),
        ("tidy up", "def g(row):\n    return row\n", False),
    ],
)
def test_parts_in_which_nothing_is_due(instruction: str, part: str, alone: bool) -> None:
    whole = "def f(total):\n    return total\n\nx = '%s' % row\ny = 50\n\ndef g(row):\n    return row\n"
    assert is_left_alone(instruction, part, whole, python=True, known=()) is alone


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("class A { a = 1; b() { return c; } }", "a b"),
        ("class A {\n  a = 1\n  b(c) {}\n}", "a b"),
        ("class A {\n  static a = f(\n    b,\n  )\n}", "a"),
        ("class A {\n  a =\n    b(c)\n}", "a"),
        ("interface A {\n  a: b\n  c?: d;\n}", "a c"),
        ("if (a) {\n  b: c\n}", ""),
    ],
)
def test_what_a_class_declares_are_members(text: str, members: str) -> None:
    read = Original(text, python=False)
    found = [word for place, word in enumerate(read.lexemes) if word in set("abcd") and read.is_member(place)]
    assert found == members.split()
