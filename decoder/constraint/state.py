"""All rules of one suggestion as one state over bytes, for the decode loop.

Tokens may end inside a UTF-8 character; the state holds such bytes back, so that rules see whole characters only. It
also requires the output to begin with the text that was taken back from the prompt (token healing).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from enum import Enum, auto

from decoder.constraint.protocol import ChecksPartialCharacters, Constraint, CountsTokens, Refusal, Report, Rule


class Line(Enum):
    """What is known of the line being written, where the output is to be one."""

    ANY = auto()
    """It may be many."""
    BLANK = auto()
    BEGUN = auto()
    """Something is on it: where it ends the output ends, so it must be whole."""


@dataclass(frozen=True, slots=True)
class ConstraintState:
    """One immutable state: every rule has accepted all text so far."""

    rules: tuple[Constraint, ...] = ()
    """Asked in this order, cheapest first; the first refusal is the answer."""
    required_prefix: bytes = b""
    """What the output must still begin with."""
    partial: bytes = b""
    """The bytes of a character that is not complete yet."""
    line: Line = Line.ANY
    """Whether the output is to be one line, and how far that has come."""

    def advance(self, piece: bytes) -> ConstraintState | Refusal:
        """The state after the bytes of one token."""
        shared = min(len(piece), len(self.required_prefix))
        if piece[:shared] != self.required_prefix[:shared]:
            return Refusal(Rule.HEALING, self.required_prefix.decode("utf-8", "replace"))
        text, partial = complete_characters(self.partial + piece)
        if text is None:
            return Refusal(Rule.ENCODING, repr(piece))
        required_prefix = self.required_prefix[shared:]
        stepped = (
            self._stepped(text, required_prefix, partial)
            if text
            else replace(self, required_prefix=required_prefix, partial=partial)
        )
        if isinstance(stepped, Refusal):
            return stepped
        if partial and any(
            isinstance(rule, ChecksPartialCharacters) and not rule.may_begin(partial) for rule in stepped.rules
        ):
            return Refusal(Rule.ENCODING, repr(partial))
        return stepped

    def _stepped(self, text: str, required_prefix: bytes, partial: bytes) -> ConstraintState | Refusal:
        """The state of all rules after whole characters."""
        line = Line.BEGUN if self.line is Line.BLANK and text.strip() else self.line
        if line is Line.BEGUN and (unfinished := self._unfinished(text)) is not None:
            return unfinished
        states = []
        for rule in self.rules:
            state = rule.advance(text)
            if isinstance(state, Refusal):
                return state
            states.append(state)
        return ConstraintState(tuple(states), required_prefix, partial, line)

    def _unfinished(self, text: str) -> Refusal | None:
        """Why the line may not end where `text` ends it, if it does."""
        ends = [place for end in "\r\n" if (place := text.find(end)) >= 0]
        head = text[: min(ends)] if ends else ""
        if not ends or (self.line is Line.BLANK and not head.strip()):
            return None
        before = self.advance(head.encode()[len(self.partial) :]) if head else self
        return before if isinstance(before, Refusal) else before.may_stop()

    def after_token(self) -> ConstraintState:
        """The state once the last token is final, as some rules count tokens."""
        if not any(isinstance(rule, CountsTokens) for rule in self.rules):
            return self
        rules = (rule.after_token(self.partial) if isinstance(rule, CountsTokens) else rule for rule in self.rules)
        return replace(self, rules=tuple(rules))

    def may_stop(self) -> Refusal | None:
        """None where the output so far may be as it is."""
        if self.required_prefix:
            return Refusal(Rule.HEALING, self.required_prefix.decode("utf-8", "replace"))
        if self.partial:
            return Refusal(Rule.ENCODING, repr(self.partial))
        return next((refusal for rule in self.rules if (refusal := rule.may_stop())), None)

    def report(self) -> Report:
        """What the rules could not prove, together."""
        reports = [rule.report() for rule in self.rules]
        return Report(tuple(name for report in reports for name in report.unlisted))


def complete_characters(data: bytes) -> tuple[str | None, bytes]:
    """The whole characters of `data` and the bytes left over; None where it cannot be the beginning of UTF-8."""
    try:
        text, used = codecs.utf_8_decode(data, "strict", False)  # noqa: FBT003 - the codec takes it by position
    except UnicodeDecodeError:
        return None, b""
    return text, data[used:]
