"""Fill in at a cursor: text in, a checked suggestion out. Puts prompt, constraint, endings and loop together.

task         what is wanted, and where
filling      outputs are made until one may be shown
preparation  what all outputs have in common
constraint   what they are held to
attempt      one output, and the part of it that may be shown
result       what came of it
ranking      how probable each of many names is at the cursor
"""

from __future__ import annotations

from decoder.completion.filling import complete, rank_names
from decoder.completion.result import Completion
from decoder.completion.task import CompletionTask

__all__ = ["Completion", "CompletionTask", "complete", "rank_names"]
