"""Types as ty writes them, taken apart by their brackets."""

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
    """What a call takes that is being written, `(title: str) -> Book`; None where that is not known."""
    found = None if label.startswith(f"({CUT})") else _python_function(label)
    return None if found is None else TypedName(label, found, found)


def python_type(text: str) -> Type:
    """A type as ty writes it."""
    text = text.strip()
    alternatives = tuple(split(text, "|"))
    if len(alternatives) > 1:
        return UnionType(tuple(flat(map(python_type, alternatives))))
    if text.startswith("(") and (function := _python_function(text, is_type=True)) is not None:
        return function
    if text.startswith("(") and text.endswith(")"):
        return python_type(text[1:-1])
    name, bracket, rest = text.partition("[")
    if text in ANYTHING or not name.replace(".", "").replace("_", "a").isalnum() or (bracket and rest[-1:] != "]"):
        return _python_object(text)
    arguments = tuple(split(rest[:-1], ",")) if bracket else ()
    if name == "Literal":
        literals = tuple(map(LiteralType, arguments))
        return literals[0] if len(literals) == 1 else UnionType(literals)
    if name in _PRIMITIVES:
        return PrimitiveType(name)
    parts = tuple(python_type(one) for one in arguments if one != CUT)
    if name in _ARRAYS and parts:
        return ArrayType(union(parts))
    return InstanceType(name, parts)


def named(signature: str) -> tuple[str, Type] | None:
    """What a declaration says of a name. Overloads follow one another, each in lines of its own; the first is taken."""
    if signature.startswith("def "):
        first = signature.partition("\ndef ")[0]
        joined = " ".join(first.split()).replace("( ", "(").replace(" )", ")")
        start = joined.find("(", _end_of_brackets(joined))
        text = joined[start:]
        return text, _python_function(text) or UnknownType(text)
    if signature.startswith("class "):  # one that is called, with what it takes
        signature = f"<class '{signature.removeprefix('class ').partition('(')[0]}'>"
    text = " ".join(signature.split())
    return None if text in UNRESOLVED else (text, python_type(text))


def _python_function(text: str, *, is_type: bool = False) -> FunctionType | None:
    """`(a: int, /, *rest: str, b="x") -> str`; written as a type, parameters before the slash have no names."""
    end = closing(text, 0)
    arrow = text[end + 1 :].strip() if end >= 0 else ""
    if not arrow.startswith("->"):
        return None
    written = [*split(text[1:end], ",")]
    unnamed = written.index("/") if is_type and "/" in written else 0
    named = next((at for at, one in enumerate(written) if one.startswith("*") and one[:2] != "**"), len(written))
    parameters = tuple(
        _python_parameter(one, is_type=at < unnamed, by_name=at > named)
        for at, one in enumerate(written)
        if one not in {"/", "*", CUT}
    )
    return FunctionType(parameters, python_type(arrow[2:]), arrow[2:].strip(), text)


def _python_parameter(text: str, *, is_type: bool, by_name: bool) -> Parameter:
    written, *default = split(text, "=")
    parts = list(split(written, ":"))
    if len(parts) == 1 and is_type:
        return Parameter("", python_type(written), written)
    annotation = parts[1] if len(parts) > 1 else ""
    value = default[0] if default else None
    return Parameter(parts[0], python_type(annotation), annotation, value, value is not None, by_name)


def _python_object(text: str) -> Type:
    """`<class 'Desk'>` and `<module 'os'>` are objects by themselves."""
    kind, _, name = text.removeprefix("<").removesuffix(">").partition(" ")
    if text.startswith("<") and kind in {"class", "module"} and name[:1] == name[-1:] == "'":
        return InstanceType("type" if kind == "class" else "module", (InstanceType(name[1:-1]),))
    return UnknownType("" if text in ANYTHING else text)


def _end_of_brackets(text: str) -> int:
    """Where the parameters of a function's types end, which come before its own; 0 where there are none."""
    first = min((at for at in map(text.find, "([<") if at >= 0), default=-1)
    return closing(text, first) + 1 if first >= 0 and text[first] != "(" else 0
