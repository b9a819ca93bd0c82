"""What the names at a place are worth to a program: expressions by their types, and what a function takes.

Only what is written in the file counts: an annotation, a signature. Nothing is guessed from names or values.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.symbols import Name, NameKind, SymbolContext
from decoder.program.nodes import ProgramError, Type

_TYPES = {
    "string": Type.STRING, "str": Type.STRING,
    "number": Type.NUMBER, "int": Type.NUMBER, "float": Type.NUMBER,
    "boolean": Type.BOOLEAN, "bool": Type.BOOLEAN,
}  # fmt: skip
_VALUES = frozenset({NameKind.VARIABLE, NameKind.CONSTANT, NameKind.PARAMETER})
_IMPLIED = frozenset({"", "self", "cls", "/"})
_OPEN, _CLOSED = "([{<", ")]}>"


def expressions_of(symbols: SymbolContext) -> tuple[tuple[Type, str], ...]:
    """The visible names whose annotation is one of the types."""
    return tuple((_TYPES[name.detail], name.text) for name in _values(symbols) if name.detail in _TYPES)


def fitting(symbols: SymbolContext, function: str) -> tuple[Type | tuple[str, ...], ...]:
    """For each argument that a function must be given, its type, or the names that have the type.

    Raises:
        ProgramError: the function's signature is not known, or nothing fits.
    """
    named = symbols.names.get(function)
    if named is None:
        raise ProgramError(f"there is no function '{function}' in scope at the place")
    if not named.detail.startswith("("):
        raise ProgramError(f"nothing is known of what '{function}' takes")
    wanted: list[Type | tuple[str, ...]] = []
    for parameter, annotation in _required(named.detail):
        names = tuple(name.text for name in _values(symbols) if annotation and name.detail == annotation)
        kind = _TYPES.get(annotation, names)
        if not kind:
            why = f"is of type {annotation}, and nothing in scope is" if annotation else "has no annotation"
            raise ProgramError(f"no argument for '{function}' fits: its parameter '{parameter}' {why}")
        wanted.append(kind)
    return tuple(wanted)


def _values(symbols: SymbolContext) -> Iterator[Name]:
    return (
        name
        for name in symbols.names.values()
        if name.kind in _VALUES and not name.is_type and not name.before_declaration
    )


def _required(signature: str) -> Iterator[tuple[str, str]]:
    """Name and annotation of the parameters that have no default."""
    depth, start = 0, 1
    for place, character in enumerate(signature):
        depth += (character in _OPEN) - (character in _CLOSED and signature[place - 1 : place + 1] not in ("->", "=>"))
        if (depth == 1 and character == ",") or depth == 0:
            name, _, annotation = signature[start:place].partition(":")
            optional = name.strip().endswith("?") or "=" in annotation.replace("=>", "") or "=" in name
            if name.strip() not in _IMPLIED and not name.strip().startswith(("...", "*")) and not optional:
                yield name.strip(), annotation.strip()
            start = place + 1
            if depth == 0:
                return
