"""All rules of one suggestion as a single state over bytes: what the decode loop asks.

Tokens may end inside a UTF-8 character; the guard holds such bytes back, so that rules see whole characters only.
It also holds the output to the text that was taken back from the prompt (token healing).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from decoder.constraint.protocol import Constraint, Refusal, Report, Rule


@dataclass(frozen=True, slots=True)
class Guard:
    """One immutable state: every rule has accepted everything fed so far."""

    rules: tuple[Constraint, ...] = ()
    """Asked in this order, cheapest first; the first refusal is the answer."""
    owed: bytes = b""
    """What the output must still begin with."""
    partial: bytes = b""
    """The bytes of a character that is not complete yet."""

    def feed(self, piece: bytes) -> Guard | Refusal:
        """The state after the bytes of one token."""
        shared = min(len(piece), len(self.owed))
        if piece[:shared] != self.owed[:shared]:
            return Refusal(Rule.HEALING, self.owed.decode("utf-8", "replace"))
        text, partial = _complete_characters(self.partial + piece)
        if text is None:
            return Refusal(Rule.ENCODING, repr(piece))
        rules = self.rules
        if text:
            states = []
            for rule in rules:
                state = rule.feed(text)
                if isinstance(state, Refusal):
                    return state
                states.append(state)
            rules = tuple(states)
        return replace(self, rules=rules, owed=self.owed[shared:], partial=partial)

    def may_stop(self) -> Refusal | None:
        """None where the output so far may stand as it is."""
        if self.owed:
            return Refusal(Rule.HEALING, self.owed.decode("utf-8", "replace"))
        if self.partial:
            return Refusal(Rule.ENCODING, repr(self.partial))
        return next((refusal for rule in self.rules if (refusal := rule.may_stop())), None)

    def report(self) -> Report:
        """What the rules could not prove, together."""
        reports = [rule.report() for rule in self.rules]
        return Report(
            open=tuple(name for report in reports for name in report.open),
            outside=tuple(name for report in reports for name in report.outside),
        )


def _complete_characters(data: bytes) -> tuple[str | None, bytes]:
    """The whole characters of `data` and the bytes left over; None where it cannot be the beginning of UTF-8."""
    try:
        text, used = codecs.utf_8_decode(data, "strict", False)  # noqa: FBT003 - the codec takes it by position
    except UnicodeDecodeError:
        return None, b""
    return text, data[used:]
