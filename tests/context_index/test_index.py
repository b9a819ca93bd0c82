"""What the index knows of a workspace, after reading it whole and after single changes."""

from __future__ import annotations

import sysconfig
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_index.exports import imports_of
from context_index.index import Index
from context_index.scan import Exclusion, ScanSettings
from context_index.symbols import Language
from context_index.syntax import parse
from tests.files import document, lay_out


def indexed(root: Path, files: dict[str, str], scan: ScanSettings | None = None) -> Index:
    lay_out(root, files)
    index = Index([root], scan or ScanSettings())
    index.read_all()
    return index


def importable(index: Index, root: Path, name: str, text: str | None = None, taken: tuple[str, ...] = ()) -> list[str]:
    """`name from module` for everything that a file could import."""
    text = (root / name).read_text(encoding="utf-8") if text is None else text
    syntax = parse(document(root, name, text))
    found = index.importable(root / name, syntax.language, imports_of(syntax), taken)
    return [f"{item.text}{'!' if item.is_default else ''} {item.module}" for item in found]


SHOP = {
    "web/cart.js": "export function total(items) {}\nexport const RATE = 1;\nexport default class Cart {}\n",
    "web/ui/button.js": "export default () => 1;\n",
    "web/all.js": "export * from './cart';\nexport { default as Basket } from './cart';\n",
    "web/main.js": "",
    "web/main.test.js": "export const helper = 1;\n",
    "web/view.tsx": "export interface Props {}\nexport const View = () => null;\n",
    "py/pyproject.toml": "",
    "py/shop/__init__.py": "from .cart import Cart\n",
    "py/shop/cart.py": "import os\nclass Cart: ...\ndef _hidden(): ...\n",
    "py/run.py": "",
    "py/tests/test_cart.py": "def test_it(): ...\n",
}

FILES = len(SHOP) - 1
"""All but the pyproject.toml."""

IMPORTABLE = [
    (
        "web/main.js",
        "",
        [
            "Basket ./all",
            "total ./all",
            "RATE ./all",
            "total ./cart",
            "RATE ./cart",
            "Cart! ./cart",
            "button! ./ui/button",
        ],
    ),
    ("web/main.js", "import './ui/button.js'", ["total ./all.js", "total ./cart.js", "button! ./ui/button.js"]),
    ("web/view.tsx", "", ["Cart! ./cart", "total ./cart"]),
    ("web/cart.js", "", ["Basket ./all", "button! ./ui/button"]),
    ("py/run.py", "", ["Cart shop", "Cart shop.cart"]),
    ("py/shop/__init__.py", "from . import x", ["cart .", "Cart .cart", "_hidden .cart"]),
    ("py/tests/test_cart.py", "", ["Cart shop", "Cart shop.cart"]),
]


@pytest.mark.parametrize(("name", "text", "expected"), IMPORTABLE)
def test_importable(name: str, text: str, expected: list[str], tmp_path: Path) -> None:
    index = indexed(tmp_path, SHOP)
    found = importable(index, tmp_path, name, text)
    assert set(expected) <= set(found)
    assert len(found) == len(set(found))
    if text == "":
        assert not {item for item in found if item.split()[0] in {"helper", "_hidden", "os", "test_it"}}
    if name.endswith(".js"):
        assert not any("view" in item for item in found), "TypeScript is not imported by plain JavaScript"


def test_near_modules_come_first_and_taken_names_not_at_all(tmp_path: Path) -> None:
    index = indexed(tmp_path, SHOP)
    found = importable(index, tmp_path, "web/main.js")
    assert found[-1] == "button! ./ui/button"
    assert importable(index, tmp_path, "web/main.js", taken=("total", "nothing")) == [
        item for item in found if not item.startswith("total ")
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p/a.py", ["x p.m", "x p.q", "x p"]),
        ("p/q/b.py", ["x p.m", "x p", "x p.q"]),
        ("r.py", ["x p", "x p.m", "x p.q"]),
    ],
)
def test_a_module_of_a_folder_that_a_file_lies_in_comes_last(tmp_path: Path, name: str, expected: list[str]) -> None:
    files = {
        "p/__init__.py": "from .m import x\n__all__ = ['x']\n",
        "p/m.py": "x = 1\n",
        "p/a.py": "",
        "p/q/__init__.py": "from ..m import x\n__all__ = ['x']\n",
        "p/q/b.py": "",
        "r.py": "",
    }
    found = importable(indexed(tmp_path, files), tmp_path, name)
    assert [one for one in found if one.startswith("x ")] == expected


def test_a_package_of_python_keeps_modules_and_names_for_itself(tmp_path: Path) -> None:
    files = {
        "p/__init__.py": "",
        "p/a.py": "import os\n__all__ = ['x']\nx = _y = z = 1\n",
        "p/q/__init__.py": "",
        "p/q/b.py": "",
        "r.py": "",
    }
    index = indexed(tmp_path, files)
    assert importable(index, tmp_path, "p/q/b.py") == ["a p", "x p.a", "_y p.a", "z p.a", "q p"]
    assert importable(index, tmp_path, "p/q/b.py", "from . import c") == ["a ..", "x ..a", "_y ..a", "z ..a"]
    assert importable(index, tmp_path, "r.py") == ["x p.a"]
    (tmp_path / "p/__init__.py").unlink()
    index.refresh([tmp_path / "p/__init__.py"])
    assert importable(index, tmp_path, "p/q/b.py") == ["x a"]
    lay_out(tmp_path, {"p/__init__.py": ""})
    index.refresh([tmp_path / "p/__init__.py"])
    assert "_y p.a" in importable(index, tmp_path, "p/q/b.py")


def test_kinds_and_signatures_come_from_where_a_name_is_made(tmp_path: Path) -> None:
    files = {
        "a.js": "export function add(x, y) {}\n",
        "b.js": "export { add as plus } from './a';\n",
        "c.js": "import { plus } from './b';\nexport { plus };\nexport * as all from './a';\n",
        "loop1.js": "export * from './loop2';\nexport { x } from './loop2';\n",
        "loop2.js": "export * from './loop1';\nexport { x } from './loop1';\n",
        "p/__init__.py": "from .m import f\nfrom . import m\nfrom .m import *\n",
        "p/m.py": "def f(a) -> int: ...\n__all__ = ['f']\n",
    }
    index = indexed(tmp_path, files)
    (plus, whole) = index.exports(tmp_path / "c.js")
    assert (plus.name, plus.kind) == ("plus", "function")
    assert (whole.name, whole.kind) == ("all", "namespace")
    assert [index.declared(tmp_path / "main.js", "./c", name) for name in ("plus", "nothing")] == [
        (tmp_path / "a.js", index.exports(tmp_path / "a.js")[0]),
        None,
    ]
    assert [export.name for export in index.exports(tmp_path / "loop1.js")] == ["x"]
    assert [(e.name, e.kind) for e in index.exports(tmp_path / "p/__init__.py")] == [
        ("f", "function"),
        ("m", "module"),
    ]


def test_an_open_text_takes_the_place_of_the_disk_until_closed(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"a.py": "def old(): ...\n", "b.py": ""})
    assert importable(index, tmp_path, "b.py") == ["old a"]
    index.open(tmp_path / "a.py", document(tmp_path, "a.py", "def new(): ...\n"))
    assert importable(index, tmp_path, "b.py") == ["new a"]
    lay_out(tmp_path, {"a.py": "def saved(): ...\n"})
    index.refresh([tmp_path / "a.py"])
    assert importable(index, tmp_path, "b.py") == ["new a"], "the disk does not speak while the text is open"
    assert index.read_all().files == 2
    assert importable(index, tmp_path, "b.py") == ["new a"]
    index.close(tmp_path / "a.py")
    assert importable(index, tmp_path, "b.py") == ["saved a"]


def test_files_come_and_go(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"a.py": "x = 1\n", "b.py": ""})
    lay_out(tmp_path, {"c.py": "y = 1\n"})
    (tmp_path / "a.py").unlink()
    index.refresh([tmp_path / "a.py", tmp_path / "c.py", tmp_path / "never.py"])
    assert importable(index, tmp_path, "b.py") == ["y c"]
    (tmp_path / "c.py").unlink()
    assert index.read_all().files == 1
    assert importable(index, tmp_path, "b.py") == []
    index.open(tmp_path / "new.py", document(tmp_path, "new.py", "z = 1\n"))
    assert importable(index, tmp_path, "b.py") == ["z new"], "a text that was never saved"
    index.close(tmp_path / "new.py")
    assert importable(index, tmp_path, "b.py") == []


def test_a_file_that_is_made_while_the_workspace_is_read_stays(tmp_path: Path) -> None:
    lay_out(tmp_path, {"main.js": "", "cart.js": "export const total = 1;\n"})
    index = Index([tmp_path], ScanSettings())
    fresh = tmp_path / "fresh.js"

    def make(_done: int, _total: int) -> None:
        fresh.write_text("export const freshName = 1;\n", "utf-8")
        index.refresh([fresh])

    index.read_all(make, workers=0)
    assert "freshName ./fresh" in importable(index, tmp_path, "main.js")
    fresh.unlink()
    index.read_all(workers=0)
    assert "freshName ./fresh" not in importable(index, tmp_path, "main.js")


def test_a_change_is_felt_through_those_that_pass_names_on(tmp_path: Path) -> None:
    files = {
        "a.js": "export const one = 1;\n",
        "b.js": "export * from './a';\n",
        "c.js": "export * from './b';\n",
        "d.js": "",
    }
    index = indexed(tmp_path, files)
    assert set(importable(index, tmp_path, "d.js")) == {"one ./a", "one ./b", "one ./c"}
    index.open(tmp_path / "a.js", document(tmp_path, "a.js", "export const two = 1;\n"))
    assert set(importable(index, tmp_path, "d.js")) == {"two ./a", "two ./b", "two ./c"}


def test_a_star_of_a_file_that_comes_later_is_followed_then(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"b.js": "export * from './a';\n", "d.js": ""})
    assert importable(index, tmp_path, "d.js") == []
    lay_out(tmp_path, {"a.js": "export const one = 1;\n"})
    index.refresh([tmp_path / "a.js"])
    assert set(importable(index, tmp_path, "d.js")) == {"one ./a", "one ./b"}


def test_an_edit_inside_a_body_changes_nothing_for_others(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"a.py": "def f():\n    return 1\n", "b.py": ""})
    syntax = parse(document(tmp_path, "b.py", ""))
    before = index.importable(tmp_path / "b.py", syntax.language, (), ())
    index.open(tmp_path / "a.py", document(tmp_path, "a.py", "def f():\n    return 2 + 3\n"))
    assert index.importable(tmp_path / "b.py", syntax.language, (), ()) is before


def test_a_second_pass_reads_only_what_changed(tmp_path: Path) -> None:
    index = indexed(tmp_path, SHOP)
    again = index.read_all()
    assert again.reused == again.files == FILES
    lay_out(tmp_path, {"web/cart.js": "export const changed = 1;\n"})
    assert index.read_all().reused == FILES - 1


def test_the_report_tells_what_was_left_alone(tmp_path: Path) -> None:
    lay_out(
        tmp_path, {**SHOP, ".env": "A=1", ".gitignore": "web/ui/\n", "big.py": "x = 1\n" * 100, "node_modules/x.js": ""}
    )
    (tmp_path / "bin.py").write_bytes(b"\0")
    seen: list[tuple[int, int]] = []
    report = Index([tmp_path], ScanSettings(max_bytes=200)).read_all(lambda done, total: seen.append((done, total)))
    assert report.files == FILES - 1
    assert dict(report.skipped) == {
        Exclusion.SECRET: 1,
        Exclusion.UNKNOWN_LANGUAGE: 2,
        Exclusion.IGNORED: 1,
        Exclusion.TOO_LARGE: 1,
        Exclusion.BINARY: 1,
        Exclusion.VENDORED: 1,
    }
    assert seen == [(done, seen[0][1]) for done in range(seen[0][1] + 1)]
    assert (report.reused, report.cancelled) == (0, False)


def test_a_cancelled_pass_keeps_what_it_read(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"m{n}.py": f"x{n} = 1\n" for n in range(10)} | {"z.py": ""})
    index = Index([tmp_path], ScanSettings())
    cancel = threading.Event()
    report = index.read_all(lambda done, _: cancel.set() if done == 4 else None, cancel)
    assert report.cancelled
    assert len(importable(index, tmp_path, "z.py")) == report.files < 10
    assert index.read_all().files == 11


def test_roots_do_not_import_from_each_other(tmp_path: Path) -> None:
    lay_out(tmp_path, {"one/a.py": "x = 1\n", "two/b.py": "", "two/c.py": "y = 1\n"})
    index = Index([tmp_path / "one", tmp_path / "two"], ScanSettings())
    index.read_all()
    assert importable(index, tmp_path, "two/b.py") == ["y c"]
    assert importable(index, tmp_path, "elsewhere/d.py", "") == [], "outside of the workspace"


def test_a_manifest_that_changes_is_felt(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"src/a/one.ts": "export const x = 1;\n", "src/b/c/two.ts": ""})
    assert importable(index, tmp_path, "src/b/c/two.ts") == ["x ../../a/one"]
    lay_out(tmp_path, {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'})
    index.refresh([tmp_path / "tsconfig.json"])
    assert importable(index, tmp_path, "src/b/c/two.ts") == ["x @/a/one"]


TEXTS = {
    "a.js": [
        "",
        "export const a = 1;\n",
        "export * from './b';\n",
        "export function a(x) {}\nexport { b } from './b';\n",
        "import * as fs from 'fs';\nexport const a = 1;\n",
    ],
    "b.js": [
        "",
        "import fs, * as all from 'fs';\n",
        "export const b = 1;\n",
        "export * from './c';\n",
        "export default class {}\n",
        "export const (",
    ],
    "c.js": ["", "export const c = 1, b = 2;\n", "export * from './a';\n", "module.exports = { c() {} };\n"],
    "d.js": [""],
}


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_incremental_is_from_scratch(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("w")
    disk = {name: texts[0] for name, texts in TEXTS.items()}
    index = indexed(root, disk)
    opened: dict[str, str] = {}
    for _ in range(data.draw(st.integers(1, 6))):
        name = data.draw(st.sampled_from(sorted(TEXTS)[:3]))
        text = data.draw(st.sampled_from(TEXTS[name]))
        match data.draw(st.sampled_from(["open", "close", "save", "delete"])):
            case "open":
                opened[name] = text
                index.open(root / name, document(root, name, text))
            case "close":
                opened.pop(name, None)
                index.close(root / name)
            case "save":
                disk[name] = text
                (root / name).write_text(text, encoding="utf-8")
                index.refresh([root / name])
            case "delete":
                disk.pop(name, None)
                (root / name).unlink(missing_ok=True)
                index.refresh([root / name])
        fresh = Index([root], ScanSettings())
        fresh.read_all()
        for path, unsaved in opened.items():
            fresh.open(root / path, document(root, path, unsaved))
        assert importable(index, root, "d.js", "") == importable(fresh, root, "d.js", "")
        for name in ("fs", "all"):
            called = [{*one.modules_called(Language.JAVASCRIPT, name).items()} for one in (index, fresh)]
            assert called[0] == called[1]


def test_threads_may_read_write_and_ask_at_once(tmp_path: Path) -> None:
    index = indexed(tmp_path, {f"m{n}.py": f"x{n} = 1\n" for n in range(20)} | {"z.py": ""})
    faults: list[BaseException] = []

    def guarded(work: object) -> None:
        try:
            for turn in range(40):
                work(turn)  # type: ignore[operator]  # one of the three below
        except BaseException as fault:  # noqa: BLE001 -- handed to the main thread, which fails the test
            faults.append(fault)

    def edit(turn: int) -> None:
        index.open(tmp_path / "m1.py", document(tmp_path, "m1.py", f"y{turn} = 1\n"))

    def ask(_: int) -> None:
        importable(index, tmp_path, "z.py")

    def read(_: int) -> None:
        index.read_all()

    threads = [threading.Thread(target=guarded, args=(work,)) for work in (edit, ask, ask, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert "y39 m1" in importable(index, tmp_path, "z.py")


@pytest.mark.slow
def test_installed_packages_are_read_whole() -> None:
    root = Path(
        sysconfig.get_path("purelib"), "pip" if Path(sysconfig.get_path("purelib"), "pip").exists() else "pygls"
    )
    index = Index([root], ScanSettings())
    report = index.read_all()
    files = [path for path in root.rglob("*.py") if "__pycache__" not in path.parts]
    assert report.files + sum(report.skipped.get(why, 0) for why in (Exclusion.GENERATED, Exclusion.NOT_UTF8)) >= len(
        files
    )
    assert report.symbols > 10 * report.files
    assert index.read_all().reused == report.files
