"""`inscope symbols`: the names at a place, as the constraint would see them. Needs no model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from context_index import CheckerError, CursorKind, Origin, TypedName, cursor_at, question_at
from lsp_server.cli import symbols_prompt
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.files import syntax_at
from lsp_server.cli.printing import print_json
from lsp_server.cli.render_symbols import CheckerInfo, nearest_first, rendered
from lsp_server.cli.workspace import workspace_of
from lsp_server.errors import NotUnderstoodError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index import SymbolContext, Syntax, Workspace
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.cli.place import Place

_CHECKER_SECONDS = 10.0
"""How long to wait for a type checker that was just started and reads a whole program."""
_LIBRARY_SECONDS = 20.0
"""How long the first reading of a project's libraries may take; later ones take a fraction of a second."""


def run(arguments: Arguments) -> int:
    """List the names, innermost first, after what a type checker knows about the place."""
    if arguments.place is None:
        raise NotUnderstoodError("name a place, FILE:LINE:COLUMN")
    syntax, offset = syntax_at(arguments.place)
    if arguments.prompt:
        return _prompt(arguments, arguments.place, syntax, offset)
    with workspace_of(arguments) as workspace:
        workspace.read_libraries(syntax.document, _LIBRARY_SECONDS)
        context = workspace.context(syntax, offset)
        info = checker_info_at(workspace, syntax, offset)
        types = types_at(context)
    if arguments.json:
        print_json(as_json(arguments.place, context, info, types))
    else:
        console_for_answers().print(rendered(arguments.place, context, info, types))
    return 0


def types_at(context: SymbolContext) -> Mapping[str, TypedName]:
    """The types of the names that the file declares or imports; there are thousands of global names."""
    own = [name.text for name in context.names.values() if name.origin is not Origin.GLOBAL]
    with working("asking the type checker"):
        return {} if context.types is None else context.types.of(own)


def _prompt(arguments: Arguments, place: Place, syntax: Syntax, offset: int) -> int:
    with workspace_of(arguments) as workspace:
        shown = symbols_prompt.shown_at(workspace, syntax, offset, arguments.model)
    if arguments.json:
        print_json(symbols_prompt.as_json(place, shown))
    else:
        console_for_answers().print(symbols_prompt.rendered(place, shown))
    return 0


def checker_info_at(workspace: Workspace, syntax: Syntax, offset: int) -> CheckerInfo | None:
    """What the checker lists at a place, and the signature of the call around it; None where neither applies."""
    document, cursor = syntax.document, cursor_at(syntax, offset)
    question = question_at(document, cursor)
    called = (bool(cursor.callee) and question is None) or cursor.kind is CursorKind.ARGUMENT
    if question is None and not called:
        return None
    started = time.perf_counter()
    with working("asking the type checker"):
        try:
            checker = workspace.checker_of(document)
            listed = None if question is None else workspace.completions(question, typed=True).result(_CHECKER_SECONDS)
            asked = checker.ask(document, lambda query: query.signatures(offset)) if called else None
            signatures = None if asked is None else asked.result(_CHECKER_SECONDS)
        except (CheckerError, TimeoutError) as error:
            return CheckerInfo(str(cursor.kind), why=str(error) or f"no answer within {_CHECKER_SECONDS:g} s")
    took = (time.perf_counter() - started) * 1e3
    return CheckerInfo(str(cursor.kind), checker.title, took, listed, signatures)


def as_json(
    place: Place, context: SymbolContext, info: CheckerInfo | None, types: Mapping[str, TypedName]
) -> dict[str, Json]:
    """The names with 1-based lines; `importable` are not in scope, but some file of the workspace exports them."""
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
            {"name": one.text, "kind": str(one.kind), "module": one.module, "is_default": one.is_default}
            for one in context.importable
        ],
    }


def _type(typed: TypedName) -> dict[str, Json]:
    """`type` as the language writes it, or null and the reason in `why`; `signature` for what can be called."""
    called = typed.signature
    return {
        "type": typed.type,
        "why": typed.why,
        "signature": None
        if called is None
        else {
            "text": called.text,
            "parameters": [
                {"name": one.name, "type": one.text or None, "default": one.default, "optional": one.is_optional}
                for one in called.parameters
            ],
            "returns": called.returned or None,
        },
        "documentation": typed.documentation,
    }


def _members(info: CheckerInfo | None) -> dict[str, Json] | None:
    """What the checker lists at the place itself; `why` where it could not be asked."""
    if info is None or (info.listed is None and not info.why):
        return None
    return {
        "position": info.kind,
        "by": info.by,
        "milliseconds": round(info.milliseconds, 1),
        "why": info.why,
        "names": [{"name": one.text, "kind": str(one.kind), "type": one.type or None} for one in info.listed or ()],
    }


def _signature(info: CheckerInfo | None) -> dict[str, Json] | None:
    """The function that is called at the place; `active` counts its parameters from 0."""
    if info is None or info.signatures is None:
        return None
    one = info.signatures.active_signature
    return {
        "label": one.label,
        "parameters": list(one.parameters),
        "active": one.active,
        "documentation": one.documentation,
        "by": info.by,
        "milliseconds": round(info.milliseconds, 1),
    }
