"""What may stand next in the path of a module, in small projects laid out on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from context_index import Document, Language, language_of
from context_index.modules import ModulePaths
from context_index.oracles import Oracle
from context_index.oracles.module_paths import PathsOnDisk
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position
from tests.context_index.checkers import PATIENCE

EXPORTS = {
    ".": "./main.js",
    "./one": {"types": "./one.d.ts", "require": "./one.cjs"},
    "./gone": "./gone.js",
    "./deep/er": "./lib/deep.js",
    "./all/*": {"types": "./lib/*.d.ts", "default": "./lib/*.js"},
    "./all/secret": None,
    "./icons/*.svg": "./icons/*.svg",
    "./old/": "./lib/",
}
LAYOUT = {
    "package.json": json.dumps({"name": "shop", "dependencies": {"maps": "1", "plain": "1", "@a/b": "1", "away": "1"}}),
    "main.js": "",
    "cart.js": "",
    "data.json": "",
    "typed.ts": "",
    "view.tsx": "",
    "seen.d.ts": "",
    "late.mts": "",
    "style.css": "",
    ".rc.js": "",
    "ui/index.js": "",
    "ui/button.jsx": "",
    "lib/package.json": json.dumps({"main": "./src/start"}),
    "lib/src/start.js": "",
    "tests/cart.js": "",
    "node_modules/maps/package.json": json.dumps({"name": "maps", "exports": EXPORTS}),
    **{f"node_modules/maps/{name}": "" for name in ("main.js", "one.cjs", "icons/a.svg", "hidden.js")},
    **{f"node_modules/maps/lib/{name}": "" for name in ("deep.js", "secret.js", "told.d.ts", "in/ner.js")},
    "node_modules/plain/package.json": json.dumps({"name": "plain", "main": "lib"}),
    "node_modules/plain/lib/index.js": "",
    "node_modules/plain/lib/part.js": "",
    "node_modules/@a/b/package.json": json.dumps({"name": "@a/b"}),
    "node_modules/@a/b/index.js": "",
    "node_modules/others/package.json": json.dumps({"name": "others"}),
    "node_modules/others/index.js": "",
    "node_modules/more/package.json": json.dumps({"exports": {".": "./a.js", "./native": {"react-native": "./a.js"}}}),
    "node_modules/more/a.js": "",
    "node_modules/@types/only/package.json": json.dumps({"name": "@types/only"}),
    "node_modules/@types/only/index.d.ts": "",
    "inner/node_modules/plain/package.json": json.dumps({"name": "plain"}),
    "inner/node_modules/plain/own.js": "",
    "inner/x.js": "",
    "esm/package.json": json.dumps(
        {"name": "own", "type": "module", "exports": {"./sub": "./a.js"}, "imports": {"#in/*": "./*.js"}}
    ),
    "esm/a.js": "import './b.js'",
    "esm/b.js": "",
    "esm/alone/c.js": "",
    "ts/tsconfig.json": json.dumps({"compilerOptions": {"paths": {"@/*": ["./src/*"], "exact": ["./src/x.ts"]}}}),
    "ts/src/x.ts": "",
    "ts/src/deep/y.ts": "",
    "kit/tsconfig.json": json.dumps({"compilerOptions": {"rootDirs": [".", "./made"]}}),
    "kit/page.ts": "",
    "based/tsconfig.json": json.dumps({"compilerOptions": {"baseUrl": "."}}),
    "based/top/z.ts": "",
}  # fmt: skip

CASES = """
main.js       require('./^')                       => closed cart cart.js data.json data typed typed.js typed.ts view view.js view.jsx seen late.mjs late.mts style.css ui ui/ lib lib/ .rc.js ../ ; late late.js index src zz
main.js       import './^'                         => closed cart cart.js ui ui/
main.js       require('./tests/^')                 => closed cart ../ ; index ""
main.js       require('./ui/^')                    => closed button button.jsx index ""
main.js       require('./gone/^')                  => open
main.js       require('./^') + require('./zz')     => listed cart
main.js       require('./^') // require('./zz')    => listed cart
main.js       // require('./zz')<>require('./^')   => closed cart
main.js       require('./ui/b^')                   => closed utton utton.jsx ; button
ui/button.jsx require('^')                         => listed ./ ../ . maps maps/ plain plain/ @a/b fs node:fs fs/promises node:test ; .. away others test only cart @types/only
tests/cart.js require('^')                         => listed ./ ../ maps ; . ..
main.js       require('fs/^')                      => listed promises
main.js       require('node:^')                    => listed fs fs/promises test
main.js       require('maps/^')                    => closed one deep/ all/ icons/ old/ ; gone hidden.js hidden main.js "" package.json
main.js       require('maps/zz'); require('maps/^') => listed one ; zz
main.js       require('other:a/b'); import 'other:a/^' => listed b
main.js       require('maps/deep/^')               => closed er ; ner
main.js       require('maps/all/^')                => closed deep told in/ ; secret deep.js
main.js       require('maps/all/in/^')             => closed ner
main.js       require('maps/icons/^')              => closed a.svg
main.js       require('maps/old/^')                => closed deep.js in/
main.js       require('plain/^')                   => closed lib lib/ "" package.json
main.js       require('plain/lib/^')               => closed part part.js "" ; zz
inner/x.js    require('plain/^')                   => closed own own.js lib/
main.js       require('@a/^')                      => listed b ; c
main.js       require('@a/b/^')                    => closed index index.js
main.js       require('others/^')                  => closed index
main.js       require('more/^')                    => open
main.js       require('nothing/^')                 => open
main.js       require('only/^')                    => open
typed.ts      import x from 'only/^'               => closed index.d.ts index
main.js       require('nothing/else'); require('^') => listed nothing/else
main.js       import 'https://^'                   => open
main.js       require('/^')                        => open
main.js       x = '^'                              => listed ./
esm/a.js      import './^'                         => closed b b.js ; zz
esm/a.js      import './b.js'; import './^'        => closed b.js alone/ ; b alone a.js
esm/a.js      import './b'; import './^'           => closed b b.js
esm/a.js      import './b'; import '...'; import './^' => closed b b.js ; zz
esm/a.js      import './x.json'; import './^'      => listed b b.js
esm/a.js      import './b.js'; require('./^')      => closed b b.js
esm/b.js      import './^'                         => listed a.js ; a
esm/alone/c.js import './^'                        => closed ../ ; c c.js
esm/alone/c.js import '^'                          => listed ./ ../ maps fs ; ./b.js
esm/a.js      import 'own/^'                       => closed sub
esm/a.js      import '#^'                          => listed in/
esm/a.js      import '#in/^'                       => listed a alone/
ts/src/x.ts   import a from '@/^'                  => listed x x.js deep/ ; y zz
ts/src/x.ts   import a from '@/deep/^'             => listed y
ts/src/x.ts   import a from '^'                    => listed @/ exact maps
ts/src/x.ts   import a from './^'                  => closed deep/ ; x x.js
kit/page.ts   import a from './^'                  => listed ../ ; page
based/top/z.ts import a from '^'                   => listed top/ maps
based/top/z.ts import a from 'top/^'               => listed z
"""  # noqa: E501 -- cases stay on one line each


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for name, text in LAYOUT.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def asked(paths: PathsOnDisk, top: Path, name: str, marked: str) -> Members:
    language = language_of(name)
    assert language is not None
    text = marked.replace("<>", "\n")
    offset = text.index("^")
    return paths.names(Document((top / name).as_uri(), language, text.replace("^", "", 1)), offset)


@pytest.mark.parametrize("case", [case for case in CASES.splitlines() if case])
def test_lists(top: Path, case: str) -> None:
    place, _, wanted = case.partition(" => ")
    name, _, marked = place.partition(" ")
    grade, _, names = wanted.strip().partition(" ")
    within, _, without = f" {names} ".partition(" ; ")
    found = asked(PathsOnDisk((top,)), top, name, marked.strip())
    assert type(found).__name__.lower() == grade
    if not isinstance(found, Open):
        listed = {one or '""' for one in found.names}
        assert not set(within.split()) - listed
        assert not set(without.split()) & listed


def test_without_anything_installed_what_is_declared_counts(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"react": "1"}}), encoding="utf-8")
    found = asked(PathsOnDisk((tmp_path,)), tmp_path, "a.js", "require('^')")
    assert isinstance(found, Listed)
    assert "react" in found.names


def test_what_is_made_or_removed_is_felt(tmp_path: Path) -> None:
    paths = PathsOnDisk((tmp_path,), remembers=0)
    for number, name in enumerate(("a.js", "b.js")):
        (tmp_path / name).write_text("", encoding="utf-8")
        os.utime(tmp_path, (number + 1, number + 1))
        found = asked(paths, tmp_path, "main.js", "require('./^')")
        assert isinstance(found, Closed)
        assert name in found.names
    (tmp_path / "a.js").unlink()
    found = asked(paths, tmp_path, "main.js", "require('./^')")
    assert isinstance(found, Closed)
    assert "a" not in found.names


def test_a_file_that_is_not_saved_yet_is_there(tmp_path: Path) -> None:
    found = asked(PathsOnDisk((tmp_path,), lambda: [tmp_path / "new.js"]), tmp_path, "main.js", "require('./^')")
    assert isinstance(found, Closed)
    assert "new" in found.names


def test_a_text_without_a_place_is_not_answered() -> None:
    found = PathsOnDisk(()).names(Document("untitled:one", Language.JAVASCRIPT, "require('./"), 11)
    assert isinstance(found, Open)


class Checker:
    """Knows one module, and remembers what it was asked."""

    name = "checker"
    idle_limit = None

    def __init__(self) -> None:
        self.asked: list[str] = []

    def names(self, document: Document, offset: int, _position: Position) -> Members:
        self.asked.append(document.text[:offset])
        return Listed({"known": NameKind.MODULE})

    def put_off(self, *, due: bool) -> None:
        pass

    def stop(self) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


PACKAGES = """
main.js       require('^')                         => others/ only others maps ; zz
main.js       require('o^')                        => thers nly ; maps
main.js       require('@a/^')                      => b ; c
main.js       require('zz'); require('^')          =>
main.js       import 'vite:zz'; require('^')       =>
main.js       // import 'zz'<>require('^')         => others
main.js       require('node:fs'); require('maps/one'); require('^') => others
esm/a.js      import '#in/a'; import '^'           => others
ts/src/x.ts   import '@/x'; import a from '^'      => only
ts/src/x.ts   import '~/x'; import a from '^'      =>
main.js       require('./^')                       =>
main.js       require('others/^')                  =>
"""


@pytest.mark.parametrize("case", [case for case in PACKAGES.splitlines() if case])
def test_what_is_installed_is_all_there_is_where_that_explains_what_is_written(top: Path, case: str) -> None:
    place, _, wanted = case.partition("=>")
    name, _, marked = place.partition(" ")
    found = asked(PathsOnDisk((top,)), top, name, marked.strip())
    others = found.others if isinstance(found, Listed) else None
    if not wanted.strip():
        assert others is None
        return
    within, _, without = f" {wanted} ".partition(" ; ")
    assert others is not None
    assert list(others) == sorted(others)
    assert not set(within.split()) - set(others)
    assert not set(without.split()) & set(others)


def test_where_nothing_is_installed_anything_may_be(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"react": "1"}}), encoding="utf-8")
    found = asked(PathsOnDisk((tmp_path,)), tmp_path, "a.js", "require('^')")
    assert isinstance(found, Listed)
    assert found.others is None


@pytest.fixture
def oracle(top: Path) -> Callable[[str, Position], tuple[Members, str, list[str]]]:
    def ask(text: str, position: Position) -> tuple[Members, str, list[str]]:
        checker = Checker()
        oracle = Oracle([checker], paths=PathsOnDisk((top,)))  # type: ignore[list-item]  # it answers for names only
        document = Document((top / "main.js").as_uri(), Language.JAVASCRIPT, text)
        answer = oracle.names(document, len(text), position).answer(PATIENCE)
        oracle.close()
        return answer.members, answer.by, checker.asked

    return ask


def test_the_checker_is_not_asked_for_what_the_files_tell(
    oracle: Callable[[str, Position], tuple[Members, str, list[str]]],
) -> None:
    members, by, told = oracle("require('./", Position.MODULE)
    assert isinstance(members, Closed)
    assert (by, told) == ("the files", [])


def test_the_checker_has_the_word_where_the_files_tell_nothing(
    oracle: Callable[[str, Position], tuple[Members, str, list[str]]],
) -> None:
    assert oracle("require('nothing/", Position.MODULE)[1:] == ("checker", ["require('nothing/"])
    assert oracle("x.", Position.MEMBER)[1:] == ("checker", ["x."])


def test_a_fault_is_told_to_who_asked(top: Path) -> None:
    class Faulty(PathsOnDisk):
        def names(self, _document: Document, _offset: int) -> Members:
            raise ZeroDivisionError

    oracle = Oracle([], paths=Faulty((top,)))
    pending = oracle.names(Document((top / "main.js").as_uri(), Language.JAVASCRIPT, "'"), 1, Position.MODULE)
    with pytest.raises(ZeroDivisionError):
        pending.answer(PATIENCE)
    oracle.close()


def test_what_is_remembered_is_what_is_found_anew(top: Path) -> None:
    remembering, forgetful = ModulePaths((top,), remembers=1e9), ModulePaths((top,), remembers=0)
    for importer, written in product(
        ("main.js", "esm/a.js", "ts/src/x.ts"), ("", "./", "maps/", "@/", "", "./", "../")
    ):
        asked = top / importer, "", 0, written
        assert remembering.following(*asked, requires=True) == forgetful.following(*asked, requires=True)
