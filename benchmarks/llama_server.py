"""A llama-server for benchmarks, from PyPI's xllamacpp: `python -m benchmarks.llama_server FILE PORT NAME`.

It is the same as `llama-server -m FILE --port PORT --alias NAME --swa-full -t 1`. The process ends when its standard
input does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from decoder.models.gguf import Head

_LONGEST = 4096
"""The most tokens of context."""
_PATIENCE_S = 120.0
"""How long a server may take until it listens."""


def main() -> int:
    """Serve a file until the standard input ends."""
    import xllamacpp  # noqa: PLC0415 - an extra

    file, port, name = sys.argv[1:4]
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path, parameters.port, parameters.model_alias = file, int(port), {name}
    parameters.hostnames, parameters.n_parallel = ["127.0.0.1"], 1
    parameters.n_ctx = min(Head.of(Path(file)).context, _LONGEST)
    parameters.swa_full, parameters.ui = True, False
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads, threads.poll = 1, 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while sys.stdin.readline():
        pass
    os._exit(0)  # its threads do not end by themselves


@contextmanager
def serving(file: Path, port: int, name: str) -> Iterator[subprocess.Popen[str]]:
    """A server in a process of its own, until the block ends.

    Raises:
        SystemExit: it does not serve the file.
    """
    command = [sys.executable, "-m", "benchmarks.llama_server", str(file), str(port), name]
    with subprocess.Popen(  # noqa: S603 - this module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - a pipe
            started = time.monotonic()
            if not process.stdout.readline().startswith("http://") or time.monotonic() - started > _PATIENCE_S:
                raise SystemExit(f"error: llama.cpp does not serve {file}")
            yield process
        finally:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
