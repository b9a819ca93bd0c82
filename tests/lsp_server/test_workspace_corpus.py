"""The workspace's texts in tokens: read in the background, followed, left out where one is being written, forgotten."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from context_index import Document, Language, SourceText, Workspace
from decoder import Vocabulary
from lsp_server.engine import workspace_corpus
from lsp_server.engine.workspace_corpus import WorkspaceCorpus
from tests.decoder.scripted import byte_vocabulary

SAYS = "total = scale(area)\n"
PATIENCE = 30.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "says.py").write_text(SAYS, "utf-8")
    (tmp_path / "other.py").write_text("x = 1\n", "utf-8")
    return tmp_path


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    opened = Workspace([root])
    opened.index()
    yield opened
    opened.close()


def follows(corpus: WorkspaceCorpus, vocabulary: Vocabulary, context: str, asker: Path | None = None) -> str:
    """What follows a text in the files beside the asker's; nothing while none have been read."""
    found = corpus.workspace_tokens(vocabulary, asker)
    if found is None:
        return ""
    context_ = [*context.encode()]
    counted = list(found.array.following(context_, (len(context_),), without=found.own))
    return bytes(sorted(counted[0])).decode() if counted else ""


def test_nobody_waits_and_then_it_is_there(workspace: Workspace, root: Path) -> None:
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    corpus.read(vocabulary, PATIENCE)
    assert follows(corpus, vocabulary, "total = ") == "s"
    assert follows(corpus, vocabulary, "total = ", root / "says.py") == ""


def test_another_models_tokens_are_other_tokens(workspace: Workspace) -> None:
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    corpus.read(vocabulary, PATIENCE)
    other = byte_vocabulary()
    assert follows(corpus, other, "total = ") == ""
    corpus.read(other, PATIENCE)
    assert follows(corpus, other, "total = ") == "s"


def test_what_is_forgotten_is_read_anew(workspace: Workspace) -> None:
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    corpus.read(vocabulary, PATIENCE)
    corpus.forget()
    assert follows(corpus, vocabulary, "total = ") == ""
    corpus.read(vocabulary, PATIENCE)
    assert follows(corpus, vocabulary, "total = ") == "s"


@pytest.mark.parametrize("is_another_model", [True, False], ids=["another model", "forgotten"])
def test_a_reading_that_was_overtaken_leaves_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, is_another_model: bool
) -> None:
    begun, release, tokenise = Event(), Event(), workspace_corpus._in_model

    def held(text: SourceText) -> str:
        first = not begun.is_set()
        begun.set()
        return "overtaken = z\n" if first and release.wait(PATIENCE) else tokenise(text)

    monkeypatch.setattr(workspace_corpus, "_in_model", held)
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    assert follows(corpus, vocabulary, "total = ") == ""
    assert begun.wait(PATIENCE)
    overtaken = corpus._reading
    assert overtaken is not None
    if is_another_model:
        vocabulary = byte_vocabulary()
    else:
        corpus.forget()
    corpus.read(vocabulary, PATIENCE)
    release.set()
    assert overtaken.wait(PATIENCE)
    assert follows(corpus, vocabulary, "total = ") == "s"
    assert follows(corpus, vocabulary, "overtaken = ") == ""


def test_changes_are_followed_but_not_those_of_the_file_that_asks(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    corpus.read(vocabulary, PATIENCE)

    def followed(context: str, asker: Path | None, wanted: str) -> bool:
        """Whether a text comes to be followed by another."""
        until = time.monotonic() + PATIENCE
        while (found := follows(corpus, vocabulary, context, asker)) != wanted and time.monotonic() < until:
            time.sleep(0.01)
        return found == wanted

    says, other = root / "says.py", root / "other.py"
    workspace.update(Document(says.as_uri(), Language.PYTHON, "total = area\n"))
    other.write_text("x = 22\n", "utf-8")
    os.utime(other, (1, 1))
    monkeypatch.setattr(workspace_corpus, "_CHECKED_EVERY", 0.0)
    assert followed("x = ", says, "2")  # so files have been looked at again,
    found = corpus._corpus  # and says.py has not been read: asking now, as another file, would read it
    assert found is not None
    assert bytes(next(iter(found.array.following([*b"total = "], (8,))))) == b"s"
    assert followed("total = ", None, "a")


def test_of_a_large_workspace_the_newest_files_are_read(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_corpus, "_MOST_TOKENS", len(SAYS) + 2)
    os.utime(root / "other.py", (1, 1))
    workspace.refresh([root / "other.py"])
    corpus, vocabulary = WorkspaceCorpus(workspace), byte_vocabulary()
    corpus.read(vocabulary, PATIENCE)
    assert follows(corpus, vocabulary, "total = ") == "s"
    assert follows(corpus, vocabulary, "x = ") == ""


def test_a_first_reading_makes_a_corpus_whenever_its_tokens_have_doubled(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, publish = list[int](), WorkspaceCorpus._publish

    def counted(corpus: WorkspaceCorpus, reading: Event, read: workspace_corpus._FileTokens) -> None:
        files.append(len(read))
        publish(corpus, reading, read)

    monkeypatch.setattr(WorkspaceCorpus, "_publish", counted)
    monkeypatch.setattr(workspace_corpus, "_FIRST_TOKENS", len(SAYS))
    for name in ("other", "a", "b", "c", "d"):
        (root / f"{name}.py").write_text(SAYS, "utf-8")
    workspace.refresh(list(root.iterdir()))
    WorkspaceCorpus(workspace).read(byte_vocabulary(), PATIENCE)
    assert files == [1, 2, 4, 6]
