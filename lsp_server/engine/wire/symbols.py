"""The names at a place as JSON, for `inscope symbols`; docs/answers.md has the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import TypedName
from lsp_server.engine.symbols import nearest_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index import SymbolContext
    from lsp_server.engine.snippets import ShownSnippets
    from lsp_server.engine.symbols import CheckerInfo
    from lsp_server.engine.wire import Json
    from lsp_server.engine.wire.file_place import FilePlace


def as_json(
    place: FilePlace, context: SymbolContext, info: CheckerInfo | None, types: Mapping[str, TypedName]
) -> dict[str, Json]:
    """What is known of the names at a place, innermost scope first; lines count from 1.

    Args:
        info: What a checker says about the place itself; None where it has nothing to say.
        types: The types of the names that the file declares or imports.
    """
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "language": str(context.language),
        "members": _members(info),
        "signature": _signature(info),
        "complete": context.complete,
        "caveats": list(context.caveats),
        "names": [
            {
                "name": name.text,
                "kind": str(name.kind),
                "origin": str(name.origin),
                "distance": name.distance,
                "line": None if name.line is None else name.line + 1,
                "detail": name.detail,
                **_type(types.get(name.text) or TypedName(None, why="a global name: not asked")),
                "before_declaration": name.before_declaration,
                "is_type": name.is_type,
            }
            for name in nearest_first(context.names.values())
        ],
        "importable": [
            {"name": name.text, "kind": str(name.kind), "module": name.module, "is_default": name.is_default}
            for name in context.importable
        ],
    }


def _type(typed: TypedName) -> dict[str, Json]:
    """`type` as the language writes it, or null and the reason in `why`; `signature` for what can be called."""
    signature = typed.signature
    return {
        "type": typed.type,
        "why": typed.why,
        "signature": None
        if signature is None
        else {
            "text": signature.text,
            "parameters": [
                {
                    "name": parameter.name,
                    "type": parameter.text or None,
                    "default": parameter.default,
                    "optional": parameter.is_optional,
                }
                for parameter in signature.parameters
            ],
            "returns": signature.returned or None,
        },
        "documentation": typed.documentation,
    }


def _members(info: CheckerInfo | None) -> dict[str, Json] | None:
    """What the checker lists at the place itself; None where it was not asked, and `why` where it did not answer."""
    if info is None or (info.listed is None and not info.why):
        return None
    return {
        "position": info.kind,
        "by": info.by,
        "milliseconds": round(info.milliseconds, 1),
        "why": info.why,
        "names": [
            {"name": member.text, "kind": str(member.kind), "type": member.type or None} for member in info.listed or ()
        ],
    }


def _signature(info: CheckerInfo | None) -> dict[str, Json] | None:
    """The function that is called at the place; `active` is its parameter there, from 0. None outside of calls."""
    if info is None or info.signatures is None:
        return None
    signature = info.signatures.active_signature
    return {
        "label": signature.label,
        "parameters": list(signature.parameters),
        "active": signature.active,
        "documentation": signature.documentation,
        "by": info.by,
        "milliseconds": round(info.milliseconds, 1),
    }


def snippets_as_json(place: FilePlace, shown: ShownSnippets) -> dict[str, Json]:
    """The passages of other files that a model is shown, most useful first."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "model": shown.model,
        "budget": shown.budget,
        "snippets": [{"path": snippet.path, "tokens": cost, "text": snippet.text} for snippet, cost in shown.snippets],
    }
