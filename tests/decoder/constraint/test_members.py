"""What may follow where a type checker knows the names. `|` stands before the first character refused; `~` marks
what is let through at a cost, and reported as outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language, Listed, Members, Name, NameKind, Open, Origin, Position, SymbolContext
from decoder import CompletionTask, ConstraintFaultError, Rule, SamplingOptions, complete
from decoder.choice import choose
from decoder.constraint.guard import Guard
from decoder.constraint.members import GIVEN, PENALTY, TypedNames
from decoder.constraint.protocol import Refusal, Report
from decoder.sampling import Sampler
from decoder.search import Budget
from tests.decoder.fake_types import FakeTypes, closed, listed, told
from tests.decoder.masked import allowed_tokens
from tests.decoder.scripted import END, PIECES, ScriptedModel, byte_vocabulary, letters, randomly, says, token

KNOWS = told(
    {
        ("user.", Position.MEMBER): closed("name", "names", "id", "#key"),
        ("user?.", Position.MEMBER): closed("name", "names", "id"),
        ("user!.", Position.MEMBER): closed("name", "names", "id"),
        ("console.", Position.MEMBER): listed("log"),
        ("name.", Position.MEMBER): closed("length", "trim"),
        ("self.", Position.MEMBER): closed("items", "_private", "total"),
        ("other.", Position.MEMBER): closed("items"),
        ("exports.", Position.MEMBER): listed("fetch"),
        ("5.", Position.MEMBER): closed("toFixed"),
        ("plain.", Position.MEMBER): listed("known"),
        ("user['", Position.SUBSCRIPT): closed("name", "full-name"),
        ("import { ", Position.IMPORTED_NAME): closed("Cart", "items"),
        ("import {", Position.IMPORTED_NAME): closed("Cart", "items"),
        ("import { Cart,", Position.IMPORTED_NAME): closed("items"),
        ("import { type Cart,", Position.IMPORTED_NAME): closed("items"),
        ("import a, {", Position.IMPORTED_NAME): closed("Cart", "type"),
        ("import b, {", Position.IMPORTED_NAME): closed("Cart", "as"),
        ("import c, {", Position.IMPORTED_NAME): listed("Cart"),
        ("from shop import ", Position.IMPORTED_NAME): closed("Cart", "items"),
        ("from shop import Cart,", Position.IMPORTED_NAME): closed("items"),
        ("from shop import (", Position.IMPORTED_NAME): closed("Cart", "items"),
        ("from shop import (Cart,", Position.IMPORTED_NAME): closed("items"),
        ("from '", Position.MODULE): closed("./shop", "node:fs", "lib"),
        ("y = require('", Position.MODULE): Listed(
            {"pkg": NameKind.MODULE}, ("@of/", "@of/one", "phantom", "phantom/")
        ),
        ("y = require('phantom/", Position.MODULE): closed("part"),
        ("y = require('@of/", Position.MODULE): Listed({}, ("one",)),
        ("= require('", Position.MODULE): listed(
            "./", "../", "fs", "fs/promises", "util/", "util/types", "pkg", "pkg/"
        ),
        ("require('", Position.MODULE): listed("./shop", "node:fs"),
        ("from 'lib/", Position.MODULE): closed("inner"),
        ("= require('./", Position.MODULE): closed("cart", "cart.js", "ui/", "../"),
        ("= require('./ui/", Position.MODULE): closed("", "../"),
        ("= require('util/", Position.MODULE): closed("types", "support/"),
        ("= require('pkg/", Position.MODULE): closed("part"),
        ("= require('soft/", Position.MODULE): listed("part"),
        ("from ", Position.MODULE): closed("shop", "os"),
        ("import ", Position.MODULE): closed("shop", "os"),
        ("import os,", Position.MODULE): closed("shop"),
        ("os.", Position.MODULE): closed("path"),
        ("draw(", Position.KEYWORD_ARGUMENT): closed("width", "height"),
        ("draw(1,", Position.KEYWORD_ARGUMENT): closed("width", "height"),
        ("soft(", Position.KEYWORD_ARGUMENT): listed("width"),
        ("draw('", Position.LITERAL): closed("left", "right"),
        ("side === '", Position.LITERAL): closed("left", "right"),
        ("({", Position.OBJECT_KEY): closed("width", "height"),
        ("({ width: 1,", Position.OBJECT_KEY): closed("height"),
        ("<Box ", Position.PROP): closed("size", "aria-label"),
    }
)

JAVASCRIPT = """
import a from '|'
x = require('|')
x = user.name
x = user.na
x = user.|zz
x = user.name|z
x = user.nam|+ 1
x = user.#key
x = user .name
x = user. name
x = user.name.length
x = user.name.|zz
x = user?.names
x = user?.|zz
x = user?.[0]
x = user.|\\u006e
x = user[0].zz
x = [...user.|zz
x = free.zz.yy
x = 1.5.toFixed
x = 1.5.|zz
x = 5.5e3
if (a) .5.|zz
if (a).5.|zz
x = user.|// so
x = user.|/* so */ name
x = user?.|/* so */ name
x = user. name
x = 1 / user.name / 2
x = 1. / 2
user.zz = 1
user.zz|()
user.zz =|= 1
user.zz =|> 1
var b = exports.made = 1
x = exports.~made()
user.name == 1
user.zz|.yy = 1
a = user.|zz = 1
a.b = user.zz = 1
if (a) user.zz = 1
f(user.|zz = 1)
console.log(1)
console.log = f
console.~zz = 1
console.~zz(1)
exports.fetch()
exports.made = 1
exports.~made()
x = plain.known
x = plain.~zz
x = plain.~zz + plain.~yy
x = user['name']
x = user['full-name']
x = user['|zz']
x = user['nam|']
x = user['n|\\u0061me']
import { Cart } from './shop'
import { Cart, items } from 'lib'
import { |zz } from './shop'
import { /* zz */ |yy } from './shop'
import { // zz⏎  |yy } from './shop'
import { // zz⏎  Cart } from './shop'
import { Cart, // zz⏎  |yy } from './shop'
x = ({ /* zz */ |yy: 1 })
x = ({ // zz⏎ width: 1 })
import { Cart as zz } from './shop'
import a, { Cart } from './shop'
import a, { |zz } from './shop'
import { |type Cart } from './shop'
import { default as zz } from './shop'
import { Cart,| Cart } from './shop'
import Cart from './|zz'
import Cart from 'node:fs'
import Cart from 'lib/inner'
import Cart from 'lib/|zz'
f(require('./shop'))
f(require('~zz'))
x = require('./cart')
x = require('./cart.js')
x = require('./car|')
x = require('./|zz')
x = require('./ui|')
x = require('./ui/')
x = require('./ui/../ui/')
x = require('./|')
x = require('./|/cart')
x = require('./.|/cart')
x = require('./cart|/zz')
x = require('~..')
x = require('fs')
x = require('fs/promises')
x = require('util/types')
x = require('util/support/zz')
x = require('~util')
x = require('pkg')
x = require('pkg/part')
x = require('pkg/|')
x = require('~soft/part')
x = require('~zz/yy')
x = require('pkg|\\u002f')
y = require('pkg')
y = require('~phantom')
y = require('~phantom/part')
y = require('~phantom/|zz')
y = require('~@of/~one')
y = require('~@of/|two')
y = require('|zz')
y = require('p|zz')
y = require('pk|/zz')
y = require('|./a')
x = require('~free/\\u002f')
x = require('~/yy')
x = draw('left')
x = draw('|zz')
x = side === 'right'
x = side === '|zz'
x = free === 'zz'
x = ({width: 1})
x = ({|zz: 1})
x = ({ width: 1,| width: 1})
x = ({async height() {}})
x = ({...zz})
x = ({['zz']: 1})
x = ({'zz': 1})
x = <Box size={1} />
x = <Box |zz={1} />
x = <Box aria-label="a" />
x = <Box data-zz="a" />
x = import.meta
new.target
// user.zz
x = 'user.zz'
x = `${user.name}`
x = `${user.|zz}`
""".replace("import { Cart,| Cart", "import { Cart, |Cart").replace("width: 1,| width", "width: 1, |width")

TYPESCRIPT = """
x = user.name
x = user.|zz
user.|zz = 1
x = user!.name
x = user!.|zz
x = user!.name!.zz
import { type Cart } from './shop'
import { type |zz } from './shop'
import { type Cart as zz } from './shop'
import { type Cart|s } from './shop'
import { type/**/ zz } from './shop'
import { type|, Cart } from './shop'
import { type |, Cart } from './shop'
import { type|} from './shop'
import { type⏎|} from './shop'
import { type |as zz } from './shop'
import { Cart, type items } from './shop'
import { Cart, type |zz } from './shop'
import { Cart, type|, items } from './shop'
import { default as zz } from './shop'
import a, { type } from './shop'
import a, { type, Cart } from './shop'
import a, { type as zz } from './shop'
import a, { type as as zz } from './shop'
import a, { type type } from './shop'
import a, { type type as zz } from './shop'
import a, { type |zz } from './shop'
import b, { type as } from './shop'
import b, { type as as zz } from './shop'
import b, { as as type } from './shop'
import c, { ~type, Cart } from './shop'
import c, { type ~zz } from './shop'
import c, { type Cart } from './shop'
import { type Cart, type |} from './shop'
"""

PYTHON = """
x = (self.|# so
from shop import ( # zz⏎  |yy)
from shop import ( # zz⏎  Cart)
from shop import (Cart, # zz⏎  |yy)
x = draw( # zz⏎  width=1)
x = draw( # zz⏎  |zz=1)
x = self.items
x = self._private
x = self.|zz
self.zz = 1
self.zz: int = 1
self.zz =|= 1
if self.|zz == 1:
self.zz|()
self.zz|.yy = 1
other.~zz = 1
other.zz|()
import os
import |zz
import os, shop
import os, |os
import os.path
import os.|zz
from shop import Cart
from shop import |zz
from shop import |type
from shop import |default
from shop import Cart, items
from shop import Cart, |Cart
from shop import Cart as zz, items
from shop import (Cart, items)
from shop import *
from |zz import a
from . import zz
draw(width=1)
draw(1, height=2)
draw(|zz=1)
draw(visible)
draw(visible =|1)
draw(visible == 1)
draw(rb"a")
draw(not visible)
draw(*visible)
draw(1)
soft(~zz=1)
free(zz=1)
draw(lambda a, zz=1: zz)
draw(lambda a: a, width=2)
draw('left')
draw('|zz')
draw(f'zz')
x = {'zz': 1}
f"{self.items}"
f"{self.|zz}"
f"{self.items:zz}"
# self.zz
x = 1. + 2
"""


def _cases() -> list[tuple[Language, str]]:
    blocks = {Language.JAVASCRIPT: JAVASCRIPT, Language.TYPESCRIPT: TYPESCRIPT, Language.PYTHON: PYTHON}
    return [(language, line) for language, block in blocks.items() for line in block.strip().splitlines()]


def start(language: Language, prefix: str = "\n", suffix: str = "", types: FakeTypes | None = None) -> TypedNames:
    return TypedNames.at(language, types or FakeTypes(KNOWS), prefix, suffix, visible=("visible",))


def walked(state: TypedNames, text: str) -> tuple[str, TypedNames]:
    """The text with `|` where it is refused, and the last state."""
    for place, character in enumerate(text):
        after = state.feed(character)
        if isinstance(after, Refusal):
            assert after.rule is Rule.MEMBER
            return text[:place] + "|" + text[place:], state
        state = after
    return text, state


@pytest.mark.parametrize(("language", "case"), _cases())
def test_refused_as_soon_as_it_is_certain(language: Language, case: str) -> None:
    costly = [re.split(r"[('=/, ]", part, maxsplit=1)[0] for part in case.split("~")[1:]]
    text = case.replace("~", "").replace("⏎", "\n")
    found, state = walked(start(language), text.replace("|", "", 1) if "||" not in text else text)
    assert found == text
    assert state.report().outside == tuple(costly)
    assert state.cost(b"") == pytest.approx(PENALTY * len(costly))


@given(st.sampled_from(_cases()), st.data())
def test_portions_do_not_matter(case: tuple[Language, str], data: st.DataObject) -> None:
    language, text = case[0], case[1].replace("|", "", 1).replace("~", "")
    cut = data.draw(st.integers(0, len(text)))
    state = start(language)
    whole, first = state.feed(text), state.feed(text[:cut])
    parts = first if isinstance(first, Refusal) else first.feed(text[cut:])
    assert parts == whole


@pytest.mark.parametrize(
    ("language", "prefix", "fed"),
    [
        (Language.JAVASCRIPT, "x = user.", "na|x"),
        (Language.JAVASCRIPT, "x = user?.", "|zz"),
        (Language.JAVASCRIPT, "x = user. ", "name"),
        (Language.JAVASCRIPT, "x = user.\n", "  name"),
        (Language.JAVASCRIPT, "import { Cart, ", "items"),
        (Language.JAVASCRIPT, "import { Cart, ", "|Cart"),
        (Language.TYPESCRIPT, "import { type ", "|zz"),
        (Language.TYPESCRIPT, "import { Cart, type ", "items"),
        (Language.TYPESCRIPT, "import { Cart, type ", "|, items"),
        (Language.JAVASCRIPT, "x = user['full-", "|zz"),
        (Language.JAVASCRIPT, "x = user['full-", "name"),
        (Language.JAVASCRIPT, "import a from 'lib/", "|zz"),
        (Language.JAVASCRIPT, "x = user.zz; y = ", "zz"),
        (Language.PYTHON, "from shop import ", "|zz"),
        (Language.PYTHON, "    self.", "zz = 1"),
        (Language.PYTHON, "x = self.", "|zz"),
        (Language.PYTHON, "", "zz"),
    ],
)
def test_the_text_above_the_cursor_counts(language: Language, prefix: str, fed: str) -> None:
    found, _ = walked(start(language, prefix), fed.replace("|", "", 1))
    assert found == fed


@pytest.mark.parametrize(
    ("prefix", "fed", "suffix", "may_stop"),
    [
        ("x = ", "user.name", "", True),
        ("x = ", "user.na", "", False),
        ("x = ", "plain.zz", "", True),
        ("", "user.zz", "", False),
        ("", "user.zz", " = 1;", True),
        ("", "user.zz", " == 1;", False),
        ("", "user.zz =", " 1;", False),
        ("", "user.zz = ", "", False),
        ("", "user.zz = 1", "", True),
        ("", "exports.zz", "", True),
        ("x = ", "user['na", "']", False),
        ("x = ", "user['name", "']", True),
        ("x = ", "user['na", "me']", True),
        ("import a from '", "./sh", "';", False),
        ("import a from '", "./shop", "';", True),
        ("x = require('", "fs/pro", "')", False),
        ("x = require('", "zz", "')", True),
        ("x = require('./", "ui", "')", False),
        ("x = require('./", "ui", "", False),
        ("x = require('./", "car", "t')", True),
        ("draw('", "le", "')", False),
        ("draw('", "left", "')", True),
        ("draw('", "", "')", True),
        ("import a from '", "", "';", False),
        ("import a from 'zz/", "", "';", True),
        ("x = plain.", "kno", ";", False),
        ("x = plain.", "kno", "wn;", True),
        ("x = plain.", "zz", ";", True),
        ("plain.", "kno", " = 1;", True),
    ],
)
def test_may_stop(prefix: str, fed: str, suffix: str, may_stop: bool) -> None:
    state = start(Language.JAVASCRIPT, prefix, suffix).feed(fed)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) == may_stop


@pytest.mark.parametrize(
    ("prefix", "fed", "suffix", "may_stop"),
    [
        ("import { ", "type", ", Cart } from './shop'", False),
        ("import { ", "type", " } from './shop'", False),
        ("import { ", "type", " Cart } from './shop'", True),
        ("import { ", "type", "", True),
        ("import { ", "type ", "} from './shop'", False),
        ("import { ", "type ", "", True),
        ("import { type ", "Car", " } from './shop'", False),
        ("import { type ", "Cart", " } from './shop'", True),
        ("import a, { ", "type", " } from './shop'", True),
        ("import c, { ", "type", " } from './shop'", False),
        ("import c, { ", "Car", " } from './shop'", False),
        ("import c, { ", "zz", " } from './shop'", True),
        ("import a, { ", "type ", "} from './shop'", True),
    ],
)
def test_may_stop_at_type_in_a_list_of_imports(prefix: str, fed: str, suffix: str, may_stop: bool) -> None:
    state = start(Language.TYPESCRIPT, prefix, suffix).feed(fed)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) == may_stop


@pytest.mark.parametrize(
    ("fed", "suffix", "may_stop", "told_of"),
    [
        ("draw(visible=", "", False, ()),
        ("draw(visible =", ")", False, ()),
        ("draw(visible=", "= 1)", True, ()),
        ("draw(width=", "", True, ()),
        ("draw(visible", "", True, ()),
        ("soft(zz=", "", True, ("zz",)),
        ("free(zz=", "", True, ("zz",)),
    ],
)
def test_an_argument_at_the_end_is_known_as_soon_as_it_has_its_equals_sign(
    fed: str, suffix: str, may_stop: bool, told_of: tuple[str, ...]
) -> None:
    state = start(Language.PYTHON, "\n", suffix).feed(fed)
    assert not isinstance(state, Refusal)
    assert (state.may_stop() is None) == may_stop
    if may_stop and not suffix:
        report = state.report()
        assert report.open + report.outside == told_of


def test_the_question_is_put_as_soon_as_the_dot_is_written_and_once() -> None:
    types = FakeTypes(KNOWS)
    state = start(Language.JAVASCRIPT, types=types).feed("x = user")
    assert not isinstance(state, Refusal)
    assert types.asked == []
    for following in (".", ".name", ".zz", "."):
        state.feed(following)
    assert types.asked == [("\nx = user.", Position.MEMBER)]
    assert len(types.questions[0].waited) == 1


def test_a_late_answer_leaves_the_name_open_and_stays_late_for_every_branch() -> None:
    types = FakeTypes(KNOWS, late=True)
    state = TypedNames.at(Language.JAVASCRIPT, types, "\n", "", patience=0.15).feed("x = user.zz + user")
    assert not isinstance(state, Refusal)
    assert state.report() == Report(open=("zz",))
    types.questions[0].late = False
    assert not isinstance(state.feed(".yy"), Refusal)
    assert types.questions[0].waited == [pytest.approx(0.05)]  # a third: others may have questions, too
    assert state.questions.close()[0] == "the fake has not answered within 50 ms"


@pytest.mark.parametrize(("fed", "proofs"), [(".name + 1", 0), (".zz", 1), (".na", 0), (".naz", 1)])
def test_a_proof_is_waited_for_only_by_what_is_not_listed(fed: str, proofs: int) -> None:
    types = FakeTypes(KNOWS, unproven=True)
    state = start(Language.JAVASCRIPT, "x = user", types=types).feed(fed)
    assert len(types.questions[0].waited) == proofs
    assert isinstance(state, Refusal) == bool(proofs)
    assert walked(start(Language.JAVASCRIPT, "x = user"), fed)[0] == walked(
        start(Language.JAVASCRIPT, "x = user", types=FakeTypes(KNOWS, unproven=True)), fed
    )[0]  # fmt: skip


def test_where_a_member_may_be_made_nothing_is_waited_for_until_its_name_ends() -> None:
    types = FakeTypes(KNOWS, late=True)
    state = start(Language.JAVASCRIPT, types=types).feed("user.made")
    assert not isinstance(state, Refusal)
    assert types.questions[0].waited == []
    state.feed(" = 1")
    assert len(types.questions[0].waited) == 1


@pytest.mark.parametrize(
    ("language", "prefix", "patience", "waited"),
    [
        (Language.TYPESCRIPT, "draw('", 0.2, 0.02),
        (Language.TYPESCRIPT, "f({", 0.2, 0.02),
        (Language.JAVASCRIPT, "draw('", 0.2, 0.0),
        (Language.JAVASCRIPT, "f({", 0.2, 0.0),
        (Language.JAVASCRIPT, "draw('", None, 30.0),
        (Language.JAVASCRIPT, "f({", None, 30.0),
        (Language.JAVASCRIPT, "x = user['", 0.2, 0.2 / 3),
    ],
)
def test_less_is_waited_for_what_would_not_be_reported_and_nothing_for_what_could_refuse_nothing(
    language: Language, prefix: str, patience: float | None, waited: float
) -> None:
    types = FakeTypes(KNOWS, late=True)
    TypedNames.at(language, types, prefix, "", patience=patience).feed("zz")
    assert types.questions[0].waited == [pytest.approx(waited)]


def test_what_is_there_in_time_weighs_though_nobody_waits() -> None:
    state = TypedNames.at(Language.JAVASCRIPT, FakeTypes(KNOWS), "f({", "", patience=0.2).feed("zz")
    assert isinstance(state, Refusal)


@pytest.mark.parametrize(("patience", "others"), [(0.2, 0.0), (None, None)])
def test_nobody_waits_for_those_who_are_asked_where_the_first_does_not_know(
    patience: float | None, others: float | None
) -> None:
    types = FakeTypes(KNOWS, late=True)
    TypedNames.at(Language.JAVASCRIPT, types, "x = user.", "", patience=patience).feed("zz")
    assert types.questions[0].others == [others]


def test_no_answer_is_waited_for_beyond_the_deadline() -> None:
    types = FakeTypes(KNOWS, late=True)
    TypedNames.at(Language.JAVASCRIPT, types, "x = user.", "", deadline=0.0).feed("zz")
    assert types.questions[0].waited == [0.0]


def test_what_nobody_waits_for_is_dropped() -> None:
    types = FakeTypes(KNOWS, late=True)
    state = start(Language.JAVASCRIPT, "x = user.", types=types)
    assert state.questions.close() == ()
    assert types.questions[0].dropped


def test_a_checker_that_breaks_ends_the_suggestion() -> None:
    types = FakeTypes(KNOWS, fault=KeyError("a fault of the checker"))
    with pytest.raises(ConstraintFaultError, match="a fault of the checker"):
        complete(says(*letters("name;")), task("x = user.^", types))


def task(place: str, types: FakeTypes, **options: object) -> CompletionTask:
    """A JavaScript place with `user` and `plain` in scope; `^` is the cursor."""
    prefix, suffix = place.split("^")
    names = {text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0) for text in ("user", "plain", "exports", "f")}
    symbols = SymbolContext(Language.JAVASCRIPT, names)
    return CompletionTask(prefix, suffix, symbols, types=types, **options)  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize(
    ("place", "said", "text"),
    [
        ("x = user.^", "name;", "name;"),
        ("x = user.na^", "names;", "mes;"),
        ("x=^", "user.name.length;", "user.name.length;"),
        ("^", "user.zz = 1;", "user.zz = 1;"),
        ("x = plain.^", "zz;", "zz;"),
    ],
)
def test_what_is_listed_is_suggested(place: str, said: str, text: str) -> None:
    assert complete(insists(*letters(said)), task(place, FakeTypes(KNOWS))).text == text


def test_a_model_that_is_not_sure_says_what_is_listed_instead() -> None:
    greedy = task("x = plain.^", FakeTypes(KNOWS), budget=Budget(forwards=0))
    assert not complete(says(*letters("zz;")), greedy).text.startswith("z")


@pytest.mark.parametrize("members", [closed("Cart"), listed("Cart"), listed(), Open("nobody knows")])
def test_a_name_is_not_imported_twice(members: Members) -> None:
    types = FakeTypes(lambda _text, _position: members)
    state = TypedNames.at(Language.PYTHON, types, "from shop import Cart, items, ", "").feed("Cart")
    assert isinstance(state, Refusal) or isinstance(state.may_stop(), Refusal)


GIVEN_TO_ALL = told(
    {
        ("user.", Position.MEMBER): closed("name", "valueOf", "value"),
        ("plain.", Position.MEMBER): listed("hasOwnProperty", "hasIt", "__proto__"),
        ("data.", Position.MEMBER): closed("items", "__doc__", "__own"),
        ("self.", Position.MEMBER): closed("__doc__"),
        ("super().", Position.MEMBER): closed("__init__"),
    }
)


@pytest.mark.parametrize(
    ("language", "before", "written", "cost"),
    [
        (Language.JAVASCRIPT, "x = user.", "value", 0),
        (Language.JAVASCRIPT, "x = user.", "valueO", GIVEN),
        (Language.JAVASCRIPT, "x = user.", "valueOf()", GIVEN),
        (Language.JAVASCRIPT, "x = user.", "valueOf", GIVEN),
        (Language.JAVASCRIPT, "x = user.valueO", "f", 0),
        (Language.JAVASCRIPT, "x = plain.", "has", 0),
        (Language.JAVASCRIPT, "x = plain.", "hasO", GIVEN),
        (Language.JAVASCRIPT, "x = free.", "valueOf", 0),
        (Language.JAVASCRIPT, "plain.", "hasOwnProperty", 0),
        (Language.PYTHON, "x = data.", "items", 0),
        (Language.PYTHON, "x = data.", "__", 0),
        (Language.PYTHON, "x = data.", "__d", GIVEN),
        (Language.PYTHON, "x = data.", "__own", 0),
        (Language.PYTHON, "x = free.__", "doc__", 0),
        (Language.PYTHON, "x = free.", "__doc__", GIVEN),
        (Language.PYTHON, "x = self.", "__doc__", 0),
        (Language.PYTHON, "x = super().", "__init__", 0),
        (Language.PYTHON, "x = free.__class__.", "__name__", 0),
    ],
)
def test_what_every_object_has_costs_something(language: Language, before: str, written: str, cost: float) -> None:
    whole = TypedNames.at(language, FakeTypes(GIVEN_TO_ALL), before, "").feed(written)
    state = TypedNames.at(language, FakeTypes(GIVEN_TO_ALL), before, "")
    for character in written:
        after = state.feed(character)
        assert not isinstance(after, Refusal)
        state = after
    assert not isinstance(whole, Refusal)
    assert (whole.cost(b""), state.cost(b"")) == (cost, cost)


def test_a_member_that_does_not_exist_is_refused_and_the_trace_says_so() -> None:
    completion = complete(says(*letters("zebra;")), task("x = user.^", FakeTypes(KNOWS)))
    refused = [refusal for step in completion.trace for _, refusal in step.refused]
    assert Refusal(Rule.MEMBER, "z") in refused
    assert "z" not in completion.text


# what is fed, and the names of which nothing is known
OPEN = """
x = free.zz + user.name       | zz
x = [{zz: 1, yy() {}}]        | zz yy
x = [{ zz, yy }]              | zz yy
x = [{ async zz() {} }]       |
x = [{ get: 1 }]              |
x = [{ 'zz': 1, [yy]: 1 }]    |
x = ({width: 1})              |
x = [{zz: {yy: user.name}}]   | zz yy
x = [{zz: free.zz}]           | zz zz
const { zz, yy: z } = free    | zz yy
x = <Free zz={1} yy />        | zz yy
x = <Free data-zz="a" {...b}> |
x = <Box size={1} />          |
"""


# the language, the text before the cursor, what is fed, and the names that the whole is told to have open
OPEN_MEMBERS = [
    (Language.JAVASCRIPT, "x = free.", "toShares(2)", "toShares"),
    (Language.JAVASCRIPT, "x = ", "new Free(2).toShares(free?.count)", "toShares count"),
    (Language.JAVASCRIPT, "x = `${", "free.toShares(2)}`", "toShares"),
    (Language.JAVASCRIPT, "", "free.toShares = 2", "toShares"),
    (Language.TYPESCRIPT, "x = ", "free!.toShares(2)!.zz", "toShares zz"),
    (Language.TYPESCRIPT, "x = free!", ".toShares", "toShares"),
    (Language.TYPESCRIPT, "x = ", "free()!?.toShares(2)", "toShares"),
    (Language.PYTHON, "x = free.", "to_shares(2)", "to_shares"),
    (Language.PYTHON, "x = ", "Free(2).to_shares(free.count)", "to_shares count"),
    (Language.PYTHON, "x = f'{", "free.to_shares(2)}'", "to_shares"),
    (Language.PYTHON, "", "free.to_shares = 2", "to_shares"),
]


@pytest.mark.parametrize(("language", "prefix", "fed", "names"), OPEN_MEMBERS)
def test_a_member_of_what_nobody_knows_is_open(language: Language, prefix: str, fed: str, names: str) -> None:
    state = start(language, prefix).feed(fed)
    assert not isinstance(state, Refusal)
    assert state.report().open == tuple(names.split())


@pytest.mark.parametrize("case", OPEN.strip().splitlines())
def test_what_is_chosen_where_nothing_is_known_is_counted(case: str) -> None:
    text, names = case.split("|")
    state = start(Language.JAVASCRIPT).feed(text.strip())
    assert not isinstance(state, Refusal)
    assert state.report().open == tuple(names.split())


def test_members_are_reported_by_who_was_asked() -> None:
    completion = complete(insists(*letters("user.name + f.zz + plain.yy;")), task("x=^", FakeTypes(KNOWS)))
    assert completion.report == Report(open=("zz",), outside=("yy",))
    assert completion.unanswered == ("the fake knows nothing of this place",)


def insists(*pieces: bytes) -> ScriptedModel:
    """A model that is so sure that a cost does not change its mind."""
    wanted = [*map(token, pieces), END]

    def script(output: Sequence[int]) -> np.ndarray:
        logits = np.zeros(257 + len(PIECES), dtype=np.float32)
        logits[wanted[min(len(output), len(wanted) - 1)]] = 5 * PENALTY
        return logits

    return ScriptedModel(script)


def _guard(text: str) -> Guard:
    """Only what a checker knows, `text` being written."""
    guard = Guard((), types=start(Language.JAVASCRIPT)).feed(text.encode())
    assert not isinstance(guard, Refusal)
    return guard


_PLACES = st.sampled_from(
    ["x = user.", "x = user.na", "x = user.name", "x = plain.", "x = plain.kno", "x = user", "user."]
)


@pytest.mark.slow
@given(_PLACES, st.integers(0, 2**32), st.sampled_from([0.0, 1.0]))
def test_lazy_choice_equals_masked_choice_with_costs_taken_off(prefix: str, seed: int, temperature: float) -> None:
    vocabulary, guard = byte_vocabulary(), _guard(prefix)
    logits = np.random.default_rng(seed).normal(size=vocabulary.size, scale=4).astype(np.float32)
    preferences = Sampler(SamplingOptions(temperature=temperature, seed=seed)).preferences(logits, 0)
    worth = np.full(vocabulary.size, -np.inf)
    for token_id in np.flatnonzero(allowed_tokens(guard, vocabulary)):
        after = guard if token_id in vocabulary.end else guard.feed(vocabulary.token_bytes[token_id])
        assert not isinstance(after, Refusal)
        worth[token_id] = preferences[token_id] - (after.penalty - guard.penalty)
    choice = choose(preferences, guard, vocabulary)
    assert choice is not None
    assert choice.token == worth.argmax()


def test_samples_follow_the_penalised_distribution() -> None:
    vocabulary, guard = byte_vocabulary(), _guard("x = plain.")
    logits = np.full(vocabulary.size, -np.inf, dtype=np.float32)
    logits[[token(b"k"), token(b"z")]] = 0.0, 1.0
    drawn = 0
    for seed in range(2_000):
        choice = choose(Sampler(SamplingOptions(temperature=1, seed=seed)).preferences(logits, 0), guard, vocabulary)
        assert choice is not None
        drawn += choice.token == token(b"z")
    expected = 1 / (1 + np.exp(PENALTY - 1))
    assert abs(drawn / 2_000 - expected) < 4 * np.sqrt(expected / 2_000)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sampled_from(["x = user.^", "user.^", "x = plain.^;", "f(^)", "import { ^ } from './shop'", "x = user['^']"]),
    st.integers(0, 2**20),
    st.sampled_from([0.0, 1.0]),
)
def test_whatever_the_model_proposes_the_output_satisfies_the_constraint(
    place: str, seed: int, temperature: float
) -> None:
    wanted = task(place, FakeTypes(KNOWS), max_tokens=24, sampling=SamplingOptions(temperature=temperature, seed=seed))
    completion = complete(randomly(seed), wanted)
    state = start(Language.JAVASCRIPT, wanted.prefix, wanted.suffix).feed(completion.text)
    assert not isinstance(state, Refusal)
    assert state.may_stop() is None


def test_the_trace_tells_at_which_token_a_name_stood_unproven() -> None:
    completion = complete(insists(*letters("f.zz + plain.yy")), task("x=^", FakeTypes(KNOWS)))
    by_token = {step.text: step for step in completion.trace}
    assert [step.open for step in completion.trace if step.open] == [("z",), ("zz",)]
    assert by_token["y"].cost == 0
    assert [(step.cost, step.outside) for step in completion.trace if step.outside] == [
        (pytest.approx(PENALTY), ("y",)),
        (0.0, ("yy",)),
    ]


@pytest.mark.parametrize(("text", "is_asked"), [("x = free.default.", True), ("x = default.", False)])
def test_a_member_with_the_name_of_a_keyword_has_members(text: str, *, is_asked: bool) -> None:
    types = FakeTypes(KNOWS)
    state = TypedNames.at(Language.TYPESCRIPT, types, "", "").feed(text)
    assert isinstance(state, TypedNames)
    assert ((text, Position.MEMBER) in types.asked) is is_asked


OPEN_ARGUMENTS = """
free(zz=1)                  => zz
free(1, zz = total, yy=2)   => zz, yy
free(zz == 1)               =>
free(zz)                    =>
draw(width=1)               =>
soft(zz=1)                  =>
free(lambda a, b=1: a)      =>
def free(a, b=1): pass      =>
"""


@pytest.mark.parametrize("line", OPEN_ARGUMENTS.strip().splitlines())
def test_an_argument_of_which_nothing_is_known_is_told(line: str) -> None:
    text, names = (part.strip() for part in line.split("=>"))
    state = TypedNames.at(Language.PYTHON, FakeTypes(KNOWS), "\n", "", visible=("zz", "total")).feed(text)
    assert not isinstance(state, Refusal)
    assert state.report().open == tuple(name for name in names.split(", ") if name)
    assert not state.keys  # a checker may refuse it, if it is shown the whole text
