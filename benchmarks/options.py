"""Options that several benchmarks take."""

from __future__ import annotations

import argparse
from pathlib import Path


def existing(path: str) -> Path:
    """A file or folder that is read: an option's `type`, so that a wrong one is a mistake in the command line."""
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"there is no '{path}'")
    return Path(path)
