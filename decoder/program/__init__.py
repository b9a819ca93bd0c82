"""Programs that say what may be written: combinators of syntax, compiled to one constraint.

A program awaits parts of syntax. The model writes each part, and the program goes on with the text that was written.
Programs are Python (`combinators`) or JavaScript (`inscope.js`, run in `decoder.controller`). Both turn the parts into
`nodes`, and `spelling` turns nodes into patterns, in one language. `constraint`, which the decode loop asks, reads a
text by the patterns. `lowering` turns them into a grammar in one of the `dialects` of other engines; such a grammar
remembers nothing of what was written.
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
