"""The files of the model that ships with the package."""

from __future__ import annotations

from pathlib import Path


def path() -> Path:
    """The directory of the built-in model."""
    return Path(__file__).parent
