"""Members and other names that only a type checker knows, asked about the text as it is being written."""

from decoder.constraint.members.questions import Questions
from decoder.constraint.members.record import GIVEN, PENALTY
from decoder.constraint.members.state import TypedNames

__all__ = ["GIVEN", "PENALTY", "Questions", "TypedNames"]
