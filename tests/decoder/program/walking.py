"""The programs that are tested with random texts."""

from __future__ import annotations

from pathlib import Path

from benchmarks.program_texts import walk
from decoder.constraint.protocol import Refusal
from decoder.program import ProgramConstraint

__all__ = ["AT_A_PLACE", "CODE", "EXAMPLES", "RUN_WITHOUT_A_FILE", "allows", "walk"]

EXAMPLES = Path(__file__).parents[3] / "examples" / "programs"
AT_A_PLACE = frozenset({"here", "message", "steps"})
"""Examples that need a file."""
RUN_WITHOUT_A_FILE = [path.name for path in sorted(EXAMPLES.glob("*.[jp]*")) if path.stem not in AT_A_PLACE]
CODE = [name for name in RUN_WITHOUT_A_FILE if not name.startswith("answer")]
"""The other is prose."""


def allows(start: ProgramConstraint, written: str) -> bool:
    """Whether a program writes a text."""
    state = start.advance(written)
    return not isinstance(state, Refusal) and state.may_stop() is None
