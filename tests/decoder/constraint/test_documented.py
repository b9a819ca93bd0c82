"""Types in comments of JSDoc. `~` stands before a name that costs and is reported, `¿` before one that is open."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from decoder import CompletionTask, complete
from decoder.constraint.documented import DocumentedTypes
from decoder.constraint.members import PENALTY
from decoder.constraint.members.questions import Questions
from decoder.constraint.protocol import Refusal
from tests.decoder.completion.test_second import AskedOfTheEnd, Looking, would_say
from tests.decoder.fake_types import FakeTypes, told

VISIBLE = ("Cart", "Cartoon", "total")
ABOVE = """
/** @typedef {{ left: number }} Options */
/** @callback Told
 * @param {Foreign.Kind} kind
 * @template T, U */
class Unseen {}
"""
BELOW = "\n/** @returns {Below} */\n"

CASES = """
/** @param {Cart} cart the Zzz {Zzz} */
/** @param {~Zzz} cart */
/** @param {Cart|~Zzz} cart */
/** @param { ~Zzz } cart */
/** @type {~Cartz} */
/** @type {~Ca} */
/** @type {?Cart} */
/** @type {!~Zzz} */
/** @type {...Cart} */
/** @type {Cart[]} */
/** @type {~Zzz[]} */
/** @type {Array.<Cart>} */
/** @type {Promise<~Zzz>} */
/** @type {Record<string, ~Zzz>} */
/** @type {Map<string, Cart>=} */
/** @type {'zzz'|"yyy"|1} */
/** @type {{ zz: Cart, yy?: ~Zzz }} */
/** @type {{⏎ *   zz: Cart,⏎ *   yy: ~Zzz⏎ * }} */
/** @type {(zz: Cart, ...yy: ~Zzz[]) => void} */
/** @type {function(string, ~Zzz): void} */
/** @type {function(this:Cart, new:Cart): ~Zzz} */
/** @type {[zz: Cart]} */
/** @type {import('./zz').¿Yyy} */
/** @type {typeof import('./zz')} */
/** @type {Cart.¿zz} */
/** @type {module:¿zz/¿yy} */
/** @returns {~Zzz} what there is */
/** @return {Options} */
/** @return {Told} */
/** @return {Foreign.¿Kind} */
/** @return {T} */
/** @return {U} */
/** @return {Below} */
/** @import { ¿Foo, ¿Bar as Zzz } from './a' */
/** @import Zzz, { ¿Cart } from './a' */
/** @import { ¿Foo } from './a'⏎ * @import * as Yyy from 'b'⏎ * @type {Foo|Yyy|~Zzz} */
/** @throws {~Zzz} */
/** @typedef {~Zzz} Made⏎ * @param {Made} a */
/** @typedef {Object} Made */⏎/** @type {Made} */
/** @template V⏎ * @param {V} a⏎ * @param {~Zzz} b */
/** @see {Zzz} {@link Zzz} @example {Zzz} */
/** @param cart {Zzz} */
/** Zzz { Yyy } */
/* @param {Zzz} cart */
// @param {Zzz} cart
const a = '/**/'; ({ zz })
/** @param {Cart */ ({ zz })
/** @param {Cart} cart */ function f(zz) { return zz.yy }
/** @param {~Zzz} a @param {~Yyy} b */
"""


def rule(prefix: str = "", suffix: str = "", questions: Questions | None = None) -> DocumentedTypes:
    above = "" if "/**" in prefix.rpartition("*/")[2] else ABOVE
    return DocumentedTypes.at(
        above + prefix, suffix + BELOW, (*VISIBLE, "Array", "Promise", "Map", "Object"), questions
    )


def fed(state: DocumentedTypes, text: str) -> DocumentedTypes:
    after = state.feed(text)
    assert not isinstance(after, Refusal)
    return after


def told_of(case: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The text of a case, and the names that are outside and open."""
    text = case.replace("⏎", "\n")
    outside, opened = (tuple(re.findall(rf"{mark}([A-Za-z]+)", text)) for mark in "~¿")
    return re.sub("[~¿]", "", text), outside, opened


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_type_names_what_is_there(case: str) -> None:
    text, outside, opened = told_of(case)
    state = fed(rule(), text)
    assert (state.report().outside, state.report().open) == (outside, opened)
    assert state.penalty == pytest.approx(PENALTY * len(outside))


@given(st.sampled_from(CASES.strip().splitlines()), st.data())
def test_portions_do_not_matter(case: str, data: st.DataObject) -> None:
    text = told_of(case)[0]
    cut = data.draw(st.integers(0, len(text)))
    whole, parts = fed(rule(), text), fed(fed(rule(), text[:cut]), text[cut:])
    assert (whole.report(), whole.penalty) == (parts.report(), parts.penalty)


@pytest.mark.parametrize(
    ("prefix", "text", "outside"),
    [
        ("/**\n * @param {", "Zzz", ("Zzz",)),
        ("/**\n * @param {Cart|", "Zzz} a", ("Zzz",)),
        ("/**\n * @param {", "Cart} a", ()),
        ("/**\n * ", "@param {Zzz} a", ("Zzz",)),
        ("/**\n * @typedef {Object} Mine\n * @param {", "Mine} a", ()),
        ("/**\n * @param {Yyy} a\n * ", "@param {Yyy} b\n * @param {Zzz} b", ("Zzz",)),
        ("/** */ f({", "Zzz", ()),
        ("/* @param {", "Zzz", ()),
    ],
)
def test_the_comment_above_counts(prefix: str, text: str, outside: tuple[str, ...]) -> None:
    state = fed(rule(prefix), text)
    assert state.report().outside == outside


def test_a_type_that_no_known_name_begins_like_costs_at_once() -> None:
    state = rule("/** @param {")
    assert [fed(state, text).penalty for text in ("C", "Ca", "Cz", "Cart", "Carty")] == [0, 0, PENALTY, 0, PENALTY]


@pytest.mark.parametrize(
    ("fed_", "is_refused"),
    [
        ("Cart|Zzz} a", True),
        ("Zzz} a", True),
        ("Zz", True),
        ("Cart} a", False),
        ("{ Zzz: Cart }} a", False),
        ("'Zzz'} a", False),
    ],
)
def test_a_name_that_a_checker_has_refused_is_refused(fed_: str, *, is_refused: bool) -> None:
    questions = Questions(FakeTypes(told({})), "", "")
    questions.refute(frozenset({"Zzz"}))
    assert isinstance(rule("/** @param {", questions=questions).feed(fed_), Refusal) is is_refused


@pytest.mark.parametrize(
    ("language", "texts", "said"),
    [
        (Language.JAVASCRIPT, ["Missing", "Cart"], "Cart"),
        (Language.JAVASCRIPT, ["Cart"], "Cart"),
        (Language.TYPESCRIPT, ["Missing", "Cart"], "Missing"),
    ],
)
def test_a_checker_has_the_last_word_on_types_in_comments(language: Language, texts: list[str], said: str) -> None:
    names = {"Cart": Name("Cart", NameKind.CLASS, Origin.LOCAL, 0)}
    place = CompletionTask(
        "/**\n * @param {",
        "} cart\n */\n",
        SymbolContext(language, names),
        max_tokens=40,
        types=AskedOfTheEnd(told({})),
    )
    assert complete(would_say(*texts), place).text == said


def test_names_of_another_module_in_a_comment_are_shown_to_the_checker() -> None:
    names = {"Cart": Name("Cart", NameKind.CLASS, Origin.LOCAL, 0)}
    texts = ["Missing } from './a' */", "Cart } from './a' */"]
    place = CompletionTask(
        "/** @import {",
        "\n",
        SymbolContext(Language.JAVASCRIPT, names),
        max_tokens=40,
        types=Looking(told({}), "Missing"),
    )
    assert complete(would_say(*texts), place).text == "Cart } from './a' */"
