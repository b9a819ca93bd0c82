"""Packages that may be trained on, small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.files import lay_out

if TYPE_CHECKING:
    from pathlib import Path


def javascript_package(root: Path, package: str, functions: int) -> None:
    """Three files of so many functions each."""
    files = {"package.json": f'{{"name": "{package}", "version": "1", "license": "MIT"}}'}
    for name in ("one", "two", "three"):
        lines = (
            f"function {name}{package}{i}(value) {{\n  return {name}(value + {i});\n}}\n" for i in range(functions)
        )
        files[f"{name}.js"] = "".join(lines)
    lay_out(root / package, files)
