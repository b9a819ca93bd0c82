"""Standard output: JSON for programs, one object on one line; and the end of a command whose reader closed the pipe."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.cli.answers import Json
    from lsp_server.errors import RequestError


def print_json(value: dict[str, Json]) -> None:
    """Print, and flush for readers of a pipe."""
    print(json.dumps(value, ensure_ascii=False), flush=True)  # noqa: T201 - the product of --json


def print_text(text: str) -> None:
    """Print generated text; on a terminal, control characters are escaped."""
    if sys.stdout.isatty():
        text = "".join(one if one.isprintable() or one in "\n\t" else _escaped(one) for one in text)
    sys.stdout.write(text + "\n")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def failure(error: RequestError) -> dict[str, Json]:
    """A command that could not do what it was asked, where it has no shape of its own for that."""
    return {"error": {"code": str(error.code), "message": error.message}}


def drop_output() -> None:
    """The reader went away (`| head`); what is left in the buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
