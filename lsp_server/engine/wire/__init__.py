"""Requests and answers as JSON, the same for the command line and the language server.

docs/answers.md and docs/verification.md list the fields. They are spelled `as_here`; the language server spells them
`asHere`, by `camel_case`. Another door asks `engine/service.py`, and writes the answers with the modules here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsp_server.errors import RequestError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""Any value of JSON."""


def error_as_json(error: RequestError) -> Json:
    """The value of an answer's `error`: why a request could not be served."""
    return {"code": str(error.code), "message": error.message}


def camel_case(answer: Mapping[str, Json]) -> dict[str, Json]:
    """An answer with its fields spelled as LSP spells names."""
    return {_camel(name): value for name, value in answer.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
