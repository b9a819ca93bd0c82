"""What a number type costs the embedded model in bits per byte of text that no model of ours was trained on.

Its weights are bfloat16. `float32` computes with them as the product does; `bfloat16` computes in it too, through
transformers; `int8` rounds each row of each matrix to 8 bits and one scale, which weight-only kernels would read. The
texts are those of `inscope bench model`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from safetensors.numpy import save_file

from benchmarks.model import held_out
from benchmarks.model_likelihood import likelihood, rows
from benchmarks.timing import line, machine, machine_line
from decoder import embedded
from decoder.models.llama.weights import as_floats, read_tensors
from decoder.models.loading import load_model, load_through_transformers
from lsp_server.paths import existing


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench number-types", description=__doc__)
    parser.add_argument("--root", type=existing, action="append", required=True, help="where packages are installed")
    parser.add_argument("--count", type=int, default=60, help="rows of 512 tokens in each language (default 60)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    texts = held_out(arguments.root)
    figures: dict[str, dict[str, float]] = {}
    with TemporaryDirectory() as directory:
        models = {
            "float32": load_model(),
            "bfloat16": load_through_transformers(dtype="bfloat16", threads=1),
            "int8": load_model(str(_rounded(Path(directory) / "int8"))),
        }
        for name, model in models.items():
            figures[name] = {
                language: likelihood(model, rows(model, files, arguments.count, random.Random(1))).bits_per_byte  # noqa: S311 - the same rows for each
                for language, files in texts.items()
            }
    if arguments.json:
        print(json.dumps({"machine": machine(), "bits_per_byte": figures}))
        return 0
    print(machine_line())
    line("bits per byte", *texts, width=14)
    for name, values in figures.items():
        line(name, *(f"{value:.4f}" for value in values.values()), width=14)
    return 0


def _rounded(directory: Path) -> Path:
    """The embedded model with weights that 8 bits for each and a scale for each row can say."""
    shutil.copytree(embedded.path(), directory, ignore=shutil.ignore_patterns("*.py", "*.safetensors", "__pycache__"))
    weights = {name: as_floats(array) for name, array in read_tensors(embedded.path() / "model.safetensors")}
    for name, matrix in weights.items():
        if matrix.ndim > 1:
            scale = np.abs(matrix).max(axis=1, keepdims=True) / 127
            weights[name] = np.rint(matrix / scale).astype(np.float32) * scale
    save_file(weights, directory / "model.safetensors")
    return directory


if __name__ == "__main__":
    raise SystemExit(main())
