"""The compilers judge: with real checkers, each line of `cases/texts.txt` is a text in a document, and its result."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from context_index import Document, Edit, Language, Workspace, parse
from lsp_server.engine.edits import edits_between
from lsp_server.engine.verification import (
    Candidate,
    Level,
    NewErrors,
    Rejected,
    Unanswered,
    Unverified,
    Verification,
    Verified,
    Verifier,
)
from tests import needs
from tests.context_index.checkers import PATIENCE, stall
from tests.files import document as shown
from tests.files import lay_out

pytestmark = pytest.mark.slow

CASES = [
    line
    for line in (Path(__file__).parent / "cases" / "texts.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
FILES = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2022", "types": [], '
    '"jsx": "preserve"}, "include": ["**/*.ts", "**/*.tsx", "**/*.mts", "**/*.cts"]}',
    "package.json": '{"type": "module"}',
    "checked/jsconfig.json": '{"compilerOptions": {"checkJs": true, "jsx": "preserve", "types": []}}',
    "loose/jsconfig.json": '{"compilerOptions": {"checkJs": true, "strict": false, "types": []}}',
    "catalogue.ts": "export class Catalogue { add(x: string): void {} }\n"
    "export function total(a: number, b: string): number { return a + b.length; }\n",
    "left/pyproject.toml": '[project]\nname = "left"\nversion = "1"\n[tool.ty.src]\nexclude = ["**/*.py"]\n',
    "stations.py": "def read_stations(path: str) -> list[str]: ...\n",
    "about.py": "from stations import read_stations\nall_stations = read_stations\n",
    "near/platforms.py": "class Platform:\n    number: int\n",
    "far/platforms.py": "class Platform:\n    length: int\n",
    "sum.js": "export function splitTotal(total) { return [total]; }\n",
}
MARKED = re.compile(r"⟦([^‖⟧]*)(?:‖([^⟧]*))?⟧")
"""A text in its document, and what it replaces there: `⟦text⟧` or `⟦text‖replaced⟧`."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs.typescript()
    return lay_out(tmp_path_factory.mktemp("project"), FILES)


@pytest.fixture(scope="module")
def workspace(root: Path) -> Iterator[Workspace]:
    opened = Workspace([root])
    opened.index()
    yield opened
    opened.close()


@pytest.fixture
def fresh(root: Path) -> Iterator[Workspace]:
    """A workspace whose checkers only one test asks."""
    opened = Workspace([root])
    yield opened
    opened.close()


def placed(root: Path, name: str, marked: str) -> tuple[Document, Candidate]:
    """A document before the marked text is in it, and the text."""
    mark = MARKED.search(marked)
    assert mark is not None
    replaced = mark[2] or ""
    text = marked[: mark.start()] + replaced + marked[mark.end() :]
    return shown(root, name, text), Candidate(mark.start(), mark[1], len(replaced))


def verified(workspace: Workspace, name: str, marked: str, seconds: float | None = None) -> Verification:
    document, candidate = placed(workspace.roots[0], name, marked)
    found = Verifier(workspace).verify(parse(document), candidate, seconds)
    workspace.forget(document.uri)
    return found


def described(found: Verification, text: str) -> str:
    """The result of a text, as the cases write it."""
    match found:
        case Verified(level, candidate, unverified):
            members = [f"?{text[max(0, start) : end]}" for start, end in unverified]
            imports = [f"+ {edit.text.strip()}" for edit in candidate.edits]
            return " ".join([str(level), *members, *imports])
        case Rejected(rejections):
            return " ".join(["rejected", *dict.fromkeys(one.code for one in rejections)])
        case Unverified(why) | Unanswered(why):
            return why


@pytest.mark.parametrize("case", CASES)
def test_result_of_a_text(case: str, workspace: Workspace) -> None:
    name, _, rest = case.partition(" | ")
    marked, _, expected = rest.rpartition(" => ")
    marked = marked.replace("\\n", "\n")
    candidate = placed(workspace.roots[0], name, marked)[1]
    assert described(verified(workspace, name, marked), candidate.text) == expected


SUPPRESSED = r"""
a.py | x: int = ⟦"a"⟧⟦  # type: ignore⟧
a.py | x: int = ⟦"a"⟧⟦  # type: ignore[assignment]⟧
a.py | x: int = ⟦"a"⟧⟦  # ty: ignore⟧
a.py | x: int = ⟦"a"⟧⟦  # ty: ignore[invalid-assignment]⟧
a.py | x: int = ⟦"a"⟧⟦  # pyright: ignore⟧
a.py | x: int = ⟦"a"⟧⟦  # noqa⟧
a.py | x: int = ⟦"a"⟧⟦  # noqa: E501  # type: ignore⟧
a.py | x: int = ⟦(⟧⟦  # type: ignore⟧⟦\n    "a"\n)⟧
a.py | ⟦# type: ignore\n⟧⟦x: int = "a"⟧
a.py | ⟦# ty: ignore\n⟧⟦x: int = "a"⟧
a.py | ⟦[1].zork⟧⟦  # type: ignore⟧
a.ts | ⟦// @ts-ignore\n⟧⟦const n: number = "a";⟧
a.ts | ⟦// @ts-expect-error\n⟧⟦const n: number = "a";⟧
a.ts | ⟦/* @ts-ignore */\n⟧⟦const n: number = "a";⟧
a.ts | ⟦/** @ts-ignore */\n⟧⟦const n: number = "a";⟧
a.ts | ⟦/**\n * What it is.\n * @ts-expect-error\n */\n⟧⟦const n: number = "a";⟧
a.ts | ⟦// @ts-nocheck\n⟧⟦const n: number = "a";⟧
a.ts | ⟦/* @ts-nocheck */\n⟧⟦const n: number = "a";⟧
checked/a.js | ⟦// @ts-ignore\n⟧⟦const n = [1].zork;⟧
checked/a.js | ⟦/** @ts-ignore */\n⟧⟦const n = [1].zork;⟧
checked/a.js | ⟦// @ts-nocheck\n⟧⟦const n = [1].zork;⟧
a.tsx | ⟦// @ts-expect-error because\n⟧⟦const n: number = "a";⟧
"""


@pytest.mark.parametrize("case", SUPPRESSED.strip().splitlines())
def test_a_comment_in_the_text_silences_nothing(case: str, workspace: Workspace) -> None:
    """The text is all marked parts; without those that are comments it has the same errors."""
    name, _, marked = case.partition(" | ")
    marked = marked.replace("\\n", "\n")
    before, parts = marked[: marked.index("⟦")], re.findall(r"⟦([^⟧]*)⟧", marked)
    without = [one for one in parts if not any(word in one for word in ("ignore", "noqa", "@ts-"))]
    assert len(without) < len(parts)
    judged = [described(verified(workspace, name, f"{before}⟦{''.join(some)}⟧"), "") for some in (parts, without)]
    assert judged[0] == judged[1]
    assert judged[0].startswith("rejected")


def test_types_in_documentation_count(workspace: Workspace) -> None:
    """JSDoc is no mere comment."""
    text = "⟦/** @type {string} */\nconst a = 1;⟧"
    assert described(verified(workspace, "checked/a.js", text), "") == "rejected 2322"


def test_an_error_in_documentation_touches_what_it_documents(workspace: Workspace) -> None:
    """TypeScript reports a cast to a wrong type where the type is written."""
    text = "/** @param {() => void} f */\nfunction g(f) {\n  /** @type {string} */ (⟦f()⟧);\n}\n"
    assert described(verified(workspace, "checked/a.js", text), "") == "rejected 2352"


def test_a_rejection_says_which_part_of_the_text_is_wrong(workspace: Workspace) -> None:
    found = verified(workspace, "a.py", "x = [1]\nprint(x.⟦zork)\n⟧")
    assert isinstance(found, Rejected)
    assert {one.inside for one in found.rejections} == {(0, 4)}
    found = verified(workspace, "a.ts", 'const a: "x" | "y" = ⟦"z"⟧;')
    assert isinstance(found, Rejected)
    assert [(one.start, one.end, one.inside) for one in found.rejections] == [(6, 7, None)]


def test_offsets_of_a_rejection_do_not_count_the_import_that_was_tried(workspace: Workspace) -> None:
    found = verified(workspace, "a.py", "x: int = ⟦read_stations('a')[0]⟧\n")
    assert isinstance(found, Rejected)
    assert [(one.start, one.end, one.inside) for one in found.rejections] == [(9, 30, (0, 21))]


def test_errors_elsewhere_are_reported_and_do_not_bind(workspace: Workspace) -> None:
    found = verified(workspace, "a.ts", "⟦const⟧ later = 1;\nlater = 2;\n")
    assert isinstance(found, Verified)
    assert [(one.code, one.start, one.inside) for one in found.errors_elsewhere] == [("2588", 17, None)]


@pytest.mark.parametrize(
    ("name", "marked", "is_complete", "continues"),
    [
        ("a.py", "n = 1\nx = [1, ⟦n⟧, 2 3]\n", False, True),
        ("a.py", "n = 1\nx = [1, ⟦n⟧, 2, 3]\ny = (\n", True, True),
        ("a.ts", "const n = 1;\nconst x = [1, ⟦n⟧, 2 3];\n", False, True),
        ("a.ts", "const n = 1;\nif (n) {\n  const m = ⟦n;⟧", True, True),
        ("a.js", "const n = 1;\nif (n) {\n  const m = ⟦n⟧;\n", True, True),
        ("a.py", "n = 1\nx = [\n    ⟦n⟧", True, True),
        ("a.ts", "const n = 1;\nconst x = [1, ⟦n⟧, 2, 3];\nconst y = (;\n", True, True),
        ("a.py", "from os import ⟦path⟧\n    getcwd,\n)\n", True, False),
        ("a.ts", "const n = [1];\nn.\nconst m = ⟦n;⟧", True, True),
        ("a.py", "n = [1]\nn.\nm = ⟦n⟧", True, True),
        ("a.ts", "const n = 1;\nconst x = [2 3, ⟦n⟧];", True, True),
        ("checked/a.js", "/** @param {function(any):void|string} f */\nexport const g = ⟦(f) => f;⟧\n", True, True),
    ],
)
def test_a_syntax_error_that_was_there_counts_where_it_is(
    workspace: Workspace, name: str, marked: str, is_complete: bool, continues: bool
) -> None:
    found = verified(workspace, name, marked)
    assert isinstance(found, Verified)
    assert (found.parses, found.is_complete, found.continues) == (False, is_complete, continues)


@pytest.mark.parametrize(
    ("name", "marked", "continues"),
    [
        ("a.ts", "const a = 1;\nexport const rows = {\n  first: a,\n  ⟦a⟧\n  last: 1,\n};\n", False),
        ("a.ts", "const a = 1;\nexport const rows = {\n  first: a,\n  ⟦a,⟧\n  last: 1,\n};\n", True),
        ("a.ts", "const a = 1;\nexport const rows = {\n  first: a,\n  ⟦a⟧\n};\n", True),
        ("a.ts", "import { ⟦total }⟧\nexport const n = 1;\n", False),
        ("a.ts", "const a = 1;\nconst f ⟦= () => {⟧\nexport const n = f;\n", False),
        ("a.ts", "export function f() {\n  ⟦let sum = 0;⟧\n\nexport const n = 1;\n", True),
        ("a.ts", "export function f(n: number) {\n  if (n) {\n    ⟦n += 1⟧\n\nexport const n = 1;\n", True),
        ("a.py", "a = 1\nrows = [\n    ⟦a⟧\n    2,\n]\n", False),
        ("a.py", "a = 1\nrows = [\n    ⟦a,⟧\n    2,\n]\n", True),
        ("a.py", "a = 1\n⟦if a⟧\nb = 2\n", False),
        ("a.py", "a = 1\nif a:\n    ⟦a += 1⟧\nb = 2\n", True),
    ],
)
def test_a_text_above_code_is_gone_on_with_where_a_sign_must_follow(
    workspace: Workspace, name: str, marked: str, continues: bool
) -> None:
    found = verified(workspace, name, marked)
    assert isinstance(found, Verified)
    assert found.continues == continues


@pytest.mark.usefixtures("nothing_installed")
def test_without_a_checker_the_syntax_is_checked_and_it_is_said(fresh: Workspace) -> None:
    found = verified(fresh, "a.ts", "const n: number = ⟦'a'⟧;")
    assert found == Unverified("TypeScript is not installed. Run 'inscope setup' to install it.")
    assert isinstance(verified(fresh, "a.ts", "const n = 1⟦(⟧;"), Rejected)


def test_a_late_answer_is_there_when_the_same_is_asked_again(root: Path, fresh: Workspace) -> None:
    document, candidate = placed(root, "a.py", "x: int = ⟦'a'⟧")
    verifier, syntax = Verifier(fresh), parse(document)
    assert isinstance(verifier.verify(syntax, candidate, 0.0), Unanswered)
    while isinstance(found := verifier.verify(syntax, candidate, 0.0), Unanswered):
        time.sleep(0.01)  # within no time only an answer that was kept is there
    assert isinstance(found, Rejected)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_candidate_of_an_older_text_is_late_at_once(root: Path, fresh: Workspace) -> None:
    """The checker, which would never answer, is not waited for."""
    document, candidate = placed(root, "a.py", "x: int = ⟦'a'⟧")
    verifier, syntax = Verifier(fresh), parse(document)
    assert isinstance(verifier.verify(syntax, candidate), Rejected)
    pid = fresh.checker_of(document).pid
    assert pid is not None
    process = psutil.Process(pid)
    stall(process)
    newer = parse(replace(document, text=f"y = 1\n{document.text}", revision=1))
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(verifier.baseline(syntax).verify, replace(candidate, text="'b'"))
        verifier.baseline(newer)
        assert found.result(PATIENCE) == Unanswered("The document has changed")
    process.resume()
    assert isinstance(verifier.verify(newer, replace(candidate, offset=candidate.offset + len("y = 1\n"))), Rejected)


@pytest.mark.parametrize(("text", "revision"), [("x = 1", 0), ("x: int = ", 1)])
def test_a_candidate_is_judged_whatever_else_is_asked(root: Path, fresh: Workspace, text: str, revision: int) -> None:
    """A request about an older text may come later; cells of a notebook have one text and several revisions."""
    document, candidate = placed(root, "a.py", "x: int = ⟦'a'⟧")
    verifier = Verifier(fresh)
    first = verifier.baseline(parse(document))
    verifier.baseline(parse(replace(document, text=text, revision=revision)))
    assert isinstance(first.verify(candidate), Rejected)


def test_a_rewrite_is_judged_against_the_text_that_it_began_with(root: Path, fresh: Workspace) -> None:
    document, _ = placed(root, "a.py", "x: int = ⟦'a'⟧")
    verifier, syntax = Verifier(fresh), parse(document)
    older = verifier.baseline(syntax)
    verifier.baseline(parse(replace(document, text="", revision=1)))
    found = older.new_errors([Edit(0, 0, "zork\n")])
    assert isinstance(found, NewErrors)
    assert [one.code for one in found.errors] == ["unresolved-reference"]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("zork()\n", "x = 1\nzork()\n", []),
        ("y = zork()\n", "y = 1 + zork()\n", []),
        ("if print:\n    zork()\n", "if print:\n    if 1:\n        zork()\n", []),
        ("zork()\n", "zork()\nzork()\n", [1]),
        ("x = 1\nzork()\n", "x = 1\nfork()\nzork()\n", [1]),
    ],
)
def test_an_error_before_which_a_rewrite_inserts_is_not_new(
    root: Path, fresh: Workspace, before: str, after: str, lines: list[int]
) -> None:
    baseline = Verifier(fresh).baseline(parse(shown(root, "a.py", before)))
    found = baseline.new_errors(edits_between(before, after))
    assert isinstance(found, NewErrors)
    assert [after.count("\n", 0, one.start) for one in found.errors] == lines


@pytest.mark.parametrize(
    ("after", "is_judged"),
    [
        ("def f(day: str) -> int:\n    if day is None:\n        return None\n    return 1\n", False),
        ("def f(day: str) -> int:\n    if day == '':\n        return 2\n    return 1\n", True),
        ("def f(day: str) -> int:\n    if day == '':\n        return None\n    return 1\n", True),
    ],
)
def test_a_rewrite_with_code_that_the_checker_takes_for_unreachable_is_not_judged(
    root: Path, fresh: Workspace, after: str, is_judged: bool
) -> None:
    before = "def f(day: str) -> int:\n    return 1\n"
    baseline = Verifier(fresh).baseline(parse(shown(root, "a.py", before)))
    found = baseline.new_errors(edits_between(before, after))
    assert isinstance(found, NewErrors) == is_judged


@pytest.mark.parametrize(
    ("before", "after", "undefined"),
    [
        ("function add() {}\nadd();\n", "function sum() {}\nadd();\n", ["add"]),
        ("function add() {}\nadd();\n", "function sum() {}\nsum();\n", []),
        ("const limit = 3;\nconsole.log(limit);\n", "console.log(limit);\n", ["limit"]),
        ("import { splitTotal } from './sum.js';\nsplitTotal(1);\n", "splitTotal(1);\n", ["splitTotal"]),
        ("class Cart {}\nexport { Cart };\n", "class Basket {}\nexport { Cart };\n", ["Cart"]),
        ("class Cart {}\nexport { Cart as Bag };\n", "class Basket {}\nexport { Cart as Bag };\n", ["Cart"]),
        ("class Cart {}\nexport { Cart };\n", "class Basket {}\nexport { Basket as Cart };\n", []),
        ("class Cart {}\nexport { Bag } from './bag.js';\n", "class A {}\nexport { Bag } from './bag.js';\n", []),
        ("zork();\n", "const a = 1;\nzork();\n", []),
        ("console.log(1);\n", "console.log(Math.max(1, 2));\n", []),
    ],
)
def test_a_rewrite_of_plain_javascript_is_judged_by_its_own_names(
    root: Path, fresh: Workspace, before: str, after: str, undefined: list[str]
) -> None:
    baseline = Verifier(fresh).baseline(parse(shown(root, "a.js", before)))
    found = baseline.new_errors(edits_between(before, after))
    assert isinstance(found, NewErrors)
    assert [after[one.start : one.end] for one in found.errors] == undefined


@pytest.mark.parametrize(
    ("importable", "expected"),
    [
        (frozenset[str](), "rejected unresolved-reference"),
        (frozenset({"read_zork"}), "rejected unresolved-reference"),
        (frozenset({"read_stations"}), "types + from stations import read_stations"),
        (None, "types + from stations import read_stations"),
    ],
)
def test_only_importable_names_are_imported(
    workspace: Workspace, importable: frozenset[str] | None, expected: str
) -> None:
    document, candidate = placed(workspace.roots[0], "a.py", "x = ⟦read_stations('a')⟧")
    found = Verifier(workspace).verify(parse(document), replace(candidate, importable=importable))
    workspace.forget(document.uri)
    assert described(found, candidate.text) == expected


def test_the_baseline_is_asked_once_while_nothing_changes(root: Path, fresh: Workspace) -> None:
    document, _ = placed(root, "a.py", "x = ⟦1⟧")
    verifier, syntax = Verifier(fresh), parse(document)
    first = verifier.baseline(syntax)
    assert verifier.baseline(syntax) is first
    other, _ = placed(root, "b.py", "y = ⟦1⟧")
    fresh.update(other)
    assert verifier.baseline(syntax) is not first


def test_whether_types_bind_follows_the_first_comments_and_the_disk(tmp_path: Path) -> None:
    needs.typescript()
    opened = Workspace([tmp_path])
    verifier = Verifier(opened)

    def level(first: str) -> Level:
        text = f"{first}const a = "
        document = Document((tmp_path / "a.js").as_uri(), Language.JAVASCRIPT, text)
        found = verifier.verify(parse(document), Candidate(len(text), "1;"))
        assert isinstance(found, Verified)
        return found.level

    assert [level(first) for first in ("", "const b = 1;\n", "// @ts-check\n", "")] == [
        Level.NAMES, Level.NAMES, Level.TYPES, Level.NAMES,
    ]  # fmt: skip
    path = tmp_path / "jsconfig.json"
    path.write_text('{"compilerOptions": {"checkJs": true, "types": []}}', "utf-8")
    opened.refresh([path])
    assert level("") is Level.TYPES
    opened.close()
