"""Reports of checkers: asked for once, as long as nothing but the document's own buffer changes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from context_index import Cancellation, CheckerError, Document, Language, World
from context_index.checkers import FileChange
from lsp_server.engine.verification.reports import CheckerReport, Reports

URI, OTHER = "file:///a.py", "file:///b.py"
SAME = Cancellation()


@dataclass(eq=False)
class Scripted:
    """A checker that answers when it is told to."""

    asked: list[Future[CheckerReport]] = field(default_factory=list)

    def ask(self, _document: Document, _question: object, **_given: object) -> Future[CheckerReport]:
        self.asked.append(Future())
        return self.asked[-1]


def python(uri: str, text: str) -> Document:
    return Document(uri, Language.PYTHON, text)


def answered(checker: Scripted, _world: World) -> None:
    checker.asked[0].set_result(CheckerReport(()))


def failed(checker: Scripted, _world: World) -> None:
    checker.asked[0].set_exception(CheckerError("it died"))


def cancelled(checker: Scripted, _world: World) -> None:
    checker.asked[0].cancel()


def own_buffer(checker: Scripted, world: World) -> None:
    answered(checker, world)
    world.open(python(URI, "y"))


def other_buffer(checker: Scripted, world: World) -> None:
    answered(checker, world)
    world.open(python(OTHER, "y"))


def other_closed(checker: Scripted, world: World) -> None:
    answered(checker, world)
    world.close(OTHER)


def disk(checker: Scripted, world: World) -> None:
    answered(checker, world)
    world.files_changed([(Path("/c.py"), FileChange.CHANGED)])


@pytest.mark.parametrize(
    ("between", "again", "times"),
    [
        (answered, {}, 1),
        (answered, {"names": [1]}, 1),
        (answered, {"names": [1, 2]}, 2),
        (answered, {"cancellation": Cancellation()}, 1),
        (lambda *_: None, {}, 1),
        (lambda *_: None, {"cancellation": Cancellation()}, 2),
        (failed, {}, 2),
        (cancelled, {}, 2),
        (own_buffer, {}, 1),
        (other_buffer, {}, 2),
        (other_closed, {}, 2),
        (disk, {}, 2),
    ],
)
def test_the_same_is_asked_again_where_the_answer_may_be_another(
    between: Callable[[Scripted, World], None], again: dict[str, Any], times: int
) -> None:
    checker, world = Scripted(), World()
    world.open(python(URI, "x"))
    world.open(python(OTHER, "x"))
    reports = Reports(world)
    reports.of(checker, python(URI, "x.a.b"), SAME, [1])  # type: ignore[arg-type]
    between(checker, world)
    reports.of(checker, python(URI, "x.a.b"), **{"cancellation": SAME, **again})  # type: ignore[arg-type]
    assert len(checker.asked) == times
