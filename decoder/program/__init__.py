"""Programs that say what may be written: combinators of syntax, compiled to one constraint.

The same in Python (`combinators`) and in JavaScript (`inscope.js`, run in `decoder.controller`): a program awaits
parts, each is written, and the program goes on with the text. Both make `nodes` of the parts, and `spelling` makes
patterns of nodes, in one language. `constraint`, which the decode loop asks, reads a text by the patterns; `lowering`
turns them into a grammar, in one of the `dialects` of other engines, which remembers nothing of what was written.
"""

from __future__ import annotations

from decoder.errors import ProgramError
from decoder.program import combinators
from decoder.program.combinators import *  # noqa: F403 - what a program needs is listed there
from decoder.program.constraint import ProgramConstraint
from decoder.program.generation import ProgramResult, ProgramTask, write
from decoder.program.lowering import Lowered
from decoder.program.program import Program

__all__ = ["Lowered", "Program", "ProgramConstraint", "ProgramError", "ProgramResult", "ProgramTask", "write"]
__all__ += combinators.__all__
