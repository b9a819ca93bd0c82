"""Reads the types that ty writes, by their brackets, for `checkers.written_types`."""

from __future__ import annotations

from context_index.checkers.type_texts import ANYTHING, CUT, UNRESOLVED, closing, flat, split, union
from context_index.symbols import (
    ArrayType,
    FunctionType,
    InstanceType,
    LiteralType,
    Parameter,
    PrimitiveType,
    Type,
    TypedName,
    UnionType,
    UnknownType,
)

_PRIMITIVES = frozenset({"str", "int", "float", "bool", "bytes", "complex", "None", "object"})
_ARRAYS = frozenset({"list", "tuple", "set", "frozenset", "Sequence", "Iterable"})


def called_name(label: str) -> TypedName | None:
    """The signature of a called function from its label, `(title: str) -> Book`; None if it is no signature, or cut."""
    function = None if label.startswith(f"({CUT})") else _function_type(label)
    return None if function is None else TypedName(label, function, function)


def python_type(text: str) -> Type:
    """A type that ty wrote; an `UnknownType` with the text if it is not of a known form."""
    text = text.strip()
    if text.startswith("(") and (function := _function_type(text, is_type=True)) is not None:
        return function  # before `|` counts: the union in `() -> str | None` is what is returned
    alternatives = tuple(split(text, "|"))
    if len(alternatives) > 1:
        return UnionType(tuple(flat(map(python_type, alternatives))))
    if text.startswith("(") and text.endswith(")"):
        return python_type(text[1:-1])
    name, bracket, rest = text.partition("[")
    if text in ANYTHING or not name.replace(".", "").replace("_", "a").isalnum() or (bracket and rest[-1:] != "]"):
        return _object_type(text)
    arguments = tuple(split(rest[:-1], ",")) if bracket else ()
    if name == "Literal":
        literals = tuple(map(LiteralType, arguments))
        return literals[0] if len(literals) == 1 else UnionType(literals)
    if name in _PRIMITIVES:
        return PrimitiveType(name)
    types = tuple(python_type(argument) for argument in arguments if argument != CUT)
    if name in _ARRAYS and types:
        return ArrayType(union(types))
    return InstanceType(name, types)


def named(signature: str) -> tuple[str, Type] | None:
    """The text and the type of a name, from ty's declaration of it; None if ty does not know the type.

    The overloads of a function follow one another, each on lines of its own; the first one counts.
    """
    if signature.startswith("def "):
        first = signature.partition("\ndef ")[0]
        joined = " ".join(first.split()).replace("( ", "(").replace(" )", ")")
        start = joined.find("(", _end_of_type_parameters(joined))
        text = joined[start:]
        return text, _function_type(text) or UnknownType(text)
    if signature.startswith("class "):  # ty writes a class that is called with its constructor's parameters
        signature = f"<class '{signature.removeprefix('class ').partition('(')[0]}'>"
    text = " ".join(signature.split())
    return None if text in UNRESOLVED else (text, python_type(text))


def _function_type(text: str, *, is_type: bool = False) -> FunctionType | None:
    """The type of a function from its signature, `(a: int, /, *rest: str, b="x") -> str`; None for any other text.

    Args:
        is_type: Whether the text is a type and not a declaration: then parameters before the slash have no names.
    """
    end = closing(text, 0)
    arrow = text[end + 1 :].strip() if end >= 0 else ""
    if not arrow.startswith("->"):
        return None
    parameters = [*split(text[1:end], ",")]
    slash = parameters.index("/") if is_type and "/" in parameters else 0
    stars = (at for at, written in enumerate(parameters) if written.startswith("*") and written[:2] != "**")
    star = next(stars, len(parameters))
    read = tuple(
        _parameter(written, is_unnamed=at < slash, by_name=at > star)
        for at, written in enumerate(parameters)
        if written not in {"/", "*", CUT}
    )
    return FunctionType(read, python_type(arrow[2:]), arrow[2:].strip(), text)


def _parameter(text: str, *, is_unnamed: bool, by_name: bool) -> Parameter:
    """A parameter from its text.

    Args:
        is_unnamed: Whether a text without a colon is the parameter's type, not its name.
        by_name: Whether the parameter is passed by name only.
    """
    declared, *default = split(text, "=")
    name, *annotations = split(declared, ":")
    if not annotations and is_unnamed:
        return Parameter("", python_type(declared), declared)
    annotation = annotations[0] if annotations else ""
    value = default[0] if default else None
    return Parameter(name, python_type(annotation), annotation, value, value is not None, by_name)


def _object_type(text: str) -> Type:
    """The type of a class or a module from `<class 'Desk'>` or `<module 'os'>`; unknown for any other text."""
    kind, _, name = text.removeprefix("<").removesuffix(">").partition(" ")
    if text.startswith("<") and kind in {"class", "module"} and name[:1] == name[-1:] == "'":
        return InstanceType("type" if kind == "class" else "module", (InstanceType(name[1:-1]),))
    return UnknownType("" if text in ANYTHING else text)


def _end_of_type_parameters(text: str) -> int:
    """The offset after a function's type parameters, `[T]`, which are before its parameters; 0 if it has none."""
    first = min((at for at in map(text.find, "([<") if at >= 0), default=-1)
    return closing(text, first) + 1 if first >= 0 and text[first] != "(" else 0
