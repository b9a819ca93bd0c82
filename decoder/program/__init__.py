"""Programs that say what may be written: combinators of syntax, compiled to one constraint.

The same in Python (`combinators`) and in JavaScript (`inscope.js`, run in `decoder.controller`): a program awaits
parts, each is written, and the program goes on with the text. `nodes` is what both say; `spelling` makes patterns of it
in one language; `constraint`, which the decode loop asks, reads texts by them; without what they remember, `lowering`
makes grammars of them.
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
