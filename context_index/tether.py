"""Runs a program that does not read its input, and ends it when our own input ends.

Started by `processes.start` as `python -m context_index.tether PROGRAM ARGUMENT ...`; the environment, the folder and
the output are the program's.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from context_index.processes import DEVNULL, Process, start


def main() -> int:
    """Start the program and wait for it; returns its exit code."""
    here = Path.cwd()
    program = start(
        sys.argv[1:], outside_of=(), directory=here, variables=dict(os.environ), stdin=DEVNULL, stdout=None, stderr=None
    )
    threading.Thread(target=_end_with_input, args=(program,), daemon=True).start()
    return program.wait()


def _end_with_input(program: Process) -> None:
    """Wait until our input ends, then kill the program."""
    while os.read(sys.stdin.fileno(), 1):  # unbuffered: Python cannot end while a thread holds the lock of a buffer
        pass
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):  # it has just ended
            os.killpg(program.pid, signal.SIGKILL)  # with all that it has started
    else:
        program.kill()


if __name__ == "__main__":
    sys.exit(main())
