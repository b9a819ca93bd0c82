"""Fill in at a cursor: text in, a checked suggestion out. Puts prompt, constraint, endings and loop together.

filling      outputs are made until one may be shown
task         what is wanted, and where
preparation  what all outputs begin with, and `constraint`, what they are held to
attempt      one output, and whether it may be shown
result         what came of it
"""

from __future__ import annotations

from decoder.completion.filling import complete, rank_names
from decoder.completion.result import Completion
from decoder.completion.task import CompletionTask

__all__ = ["Completion", "CompletionTask", "complete", "rank_names"]
