"""Types as checkers write them, taken apart; each line of `cases/written_types.txt` is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index.checkers.written_types import typed_name
from context_index.symbols import (
    ArrayType,
    FunctionType,
    InstanceType,
    Language,
    LiteralType,
    Parameter,
    PrimitiveType,
    RecordType,
    Type,
    UnionType,
    UnknownType,
)


def cases() -> Iterator[tuple[Language, str]]:
    language = Language.TYPESCRIPT
    for line in (Path(__file__).parent / "cases" / "written_types.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            language = Language.PYTHON if line == "# py" else language
        else:
            yield language, line


def described(found: Type) -> str:
    """A type as the cases write it."""
    match found:
        case PrimitiveType(name):
            return name
        case LiteralType(text):
            return f"literal {text}"
        case ArrayType(element):
            return f"array of {described(element)}"
        case UnionType(of):
            return " | ".join(f"({described(one)})" if isinstance(one, FunctionType) else described(one) for one in of)
        case RecordType(properties):
            written = (f"{name}{'?' * one.is_optional}: {described(one.type)}" for name, one in properties.items())
            return f"{{{', '.join(written)}}}"
        case FunctionType(parameters, returns):
            return f"({', '.join(map(parameter, parameters))}) -> {described(returns)}"
        case InstanceType(name, arguments):
            return f"instance {name}" + (f"<{', '.join(map(described, arguments))}>" if arguments else "")
        case UnknownType():
            return "unknown"


def parameter(one: Parameter) -> str:
    default = "" if one.default is None else f" = {one.default}"
    return f"{one.name}{'?' * one.is_optional}: {described(one.type)}{default}" if one.name else described(one.type)


@pytest.mark.parametrize(("language", "line"), list(cases()), ids=lambda value: str(value)[:60])
def test_case(language: Language, line: str) -> None:
    declared, written, structure = line.replace("\\n", "\n").split(" ⇒ ")
    found = typed_name(declared, "", language)
    assert found.type == (None if written == "null" else written)
    assert described(found.structure) == structure


def test_documentation_is_the_first_sentence() -> None:
    assert typed_name("int", "A number. Of chairs.\n\nMore.", Language.PYTHON).documentation == "A number."
    assert typed_name("int", "A number of\nchairs\n\nMore.", Language.PYTHON).documentation == "A number of chairs"
