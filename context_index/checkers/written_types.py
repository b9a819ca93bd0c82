"""Types as checkers write them, taken apart: TypeScript's by its own grammar, Python's by its brackets.

Knows neither files nor processes. What is cut off, or written in a way that is not known here, is an `UnknownType`
with its text: then the checker is to be asked, not this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from context_index.symbols import (
    ArrayType,
    FunctionType,
    InstanceType,
    Language,
    LiteralType,
    Parameter,
    PrimitiveType,
    Property,
    RecordType,
    Type,
    TypedName,
    UnionType,
    UnknownType,
)
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document

_CUT = "..."
_UNKNOWN = "the checker does not know its type"
_SENTENCE = (". ", ".\n", "\n\n")
_UNRESOLVED = frozenset({"any", "Unknown", ""})
"""What a checker says of a name that it does not know."""
_ANYTHING = _UNRESOLVED | {"Any", "unknown"}
"""The same, and what is declared to be anything."""
_UNDEFINED = "/*unresolved*/"
"""TypeScript's mark at the type of a name that is not defined."""
_TYPE_PARAMETER = "(type parameter)"
_PRIMITIVES = frozenset({"str", "int", "float", "bool", "bytes", "complex", "None", "object"})
_ARRAYS = frozenset({"list", "tuple", "set", "frozenset", "Sequence", "Iterable"})
_SCRIPT_ARRAYS = frozenset({"Array", "ReadonlyArray"})
_OPENING, _CLOSING, _QUOTES = "([{<", ")]}>", "'\"`"
_ARROWS = frozenset({"->", "=>"})


def typed_name(signature: str, documentation: str, language: Language) -> TypedName:
    """What a checker's hover says of a name.

    Args:
        signature: its declaration, as the checker writes it: `const n: 1`, `(method) Desk.lend(book: Book): void`.
        documentation: what it says besides, in Markdown.
    """
    found = _python_name(signature) if language.is_python else _script_name(signature)
    if found is None or found[0].startswith(_UNDEFINED):
        return TypedName(None, why=_UNKNOWN)
    text, structure = found
    called = structure if isinstance(structure, FunctionType) else None
    return TypedName(text, structure, called, _first_sentence(documentation))


def called_name(label: str, language: Language) -> TypedName:
    """What a checker says of a call that is being written: `(title: str) -> Book`, `lend(book: Book): void`."""
    if not language.is_python:
        return typed_name(label, "", language)
    found = None if label.startswith(f"({_CUT})") else _python_function(label)
    return TypedName(None, why=_UNKNOWN) if found is None else TypedName(label, found, found)


def python_type(text: str) -> Type:
    """A type as ty writes it."""
    text = text.strip()
    alternatives = tuple(_split(text, "|"))
    if len(alternatives) > 1:
        return UnionType(tuple(_flat(map(python_type, alternatives))))
    if text.startswith("(") and (function := _python_function(text, is_type=True)) is not None:
        return function
    if text.startswith("(") and text.endswith(")"):
        return python_type(text[1:-1])
    name, bracket, rest = text.partition("[")
    if text in _ANYTHING or not name.replace(".", "").replace("_", "a").isalnum() or (bracket and rest[-1:] != "]"):
        return _python_object(text)
    arguments = tuple(_split(rest[:-1], ",")) if bracket else ()
    if name == "Literal":
        literals = tuple(map(LiteralType, arguments))
        return literals[0] if len(literals) == 1 else UnionType(literals)
    if name in _PRIMITIVES:
        return PrimitiveType(name)
    parts = tuple(python_type(one) for one in arguments if one != _CUT)
    if name in _ARRAYS and parts:
        return ArrayType(_union(parts))
    return InstanceType(name, parts)


def script_type(text: str) -> Type:
    """A type as TypeScript writes it."""
    syntax = parse(Document("", Language.TYPESCRIPT, f"type T = {text};"))
    statement = syntax.root.named_children[0] if syntax.root.named_children else None
    value = statement.child_by_field_name("value") if statement is not None else None
    if value is None or syntax.errors:
        return UnknownType(text)
    return _script(syntax, value)


def _python_name(signature: str) -> tuple[str, Type] | None:
    """Overloads follow one another, each in lines of its own; the first is taken."""
    if signature.startswith("def "):
        first = signature.partition("\ndef ")[0]
        joined = " ".join(first.split()).replace("( ", "(").replace(" )", ")")
        start = joined.find("(", _end_of_brackets(joined))
        text = joined[start:]
        return text, _python_function(text) or UnknownType(text)
    if signature.startswith("class "):  # one that is called, with what it takes
        signature = f"<class '{signature.removeprefix('class ').partition('(')[0]}'>"
    text = " ".join(signature.split())
    return None if text in _UNRESOLVED else (text, python_type(text))


def _python_function(text: str, *, is_type: bool = False) -> FunctionType | None:
    """`(a: int, /, *rest: str, b="x") -> str`; written as a type, parameters before the slash have no names."""
    end = _closing(text, 0)
    arrow = text[end + 1 :].strip() if end >= 0 else ""
    if not arrow.startswith("->"):
        return None
    written = [*_split(text[1:end], ",")]
    unnamed = written.index("/") if is_type and "/" in written else 0
    named = next((at for at, one in enumerate(written) if one.startswith("*") and one[:2] != "**"), len(written))
    parameters = tuple(
        _python_parameter(one, is_type=at < unnamed, by_name=at > named)
        for at, one in enumerate(written)
        if one not in {"/", "*", _CUT}
    )
    return FunctionType(parameters, python_type(arrow[2:]), arrow[2:].strip(), text)


def _python_parameter(text: str, *, is_type: bool, by_name: bool) -> Parameter:
    written, *default = _split(text, "=")
    parts = list(_split(written, ":"))
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
    return UnknownType("" if text in _ANYTHING else text)


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
        line = line[_closing(line, 0) + 1 :].strip()
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
        close = _closing(line, line.find("(", _closing(line, at) if line[at] == "<" else at))
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
            close = _closing(line, at)
            if line[close + 1 : close + 2] != ".":
                return at
            at = close
        at += 1
    return at


def _script(syntax: Syntax, node: Node) -> Type:
    text = syntax.text(node)
    match node.type:
        case "predefined_type":
            return UnknownType() if text in _ANYTHING else PrimitiveType(text)
        case "literal_type":
            return PrimitiveType(text) if text in {"undefined", "null"} else LiteralType(text)
        case "template_literal_type":
            return PrimitiveType("string")
        case "type_identifier" | "nested_type_identifier" | "this_type":
            return InstanceType(text)
        case "type_query":
            return InstanceType("typeof", (InstanceType(text.removeprefix("typeof ")),))
        case "object_type":
            return UnknownType(text) if _CUT in text else RecordType(dict(_properties(syntax, node)))
        case "function_type":
            return _script_signature(syntax, node)
    return _script_of_parts(syntax, node)


def _script_of_parts(syntax: Syntax, node: Node) -> Type:
    """A type that is made of others, and is written by what stands between them."""
    children = node.named_children
    parts = [_script(syntax, child) for child in children]
    match node.type:
        case "union_type":
            return UnionType(tuple(_flat(parts)))
        case "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" if parts:
            return parts[-1]
        case "array_type":
            return ArrayType(parts[0])
        case "tuple_type" if parts:
            return ArrayType(_union(parts))
        case "generic_type":
            name, arguments = syntax.text(children[0]), [_script(syntax, one) for one in children[1].named_children]
            is_array = name in _SCRIPT_ARRAYS and arguments
            return ArrayType(arguments[0]) if is_array else InstanceType(name, tuple(arguments))
    return UnknownType(syntax.text(node))


def _properties(syntax: Syntax, node: Node) -> Iterator[tuple[str, Property]]:
    for member in node.named_children:
        name, annotation = member.child_by_field_name("name"), member.child_by_field_name("type")
        if name is None:
            continue
        is_optional = any(child.type == "?" for child in member.children)
        if member.type == "method_signature":
            found: Type = _script_signature(syntax, member)
        else:
            found = UnknownType() if annotation is None else _script(syntax, annotation.named_children[0])
        yield syntax.text(name).strip("'\""), Property(found, is_optional)


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


def _flat(parts: Iterable[Type]) -> Iterator[Type]:
    return chain.from_iterable(one.of if isinstance(one, UnionType) else [one] for one in parts)


def _union(parts: Sequence[Type]) -> Type:
    distinct = tuple(dict.fromkeys(parts)) if all(map(_is_hashable, parts)) else tuple(parts)
    return distinct[0] if len(distinct) == 1 else UnionType(distinct)


def _is_hashable(one: Type) -> bool:
    return not isinstance(one, RecordType)


def _first_sentence(documentation: str) -> str:
    text = documentation.strip()
    ends = [at + (1 if mark[0] == "." else 0) for mark in _SENTENCE if (at := text.find(mark)) >= 0]
    return " ".join(text[: min(ends, default=len(text))].split())


def _split(text: str, separator: str) -> Iterator[str]:
    """The parts of a text at a sign outside of all brackets and quotes."""
    start = 0
    for at, depth in _depths(text):
        if text[at] == separator and not depth:
            yield text[start:at].strip()
            start = at + 1
    if last := text[start:].strip():
        yield last


def _closing(text: str, start: int) -> int:
    """Where the bracket at a place is closed; -1 where it is not, or there is none."""
    before = 0
    for at, depth in _depths(text, start) if start >= 0 else ():
        if before > depth == 0:
            return at
        before = depth
    return -1


def _depths(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The place of each sign outside of quotes, and how many brackets are open after it."""
    depth, quote, is_escaped = 0, "", False
    for at in range(start, len(text)):
        sign = text[at]
        if quote:
            quote = "" if sign == quote and not is_escaped else quote
            is_escaped = sign == "\\" and not is_escaped
            continue
        if sign in _QUOTES:
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING and text[at - 1 : at + 1] not in _ARROWS:
            depth -= 1
        yield at, depth


def _end_of_brackets(text: str) -> int:
    """Where the parameters of a function's types end, which come before its own; 0 where there are none."""
    first = min((at for at in map(text.find, "([<") if at >= 0), default=-1)
    return _closing(text, first) + 1 if first >= 0 and text[first] != "(" else 0
