"""What the same model is held to in each column of `benchmarks.validity`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.syntax_rule import SyntaxConstraint
from context_index.symbols import Answer, Asked, Closed, Listed, Open, Position, TypeOracle
from decoder import CompletionTask, DocumentStates
from decoder.constraint.balance import Balance
from decoder.constraint.guard import Guard
from decoder.constraint.members import TypedNames

Makes = Callable[[str, str], Guard]
"""Of the text above, and what the output must begin with."""


@dataclass(frozen=True, slots=True)
class Column:
    """A name, and what makes the guard where it is not the one of the task."""

    name: str
    asks: bool
    """Whether a type checker is asked."""
    names: bool
    """Whether the gate, too, asks whether names are visible."""
    makes: Callable[[CompletionTask, DocumentStates], Makes] | None = None

    def guard(self, task: CompletionTask, states: DocumentStates) -> Makes | None:
        """For `complete`."""
        return None if self.makes is None else self.makes(task, states)


def hold_to_nothing(_task: CompletionTask, _states: DocumentStates) -> Makes:
    """Only what the output must begin with."""
    return lambda _prefix, owed: Guard(owed=owed.encode())


def hold_to_syntax(task: CompletionTask, states: DocumentStates) -> Makes:
    """Brackets and the grammar's tables, without names."""

    def make(prefix: str, owed: str) -> Guard:
        text, language = task.prefix + task.suffix, task.symbols.language
        entry = states.enter(
            task.document, language, text, len(prefix), len(task.prefix), known_faults=task.syntax_errors
        )
        balance = Balance.at(prefix, task.suffix, python=language.is_python)
        syntax = SyntaxConstraint.of(entry)
        return Guard((balance,) if syntax is None else (balance, syntax), owed.encode())

    return make


def _behind_dots(task: CompletionTask, _states: DocumentStates) -> Makes:
    def make(prefix: str, owed: str) -> Guard:
        assert task.types is not None  # noqa: S101 - the column asks
        monitor = TypedNames.at(task.symbols.language, _Dots(task.types), prefix, task.suffix)
        return Guard((), owed.encode(), types=monitor)

    return make


class _Dots:
    """A checker that is asked about members only, and whose every list binds."""

    def __init__(self, oracle: TypeOracle) -> None:
        self._oracle = oracle

    def ask(self, text: str, offset: int, position: Position) -> Asked:
        """The members behind a dot; elsewhere nothing is known."""
        return _Binding(self._oracle.ask(text, offset, position) if position is Position.MEMBER else None)


class _Binding:
    def __init__(self, asked: Asked | None) -> None:
        self._asked = asked

    @property
    def done(self) -> bool:
        return self._asked is None or self._asked.done

    def answer(self, timeout: float, others: float | None = None) -> Answer:
        if self._asked is None:
            return Answer(Open("not behind a dot"), "nobody", 0.0)
        answer = self._asked.answer(timeout, others)
        members = Closed(answer.members.names) if isinstance(answer.members, Listed) else answer.members
        return Answer(members, answer.by, answer.seconds)

    def early(self, timeout: float, others: float | None = None) -> Answer:
        """As every list binds, none is proven."""
        return self.answer(timeout, others)

    def drop(self) -> None:
        if self._asked is not None:
            self._asked.drop()


COLUMNS = (
    Column("unconstrained", asks=False, names=False, makes=hold_to_nothing),
    Column("syntax", asks=False, names=False, makes=hold_to_syntax),
    Column("syntax and scope", asks=False, names=True),
    Column("all", asks=True, names=True),
    Column("dot only", asks=True, names=False, makes=_behind_dots),
)
