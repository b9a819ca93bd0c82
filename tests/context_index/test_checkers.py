"""TypeScript 7 and ty as they are: what they know of the editor and of the disk, and what becomes of a dead one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path

import psutil
import pytest

from context_index import checkers
from context_index.checkers import Cancellation, CheckerAbsentError, CheckerLimits, Checkers, FileChange
from context_index.checkers.errors import CheckerCancelledError, CheckerDiedError, CheckerStalledError
from context_index.processes import Process, start
from context_index.text import Document
from tests import needs
from tests.context_index.checkers import PATIENCE, stall
from tests.files import document, lay_out

pytestmark = pytest.mark.slow

USER = {
    "ts": ("user.ts", 'import { fresh } from "./other";\nexport const n: number = fresh;\n'),
    "py": ("user.py", "from other import fresh\n\nn: int = fresh\n"),
}
"""A file that takes a name from another one, by checker."""
OTHER = {"ts": ("other.ts", "export const fresh = 1;\n"), "py": ("other.py", "fresh = 1\n")}
EMPTY = {"ts": "export {};\n", "py": "\n"}
PROJECT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "preserve", "types": []}}',
    "pyproject.toml": '[project]\nname = "example"\nversion = "1"\n',
}


@pytest.fixture(params=["ts", "py"])
def kind(request: pytest.FixtureRequest) -> str:
    needs.checker(request.param)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay_out(tmp_path, PROJECT)


@pytest.fixture
def found(root: Path) -> Iterator[Checkers]:
    opened = Checkers([root])
    yield opened
    opened.close()


def errors(asked: Checkers, shown: Document) -> list[str]:
    """The messages of all errors that the document's checker has for it."""
    question = asked.of(shown).ask(shown, lambda one: one.diagnostics())
    return [each.message for each in question.result(PATIENCE) if each.is_error]


def user(root: Path, kind: str) -> Document:
    return document(root, *USER[kind])


def other(root: Path, kind: str, text: str | None = None) -> Document:
    name, exporting = OTHER[kind]
    return document(root, name, exporting if text is None else text)


def written(root: Path, kind: str, text: str | None = None) -> Path:
    """The other file on disk."""
    name, exporting = OTHER[kind]
    (root / name).write_text(exporting if text is None else text, "utf-8")
    return root / name


@pytest.mark.usefixtures("no_environment")
def test_a_project_without_an_environment_has_no_packages(found: Checkers, root: Path) -> None:
    """Not those that are installed beside ty."""
    (message,) = errors(found, document(root, "a.py", "import json\nimport numpy\n"))
    assert message.startswith("Cannot resolve imported module `numpy`")


def test_a_name_exported_in_another_unsaved_buffer_is_known(found: Checkers, root: Path, kind: str) -> None:
    written(root, kind, EMPTY[kind])
    assert errors(found, user(root, kind))
    found.world.open(other(root, kind))
    assert errors(found, user(root, kind)) == []
    found.world.open(other(root, kind, EMPTY[kind]))
    assert errors(found, user(root, kind))
    found.world.open(other(root, kind))
    assert errors(found, user(root, kind)) == []
    found.world.close(other(root, kind).uri)
    assert errors(found, user(root, kind))


def test_a_buffer_without_a_file_is_known_to_typescript_only(found: Checkers, root: Path, kind: str) -> None:
    """ty looks for modules on disk, and reads the buffers of those that it finds there."""
    found.world.open(other(root, kind))
    assert (errors(found, user(root, kind)) == []) is (kind == "ts")


def test_a_workspace_that_is_opened_through_a_link_is_a_project_itself(tmp_path: Path, kind: str) -> None:
    """A project file beside the link is not the workspace's; one in a folder of the workspace is."""
    above = lay_out(tmp_path / "above", PROJECT)
    workspace = lay_out(tmp_path / "workspace", {f"inner/{name}": text for name, text in PROJECT.items()})
    link = above / "link"
    link.symlink_to(workspace, target_is_directory=True)
    linked = Checkers([link])
    try:
        shown = user(link, kind)
        written(link, kind)
        assert errors(linked, shown) == []
        assert linked.of(shown) is linked.of(document(link, f"beside/{USER[kind][0]}", ""))
        assert linked.of(shown) is not linked.of(user(link / "inner", kind))
        assert linked.of(shown) is not linked.of(user(above, kind))
        linked.world.open(other(link, kind, EMPTY[kind]))
        assert errors(linked, shown)
    finally:
        linked.close()


def test_an_untitled_buffer_is_checked_as_a_new_file_of_the_root(found: Checkers, root: Path, kind: str) -> None:
    written(root, kind)
    untitled = Document("untitled:Untitled-1", user(root, kind).language, USER[kind][1])
    wrong = Document(untitled.uri, untitled.language, USER[kind][1].replace("fresh", "stale"))
    found.world.open(wrong)
    assert errors(found, wrong)
    assert errors(found, untitled) == []
    found.world.open(untitled)
    assert errors(found, wrong)


def test_files_created_changed_and_deleted_on_disk_are_known(found: Checkers, root: Path, kind: str) -> None:
    found.world.open(user(root, kind))
    assert errors(found, user(root, kind))
    path = written(root, kind)
    found.world.files_changed([(path, FileChange.CREATED)])
    assert errors(found, user(root, kind)) == []
    written(root, kind, EMPTY[kind])
    found.world.files_changed([(path, FileChange.CHANGED)])
    assert errors(found, user(root, kind))
    written(root, kind)
    found.world.files_changed([(path, FileChange.CHANGED)])
    assert errors(found, user(root, kind)) == []
    path.unlink()
    found.world.files_changed([(path, FileChange.DELETED)])
    assert errors(found, user(root, kind))


def test_a_project_file_that_changes_on_disk_is_read_again(found: Checkers, root: Path, kind: str) -> None:
    name, text, strict, lax = {
        "ts": (
            "tsconfig.json",
            "export function f(a) { return a; }\n",
            PROJECT["tsconfig.json"],
            '{"compilerOptions": {"strict": false, "types": []}}',
        ),
        "py": (
            "pyproject.toml",
            "f = zork\n",
            PROJECT["pyproject.toml"],
            PROJECT["pyproject.toml"] + '[tool.ty.rules]\nunresolved-reference = "ignore"\n',
        ),
    }[kind]
    shown = document(root, USER[kind][0], text)
    assert errors(found, shown)
    (root / name).write_text(lax, "utf-8")
    found.world.files_changed([(root / name, FileChange.CHANGED)])
    assert errors(found, shown) == []
    (root / name).write_text(strict, "utf-8")
    found.world.files_changed([(root / name, FileChange.CHANGED)])
    assert errors(found, shown)


@pytest.mark.parametrize("is_open", [True, False])
def test_an_overlay_of_one_file_is_not_seen_by_another(
    found: Checkers, root: Path, kind: str, *, is_open: bool
) -> None:
    written(root, kind)
    if is_open:
        found.world.open(other(root, kind))
    assert errors(found, user(root, kind)) == []
    errors(found, other(root, kind, EMPTY[kind]))
    assert errors(found, user(root, kind)) == []
    assert errors(found, other(root, kind)) == []


def test_a_file_that_changes_on_disk_after_an_overlay_of_it_is_read(found: Checkers, root: Path, kind: str) -> None:
    path = written(root, kind)
    errors(found, other(root, kind, EMPTY[kind]))
    assert errors(found, user(root, kind)) == []
    errors(found, other(root, kind))
    written(root, kind, EMPTY[kind])
    found.world.files_changed([(path, FileChange.CHANGED)])
    assert errors(found, user(root, kind))
    errors(found, other(root, kind))
    path.unlink()
    found.world.files_changed([(path, FileChange.DELETED)])
    assert errors(found, user(root, kind))


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
def test_a_killed_checker_is_started_again_and_gets_the_buffers(found: Checkers, root: Path, kind: str) -> None:
    written(root, kind, EMPTY[kind])
    found.world.open(other(root, kind))
    assert errors(found, user(root, kind)) == []
    asked = found.of(user(root, kind))
    assert asked.pid is not None
    os.kill(asked.pid, signal.SIGKILL)
    assert errors(found, user(root, kind)) == []
    assert asked.starts == 2


def test_a_stopped_checker_is_replaced_and_the_next_question_answered(root: Path, kind: str) -> None:
    opened = Checkers([root], limits=CheckerLimits(answer=2.0, first_pause=0.01))
    written(root, kind, EMPTY[kind])
    opened.world.open(other(root, kind))
    assert errors(opened, user(root, kind)) == []
    asked = opened.of(user(root, kind))
    assert asked.pid is not None
    stopped = psutil.Process(asked.pid)
    stall(stopped)
    with pytest.raises(CheckerStalledError):
        errors(opened, user(root, kind))
    time.sleep(0.05)  # longer than the pause after a failure
    assert errors(opened, user(root, kind)) == []
    assert asked.starts == 2
    assert not stopped.is_running()
    opened.close()


@pytest.mark.parametrize("first", ["strict", "lax"])
def test_each_of_two_projects_in_a_workspace_has_its_own_settings(tmp_path: Path, kind: str, first: str) -> None:
    """Whichever is asked first."""
    files = {
        "strict/tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}}',
        "lax/tsconfig.json": '{"compilerOptions": {"strict": false, "types": []}}',
        "strict/pyproject.toml": '[project]\nname = "a"\n',
        "lax/pyproject.toml": '[project]\nname = "b"\n[tool.ty.rules]\nunresolved-reference = "ignore"\n',
    }
    lay_out(tmp_path, files)
    text = {"ts": "export function f(a) { return a; }\n", "py": "f = zork\n"}[kind]
    shown = {folder: document(tmp_path / folder, USER[kind][0], text) for folder in ("strict", "lax")}
    opened = Checkers([tmp_path])
    for folder in sorted(shown, key=lambda one: one != first) * 2:
        assert bool(errors(opened, shown[folder])) is (folder == "strict")
    opened.close()


def test_a_checker_that_outgrows_its_memory_is_absent_with_the_reason(root: Path, kind: str) -> None:
    opened = Checkers([root], limits=CheckerLimits(memory=1 << 20, most_outgrown=2, memory_interval=0.0))
    for _ in range(2):
        errors(opened, user(root, kind))  # what it answers while it is too large counts
    with pytest.raises(CheckerAbsentError, match="used more than 1 MiB"):
        errors(opened, user(root, kind))
    assert opened.of(user(root, kind)).starts == 2
    assert opened.of(user(root, kind)).pid is None
    opened.close()


def test_the_first_answer_for_which_the_project_is_read_may_take_longer(root: Path, kind: str) -> None:
    opened = Checkers([root], limits=CheckerLimits(answer=0.0, first_pause=PATIENCE))
    shown = user(root, kind)
    asked = opened.of(shown)
    before = asked.has_answered
    assert errors(opened, shown)
    assert (before, asked.has_answered) == (False, True)
    with pytest.raises(CheckerStalledError):
        errors(opened, shown)
    opened.close()


def test_a_document_that_stalls_the_checker_costs_the_others_nothing(root: Path, kind: str) -> None:
    opened = Checkers([root], limits=CheckerLimits(answer=2.0, first_pause=PATIENCE))
    written(root, kind, EMPTY[kind])
    opened.world.open(other(root, kind))
    assert errors(opened, user(root, kind)) == []
    asked = opened.of(user(root, kind))
    assert asked.pid is not None
    stall(psutil.Process(asked.pid))
    with pytest.raises(CheckerStalledError):
        errors(opened, user(root, kind))
    with pytest.raises(CheckerAbsentError, match="tried again in"):
        errors(opened, user(root, kind))
    assert errors(opened, other(root, kind)) == []
    opened.close()


def test_a_checker_that_is_closed_is_asked_nothing(root: Path, kind: str) -> None:
    """A suggestion may still be made while other settings take the checker away."""
    checkers_ = Checkers([root])
    shown = document(root, *USER[kind])
    checker = checkers_.of(shown)
    checkers_.close()
    for asked in (checker.ask(shown, lambda one: one.diagnostics()), checker.ask_together([shown], len)):
        with pytest.raises(CancelledError):
            asked.result(PATIENCE)
    with pytest.raises(CheckerAbsentError):
        checkers_.of(shown)


def test_a_checker_that_is_closed_starts_no_other_process(root: Path, kind: str) -> None:
    opened = Checkers([root])
    shown = user(root, kind)
    assert errors(opened, shown)
    asked = opened.of(shown)
    assert asked.pid is not None
    stall(psutil.Process(asked.pid))
    question = asked.ask(shown, lambda one: one.diagnostics())
    while not question.running():
        pass
    opened.close()
    with pytest.raises(CheckerDiedError):
        question.result(PATIENCE)
    assert asked.starts == 1


def test_a_checker_that_is_closed_while_it_starts_leaves_no_process(
    root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Checkers([root])
    started: list[Process] = []

    def start_and_close(
        command: Sequence[str | Path], *, outside_of: Sequence[Path], variables: Mapping[str, str]
    ) -> Process:
        started.append(start(command, outside_of=outside_of, variables=variables))
        opened.close()
        return started[0]

    monkeypatch.setattr(checkers.connection, "start", start_and_close)
    shown = user(root, kind)
    with pytest.raises(CheckerDiedError):
        opened.of(shown).ask(shown, lambda one: one.diagnostics()).result(PATIENCE)
    assert [one.poll() is None for one in started] == [False]


def test_a_cancelled_question_ends_at_once_and_the_process_goes_on(found: Checkers, root: Path, kind: str) -> None:
    written(root, kind, EMPTY[kind])
    shown = user(root, kind)
    assert errors(found, shown)
    asked = found.of(shown)
    assert asked.pid is not None
    process = psutil.Process(asked.pid)
    stall(process)
    cancellation = Cancellation()
    running, queued = (asked.ask(shown, lambda one: one.diagnostics(), cancellation=cancellation) for _ in range(2))
    while not running.running():
        pass
    cancellation.cancel()
    with pytest.raises(CheckerCancelledError):
        running.result(PATIENCE)
    with pytest.raises(CancelledError):
        queued.result(PATIENCE)
    process.resume()
    found.world.open(other(root, kind))
    assert errors(found, shown) == []
    assert asked.starts == 1


def test_half_of_a_surrogate_pair_does_not_end_the_checker(found: Checkers, root: Path, kind: str) -> None:
    text = {"ts": 'export const s = "😀\ud800"; zork;\n', "py": 's = "😀\ud800"; zork\n'}[kind]
    shown = document(root, USER[kind][0], text)
    found.world.open(shown)
    said = [one for one in found.of(shown).ask(shown, lambda one: one.diagnostics()).result(PATIENCE) if one.is_error]
    assert [text[one.start : one.end] for one in said] == ["zork"]
    assert found.of(shown).starts == 1


def test_a_late_answer_is_kept(found: Checkers, root: Path, kind: str) -> None:
    shown = user(root, kind)
    question = found.of(shown).ask(shown, lambda one: one.diagnostics())
    with pytest.raises(TimeoutError):
        question.result(0.0)
    assert [each for each in question.result(PATIENCE) if each.is_error]


def test_no_name_is_exported_that_is_not_there() -> None:
    assert all(hasattr(checkers, name) for name in checkers.__all__)
