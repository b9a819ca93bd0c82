"""Reads the types that TypeScript writes, by TypeScript's own grammar, for `checkers.written_types`."""

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

_UNRESOLVED = "/*unresolved*/"
"""TypeScript's mark before the type of a name that is not defined."""
_TYPE_PARAMETER = "(type parameter)"
_ARRAYS = frozenset({"Array", "ReadonlyArray"})


def called_name(label: str) -> TypedName | None:
    """The signature of a called function from its label, `lend(book: Book): void`; None if it is not known."""
    declared = named(label)
    if declared is None:
        return None
    text, structure = declared
    return TypedName(text, structure, structure if isinstance(structure, FunctionType) else None)


def named(signature: str) -> tuple[str, Type] | None:
    """The text and the type of a name, from TypeScript's declaration of it; None if the name is not defined."""
    declared = _declared_type(signature)
    return None if declared is None or declared[0].startswith(_UNRESOLVED) else declared


def script_type(text: str) -> Type:
    """A type that TypeScript wrote; an `UnknownType` with the text if it does not parse."""
    syntax = parse(Document("", Language.TYPESCRIPT, f"type T = {text};"))
    statement = syntax.root.named_children[0] if syntax.root.named_children else None
    value = statement.child_by_field_name("value") if statement is not None else None
    if value is None or syntax.errors:
        return UnknownType(text)
    return _type_of(syntax, value)


def _declared_type(signature: str) -> tuple[str, Type] | None:
    """The text and the type that a declaration has after its keywords and its name; None if it has none.

    The first of several overloads counts.
    """
    lines = signature.split("\n")
    prefix = lines[0].partition(" ")[0]
    end = next((at for at, line in enumerate(lines) if at and line.startswith((f"{prefix} ", "import "))), len(lines))
    line = " ".join(" ".join(lines[:end]).split())
    if line.startswith(_TYPE_PARAMETER):
        name = line.removeprefix(_TYPE_PARAMETER).split()[0]
        return name, InstanceType(name)
    while line.startswith("("):  # TypeScript's words for what it is: `(parameter)`, `(alias) (property)`
        line = line[closing(line, 0) + 1 :].strip()
    keyword, _, rest = line.partition(" ")
    match keyword:
        case "class" | "enum" | "constructor":  # `constructor` for a class that is called
            name = rest[: _end_of_name(rest)] or rest
            return f"typeof {name}", InstanceType("typeof", (InstanceType(name),))
        case "interface":
            return rest, script_type(rest)
        case "namespace" | "module":
            return f"typeof {rest}", InstanceType("typeof", (InstanceType(rest.strip('"')),))
        case "type":
            name, is_defined, text = rest.partition(" = ")
            return (text, script_type(text)) if is_defined else (name, script_type(name))
    at = _end_of_name(line)
    if line[at : at + 1] in {"(", "<"}:  # a function, whose parameters and returned type are written as an arrow type
        close = closing(line, line.find("(", closing(line, at) if line[at] == "<" else at))
        returns = line[close + 1 :].lstrip("?: ").partition(" (+")[0]
        text = f"{line[at : close + 1]} => {returns or 'any'}"
        return text, script_type(text)
    text = line[at:].lstrip("?!: ")
    return (text, script_type(text)) if text else None


def _end_of_name(line: str) -> int:
    """The offset after the declared name at the start of a line; it may be a member's name, `Desk<string>.lend`."""
    at = 0
    while at < len(line) and line[at] not in ":(?!":
        if line[at] == "<":
            close = closing(line, at)
            if line[close + 1 : close + 2] != ".":
                return at
            at = close
        at += 1
    return at


def _type_of(syntax: Syntax, node: Node) -> Type:
    """The type that a node of TypeScript's tree writes."""
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
            return _function_type(syntax, node)
    return _composed_type(syntax, node)


def _composed_type(syntax: Syntax, node: Node) -> Type:
    """The type of a node that is made of other types; an `UnknownType` for any other node."""
    children = node.named_children
    types = [_type_of(syntax, child) for child in children]
    match node.type:
        case "union_type":
            return UnionType(tuple(flat(types)))
        case "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" if types:
            return types[-1]
        case "array_type":
            return ArrayType(types[0])
        case "tuple_type" if types:
            return ArrayType(union(types))
        case "generic_type":
            name = syntax.text(children[0])
            arguments = [_type_of(syntax, argument) for argument in children[1].named_children]
            is_array = name in _ARRAYS and arguments
            return ArrayType(arguments[0]) if is_array else InstanceType(name, tuple(arguments))
    return UnknownType(syntax.text(node))


def _properties(syntax: Syntax, node: Node) -> Iterator[tuple[str, RecordProperty]]:
    """The members of an object type, by name; what `[key: string]` says of all others is none."""
    for member in node.named_children:
        name, annotation = member.child_by_field_name("name"), member.child_by_field_name("type")
        if name is None or member.type == "index_signature":
            continue
        is_optional = any(child.type == "?" for child in member.children)
        if member.type == "method_signature":
            type_: Type = _function_type(syntax, member)
        else:
            type_ = UnknownType() if annotation is None else _type_of(syntax, annotation.named_children[0])
        yield syntax.text(name).strip("'\""), RecordProperty(type_, is_optional)


def _function_type(syntax: Syntax, node: Node) -> FunctionType:
    """The type that a function type or a method's signature writes."""
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    if returns is not None and returns.type == "type_annotation":
        returns = returns.named_children[0]
    return FunctionType(
        tuple(_parameter(syntax, child) for child in (parameters.named_children if parameters is not None else ())),
        UnknownType() if returns is None else _type_of(syntax, returns),
        "" if returns is None else " ".join(syntax.text(returns).split()),
        " ".join(syntax.text(node).split()),
    )


def _parameter(syntax: Syntax, node: Node) -> Parameter:
    name, annotation = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    type_node = annotation.named_children[0] if annotation is not None else None
    return Parameter(
        "" if name is None else syntax.text(name),
        UnknownType() if type_node is None else _type_of(syntax, type_node),
        "" if type_node is None else " ".join(syntax.text(type_node).split()),
        is_optional=node.type == "optional_parameter",
    )
