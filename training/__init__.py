"""How the embedded model is made: source that is installed on this machine in, a checkpoint out.

    corpus      which files, by licence, size and likeness, and the manifest of what was taken
    holes       what an editor would ask to be filled in
    rewrites    an instruction, a function, and the function rewritten, by program transformation
    examples    holes and rewrites in the layouts of `decoder.prompt.layouts`, as tokens with weights
    dataset     examples packed into sequences, in one file that is mapped into memory
    recipe      every number of a run
    number_type what a processor makes products faster in
    run         optimisers, schedule, checkpoints that a stopped run goes on from, the log and its curve

Beside the model modules the only package that imports torch. `inscope train` is its command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from training.session import Progress

__all__ = ["Progress"]
