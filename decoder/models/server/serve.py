"""The child process of `decoder.models.server.child`: `python -m decoder.models.server.serve`.

It runs llama.cpp's server with a GGUF file. One line of JSON comes in, the task: file, key, context, threads, layers on
the GPU (None leaves that to llama.cpp). One line goes out: the server's address, which begins with `http://`, or why
there is none. Then the server runs until the input ends.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Serve the file that the first line of the input names."""
    task: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        import xllamacpp  # noqa: PLC0415 - a broken library is reported, too

        server = xllamacpp.Server(_with_task(xllamacpp.CommonParams(), task))
        address = str(server.listening_address)
    except Exception as error:  # noqa: BLE001 - whatever the library raises, the parent says it
        sys.stdout.write(f"{type(error).__name__}: {error}".replace("\n", " ") + "\n")
        sys.stdout.flush()
        os._exit(1)
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    while sys.stdin.readline():
        pass
    os._exit(0)  # its threads do not end by themselves


def _with_task(parameters: Any, task: dict[str, Any]) -> Any:  # noqa: ANN401 - an untyped library
    """The library's parameters, set for the task."""
    parameters.model.path = task["file"]
    parameters.api_keys = [task["key"]]
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel = task["context"], 1
    parameters.swa_full = True  # else a model with a sliding window reads the whole prompt after most edits
    parameters.ui = False
    if task["layers"] is not None:
        parameters.n_gpu_layers = task["layers"]
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads, threads.poll = task["threads"], 0  # threads that spin would slow down other programs
    return parameters


if __name__ == "__main__":
    main()
