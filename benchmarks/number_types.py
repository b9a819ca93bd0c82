"""What a number type costs the embedded model in bits per byte of text that no model of ours was trained on.

The model's weights are bfloat16. `float32` computes with them in float32, as the product does. `bfloat16` also computes
in bfloat16, through transformers. `int8` computes in float32 with weights that were rounded to 8 bits, with one scale
for each row of a matrix, as kernels for 8-bit weights have them. The texts are those of `inscope bench model`.
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
    files_by_language = held_out(arguments.root)
    figures: dict[str, dict[str, float]] = {}
    with TemporaryDirectory() as directory:
        models = {
            "float32": load_model(),
            "bfloat16": load_through_transformers(dtype="bfloat16", threads=1),
            "int8": load_model(str(_write_rounded(Path(directory) / "int8"))),
        }
        for name, model in models.items():
            figures[name] = {
                language: likelihood(model, rows(model, files, arguments.count, random.Random(1))).bits_per_byte  # noqa: S311 - the same rows for each
                for language, files in files_by_language.items()
            }
    if arguments.json:
        print(json.dumps({"machine": machine(), "bits_per_byte": figures}))
        return 0
    print(machine_line())
    line("bits per byte", *files_by_language, width=14)
    for name, values in figures.items():
        line(name, *(f"{value:.4f}" for value in values.values()), width=14)
    return 0


def _write_rounded(directory: Path) -> Path:
    """Write the embedded model to `directory`, its weights rounded to 8 bits and a scale for each row."""
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
