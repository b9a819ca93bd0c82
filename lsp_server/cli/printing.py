"""JSON for programs, on standard output: one object on one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.cli.answers import Json
    from lsp_server.errors import RequestError


def print_json(value: dict[str, Json]) -> None:
    """Print, and let whoever reads a pipe have it now."""
    print(json.dumps(value, ensure_ascii=False), flush=True)  # noqa: T201 - the product of --json


def failure(error: RequestError) -> dict[str, Json]:
    """A command that could not do what it was asked, where it has no shape of its own for that."""
    return {"error": {"code": str(error.code), "message": error.message}}
