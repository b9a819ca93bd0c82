"""All rules of one suggestion as one state over bytes, for the decode loop.

A token may end within a UTF-8 character. The state holds such bytes back, so that rules see whole characters only. It
also requires the output to begin with the text that was taken back from the prompt (token healing).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from decoder.constraint.protocol import ChecksPartialCharacters, Constraint, CountsTokens, Refusal, Report, Rule


@dataclass(frozen=True, slots=True)
class ConstraintState:
    """One immutable state: every rule has accepted all text so far."""

    rules: tuple[Constraint, ...] = ()
    """Asked in this order, cheapest first; the first refusal is the answer."""
    required_prefix: bytes = b""
    """What the output must still begin with."""
    partial: bytes = b""
    """The bytes of a character that is not complete yet."""

    def advance(self, piece: bytes) -> ConstraintState | Refusal:
        """The state after the bytes of one token, or the first rule's refusal."""
        shared = min(len(piece), len(self.required_prefix))
        if piece[:shared] != self.required_prefix[:shared]:
            return Refusal(Rule.HEALING, self.required_prefix.decode("utf-8", "replace"))
        text, partial = complete_characters(self.partial + piece)
        if text is None:
            return Refusal(Rule.ENCODING, repr(piece))
        required_prefix = self.required_prefix[shared:]
        rules: list[Constraint] = []
        for rule in self.rules:
            state = rule.advance(text) if text else rule
            if isinstance(state, Refusal):
                return state
            rules.append(state)
        if partial and any(isinstance(rule, ChecksPartialCharacters) and not rule.may_begin(partial) for rule in rules):
            return Refusal(Rule.ENCODING, repr(partial))
        return ConstraintState(tuple(rules), required_prefix, partial)

    def after_token(self) -> ConstraintState:
        """The state once the last token is final, as some rules count tokens."""
        if not any(isinstance(rule, CountsTokens) for rule in self.rules):
            return self
        rules = (rule.after_token(self.partial) if isinstance(rule, CountsTokens) else rule for rule in self.rules)
        return replace(self, rules=tuple(rules))

    def may_stop(self) -> Refusal | None:
        """None if the output so far may be the whole suggestion; else the first rule's refusal."""
        if self.required_prefix:
            return Refusal(Rule.HEALING, self.required_prefix.decode("utf-8", "replace"))
        if self.partial:
            return Refusal(Rule.ENCODING, repr(self.partial))
        return next((refusal for rule in self.rules if (refusal := rule.may_stop())), None)

    def report(self) -> Report:
        """What the rules could not prove of the text so far, together."""
        reports = [rule.report() for rule in self.rules]
        return Report(tuple(name for report in reports for name in report.unlisted))


def complete_characters(data: bytes) -> tuple[str | None, bytes]:
    """The whole characters of `data`, and the bytes left over; None for the text if `data` begins no UTF-8 text."""
    try:
        text, used = codecs.utf_8_decode(data, "strict", False)  # noqa: FBT003 - the codec takes it by position
    except UnicodeDecodeError:
        return None, b""
    return text, data[used:]
