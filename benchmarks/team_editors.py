"""Scripted editors that share model servers, and what they got; for `inscope bench team` and `team_ray`."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from decoder import DecoderError, ModelOptions, load_model
from decoder.models.waiting import asked_for

TOKENS = 12
"""Tokens that an editor has written after a keystroke."""
_FUNCTIONS = 10
"""Functions of a document."""
_PATIENCE_S = 60.0
"""How long an answer may take."""
_FIRST = 100
"""The number of the first editor's document; smaller ones are for others."""


@dataclass(frozen=True, slots=True)
class Team:
    """The editors, and how they ask."""

    url: str
    """Of the server or the balancer."""
    editors: int
    seconds: float
    """How long they ask."""
    pause: float = 0.0
    """Seconds that an editor lets pass after an answer."""
    events: Sequence[Callable[[], object]] = ()
    """What happens meanwhile, at even distances: one after a half of the time, two after each third."""


@dataclass(slots=True)
class TeamTally:
    """What all editors got; they share it, and change it while they hold `lock`."""

    happened: float = 0.0
    """When the last event happened, on the monotonic clock; 0 before."""
    milliseconds: list[float] = field(default_factory=list)
    """Of each answer."""
    after: int = 0
    """Answers to requests that were sent after an event."""
    silences: Counter[str] = field(default_factory=Counter)
    """Requests without an answer, by the kind of error."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __str__(self) -> str:
        times = sorted(self.milliseconds)
        spread = f"p50 {median(times):.0f} ms, p99 {times[len(times) * 99 // 100]:.0f} ms" if times else "no times"
        reasons = f" {dict(self.silences)}" if self.silences else ""
        after = f" ({self.after} asked for after an event)" if self.happened else ""
        return f"{len(times)} answers{after}, {sum(self.silences.values())} silences{reasons}; {spread}"


def text(number: int, edits: int) -> str:
    """A document of functions that no other has, and below them `x = 1` once for each edit, all on one line."""
    functions = (
        f"def handler_{number}_{index}(request, store):\n    return store.get(request.key_{number}, {index})\n"
        for index in range(_FUNCTIONS)
    )
    return f"# module {number}\n{''.join(functions)}{'x = 1' * edits}\nreturn "


def ask(team: Team) -> TeamTally:
    """Let all editors ask, and the events happen."""
    tally = TeamTally()
    until = time.monotonic() + team.seconds
    threads = [threading.Thread(target=_type_and_ask, args=(team, n, until, tally)) for n in range(team.editors)]
    for thread in threads:
        thread.start()
    for event in team.events:
        time.sleep(team.seconds / (len(team.events) + 1))
        event()
        tally.happened = time.monotonic()
    for thread in threads:
        thread.join()
    return tally


def _type_and_ask(team: Team, number: int, until: float, tally: TeamTally) -> None:
    """Type a document, and ask for some tokens after each keystroke through the product's own client for servers."""
    model, edits = None, 0
    while time.monotonic() < until:
        edits += 1
        started = time.monotonic()
        try:
            if model is None:
                model = load_model(f"llama-server:{team.url}", options=ModelOptions(timeout_seconds=_PATIENCE_S))
            with asked_for(f"editor {number}"):
                branch = model.branch()
                row = branch.forward(model.vocabulary.encode(text(_FIRST + number, edits % 8) + f"{edits} + "))[-1]
                for _ in range(TOKENS - 1):
                    row = branch.forward([int(np.argmax(row))])[-1]
        except DecoderError as error:
            with tally.lock:
                tally.silences[type(error).__name__] += 1
        else:
            with tally.lock:
                tally.milliseconds.append((time.monotonic() - started) * 1e3)
                tally.after += bool(tally.happened) and started > tally.happened
        time.sleep(team.pause)
