"""What a rewrite breaks in the files that import the changed one: each case is always found, with its line."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from context_index import Workspace, parse
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.rewriting import breaks
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.engine.service import Service
from tests.decoder.forced import Forced
from tests.files import read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lsp_server.engine.rewriting.result import RewriteResult

pytestmark = pytest.mark.slow

BROKEN = "it brings new errors"

PYTHON = """\
from enum import Enum

LIMIT: int = 3


def area(radius: float) -> float:
    return float(radius) * 2


class Unit(Enum):
    METRE = 1
    FOOT = 2


class Cart:
    size: int = 0

    def add(self, item: str) -> "Cart":
        return self


both: tuple[int, int] = 1, 2


def named(*, name: str) -> str: return name
"""
PYTHON_USER = """\
from shop import LIMIT, Cart, Unit, area, both, named

print(area(2.0) + LIMIT)
print(Unit.METRE, Unit.FOOT)
cart = Cart().add("a")
print(cart.size + 1)
left, right = both
print(named(name="a").upper())
"""
TYPESCRIPT = """\
export const LIMIT = 3;
export function area(radius: number): number {
  return Number(radius) * 2;
}
export enum Unit { Metre, Foot }
export interface Item { name: string; price: number }
export class Cart {
  size = 0;
  add(item: Item): Cart { return this; }
}
export const both: [number, number] = [1, 2];
export default function load(path: string): string { return path; }
"""
TYPESCRIPT_USER = """\
import load, { LIMIT, area, both, Cart, Unit, type Item } from './shop';

console.log(area(2) + LIMIT);
console.log(Unit.Metre, Unit.Foot);
const item: Item = { name: 'a', price: 1 };
console.log(new Cart().add(item).size.toFixed());
const [left, right] = both;
console.log(left.toFixed(), right.toFixed(), load('x').trim());
"""
JAVASCRIPT = """\
export const LIMIT = 3;
/** @param {number} radius */
export function area(radius) {
  return Number(radius) * 2;
}
export const Unit = { METRE: 1, FOOT: 2 };
export class Cart {
  size = 0;
  /** @param {string} item */
  add(item) { return this; }
}
export const both = () => ({ left: 1, right: 2 });
export default function load(/** @type {string} */ path) { return path; }
"""
JAVASCRIPT_USER = """\
import load, { LIMIT, area, both, Cart, Unit } from './shop.js';

console.log(area(2) + LIMIT);
console.log(Unit.METRE, Unit.FOOT);
console.log(new Cart().add('a').size.toFixed());
console.log(both().left.toFixed(), both().right);
console.log(load('x').trim());
"""
FILES = {
    "py": ("shop.py", PYTHON, "user.py", PYTHON_USER),
    "ts": ("shop.ts", TYPESCRIPT, "user.ts", TYPESCRIPT_USER),
    "js": ("shop.js", JAVASCRIPT, "user.js", JAVASCRIPT_USER),
}
CHECKED = '{"compilerOptions": {"strict": true, "allowJs": true, "checkJs": true}}'
PROJECTS = {
    "py": ("pyproject.toml", ""),
    "ts": ("tsconfig.json", CHECKED),
    "js": ("tsconfig.json", CHECKED),
    "js that its project does not check": ("package.json", '{"type": "module"}'),
}
CASES = """
py  LIMIT: int => BOUND: int                                       1
py  LIMIT: int = 3 => LIMIT: str = '3'                             3
py  def area(radius: float) => def area(radius: str)               3
py  def area(radius: float) => def area(radius: float, b: int)     3
py  def area( => def surface(                                      1
py  METRE = 1 => METER = 1                                         4
py  item: str => item: int                                         5
py  size: int = 0 => size: str = ''                                6
py  def add( => def put(                                           5
py  tuple[int, int] = 1, 2 => tuple[int] = (1,)                    7
py  name: str) -> str: return name => x: str) -> str: return x     8
ts  const LIMIT => const BOUND                                     1
ts  radius: number) => radius: string)                             3
ts  radius: number) => radius: number, b: number)                  3
ts  export function area => function area                          1
ts  enum Unit { Metre, => enum Unit { Meter,                       4
ts  price: number => price: number; count: number                  5
ts  name: string => name: number                                   5
ts  size = 0 => size = ''                                          6
ts  add(item: Item) => put(item: Item)                             6
ts  [number, number] = [1, 2] => [number] = [1]                    7
ts  export default function load => export function load           1
js  const LIMIT => const BOUND                                     1
js  @param {number} radius => @param {string} radius               3
js  export function area => function area                          1
js  METRE: 1 => METER: 1                                           4
js  size = 0 => count = 0                                          5
js  @param {string} item => @param {number} item                   5
js  add(item) => put(item)                                         5
js  left: 1 => left: 'a'                                           6
js  right: 2 => other: 2                                           6
js  export default function load => export function load           1
"""


def _cases() -> list[tuple[str, str, str, int]]:
    rows = (line.split(maxsplit=1) for line in CASES.splitlines() if line)
    split = ((name, *change.rsplit(maxsplit=1)) for name, change in rows)
    return [(name, *change.strip().split(" => "), int(line)) for name, change, line in split]  # type: ignore[misc]


@pytest.mark.parametrize("through", [False, True])
@pytest.mark.parametrize("project", PROJECTS)
def test_a_rewrite_reports_what_it_breaks_elsewhere(tmp_path: Path, project: str, through: bool) -> None:
    """All cases of a language in one workspace, so that its checker is started once.

    Args:
        through: Whether the importer imports from a file that passes all names on.
    """
    language = project[:2]
    name, text, user, using = FILES[language]
    config, settings = PROJECTS[project]
    (tmp_path / config).write_text(settings)
    module = name.rpartition(".")[0]
    if through:
        star = f"from {module} import *\n" if language == "py" else f"export * from './{module}';\n"
        default = "" if language == "py" else f"export {{ default }} from './{module}';\n"
        passing = tmp_path / f"passing.{language}"
        passing.write_text((star + default).replace(f"'./{module}'", f"'./{module}{'.js' * (language == 'js')}'"))
        using = using.replace(module, "passing", 1)
    (tmp_path / name).write_text(text)
    (tmp_path / user).write_text(using)
    cases = [(old, new, line) for case, old, new, line in _cases() if case == language]
    assert len(cases) >= 10
    missed = []
    with rewriting(tmp_path) as rewritten:
        for old, new, line in cases:
            done = rewritten(name, old, new)
            places = {(one.path, one.line + 1) for one in done.breaks}
            passes_on_nothing = {(f"passing.{language}", 2)}  # the default's own line there is what breaks
            noted = all(f"Breaks {one}" in done.notes for one in done.breaks)
            if ((user, line) not in places and places != passes_on_nothing) or not noted or done.doubts != (BROKEN,):
                missed.append((old, new, done.reason, done.notes))
        harmless = rewritten(name, "3", "4")
        assert (harmless.failure, harmless.breaks, harmless.notes) == (None, (), ())
    assert not missed


@contextmanager
def rewriting(root: Path) -> Iterator[Callable[[str, str, str], RewriteResult]]:
    """Have a model that writes what it is given rewrite the line that has a text first."""
    changes = {"old": "", "new": ""}
    model = Forced(lambda region: region.replace(changes["old"], changes["new"], 1))
    host, workspace = ModelHost(ModelSettings(), load=lambda *_, **__: model), Workspace([root])
    workspace.index()
    rewriter = Rewriter(Service(workspace, host))

    def rewritten(name: str, old: str, new: str) -> RewriteResult:
        changes.update(old=old, new=new)
        shown = read_document(root / name)
        at = shown.text.index(old)
        chosen = at, at + len(old)
        return rewriter.run(RewriteRequest(shown.uri, shown.text, parse(shown), "change it", chosen))

    try:
        yield rewritten
    finally:
        host.close()
        workspace.close()


def test_those_that_are_not_asked_about_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaks, "MOST_FILES", 2)
    (tmp_path / "shop.py").write_text("LIMIT = 1\n")
    for n in range(4):
        (tmp_path / f"user_{n}.py").write_text("from shop import LIMIT\n")
    with rewriting(tmp_path) as rewritten:
        done = rewritten("shop.py", "LIMIT", "BOUND")
    assert [(one.path, one.line) for one in done.breaks] == [("user_0.py", 0), ("user_1.py", 0)]
    assert done.notes == (*(f"Breaks {one}" for one in done.breaks), "Not asked about: user_2.py, user_3.py.")
