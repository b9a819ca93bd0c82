"""Standard output without rich: JSON for programs, generated text, and how to end where the reader closed the pipe."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.engine.wire import Json
    from lsp_server.errors import RequestError


def print_json(value: dict[str, Json]) -> None:
    """Print, and flush for readers of a pipe."""
    print(json.dumps(value, ensure_ascii=False), flush=True)  # noqa: T201 - the product of --json


def print_text(text: str) -> None:
    """Print generated text; on a terminal, where control characters would be commands, `escaped`."""
    sys.stdout.write((escaped(text, keep="\n\t") if sys.stdout.isatty() else text) + "\n")


def escaped(text: str, keep: str = "") -> str:
    """A text with what is not printable written as escapes: control characters, spaces other than the usual one.

    Args:
        keep: Characters to leave as they are.
    """
    return "".join(one if one.isprintable() or one in keep else one.encode("unicode_escape").decode() for one in text)


def failure(error: RequestError) -> dict[str, Json]:
    """What `--json` prints where a command fails whose module has no `failure` of its own."""
    return {"error": {"code": str(error.code), "message": error.message}}


def drop_output() -> None:
    """The reader went away (`| head`); what is left in the buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
