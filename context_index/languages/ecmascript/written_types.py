"""Types as TypeScript writes them, taken apart by its own grammar."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.checkers.type_texts import ANYTHING, CUT, closing, flat, union
from context_index.symbols import (
    ArrayType,
    FunctionType,
    InstanceType,
    Language,
    LiteralType,
    Parameter,
    PrimitiveType,
    RecordProperty,
    RecordType,
    Type,
    TypedName,
    UnionType,
    UnknownType,
)
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document

_UNDEFINED = "/*unresolved*/"
"""TypeScript's mark at the type of a name that is not defined."""
_TYPE_PARAMETER = "(type parameter)"
_SCRIPT_ARRAYS = frozenset({"Array", "ReadonlyArray"})


def called_name(label: str) -> TypedName | None:
    """What a call takes that is being written, `lend(book: Book): void`; None where that is not known."""
    found = named(label)
    if found is None:
        return None
    text, structure = found
    return TypedName(text, structure, structure if isinstance(structure, FunctionType) else None)


def named(signature: str) -> tuple[str, Type] | None:
    """What a declaration says of a name; None where that is not defined."""
    found = _script_name(signature)
    return None if found is None or found[0].startswith(_UNDEFINED) else found


def script_type(text: str) -> Type:
    """A type as TypeScript writes it."""
    syntax = parse(Document("", Language.TYPESCRIPT, f"type T = {text};"))
    statement = syntax.root.named_children[0] if syntax.root.named_children else None
    value = statement.child_by_field_name("value") if statement is not None else None
    if value is None or syntax.errors:
        return UnknownType(text)
    return _script(syntax, value)


def _script_name(signature: str) -> tuple[str, Type] | None:
    """A declaration without its keywords: what comes after the name says the type. Of overloads the first counts."""
    lines = signature.split("\n")
    prefix = lines[0].partition(" ")[0]
    end = next((at for at, line in enumerate(lines) if at and line.startswith((f"{prefix} ", "import "))), len(lines))
    line = " ".join(" ".join(lines[:end]).split())
    if line.startswith(_TYPE_PARAMETER):
        name = line.removeprefix(_TYPE_PARAMETER).split()[0]
        return name, InstanceType(name)
    while line.startswith("("):  # words about what it is: `(parameter)`, `(alias) (property)`
        line = line[closing(line, 0) + 1 :].strip()
    keyword, _, rest = line.partition(" ")
    match keyword:
        case "class" | "enum" | "constructor":  # the last of a class that is called
            name = rest[: _after_name(rest)] or rest
            return f"typeof {name}", InstanceType("typeof", (InstanceType(name),))
        case "interface":
            return rest, script_type(rest)
        case "namespace" | "module":
            return f"typeof {rest}", InstanceType("typeof", (InstanceType(rest.strip('"')),))
        case "type":
            name, is_defined, text = rest.partition(" = ")
            return (text, script_type(text)) if is_defined else (name, script_type(name))
    at = _after_name(line)
    if line[at : at + 1] in {"(", "<"}:
        close = closing(line, line.find("(", closing(line, at) if line[at] == "<" else at))
        returns = line[close + 1 :].lstrip("?: ").partition(" (+")[0]
        text = f"{line[at : close + 1]} => {returns or 'any'}"
        return text, script_type(text)
    text = line[at:].lstrip("?!: ")
    return (text, script_type(text)) if text else None


def _after_name(line: str) -> int:
    """Where the name that a declaration gives ends; it may be that of a member, `Desk<string>.lend`."""
    at = 0
    while at < len(line) and line[at] not in ":(?!":
        if line[at] == "<":
            close = closing(line, at)
            if line[close + 1 : close + 2] != ".":
                return at
            at = close
        at += 1
    return at


def _script(syntax: Syntax, node: Node) -> Type:
    text = syntax.text(node)
    match node.type:
        case "predefined_type":
            return UnknownType() if text in ANYTHING else PrimitiveType(text)
        case "literal_type":
            return PrimitiveType(text) if text in {"undefined", "null"} else LiteralType(text)
        case "template_literal_type":
            return PrimitiveType("string")
        case "type_identifier" | "nested_type_identifier" | "this_type":
            return InstanceType(text)
        case "type_query":
            return InstanceType("typeof", (InstanceType(text.removeprefix("typeof ")),))
        case "object_type":
            return UnknownType(text) if CUT in text else RecordType(dict(_properties(syntax, node)))
        case "function_type":
            return _script_signature(syntax, node)
    return _script_of_parts(syntax, node)


def _script_of_parts(syntax: Syntax, node: Node) -> Type:
    """A type that is made of others, and is written by what stands between them."""
    children = node.named_children
    parts = [_script(syntax, child) for child in children]
    match node.type:
        case "union_type":
            return UnionType(tuple(flat(parts)))
        case "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" if parts:
            return parts[-1]
        case "array_type":
            return ArrayType(parts[0])
        case "tuple_type" if parts:
            return ArrayType(union(parts))
        case "generic_type":
            name, arguments = syntax.text(children[0]), [_script(syntax, one) for one in children[1].named_children]
            is_array = name in _SCRIPT_ARRAYS and arguments
            return ArrayType(arguments[0]) if is_array else InstanceType(name, tuple(arguments))
    return UnknownType(syntax.text(node))


def _properties(syntax: Syntax, node: Node) -> Iterator[tuple[str, RecordProperty]]:
    for member in node.named_children:
        name, annotation = member.child_by_field_name("name"), member.child_by_field_name("type")
        if name is None:
            continue
        is_optional = any(child.type == "?" for child in member.children)
        if member.type == "method_signature":
            found: Type = _script_signature(syntax, member)
        else:
            found = UnknownType() if annotation is None else _script(syntax, annotation.named_children[0])
        yield syntax.text(name).strip("'\""), RecordProperty(found, is_optional)


def _script_signature(syntax: Syntax, node: Node) -> FunctionType:
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    if returns is not None and returns.type == "type_annotation":
        returns = returns.named_children[0]
    return FunctionType(
        tuple(_script_parameter(syntax, one) for one in (parameters.named_children if parameters is not None else ())),
        UnknownType() if returns is None else _script(syntax, returns),
        "" if returns is None else " ".join(syntax.text(returns).split()),
        " ".join(syntax.text(node).split()),
    )


def _script_parameter(syntax: Syntax, node: Node) -> Parameter:
    name, annotation = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    written = annotation.named_children[0] if annotation is not None else None
    return Parameter(
        "" if name is None else syntax.text(name),
        UnknownType() if written is None else _script(syntax, written),
        "" if written is None else " ".join(syntax.text(written).split()),
        is_optional=node.type == "optional_parameter",
    )
