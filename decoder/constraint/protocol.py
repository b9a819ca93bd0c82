"""The protocol of all rules: may this text come next?

A state is a value. `advance` returns the state after the text, or a `Refusal` that says which rule forbids it; the
state itself is unchanged, so going back is dropping a reference. A state must refuse a text as soon as no
continuation of it could be accepted, and must not refuse one that some continuation makes right.
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
    """A bracket or quote that the text after the cursor closes already: a model that wants to close it has finished."""
    OPENING = "opening"
    """The end of a line that has yet to open a bracket which a line below closes."""
    SCOPE = "scope"
    """A name that is not visible here."""
    HEALING = "healing"
    """The half-typed word before the cursor would not be continued."""
    ENCODING = "encoding"
    """The bytes are not UTF-8."""
    PROGRAM = "program"
    """The request's program does not write this."""
    CONTROLLER = "controller"
    """The request's controller has banned this token."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The text may not come next. `what` is the piece at fault, for people."""

    rule: Rule
    what: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the rules could not prove of the text so far."""

    unlisted: tuple[str, ...] = ()
    """Names that are not in the list of names in scope, where that is known to be incomplete; in their order."""


class Constraint(Protocol):
    """One immutable state of one rule."""

    def advance(self, text: str) -> Constraint | Refusal:
        """The state after `text`, or why there is none. Advancing by "ab" equals advancing by "a", then by "b"."""

    def may_stop(self) -> Refusal | None:
        """None where the text so far may be the whole suggestion."""

    def report(self) -> Report:
        """What the rule could not prove of the text so far."""


# What only some rules do. These are base classes, since they are asked for at each token: an `isinstance` with a base
# class takes half a microsecond, with a runtime protocol fifteen (Python 3.11).


class ChecksPartialCharacters(ABC):
    """A rule that allows so little that it must be asked about a character before all its bytes are written."""

    __slots__ = ()

    @abstractmethod
    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""


class CountsTokens(ABC):
    """A rule that depends on the number of tokens in which a text is written."""

    __slots__ = ()

    @abstractmethod
    def after_token(self, partial: bytes) -> Constraint:
        """The state after a token; `partial` are its last bytes, if they are no whole character yet."""
