"""How the embedded model is made: source that is installed on this machine in, a checkpoint out.

    corpus      which files, by licence, size and likeness, and the manifest of what was taken
    holes       what an editor would ask to be filled in
    rewrites    an instruction, a function, and the function rewritten, by program transformation
    examples    holes and rewrites in the layouts of `decoder.prompt.layouts`, as tokens with weights
    stream      examples packed into sequences, made while the model trains
    recipe      every number of a run
    number_type the number type that a processor multiplies fastest
    fast_step   a loss and an attention that are faster than torch's
    run         optimisers, schedule, checkpoints that a stopped run goes on from, the log
    session     one run of `inscope train` from start to end, and the curve of its loss

Besides `decoder.models` the only package that imports torch. `inscope train` is its command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from training.session import Progress

__all__ = ["Progress"]
