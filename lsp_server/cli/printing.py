"""Prints to standard output without rich: JSON for programs, and generated text."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.engine.wire import Json
    from lsp_server.errors import RequestError


def print_json(value: dict[str, Json]) -> None:
    """Print a value as one line of JSON, and flush it for readers of a pipe."""
    print(json.dumps(value, ensure_ascii=False), flush=True)  # noqa: T201 - the product of --json


def print_text(text: str) -> None:
    """Print generated text; on a terminal, which would obey control characters, they are escaped."""
    sys.stdout.write((escaped(text, keep="\n\t") if sys.stdout.isatty() else text) + "\n")


def escaped(text: str, keep: str = "") -> str:
    """A text with escapes for what is not printable: control characters, and spaces other than the usual one.

    Args:
        keep: Characters to leave as they are.
    """
    return "".join(
        character if character.isprintable() or character in keep else character.encode("unicode_escape").decode()
        for character in text
    )


def failure(error: RequestError) -> dict[str, Json]:
    """What `--json` prints if a command fails whose module has no `failure` of its own."""
    return {"error": {"code": str(error.code), "message": error.message}}


def drop_output() -> None:
    """Drop what is not written yet, after the reader has closed the pipe (`| head`): writing it would fail at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
