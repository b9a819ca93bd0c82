"""The child process of `decoder.models.server.child`: `python -m decoder.models.server.serve`.

One line of JSON comes in: file, key, context, threads, layers on the GPU. One line goes out: the server's address, or
why there is none. Then the server runs until the input ends.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Serve the file that the first line of the input names."""
    wanted: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        import xllamacpp  # noqa: PLC0415 - a broken library is reported, too

        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), wanted))
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


def _parameters(parameters: Any, wanted: dict[str, Any]) -> Any:  # noqa: ANN401 - an untyped library
    parameters.model.path = wanted["file"]
    parameters.api_keys = [wanted["key"]]
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel = wanted["context"], 1
    parameters.swa_full = True  # else a model with a sliding window reads the whole prompt after most edits
    parameters.ui = False
    if wanted["layers"] is not None:
        parameters.n_gpu_layers = wanted["layers"]
    for threads, count in zip((parameters.cpuparams, parameters.cpuparams_batch), wanted["threads"], strict=True):
        threads.n_threads, threads.poll = count, 0  # threads that spin slow down all that runs beside them
    return parameters


if __name__ == "__main__":
    main()
