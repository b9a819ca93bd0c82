"""Puts the commit of the source into packages, as `lsp_server/commit.txt`; hatchling runs it.

A wheel that is made of an sdist finds the file there, and needs no git.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "lsp_server/commit.txt"


class CommitHook(BuildHookInterface):
    """The custom hook of pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file; nothing is added where git does not know the commit."""
        if version == "editable" or (Path(self.root) / NAME).is_file() or not (Path(self.root) / ".git").exists():
            return
        command = ["git", "rev-parse", "--short=9", "HEAD"]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
        if done.returncode == 0:
            self._file = tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="ascii")  # noqa: SIM115 - read when the archive is written
            self._file.write(done.stdout)
            self._file.flush()
            build_data["force_include"][self._file.name] = NAME
