"""What words cost that nobody said, and which names a rewrite may not use any more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, names_from_outside, parse
from context_index.symbols import Language, SymbolContext
from decoder.choice import choose
from decoder.constraint.guard import Guard
from decoder.constraint.said import PENALTY, SaidWords
from decoder.models.loading import load_model
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import Policy, RewriteTask
from decoder.sampling import SamplingOptions
from decoder.stops import Stop
from tests.decoder.draft.test_lossless import POLICIES, few_tokens
from tests.decoder.drafting import drafted
from tests.decoder.forced import said
from tests.decoder.scripted import END, byte_vocabulary
from tests.examples import examples

JS, PY = Language.JAVASCRIPT, Language.PYTHON
RULE = SaidWords.of(JS, ("const err = 'bad $id';", "call it failure"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("const failure = 'bad'; ", 0),
        ("const fail", 0),
        ("const fail ", 1),
        ("const failures", 1),
        ("wrong wronger ", 2),
        ("err2", 1),
        ("0xff + 12px ", 0),
        ("return await $id;", 0),
        ("f'bad'", 0),
        ("'fail'", 1),  # no string begins so
        ("// failure\n// mistake\n", 1),
    ],
)
def test_a_word_that_nobody_said_costs_once(text: str, words: int) -> None:
    assert RULE.feed(text).penalty == pytest.approx(words * PENALTY)


@given(st.lists(st.sampled_from(["fail", "ure", "err", " ", "x", "1", "'", ".", "é", "$"]), max_size=12))
def test_chunks_do_not_matter(chunks: list[str]) -> None:
    state = RULE
    for chunk in chunks:
        state = state.feed(chunk)
    assert state == RULE.feed("".join(chunks))


def test_among_letters_that_go_on_with_a_word_the_one_that_was_said_wins_unless_another_is_far_more_probable() -> None:
    vocabulary, guard = byte_vocabulary(), Guard((RULE.feed("const f"),))
    for worth, written, lead in ((-0.1, b"a", 0.1), (0.25, b"z", 0.25), (-1.0, b"a", 1.0)):
        logits = np.full(vocabulary.size, -20, dtype=np.float32)
        logits[ord("a")], logits[ord("z")] = 0, PENALTY + worth
        choice = choose(logits, guard, vocabulary)
        assert choice is not None
        assert vocabulary.token_bytes[choice.token] == written
        assert choice.lead == pytest.approx(lead, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "half", "words"),
    [
        ("const fail", "é".encode()[:1], 1),  # no word goes on so
        ("const Größ", "é".encode()[:1], 1),
        ("const Gr", "é".encode()[:1], 0),  # as `ö` begins
        ("const ", "é".encode()[:1], 0),  # no word has begun
        ("const wrong", "é".encode()[:1], 1),  # it is paid for
    ],
)
def test_half_a_letter_is_no_cheap_way_out_of_a_word(text: str, half: bytes, words: int) -> None:
    rule = SaidWords.of(JS, ("failure Größe",))
    assert isinstance(guard := Guard((rule.feed(text),)).feed(half), Guard)
    assert guard.penalty == pytest.approx(words * PENALTY)


@examples(40)
@given(st.data(), st.sampled_from(sorted(POLICIES)), st.integers(0, 50), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted(data: st.DataObject, policy: str, seed: int, temperature: float) -> None:
    among = [*b"erx \n", END]
    sampling = SamplingOptions(temperature=temperature, seed=seed)
    plain, _ = drafted(few_tokens(seed, among), sampling=sampling, guard=Guard((RULE,)), max_tokens=24)
    draft = data.draw(st.sampled_from([plain, list(b"err err"), [*plain[:4], 120, *plain[4:]]]))
    model = few_tokens(seed, among)
    tokens, _ = drafted(model, POLICIES[policy](draft), sampling=sampling, guard=Guard((RULE,)), max_tokens=24)
    assert tokens == plain


def outer(language: Language, text: str) -> frozenset[str]:
    return names_from_outside(parse(Document("untitled:f", language, text)))


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (PY, "def f(a):\n    b = a + G\n    return print(b)\n", {"f", "G", "print"}),
        (PY, "import os\n\n\ndef f():\n    import sys\n    return os, sys\n", {"os", "f"}),
        (PY, "def f(a):\n    return a\n\n\ndef g():\n    return a\n", {"f", "g", "a"}),
        (JS, "function f(a) {\n  const b = a + G;\n  return b.c;\n}\n", {"f", "G"}),
        (JS, "const top = 1;\nfunction f() {\n  return top;\n}\n", {"top", "f"}),
    ],
)
def test_names_from_outside(language: Language, text: str, names: set[str]) -> None:
    assert outer(language, text) == names


RENAMES = [
    (PY, "def f(total):\n    return total\n", "def f(amount):\n    return amount", "def f(amount):\n    return total"),
    (JS, "function f(a) {\n  return a;\n}\n", "function f(b) {\n  return b;\n}", "function f(b) {\n  return a;\n}"),
    (
        JS,
        "function f(a) {\n  return g(a);\n  function g(c) {\n    return c;\n  }\n}\n",
        "function f(b) {\n  return g(b);\n  function g(c) {\n    return c;\n  }\n}",
        "function f(b) {\n  return g(a);\n  function g(c) {\n    return c;\n  }\n}",
    ),
    (
        JS,
        "function f() {\n  return total();\n  function total() {\n    return 1;\n  }\n}\n",
        "function f() {\n  return amount();\n  function amount() {\n    return 1;\n  }\n}",
        "function f() {\n  return total();\n  function amount() {\n    return 1;\n  }\n}",
    ),
]


@pytest.mark.parametrize(("language", "original", "right", "wrong"), RENAMES)
def test_a_name_that_is_declared_no_more_is_refused(language: Language, original: str, right: str, wrong: str) -> None:
    names = outer(language, original)
    task = RewriteTask(original, "rename total to amount, a to b", SymbolContext(language), outer=names)
    done = rewrite(said(right), task)
    assert (done.text.rstrip(), done.stop) == (right, Stop.END)
    done = rewrite(said(wrong), task)
    assert done.stop is Stop.STUCK or done.text.rstrip() == right


def test_where_the_original_itself_would_be_refused_its_names_are_all_allowed() -> None:
    original = "def f(total):\n    return totals\n"
    task = RewriteTask(original, "rename total to amount", SymbolContext(PY), outer=frozenset({"f"}))
    assert rewrite(said("def f(amount):\n    return total"), task).stop is Stop.END


SHOP = Path(__file__).parents[3] / "examples/workspace"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "start", "instruction"),
    [
        ("storefront/src/cart.js", "export function splitTotal", "rename share to part"),
        ("storefront/src/cart.js", "export function splitTotal", "Use recursion and a helper called divide."),
        ("reports/reports/models.py", "def total", "call line row instead"),
    ],
)
def test_the_real_model_writes_the_same_whatever_is_drafted(file: str, start: str, instruction: str) -> None:
    text = (SHOP / file).read_text("utf-8")
    text = text[text.rindex("\n", 0, text.index(start)) + 1 :][:420].rpartition("\n\n")[0] + "\n"
    language = PY if file.endswith(".py") else JS
    model, names = load_model(dtype="float32", threads=1), outer(language, text)
    made = {}
    for policy in Policy:
        drafts = (text,) if policy is Policy.PLAIN else (text, text.replace("total", "sum"), text[40:])
        for draft in drafts:
            task = RewriteTask(text, instruction, SymbolContext(language), outer=names, draft=draft, policy=policy)
            done = rewrite(model, task)
            made[policy, draft] = (done.text, done.stop)
    assert len(set(made.values())) == 1
