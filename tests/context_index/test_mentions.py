"""Where strings and comments have a name among other words; each `^` stands before such a place."""

from __future__ import annotations

import pytest

from context_index import Document, Language, mentions, parse, words_in_text

CASES = r'''
python | x = "{o.buyer} pays for the ^buyer".format(o=self)
python | x = f"{o.buyer} is the ^buyer"
python | x = "%(^buyer)s"; y = o.buyer
python | """A shop.\n\n>>> Order("x").^buyer\n"""
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
