"""The protocol of all rules: may this text come next?

A state is a value. `advance` returns the state after the text, or a `Refusal` that says which rule forbids it. It never
changes the state itself, so to go back is to use an earlier state. A state must refuse a text as soon as none of its
continuations could be accepted, and must not refuse a text that some continuation makes valid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Rule(StrEnum):
    """The rule that refused a text."""

    SYNTAX = "syntax"
    """No text that begins like this parses."""
    BALANCE = "balance"
    """A bracket or quote would be closed that the text after the cursor closes already. The model has finished."""
    OPENING = "opening"
    """A line would end without a bracket that a line below closes."""
    SCOPE = "scope"
    """A name is not visible here."""
    HEALING = "healing"
    """The text does not continue the half-typed word before the cursor."""
    ENCODING = "encoding"
    """The bytes are not UTF-8."""
    PROGRAM = "program"
    """The request's program does not write this."""
    CONTROLLER = "controller"
    """The request's controller has banned this token."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The text may not come next."""

    rule: Rule
    what: str
    """The piece at fault, to be shown to people."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the rules could not prove of the text so far."""

    unlisted: tuple[str, ...] = ()
    """Names that are not among the names in scope, where that list is known to be incomplete; in the text's order."""


class Constraint(Protocol):
    """One immutable state of one rule."""

    def advance(self, text: str) -> Constraint | Refusal:
        """The state after `text`, or why there is none. Advancing by "ab" equals advancing by "a", then by "b"."""

    def may_stop(self) -> Refusal | None:
        """None if the text so far may be the whole suggestion; else why not."""

    def report(self) -> Report:
        """What the rule could not prove of the text so far."""


# What only some rules do. These are base classes and no protocols, because `ConstraintState` tests for them at each
# token: `isinstance` takes half a microsecond with a base class, and fifteen with a runtime protocol (Python 3.11).


class ChecksPartialCharacters(ABC):
    """A rule that is asked about a character before all its bytes are written, since it may allow no such character."""

    __slots__ = ()

    @abstractmethod
    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""


class CountsTokens(ABC):
    """A rule that depends on the number of tokens in which a text is written."""

    __slots__ = ()

    @abstractmethod
    def after_token(self, partial: bytes) -> Constraint:
        """The state after a token.

        Args:
            partial: The token's last bytes, if they are no whole character yet.
        """
