"""Name counts of a workspace: taken from files, kept with the index, forgotten on request."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from context_index import Document, Language, Workspace, parse
from context_index.prior import Prior
from context_index.store import Store
from context_index.symbols import Name, NameKind, Origin

SENDS = "def notify(mailer, letter):\n    mailer.deliver(letter)\n"
ASKS = "def other(mailer, letter):\n    mailer.deliver("


def project(folder: Path, count: int = 3) -> Path:
    for number in range(count):
        (folder / f"sends{number}.py").write_text(SENDS.replace("notify", f"notify{number}"), "utf-8")
    return folder


def opened(root: Path, store: Path | None = None) -> Workspace:
    workspace = Workspace([root], store=store)
    workspace.index()
    workspace.read_name_counts(30)
    return workspace


def belief(workspace: Workspace, root: Path, name: str = "letter", text: str = ASKS, file: str = "asks.py") -> float:
    """How probable the workspace thinks a name at the end of a text that no file has."""
    document = Document((root / file).as_uri(), Language.PYTHON, text)
    visible = workspace.context(parse(document), len(text)).names
    found = workspace.prior(document, len(text), visible).names()
    assert found is not None
    return float(found.probabilities[found.names.index(name)])


def test_what_other_files_do_is_learned(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    knowing, ignorant = opened(project(tmp_path)), opened(empty)
    assert belief(knowing, tmp_path) > belief(ignorant, empty)
    knowing.close()
    ignorant.close()


def counts(prior: Prior, root: Path) -> list[float]:
    """What a prior believes of three names at a place of a file that it has not counted."""
    document = Document((root / "asks.py").as_uri(), Language.PYTHON, ASKS)
    visible = {text: Name(text, NameKind.PARAMETER, Origin.LOCAL, 0, 0) for text in ("letter", "mailer", "other")}
    found = prior.at(document, None, len(ASKS), visible).names()
    assert found is not None
    return [float(one) for one in found.probabilities]


def test_name_counts_outlive_the_server(tmp_path: Path) -> None:
    store = Store(tmp_path / "index.sqlite", 1, lambda _said: None)
    store.load()
    files = sorted(project(tmp_path).glob("*.py"))
    first = Prior(lambda: files, store)
    first.learn(30)
    before = counts(first, tmp_path)
    first.close()
    for path in files:  # whoever read them now would learn something else
        status = path.stat()
        path.write_text("#" * status.st_size, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    second = Prior(lambda: files, store)
    second.learn(30)
    assert counts(second, tmp_path) == pytest.approx(before)
    second.close()
    store.save_name_counts(b"not what was kept")
    third = Prior(lambda: files, store)
    third.learn(30)
    assert counts(third, tmp_path) != pytest.approx(before)
    third.close()
    store.close()


def test_name_counts_are_forgotten_on_request(tmp_path: Path) -> None:
    store = Store(tmp_path / "index.sqlite", 1, lambda _said: None)
    store.load()
    files = sorted(project(tmp_path).glob("*.py"))
    prior = Prior(lambda: files, store)
    prior.learn(30)
    prior.close()
    prior.forget()
    assert store.name_counts() is None
    store.close()


def test_a_document_is_not_among_its_own_name_counts(tmp_path: Path) -> None:
    only = tmp_path / "only.py"
    only.write_text(ASKS + "letter)\n" + "    mailer.deliver(letter)\n" * 20, "utf-8")
    counted, plain = opened(tmp_path), Workspace([])
    text = only.read_text("utf-8")
    mine = belief(counted, tmp_path, text=text[:-8], file="only.py")
    assert mine == pytest.approx(belief(plain, tmp_path, text=text[:-8], file="only.py"), rel=0.02)
    counted.close()
    plain.close()
