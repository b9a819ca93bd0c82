"""What the rules of TypeScript and Python answer about one text; no checker is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language, parse
from context_index.declarations import identifiers
from context_index.mentions import MentionForm, MentionRules, NamePattern, ReadForm, mention_rules, name_patterns

if TYPE_CHECKING:
    from pathlib import Path

MODULES = """
import * as cart from "./cart"; cart.total()                            => members
import * as cart from "./cart"; show(cart)                              => value
import cart = require("./cart"); cart.total()                           => members
import cart = require("./cart"); show(cart)                             => value
import cart = require(/* its sum */ "./cart"); show(cart)               => value
import other = require("./other"); show(other)                          => members
const cart = require("./cart"); cart.total()                            => members
const cart = require("./cart"); show(cart)                              => value
const cart = await import(/* webpackChunkName: "cart" */ "./cart")      => members
const cart = await import(/* its sum */ "./cart"); show(cart)           => value
const cart = await import(/* "./cart" */ name)                          => value
import("./cart").then((cart) => cart.total())                           => members
import("./cart").then(cart => cart.total())                             => members
import("./cart").then(function (cart) { return cart.total() })          => members
import("./cart").then((cart) => show(cart))                             => value
import("./cart").then(/* its sum */ (/* all */ cart) => cart.total())   => members
import("./cart").then(/* its sum */ (/* all */ cart) => show(cart))     => value
import("./cart").then(/* its sum */ ({ total }) => total())             => members
const { total } = /* its sum */ await /* once */ import("./cart")       => members
register(/* its sum */ "./cart")                                        => value
"""
"""Whether a program has the module `cart` as a value, or asks it for members that the text says."""
READS = """
^new vm.Script(code)
^new Function(code)
^vm.runInThisContext(code)
new Script(code)
^Object.hasOwn(cart, key)
Object.hasOwn(cart, "total")
Object.hasOwn(/* which */ cart, /* its sum */ "total")
^Object.hasOwn(cart, /* "total" */ key)
cart.hasOwnProperty(/* its sum */ "total")
^cart.hasOwnProperty(/* "total" */ key)
^cart.hasOwnProperty("\\u0074otal")
^Reflect.get(...pair)
^Reflect.get(cart, ...rest)
^Object.keys(...pair)
const { ^[key]: x } = cart
({ ^[key]: x } = cart)
function f({ ^[key]: x }) {}
const x = { [key]: 1 }
const { ["total"]: x } = cart
x = ^cart["t\\x6ftal"]
function f() {} `${/* its code */ ^f}`
function* f() {} `${^f}`
const f = function* () {}; `${^f}`
"""
"""Each `^` is before an expression that reads names as the program runs."""
KEYS = """
^Object.hasOwn(/* which */ cart, /* its sum */ "total")  => total
^cart.hasOwnProperty(/* its sum */ "total")  => total
x = ^cart["total"]                           => total
^'total' in cart                             => total
^Reflect.get(cart, "a total")                => a total
const { ^["total"]: x } = cart               => total
function f({ ^["total"]: x }) {}             => total
"""
"""Each `^` is before an expression that reads the member with the name that it has as a string."""
ASSUMPTIONS = """
const f = (cart: object): ^cart is /* one */ Cart => true
(/* its sum */ ^cart) as Cart
^cart /* its sum */ as /* one */ Cart
function f(): Cart { return /* its sum */ ^cart }
const one: Cart = await /* its sum */ ^cart
function* f(): Generator<Cart> { return ^cart }
"""
"""Each `^` is before a name whose value code takes to be of a type."""
PATTERNS = {
    Language.TYPESCRIPT: """
cart["on" + event]                                                   => on*
cart[`on${event}Now`]                                                => on*Now
cart[(("on" + event) as string)]                                     => on*
cart["on" + event + "Now"]                                           => on*Now
cart[event ? "close" : `on${event}`]                                 => close or on*
const key = "on" + event; cart[key]                                  => on*
let key = "on" + event; key = "close"; cart[key]                     => close or on*
let key; if (event) key = "on" + event; cart[key]                    => on*
let key = "on" + event; key += "Now"; cart[key]                      => any
let key = "on" + event; [key] = events; cart[key]                    => any
let key = "on" + event; ({ key } = events); cart[key]                => any
for (const key of events) cart[key]                                  => any
try { go("on") } catch (key) { cart[key] }                           => any
const use = (key: string) => cart[key]                               => any
import { key } from "./keys"; cart[key]                              => any
const one = "on" + event, key = one; cart[key]                       => on*
let key = "on" + event; key = key; cart[key]                         => any
cart[event + 1]                                                      => any
cart["on" + "\\u0041" + event]                                       => on*
cart[event.toUpperCase()]                                            => any
""",
    Language.PYTHON: """
getattr(cart, "on_" + event)                                         => on_*
getattr(cart, f"on_{event}_now")                                     => on_*_now
getattr(cart, "on_%s" % event)                                       => on_*
getattr(cart, "on_{}".format(event))                                 => on_*
getattr(cart, ("on_" "a_" f"{event}"))                               => on_a_*
getattr(cart, "close" if event else "on_" + event)                   => close or on_*
key = "on_" + event; getattr(cart, key)                              => on_*
key = "on_" + event; key = "close"; getattr(cart, key)               => close or on_*
key = "on_" + event; key += "_now"; getattr(cart, key)               => any
for key in events: getattr(cart, key)                                => any
key, one = events; getattr(cart, key)                                => any
from keys import key; getattr(cart, key)                             => any
use = lambda key: getattr(cart, key)                                 => any
[getattr(cart, key) for key in events]                               => any
getattr(cart, event.upper())                                         => any
key = "on_" + event↵def f():↵ nonlocal key↵ if event: key = "close"↵ getattr(cart, key)  => any
key = "on_" + event↵match events:↵ case key: getattr(cart, key)      => any
key = "on_" + event↵match events:↵ case [_, *key]: getattr(cart, key)  => any
key = "on_" + event↵match events:↵ case {"a": str() as key}: getattr(cart, key)  => any
key = "on_" + event↵match events:↵ case _ if key: getattr(cart, key)  => on_*
key = "on_" + event↵with events as (key, one): getattr(cart, key)  => any
getattr(cart,  # which↵ "on_" + event)                               => on_*
getattr(cart, "on_\\x41" + event)                                    => any
methodcaller("on_" + event, 1)                                       => on_*
""",
}
"""What the names may be by which each text asks for a member; ↵ is a line break."""
COPIES = """
Object.assign(this, given)                => copies
Object.assign({}, given)                  => makes its own
Object.assign(/* a copy */ {}, given)     => makes its own
Object.assign(/* {} */ this, given)       => copies
"""
"""Whether an object that there was gets members that the text does not say."""


def rules_for(text: str) -> MentionRules:
    return mention_rules(parse(Document("file:///a.ts", Language.TYPESCRIPT, text)))


def rows(table: str) -> list[tuple[str, str]]:
    pieces = [line.rpartition("=> ")[::2] for line in table.strip().splitlines()]
    return [(text.rstrip().replace("↵", "\n"), answer) for text, answer in pieces]


def said(rules: MentionRules) -> dict[int, str]:
    return {offset: path for offset, path in rules.said_library.items() if path}


@pytest.mark.parametrize(("text", "answer"), rows(MODULES))
def test_a_module_is_a_value_where_more_than_its_members_is_said(text: str, answer: str) -> None:
    assert rules_for(text).has_modules_as_values({"cart"}, ()) == (answer == "value")


@pytest.mark.parametrize("marked", READS.strip().splitlines())
def test_a_read_begins_where_the_expression_does(marked: str) -> None:
    before, *after = marked.split("^")
    rules = rules_for(before + "".join(after))
    assert [read.start for read in rules.reads(said(rules)) if not read.keys] == [len(before)] * len(after)


@pytest.mark.parametrize(("marked", "key"), rows(KEYS))
def test_a_read_of_one_member_says_its_name(marked: str, key: str) -> None:
    before, _, after = marked.partition("^")
    rules = rules_for(before + after)
    assert [(read.start, read.keys) for read in rules.reads(said(rules))] == [(len(before), (key,))]


@pytest.mark.parametrize(
    ("language", "text", "answer"), [(language, *row) for language, table in PATTERNS.items() for row in rows(table)]
)
def test_a_computed_name_is_known_by_its_constant_parts(language: Language, text: str, answer: str) -> None:
    rules = mention_rules(parse(Document("file:///a", language, text)))
    (read,) = (read for read in rules.reads(said(rules)) if read.form in (ReadForm.KEYS, ReadForm.ANY_KEYS))
    patterns = () if read.key is None else name_patterns(rules, read.key)
    shown = sorted(each.beginning if each.is_whole else f"{each.beginning}*{each.end}" for each in patterns)
    assert " or ".join(shown) == answer.replace("any", "")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("f(cart, shop.cart, total())", ["cart", "cart", "total"]),
        ("new Box(f ? { one } : [two])", ["one", "one:", "two"]),
        ("f({ one: 1, two: { three: four }, five() { return six } })", ["one:", "two:", "three:", "four", "five:"]),
        ("f(() => cart, function () { return cart }, 1)", []),
        ("f({ 'one': 1, ...two }, await three, four as Five)", ["one:", "two", "three", "four"]),
    ],
)
def test_what_a_call_gives_are_values_and_keys(text: str, names: list[str]) -> None:
    rules = rules_for(text)
    found = [(start, "") for given in rules.given_values() for start in given.names]
    found += [(start, ":") for given in rules.given_values() for start in given.keys]
    outermost = sorted(found)
    assert [f"{rules.syntax.text(rules.node(start))}{sign}" for start, sign in outermost] == names


@pytest.mark.parametrize("marked", ASSUMPTIONS.strip().splitlines())
def test_an_assumption_is_about_the_value(marked: str) -> None:
    before, _, after = marked.partition("^")
    assert [assumed.value for assumed in rules_for(before + after).assumptions()] == [len(before)]


@pytest.mark.parametrize(("text", "answer"), rows(COPIES))
def test_members_are_copied_to_an_object_that_there_was(text: str, answer: str) -> None:
    rules = rules_for(text)
    assert rules.copies_members(said(rules)) == (answer == "copies")


@pytest.mark.parametrize(
    "parameters", ["self", "self, total", "\n    # what is sold\n    self,\n", "self: Any", "total"]
)
def test_a_receiver_is_the_first_parameter(parameters: str) -> None:
    text = f"class Cart:\n  def add({parameters}):\n    return self.size\n"
    rules = mention_rules(parse(Document("file:///a.py", Language.PYTHON, text)))
    of_class = rules.class_of_receiver(text.index("self.size"))
    assert (of_class is not None) == ("self" in parameters)


@pytest.mark.parametrize(
    "statement", ["^a = 1", "^a, *^b = 1, 2", "(^a, [^b]) = rows", "^a: int", "def ^a(): pass", "print(a)"]
)
def test_what_the_body_of_a_class_declares_are_members(statement: str) -> None:
    text = f"class Cart:\n  {statement.replace('^', '')}\n"
    syntax = parse(Document("file:///a.py", Language.PYTHON, text))
    rules = mention_rules(syntax)
    members = [node for node in identifiers(syntax) if rules.form(node) is MentionForm.MEMBER]
    assert len(members) == statement.count("^")


@pytest.mark.parametrize(
    "method",
    [
        "def ask(self, name): getattr(self, 'on_' + name)",
        "def ask(self: Any, name): getattr(self, 'on_' + name)",
        "def ask(  # of itself\n    self, name): getattr(self,  # one\n 'on_' + name)",
    ],
)
def test_a_class_elsewhere_asks_its_instances_for_computed_names(method: str, tmp_path: Path) -> None:
    library = tmp_path / "library.py"
    library.write_text(f"class Cart:\n  {method}\n", "utf-8")
    rules = mention_rules(parse(Document("file:///a.py", Language.PYTHON, "")))
    assert list(rules.asked_by_class(library, 0)) == [NamePattern("on_")]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("dataclasses.fields", '__import__("dataclasses").fields'),
        ("enum.Enum.name", '__import__("enum").Enum.name'),
        ("__dict__", "__dict__"),
    ],
)
def test_a_probe_of_the_library_is_an_expression(path: str, said: str) -> None:
    rules = mention_rules(parse(Document("file:///a.py", Language.PYTHON, "")))
    receiver, name = rules.library_probe(path)
    assert (receiver + name, name) == (said, path.rpartition(".")[2])
