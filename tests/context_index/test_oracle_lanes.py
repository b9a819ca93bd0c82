"""Who waits for whom: questions for no proof, quick sources for no slow one, and nobody for what was asked before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from context_index import Document, Language
from context_index.oracles import Oracle, Pending
from context_index.oracles.errors import PutOffError
from context_index.oracles.lanes import Lane, Urgency
from context_index.oracles.protocol import Unproven
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position
from tests.context_index.checkers import PATIENCE

NAMES = {"upper": NameKind.METHOD}
OPEN = Open("never heard of it")


class Scripted:
    """A source that does what it is told to for each text; a proof lasts until it is put off, or allowed to end."""

    idle_limit = None

    def __init__(self, name: str, says: Callable[[str], Members | Unproven[Members]]) -> None:
        self.name = name
        self._says = says
        self.asked: list[str] = []
        self.proving = threading.Event()
        self.may_end = threading.Event()
        self._due = False
        self._told = threading.Condition()

    def names(self, document: Document, _offset: int, _position: Position) -> Members | Unproven[Members]:
        self.asked.append(document.text)
        return self._says(document.text)

    def prove(self) -> Members:
        self.asked.append("proof")
        self.proving.set()
        with self._told:
            self._told.wait_for(lambda: self._due or self.may_end.is_set(), PATIENCE)
        if not self.may_end.is_set():
            raise PutOffError("put off")
        return Closed(NAMES)

    def put_off(self, *, due: bool) -> None:
        with self._told:
            self._due = due
            self._told.notify_all()

    def end(self) -> None:
        with self._told:
            self.may_end.set()
            self._told.notify_all()

    def stop(self) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        """It is asked nothing else."""
        raise AttributeError(name)


@contextmanager
def asking(*sources: Scripted, **given: float) -> Iterator[Callable[..., Pending]]:
    """Asks the sources for names behind a text."""
    oracle = Oracle(sources, **given)  # type: ignore[arg-type]  # they answer for names only

    def ask(text: str, position: Position = Position.MEMBER, uri: str = "file:///a.py") -> Pending:
        return oracle.names(Document(uri, Language.PYTHON, text), len(text), position)

    yield ask
    for source in sources:
        source.end()
    oracle.close()


def unproven(source: list[Scripted]) -> Unproven[Members]:
    return Unproven(Listed(NAMES), source[0].prove)


def test_a_question_waits_for_no_proof() -> None:
    them: list[Scripted] = []
    checker = Scripted("checker", lambda text: unproven(them) if text == "a." else Listed({}))
    them.append(checker)
    with asking(checker) as ask:
        first = ask("a.")
        assert checker.proving.wait(PATIENCE)
        assert ask("b.").answer(PATIENCE).members == Listed({})
        assert first.answer(0).members == Listed(NAMES), "what is not proven yet is listed"
        checker.end()
        assert first.answer(PATIENCE).members == Closed(NAMES)
    assert checker.asked[:3] == ["a.", "proof", "b."]


def test_a_proof_that_nobody_wants_is_left_out_and_made_when_asked_again() -> None:
    them: list[Scripted] = []
    begun, go = threading.Event(), threading.Event()

    def says(text: str) -> Members | Unproven[Members]:
        if text == "wait.":
            begun.set()
            assert go.wait(PATIENCE)
            return Listed({})
        return unproven(them)

    checker = Scripted("checker", says)
    them.append(checker)
    with asking(checker) as ask:
        checker.end()
        busy = ask("wait.")
        assert begun.wait(PATIENCE)
        dropped, kept, shared = ask("a."), ask("b."), ask("b.")
        dropped.drop()
        kept.drop()
        go.set()
        assert shared.answer(PATIENCE).members == Closed(NAMES), "one of two still wants it"
        assert "no longer wanted" in getattr(dropped.answer(PATIENCE).members, "why", "")
        assert ask("a.").answer(PATIENCE).members == Closed(NAMES)
        assert busy.done
    assert checker.asked.count("a.") == 1


def test_a_slow_source_keeps_nobody_waiting_for_a_quick_one() -> None:
    stuck, go = threading.Event(), threading.Event()

    def slow(_text: str) -> Members:
        stuck.set()
        assert go.wait(PATIENCE)
        return Listed(NAMES)

    quick, late = Scripted("quick", lambda text: OPEN if text == "a." else Listed({})), Scripted("late", slow)
    with asking(quick, late) as ask:
        unknown = ask("a.")
        assert stuck.wait(PATIENCE)
        assert ask("b.").answer(PATIENCE).members == Listed({})
        briefly = unknown.early(PATIENCE, 0.0)
        assert (briefly.members, briefly.by) == (Open("late has not answered within 0 ms"), "late")
        go.set()
        assert unknown.answer(PATIENCE).members == Listed(NAMES)


def test_what_comes_too_late_answers_the_next_key_however_late_it_is() -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(_text: str) -> Members:
        begun.set()
        assert go.wait(PATIENCE)
        return Listed(NAMES)

    checker = Scripted("checker", slow)
    with asking(checker, remembers=1e-9) as ask:
        first = ask("np.")
        assert begun.wait(PATIENCE)
        assert isinstance(first.answer(0.0).members, Open)
        first.drop()
        second = ask("np.")
        assert isinstance(second.answer(0.0).members, Open)
        go.set()
        assert second.answer(PATIENCE).members == Listed(NAMES)
        assert checker.asked == ["np."]
        assert ask("np.").answer(PATIENCE).members == Listed(NAMES)
    assert checker.asked == ["np.", "np."], "what was answered is forgotten in the end"


def test_what_is_asked_ahead_is_passed_on_only_when_somebody_waits() -> None:
    quick, slow = Scripted("quick", lambda _text: OPEN), Scripted("slow", lambda _text: Listed(NAMES))
    with asking(quick, slow) as ask:
        for text in ("f(", "g("):
            ahead = ask(text, Position.KEYWORD_ARGUMENT)
            assert isinstance(ask(text).answer(PATIENCE).members, Listed)  # so that the quick one has been asked
            if text == "g(":
                assert ahead.answer(PATIENCE).members == Listed(NAMES)
            else:
                ahead.drop()
        assert ask("f(", Position.KEYWORD_ARGUMENT).early(PATIENCE).members == Listed(NAMES), "asked again, and needed"
    assert slow.asked == ["f(", "g(", "g(", "f("]


@pytest.mark.parametrize("waits_first", [True, False])
def test_who_waits_before_the_first_has_answered_gets_the_second_ones_answer(*, waits_first: bool) -> None:
    begun, go = threading.Event(), threading.Event()

    def says(_text: str) -> Members:
        begun.set()
        assert go.wait(PATIENCE)
        return OPEN

    quick, slow = Scripted("quick", says), Scripted("slow", lambda _text: Listed(NAMES))
    with asking(quick, slow) as ask:
        ahead = ask("f(", Position.KEYWORD_ARGUMENT)
        assert begun.wait(PATIENCE)
        if waits_first:
            late = ahead.answer(0.0).members
            assert isinstance(late, Open)
        go.set()
        assert ahead.answer(PATIENCE).members == Listed(NAMES)


SHARED = {
    "the same": ("a.", Position.MEMBER, "file:///a.py", 1),
    "another text": ("b.", Position.MEMBER, "file:///a.py", 2),
    "another question": ("a.", Position.IMPORTED_NAME, "file:///a.py", 2),
    "another document": ("a.", Position.MEMBER, "file:///b.py", 2),
}


@pytest.mark.parametrize("case", SHARED)
def test_what_was_asked_a_moment_ago_is_not_asked_again(case: str) -> None:
    text, position, uri, times = SHARED[case]
    checker = Scripted("checker", lambda _text: Listed(NAMES))
    with asking(checker) as ask:
        assert ask("a.").answer(PATIENCE).members == Listed(NAMES)
        assert ask(text, position, uri).answer(PATIENCE).members == Listed(NAMES)
    assert len(checker.asked) == times


def test_modules_depend_on_their_line_only_and_what_was_not_known_is_asked_again() -> None:
    checker = Scripted("checker", lambda text: OPEN if text == "a." else Listed(NAMES))
    with asking(checker) as ask:
        for text in ("import os\nfrom ", "import os\nimport re\nfrom "):
            assert ask(text, Position.MODULE).answer(PATIENCE).members == Listed(NAMES)
        for _ in range(2):
            assert isinstance(ask("a.").answer(PATIENCE).members, Open)
    assert checker.asked == ["import os\nfrom ", "a.", "a."]


def test_the_most_urgent_is_done_first_and_of_proofs_the_latest() -> None:
    lane, begun, go, done = Lane(Scripted("source", lambda _: OPEN)), threading.Event(), threading.Event(), []

    def hold() -> None:
        begun.set()
        assert go.wait(PATIENCE)

    lane.put(Urgency.NOW, hold)
    assert begun.wait(PATIENCE)
    for urgency, name in [("IDLE", "idle"), ("PROOF", "old"), ("PROOF", "new"), ("AHEAD", "ahead"), ("NOW", "now")]:
        lane.put(Urgency[urgency], lambda name=name: done.append(name))  # type: ignore[misc]  # a default
    go.set()
    lane.close()
    assert done == ["now", "ahead", "new", "old", "idle"]
