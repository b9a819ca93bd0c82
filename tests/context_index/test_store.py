"""The store on disk: what it keeps, and what becomes of it when it is damaged, foreign, shared or without space."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from context_index.index import EXTRACTOR_VERSION, Index, facts_of
from context_index.index.codec import decode, encode
from context_index.scan import ScanSettings
from context_index.store import Store, StoredFile, default_store
from context_index.symbols import Language
from context_index.syntax import parse
from context_index.text import Document
from context_index.workspace import Workspace

CHECKOUT = Path(__file__).parents[2]
SOURCES = {
    "a.py": "import os\nfrom .b import c as d\n__all__ = ['f']\nX: int = 1\n\ndef f(a, *, b=2) -> str:\n    'Says.'\n",
    "b.js": "/** Ä\ud800. */ export default class K extends L {}\nexport * from './c';\nexport { x as y } from './d'",
    "c.ts": "declare const S: string;\ndeclare global { interface W {} }\nimport type { T } from './t'; export { T }",
    "d.js": "const m = require('m');\nmodule.exports = { a, b() {}, ...m };\n",
    "e.py": "",
}


@pytest.mark.parametrize("name", SOURCES)
def test_facts_come_back_as_they_were(name: str) -> None:
    language = {"py": Language.PYTHON, "js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT}[name[-2:]]
    facts = facts_of(parse(Document(f"file:///{name}", language, SOURCES[name])))
    assert decode(encode(facts)) == facts


@pytest.mark.parametrize("data", [b"", b"[]", b"[1]", b'["python",[[]],[],[],true,[]]', b"\xff", b'{"a": 1}', b"null"])
def test_bytes_of_another_making_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode(data)


class Shop:
    """A workspace with a store beside it, opened as often as a test wants, and the messages that came meanwhile."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "work"
        self.path = directory / "cache" / "index.sqlite"
        self.messages: list[str] = []
        for n in range(20):
            self.write(f"m{n}.py", f"def f{n}(a): ...\n")

    def write(self, name: str, text: str) -> None:
        self.root.mkdir(exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def store(self, version: int = EXTRACTOR_VERSION) -> Store:
        return Store(self.path, version, self.messages.append)

    def reused(self, version: int = EXTRACTOR_VERSION) -> int:
        """How many files a new start need not read; what it knows must be what there is."""
        index = Index([self.root], ScanSettings(), self.store(version))
        report = index.read_all()
        index.stop()
        assert report.files == len(list(self.root.glob("*.py")))
        for path in self.root.glob("*.py"):
            first = path.read_text(encoding="utf-8").split("(")[0].removeprefix("def ")
            assert [export.name for export in index.exports(path)] == [first]
        return report.reused


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_second_start_reads_only_what_changed(shop: Shop) -> None:
    assert shop.reused() == 0
    assert shop.reused() == 20
    shop.write("m3.py", "def changed(b): ...\n")
    (shop.root / "m4.py").unlink()
    shop.write("new.py", "def added(): ...\n")
    assert shop.reused() == 18
    (shop.root / "m5.py").unlink()
    assert shop.reused() == 19
    assert {Path(row.path) for row in shop.store().load()} == set(shop.root.iterdir()), "of what is gone nothing stays"
    assert shop.messages == []


def test_a_touched_file_is_read_but_not_parsed_again(shop: Shop) -> None:
    shop.reused()
    shop.write("m1.py", (shop.root / "m1.py").read_text(encoding="utf-8"))
    assert shop.reused() == 20


def test_facts_of_another_version_are_thrown_away(shop: Shop) -> None:
    shop.reused()
    assert shop.reused(EXTRACTOR_VERSION + 1) == 0
    assert shop.reused(EXTRACTOR_VERSION + 1) == 20
    assert len(shop.messages) == 1
    assert "is rebuilt: it was made by another version" in shop.messages[0]


def test_somebody_elses_database_is_replaced(shop: Shop) -> None:
    shop.path.parent.mkdir()
    with sqlite3.connect(shop.path) as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    assert shop.reused() == 0
    assert shop.reused() == 20
    assert "belongs to another program" in shop.messages[0]


def _damaged(data: bytes, damage: str) -> bytes:
    return {
        "emptied": b"",
        "cut in the middle": data[: len(data) // 2],
        "cut in the header": data[:50],
        "another file": b"hello\n" * 1_000,
        "zeros": bytes(len(data)),
    }[damage]


DAMAGE = ("emptied", "cut in the middle", "cut in the header", "another file", "zeros")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_store_is_built_anew(damage: str, shop: Shop) -> None:
    shop.reused()
    shop.path.write_bytes(_damaged(shop.path.read_bytes(), damage))
    assert shop.reused() in {0, 20}
    assert shop.reused() == 20


@pytest.mark.slow
def test_a_flipped_byte_never_becomes_a_fact(shop: Shop) -> None:
    shop.reused()
    data = shop.path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 150)):
        shop.path.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
        shop.reused()  # checks that what is known is what there is
    assert all("is rebuilt" in sentence or "is not used" in sentence for sentence in shop.messages)


def test_a_store_that_cannot_be_made_costs_nothing_but_a_sentence(shop: Shop) -> None:
    shop.path.parent.write_text("a file where a directory should be")
    assert shop.reused() == 0
    assert shop.reused() == 0
    assert all("is not used, what is read is kept in memory" in sentence for sentence in shop.messages)


def test_a_full_disk_is_reported_once_and_the_work_goes_on(shop: Shop) -> None:
    store = shop.store()
    assert store.load() == []
    assert store._database is not None
    store._database.execute("PRAGMA max_page_count = 4")  # what SQLite does when there is no more space
    big = [(bytes([n]) * 16, b"x" * 10_000) for n in range(50)]
    store.save([StoredFile("/a.py", 1, 1, big[0][0])], big)
    assert not store.works
    assert len(shop.messages) == 1
    assert "full" in shop.messages[0]
    store.save([StoredFile("/a.py", 1, 1, b"k")], [])
    assert shop.reused() == 0
    assert shop.reused() == 20


def test_two_at_once_do_not_disturb_each_other(shop: Shop) -> None:
    one, two = (Index([shop.root], ScanSettings(), shop.store()) for _ in range(2))
    assert one.read_all().reused == 0
    assert two.read_all().reused == 20
    shop.write("m1.py", "def changed(): ...\n")
    assert two.read_all().reused == one.read_all().reused == 19
    one.stop()
    two.stop()
    assert shop.reused() == 20
    assert shop.messages == []


WRITER = """
import sys
from pathlib import Path
from context_index.store import Store, StoredFile
store = Store(Path(sys.argv[1]), {version}, print)
store.load()
for turn in range(10**9):
    rows = [StoredFile(f"/w/{{turn}}/{{n}}.py", turn, n, b"%16d" % n) for n in range(200)]
    store.save(rows, [(row.key, b"x" * 2000) for row in rows])
    print(turn, flush=True)
"""


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_a_sound_store(shop: Shop) -> None:
    for turns in (1, 3, 6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER.format(version=EXTRACTOR_VERSION), str(shop.path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        for _ in range(turns):
            assert writer.stdout.readline()
        writer.kill()
        writer.communicate()
        store = shop.store()
        rows = store.load()
        assert len(rows) >= 200 * turns
        assert len(rows) % 200 == 0, "a write is whole, or it is not there"
        assert all(store.facts(row.key) for row in rows)
        store.close()
    assert shop.messages == []


READER = """
import sys
from pathlib import Path
from context_index.index import EXTRACTOR_VERSION, Index
from context_index.scan import ScanSettings
from context_index.store import Store
index = Index([Path(sys.argv[1])], ScanSettings(), Store(Path(sys.argv[2]), EXTRACTOR_VERSION, print))
index.read_all(lambda done, total: print(done, flush=True), workers=2)
index.stop()
"""


@pytest.mark.slow
def test_a_reader_with_processes_that_is_killed_leaves_a_sound_store_and_no_process(shop: Shop) -> None:
    for n in range(1_200):
        shop.write(f"many{n}.py", f"def g{n}(a): ...\n" + f"# {n}\n" * 60)
    for turns in (510, 620):
        reader = psutil.Popen(
            [sys.executable, "-c", READER, str(shop.root), str(shop.path)], stdout=subprocess.PIPE, cwd=CHECKOUT
        )
        for _ in range(turns):
            assert reader.stdout.readline()
        children = reader.children()
        assert len(children) == 2
        reader.kill()
        reader.communicate()
        assert psutil.wait_procs(children, timeout=30)[1] == []
        store = shop.store()
        rows = store.load()
        assert rows
        assert all(store.facts(row.key) for row in rows)
        store.close()
    assert 500 <= shop.reused() < 1_220
    assert shop.reused() == 1_220
    assert shop.messages == []


def test_a_workspace_keeps_its_store(shop: Shop) -> None:
    for reused in (0, 20):
        workspace = Workspace([shop.root], store=shop.path, notify=shop.messages.append)
        assert workspace.index().reused == reused
        workspace.close()
    assert shop.messages == []


def test_each_set_of_roots_has_a_store_of_its_own(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "caf\udce9"
    assert default_store([one, two]) == default_store([two, one]) != default_store([one])
