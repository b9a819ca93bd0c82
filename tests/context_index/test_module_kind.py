"""How a script is loaded, as far as its name and its text say."""

from __future__ import annotations

import pytest

from context_index import Document, Language, module_kind, parse

# name, text => kind
CASES = """
a.js    | f();                                                          =>
a.js    | import 'a';                                                   => module
a.js    | import('a');                                                  =>
a.js    | export {};                                                    => module
a.js    | const a = require('a');                                       => commonjs
a.js    | f(() => require('a').b);                                      => commonjs
a.js    | a.require('b');                                               =>
a.js    | if (typeof module === 'object') module.exports = f;           => commonjs
a.js    | module . exports = f;                                         => commonjs
a.js    | exports.a = 1;                                                => commonjs
a.js    | exports['a-b'] = 1;                                           => commonjs
a.js    | const exports = f(); exports.a();                             =>
a.js    | if (exports.a === 1) f();                                     =>
a.js    | a.exports.b = 1;                                              =>
a.js    | Object.defineProperty(exports, '__esModule', {});             => commonjs
a.js    | Object.assign(exports, a);                                    => commonjs
a.js    | import a from 'a'; module.exports = a;                        => module
a.js    | // module.exports, require('a')                               =>
a.js    | /* exports.a = 1 */ module.exports = f;                       => commonjs
a.js    | a = "require('a')";                                           =>
a.js    | a = `exports.a = ${b}`;                                       =>
a.js    | a = `${require('a')}`;                                        => commonjs
a.js    | function f() { module.exports = {                             => commonjs
a.mjs   | const a = require('a');                                       => module
a.cjs   | f();                                                          => commonjs
a.cjs   | import 'a';                                                   => commonjs
a.b.cjs |                                                               => commonjs
cjs     |                                                               =>
"""


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_kind(case: str) -> None:
    said, _, expected = case.rpartition("=>")
    name, _, text = said.partition("|")
    syntax = parse(Document(f"file:///x/{name.strip()}", Language.JAVASCRIPT, text.strip()))
    assert (module_kind(syntax) or "") == expected.strip()
