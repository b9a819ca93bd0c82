"""What is late is answered at its deadline, and what is read for it is neither used nor lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import cast

import pytest

from context_index import Document, Language, parse
from decoder import SamplingOptions, Stop
from lsp_server.cli import main
from lsp_server.cli.deadline import DeadlineRunner
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest, Suggestion, Withheld
from lsp_server.errors import ErrorCode, RequestError


class Slow:
    """A service that reads for as long as it is held up, and so stands for one with a huge file."""

    def __init__(self) -> None:
        self.begun: list[CompletionRequest] = []
        self.ended: list[CompletionRequest] = []
        self.go_on = Event()
        self.fault: Exception | None = None

    def complete(self, request: CompletionRequest) -> Suggestion:
        self.begun.append(request)
        self.go_on.wait(30)
        self.ended.append(request)
        if self.fault is not None:
            raise self.fault
        return Suggestion(text="written", stop=Stop.STATEMENT, tokens=1, latency_ms=1.0, first_token_ms=1.0)


@pytest.fixture
def slow() -> Iterator[Slow]:
    service = Slow()
    yield service
    service.go_on.set()


def question(deadline_ms: float | None) -> CompletionRequest:
    syntax = parse(Document("untitled:a.py", Language.PYTHON, "a = "))
    return CompletionRequest(syntax, 4, SamplingOptions(), deadline_ms=deadline_ms)


def runner(slow: Slow) -> DeadlineRunner:
    return DeadlineRunner(cast(Service, slow))


def test_who_is_late_is_answered_for(slow: Slow) -> None:
    asked, request = runner(slow), question(1)
    answer = asked.complete(request)
    assert (answer.text, answer.stop, answer.withheld) == ("", Stop.DEADLINE, Withheld.EMPTY)
    assert slow.ended == []
    assert request.cancel.is_set()  # what is read goes on; nothing is written any more
    assert asked.is_reading


def test_the_next_question_waits_until_all_is_read(slow: Slow) -> None:
    asked, late, next_one = runner(slow), question(1), question(60_000)
    asked.complete(late)
    answers: list[Suggestion] = []
    waiting = Thread(target=lambda: answers.append(asked.complete(next_one)))
    waiting.start()
    waiting.join(0.05)
    assert slow.begun == [late]  # its clock has not begun
    slow.go_on.set()
    waiting.join(30)
    assert [one.text for one in answers] == ["written"]
    assert slow.ended == [late, next_one]
    assert not asked.is_reading


@pytest.mark.parametrize("deadline_ms", [None, 60_000])
def test_what_is_in_time_is_the_answer(slow: Slow, deadline_ms: float | None) -> None:
    slow.go_on.set()
    asked = runner(slow)
    assert asked.complete(question(deadline_ms)).text == "written"
    slow.fault = RequestError(ErrorCode.MODEL_DAMAGED, "no model")
    with pytest.raises(RequestError, match="no model"):
        asked.complete(question(deadline_ms))
    assert not asked.is_reading


def test_a_time_out_of_the_service_is_not_taken_for_the_deadline(slow: Slow) -> None:
    slow.go_on.set()
    slow.fault = TimeoutError("a disk that does not answer")
    with pytest.raises(TimeoutError, match="a disk"):
        runner(slow).complete(question(60_000))


def test_the_command_ends_though_something_is_still_read(
    slow: Slow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Service, "complete", lambda _service, request: slow.complete(request))
    (tmp_path / "a.py").write_text("a = ")
    assert main(["complete", f"{tmp_path / 'a.py'}:1:5", "--deadline-ms", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["stop"], answer["error"]) == ("", "deadline", None)
    assert slow.ended == []
