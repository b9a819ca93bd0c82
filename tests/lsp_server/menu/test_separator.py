"""The comma that an entry of the menu brings before a key."""

from __future__ import annotations

import pytest

from context_index import Document, Edit, Language, parse, word_end, word_start
from lsp_server.engine.menu.separator import missing_comma

CASES = """
js  f({a: 1 ^})                      => f({a: 1, ^})
js  f({a: 1 ^                        => f({a: 1, ^
js  f({|  a: 1|  ^|})                => f({|  a: 1,|  ^|})
js  f({|  a: g(1)  // one|  b^|})    => f({|  a: g(1),  // one|  b^|})
js  x = {a: [1], b: {c: 2} ^}        => x = {a: [1], b: {c: 2}, ^}
js  x = {a ^}                        => x = {a, ^}
js  x = {m() {} ^}                   => x = {m() {}, ^}
js  x = {...a ^}                     => x = {...a, ^}
js  f({a: 1, ^})                     =>
js  f({^})                           =>
js  f({ ^ })                         =>
js  f({a: ^})                        =>
js  f({|  // none|  ^|})             =>
js  x = {a: 1, ^ b: 2}               =>
ts  x = {a: 1 as number ^}           => x = {a: 1 as number, ^}
py  f({"a": 1 ^})                    => f({"a": 1, ^})
py  f({|    "a": 1|    ^|})          => f({|    "a": 1,|    ^|})
py  f({|    "a": g(1)  # one|    ^|})  => f({|    "a": g(1),  # one|    ^|})
py  f({**a ^})                       => f({**a, ^})
py  f({"a": [1] ^, "c": 2})          => f({"a": [1], ^, "c": 2})
py  f({"a": 1, ^})                   =>
py  f({^})                           =>
py  f({"a": ^})                      =>
"""
LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "py": Language.PYTHON}


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_the_comma_before_a_key(case: str) -> None:
    suffix, _, rest = case.partition("  ")
    marked, expected = (part.strip(" ").replace("|", "\n") for part in rest.split("=>"))
    before, after = marked.split("^")
    text = before + after
    syntax = parse(Document(f"file:///a.{suffix}", LANGUAGES[suffix], text + "\n"))
    comma = missing_comma(syntax, word_start(text, len(before)), word_end(text, len(before)))
    wanted = expected.replace("^", "")
    if comma is None:
        assert wanted == ""
    else:
        assert comma == Edit(comma.start, comma.start, ",")
        assert text[: comma.start] + "," + text[comma.start :] == wanted


def test_a_long_comment_before_a_key_hides_no_pair() -> None:
    text = f"f({{\n  a: 1\n  // {'long ' * 100}\n  b"
    syntax = parse(Document("file:///a.js", Language.JAVASCRIPT, text + "\n})\n"))
    end = text.index("\n  //")
    assert missing_comma(syntax, len(text) - 1, len(text)) == Edit(end, end, ",")
