"""Completions: a `CompletionTask` in, a `Completion` out. Puts prompt, constraint, endings, loop and search together.

task         the request as data
filling      `complete`: the search for a text that may be shown
preparation  what all outputs of a request have in common
result       the outputs, and the answer
ranking      how probable each of many names is at the cursor
"""

from __future__ import annotations

from decoder.completion.filling import complete
from decoder.completion.ranking import NamePrompt
from decoder.completion.result import Completion
from decoder.completion.task import CompletionTask

__all__ = ["Completion", "CompletionTask", "NamePrompt", "complete"]
