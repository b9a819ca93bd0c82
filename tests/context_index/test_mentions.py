"""Where strings and comments have a name among other words; each `^` stands before such a place."""

from __future__ import annotations

import pytest

from context_index import Document, Language, mention_rules, mentions, parse, words_in_text

CASES = r'''
python | x = "{o.buyer} pays for the ^buyer".format(o=self)
python | x = f"{o.buyer} is the ^buyer"
python | x = "%(^buyer)s"; y = o.buyer
python | """A shop for a ^buyer.\n\n>>> Order("x").buyer\n"""
python | x = "buyer"; y = "shop.buyer"
python | x = 1  # the ^buyer, not the buyers or a sub_buyer
python | x = "a \t ^buyer \x41"
python | buyer = b"^buyer pays"
javascript | const x = `${o.buyer} is the ^buyer`;
javascript | /** @param ^buyer who pays, of {@link Order.^buyer} */
javascript | const x = 'buyer'; // the ^buyer, no buyer$ and no $buyer
javascript | const x = '$buyer buyers ^buyer-name';
tsx | const e = <p title="the ^buyer">{buyer}</p>;
'''


@pytest.mark.parametrize("case", [case for case in CASES.splitlines() if case])
def test_words_in_strings_and_comments(case: str) -> None:
    language, _, marked = case.partition(" | ")
    first, *rest = marked.replace("\\n", "\n").split("^")
    text, expected = first, []
    for part in rest:
        expected.append(len(text))
        text += part
    syntax = parse(Document("file:///a", Language(language), text))
    found = words_in_text(syntax, "buyer")
    assert list(found) == expected
    assert not set(found) & {one.start for one in mentions(syntax, "buyer")}


def test_the_type_string_is_no_string() -> None:
    text = "function f(string: string): string { return string } // a string\n"
    syntax = parse(Document("file:///a", Language.TYPESCRIPT, text))
    assert words_in_text(syntax, "string") == (text.rindex("string"),)


@pytest.mark.parametrize(
    ("text", "is_at_top"),
    [
        ("let { ^save } = api;", True),
        ("var [^save] = api;", True),
        ("var { x: [^save = 1] } = api;", True),
        ("var { a, ...^save } = api;", True),
        ("let ^save = 1;", True),
        ("var { a = ^save } = api;", False),
        ("var { ^save: a } = api;", False),
        ("{ let { ^save } = api }", False),
    ],
)
def test_a_name_in_a_pattern_is_declared_where_the_pattern_is(text: str, is_at_top: bool) -> None:
    offset, text = text.index("^"), text.replace("^", "")
    rules = mention_rules(parse(Document("file:///a.js", Language.JAVASCRIPT, text)))
    assert rules.is_declared_at_top(offset) is is_at_top


@pytest.mark.parametrize(
    ("text", "is_exported"),
    [
        ("export const ^save = 1;", True),
        ("export const { ^save } = api;", True),
        ("export const [a, ^save = 1] = api;", True),
        ("export const { ^save: a } = api;", False),
        ("export const a = ^save;", False),
        ("const { ^save } = api;", False),
        ("export function ^save() {}", True),
        ("export default function ^save() {}", False),
    ],
)
def test_a_name_in_a_pattern_is_exported_with_it(text: str, is_exported: bool) -> None:
    offset, text = text.index("^"), text.replace("^", "")
    rules = mention_rules(parse(Document("file:///a.js", Language.JAVASCRIPT, text)))
    assert rules.is_of_module(offset) is is_exported
